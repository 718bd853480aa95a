/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/vector.h"
#include "engine/xnnpack/xnn-graph.h"

G_BEGIN_DECLS

/*
 * Half precision: computed in float and rounded once, at the output of each node
 * (docs/formats/xnnpack.md, section 8.1).
 */

static inline gboolean
pt_xnn_is_half (PtXnnType type)
{
  return type == PT_XNN_F16 || type == PT_XNN_BF16;
}

/** How numbers of @type, PT_XNN_F32 or a half type, are stored. */
static inline PtFloatType
pt_xnn_float_type (PtXnnType type)
{
  return type == PT_XNN_F16 ? PT_FLOAT_F16 : type == PT_XNN_BF16 ? PT_FLOAT_BF16 : PT_FLOAT_F32;
}

/** Convert @n elements of a half type to float. */
void pt_xnn_load_half (PtXnnType type, gsize n, const guint16 *x, float *y);
void pt_xnn_store_half (PtXnnType type, gsize n, const float *x, guint16 *y);

/** The same in parallel on the pool. */
void pt_xnn_widen (PtPool *pool, PtXnnType type, gsize n, const guint16 *x, float *y);
void pt_xnn_narrow (PtPool *pool, PtXnnType type, gsize n, const float *x, guint16 *y);

/**
 * A constant as floats. Half precision is converted once, to memory of the graph. NULL with an
 * error.
 */
const float *pt_xnn_constant_f32 (PtXnnGraph *graph, const PtXnnValue *value, GError **error);

G_END_DECLS
