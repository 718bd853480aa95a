/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/machine/series.h"

void
pteris_series_add (PterisSeries *self, gint64 time, double value)
{
  PterisPoint *point;

  if (self->n > 0 && time < pteris_series_get (self, self->n - 1)->time)
    self->n = 0;
  point = &self->points[(self->first + self->n) % PTERIS_SERIES_LENGTH];
  if (self->n == PTERIS_SERIES_LENGTH)
    self->first = (self->first + 1) % PTERIS_SERIES_LENGTH;
  else
    self->n++;
  point->time = time;
  point->value = value;
}

const PterisPoint *
pteris_series_get (const PterisSeries *self, guint i)
{
  return &self->points[(self->first + i) % PTERIS_SERIES_LENGTH];
}

double
pteris_series_last (const PterisSeries *self)
{
  return self->n > 0 ? pteris_series_get (self, self->n - 1)->value : PTERIS_UNKNOWN;
}

double
pteris_series_peak (const PterisSeries *self, gint64 since)
{
  double peak = PTERIS_UNKNOWN;

  for (guint i = 0; i < self->n; i++) {
    const PterisPoint *point = pteris_series_get (self, i);

    /* fmax() ignores a NaN. */
    if (point->time >= since)
      peak = fmax (peak, point->value);
  }
  return peak;
}
