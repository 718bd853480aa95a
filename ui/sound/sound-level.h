/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <math.h>

#include <glib.h>

G_BEGIN_DECLS

/* The lowest level of a meter, in decibels below full scale. */
#define PTERIS_SOUND_FLOOR_DB 54

/** The level of @peak, of 16-bit samples, on a logarithmic scale: 0..1. */
static inline double
pteris_sound_level (int peak)
{
  double db = 20 * log10 (MAX (peak, 1) / 32768.0);

  return CLAMP (1 + db / PTERIS_SOUND_FLOOR_DB, 0, 1);
}

G_END_DECLS
