/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/operators/view.h"

G_BEGIN_DECLS

/** y = f (x) for one row of @n elements of the compute type. @index: number of the row. */
typedef void (*PtRowFunc) (gsize index, gsize n, gconstpointer x, gpointer y, gconstpointer params);

/**
 * Run @func on every row of @in along @dim; the result is the same row of @out, which has the same
 * shape. Rows are arrays of the compute type; rows of that form are used in place. Parallel over
 * rows.
 */
gboolean pt_for_rows (PtExecution *execution, PtCompute compute, const PtView *in,
                      const PtView *out, guint dim, PtRowFunc func, gconstpointer params,
                      GError **error);

G_END_DECLS
