/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <math.h>

#include <glib.h>

G_BEGIN_DECLS

/* The softest sound that a meter shows, in decibels. */
#define PTERIS_SOUND_FLOOR_DB 54

/** How loud @peak, of 16-bit samples, is to the ear: 0..1. */
static inline double
pteris_sound_level (int peak)
{
  double db = 20 * log10 (MAX (peak, 1) / 32768.0);

  return CLAMP (1 + db / PTERIS_SOUND_FLOOR_DB, 0, 1);
}

G_END_DECLS
