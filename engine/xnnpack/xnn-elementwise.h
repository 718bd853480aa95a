/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/q8-loops.h"
#include "engine/kernels/vector.h"
#include "engine/xnnpack/broadcast.h"
#include "engine/xnnpack/nodes.h"

G_BEGIN_DECLS

/* Element-wise nodes (docs/formats/xnnpack.md, sections 5.1 and 5.2). */

/* PtXnnClass.detail of a node with one input: a PtUnary, or one of these. */
enum { PT_XNN_UNARY_CLAMP = PT_N_UNARY, PT_XNN_UNARY_LEAKY_RELU, PT_XNN_UNARY_ELU };
/* PtXnnClass.detail of a node with two inputs: a PtBinary, or this. */
enum { PT_XNN_BINARY_PRELU = PT_N_BINARY };

/** y = node (x) in float, for a node with one input. x and y may be the same array. */
void pt_xnn_unary_f32 (const PtXnnNode *node, gsize n, const float *x, float *y);

gboolean pt_xnn_prepare_unary (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_setup_unary (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_prepare_binary (PtXnnGraph *graph, PtXnnNode *node, GError **error);
gboolean pt_xnn_setup_binary (PtXnnGraph *graph, PtXnnNode *node, GError **error);

/** The values of a node with one input (@b: NULL) or two. */
typedef struct {
  const PtXnnNode *node;
  const PtXnnValue *a, *b, *y;
} PtXnnElementwise;

/** FALSE: @node is no element-wise node, or not one on float32. */
gboolean pt_xnn_elementwise_init (PtXnnElementwise *self, const PtXnnGraph *graph,
                                  const PtXnnNode *node);
/** Compute elements [begin, end) of the result, of a node whose values are bound. Any thread. */
void pt_xnn_elementwise_run (const PtXnnElementwise *self, gsize begin, gsize end);

/* Static 8-bit values (xnn-elementwise-q8.c). */

/** Prepare Add, Subtract or Multiply: compute its factors and choose run(). */
gboolean pt_xnn_prepare_binary_q8 (PtXnnGraph *graph, PtXnnNode *node, GError **error);
/** Prepare a node with one input: compute its table of 256 entries. */
gboolean pt_xnn_prepare_unary_q8 (PtXnnGraph *graph, PtXnnNode *node, GError **error);
/**
 * Make @node a table of what @chain does: a conversion from 8 bits to floats, nodes with one input
 * and, as the last of @n, a conversion to 8 bits.
 */
gboolean pt_xnn_prepare_float_table (PtXnnGraph *graph, PtXnnNode *const *chain, guint n,
                                     PtXnnNode *node, GError **error);
/**
 * Prepare a conversion from 8 bits to 8 bits with another scale or zero point
 * (docs/formats/xnnpack.md, section 8.3).
 */
gboolean pt_xnn_prepare_requantize (PtXnnGraph *graph, PtXnnNode *node, GError **error);

/** PtXnnNode.state of a node with two inputs. */
typedef struct {
  PtXnnBroadcast broadcast;
  PtSumQ8 sum;         /* for 8 bits: Add and Subtract in fixed point */
  PtProductQ8 product; /* for 8 bits: Multiply */
} PtXnnBinary;

G_END_DECLS
