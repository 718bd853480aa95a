/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/kernel-tables.h"

/*
 * PtQ4TileKernels.multiply() for kernels that multiply one panel at a time: included by a file that
 * defines NR, panel_size() and multiply_panel().
 */
static void
multiply (gsize m, gsize n, gsize n_groups, gsize group, const PtQ4TileRows *rows,
          gconstpointer panels, const PtQ4TileEnds *ends, float *c, gsize ldc)
{
  gsize size = panel_size (n_groups * group, group);

  for (gsize column = 0; column < n; column += NR) {
    PtQ4TileEnds here = *ends;

    here.bias = ends->bias != NULL ? ends->bias + column : NULL;
    multiply_panel (m, MIN (NR, n - column), n_groups, group, rows,
                    (const guint8 *) panels + column / NR * size, &here, c + column, ldc);
  }
}
