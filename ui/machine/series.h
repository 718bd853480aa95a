/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <math.h>

#include <glib.h>

G_BEGIN_DECLS

/** An unknown value. Drivers may omit any value; unknown values are never shown as 0. */
#define PTERIS_UNKNOWN ((double) NAN)

static inline gboolean
pteris_is_known (double value)
{
  return !isnan (value);
}

/** Ten minutes of one reading a second. */
#define PTERIS_SERIES_LENGTH 600

typedef struct {
  gint64 time;  /* g_get_monotonic_time() */
  double value; /* or PTERIS_UNKNOWN */
} PterisPoint;

/** PterisSeries: the newest values of one quantity, oldest first. Zero-initialised, it is empty. */
typedef struct {
  PterisPoint points[PTERIS_SERIES_LENGTH];
  guint first; /* index of the oldest point */
  guint n;
} PterisSeries;

/** Add @value, read at @time. Drops the oldest point if there are too many, and all points if the
 * clock went back. */
void pteris_series_add (PterisSeries *self, gint64 time, double value);

/** Point @i of @self->n. */
const PterisPoint *pteris_series_get (const PterisSeries *self, guint i);

/** The newest value; PTERIS_UNKNOWN if unknown or empty. */
double pteris_series_last (const PterisSeries *self);

/** The highest value since @since; PTERIS_UNKNOWN if there is none. */
double pteris_series_peak (const PterisSeries *self, gint64 since);

G_END_DECLS
