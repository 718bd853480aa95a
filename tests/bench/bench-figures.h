/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdlib.h>

#include <glib.h>

/* The measurements of a benchmark, and what is printed of them. */

#define FIGURES_MAX 10000

typedef struct {
  double values[FIGURES_MAX];
  guint n;
} Figures;

static inline void
figures_add (Figures *figures, double value)
{
  if (figures->n < FIGURES_MAX)
    figures->values[figures->n++] = value;
}

static inline int
figures_compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* Sorts the values. 0: there are none. */
static inline double
figures_median (Figures *figures)
{
  qsort (figures->values, figures->n, sizeof (double), figures_compare);
  return figures->n > 0 ? figures->values[figures->n / 2] : 0;
}

/* Sorts the values. 0: there are none. */
static inline double
figures_least (Figures *figures)
{
  figures_median (figures);
  return figures->n > 0 ? figures->values[0] : 0;
}
