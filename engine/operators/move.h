/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/operators/view.h"

G_BEGIN_DECLS

/*
 * Copies of elements between views with any strides, on which permute, expand, slice, cat and all
 * other shape operators are built.
 */

/** dst = src, broadcast to dst's shape, bytes unchanged. The dtypes must have the same size. */
void pt_move (PtExecution *execution, const PtView *dst, const PtView *src);

/** dst = src, broadcast to dst's shape and converted to its dtype. */
gboolean pt_move_convert (PtExecution *execution, const PtView *dst, const PtView *src,
                          GError **error);

/** Copy the bytes of @src in memory order to @dst, which must have the same number of elements. */
void pt_move_bytes (PtExecution *execution, const PtView *dst, const PtView *src);

/**
 * dst[i, j, ..] = src[maps[0][i], maps[1][j], ..] for views of equal rank. A map of NULL is the
 * identity. The caller must have checked all indices.
 */
void pt_move_mapped (PtExecution *execution, const PtView *dst, const PtView *src,
                     const gint32 *const *maps);

/** Copy @n elements of @size bytes; strides are in elements. */
void pt_move_strided (gsize size, gsize n, guint8 *dst, gint64 dst_stride, const guint8 *src,
                      gint64 src_stride);

/** A contiguous view of new scratch memory. */
gboolean pt_scratch_view (PtExecution *execution, PtDType dtype, guint rank, const gint64 *sizes,
                          PtView *view, GError **error);

/** Make @view contiguous and of @dtype; unless it is so already, in scratch memory. */
gboolean pt_make_dense (PtExecution *execution, PtDType dtype, PtView *view, GError **error);

/** A contiguous view of @dtype with @out's shape, for computing: @out itself where possible. */
gboolean pt_make_work (PtExecution *execution, PtDType dtype, const PtView *out, PtView *work,
                       GError **error);

/** Convert @work to @out, unless they are the same memory. */
gboolean pt_finish_work (PtExecution *execution, const PtView *out, const PtView *work,
                         GError **error);

G_END_DECLS
