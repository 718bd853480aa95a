/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <math.h>

#include <glib.h>

G_BEGIN_DECLS

/** What is not known. A driver need not tell anything; nothing unknown is ever shown as 0. */
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

/** PterisSeries: the newest values of one quantity, oldest first. All zeros is an empty one. */
typedef struct {
  PterisPoint points[PTERIS_SERIES_LENGTH];
  guint first; /* index of the oldest point */
  guint n;
} PterisSeries;

/** Add @value, read at @time. The oldest point is forgotten when there are too many, and all are
 * when time has gone back. */
void pteris_series_add (PterisSeries *self, gint64 time, double value);

/** Point @i of @self->n. */
const PterisPoint *pteris_series_get (const PterisSeries *self, guint i);

/** The newest value; PTERIS_UNKNOWN when it is not known or there is none. */
double pteris_series_last (const PterisSeries *self);

/** The greatest value not older than @since; PTERIS_UNKNOWN when there is none. */
double pteris_series_peak (const PterisSeries *self, gint64 since);

G_END_DECLS
