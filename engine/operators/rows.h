/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/operators/view.h"

G_BEGIN_DECLS

/** y = f (x) for one row of @n elements of the compute type; @index counts rows. */
typedef void (*PtRowFunc) (gsize index, gsize n, gconstpointer x, gpointer y, gconstpointer params);

/**
 * Run @func on every row of @in along @dim, with the same row of @out, of the same shape, for the
 * result. Rows are arrays of the compute type; rows that are so already are used in
 * place. Parallel over rows.
 */
gboolean pt_for_rows (PtExecution *execution, PtCompute compute, const PtView *in,
                      const PtView *out, guint dim, PtRowFunc func, gconstpointer params,
                      GError **error);

G_END_DECLS
