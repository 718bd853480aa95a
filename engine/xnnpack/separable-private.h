/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/xnnpack/xnn-convolution.h"

G_BEGIN_DECLS

/*
 * Shared by separable.c, which finds and plans the groups of nodes, and separable-rows.c, which
 * runs them.
 */

/*
 * The image is the input of the depthwise convolution. A worker keeps its rows [begin, end). For
 * each panel of channels separately, row @index is at position @index % ring.
 */
typedef struct {
  gsize item; /* image of the batch */
  gsize begin, end;
} PtXnnRows;

/* The layout of a copy of input rows with their padding, for the first convolution. */
typedef struct {
  gsize width;      /* pixels in a row */
  gsize row, plane; /* floats from one row to the next, and from one channel to the next */
  gsize step;       /* floats from one output to the next */
  gsize *offsets;   /* [k]: offsets of the elements that an output is computed from */
} PtXnnTaps;

typedef struct {
  /*
   * Copies of the nodes of the group; their values keep their shapes. A node without a class is
   * absent.
   */
  PtXnnNode transpose, first, depthwise, last, sum;
  PtXnnTaps taps;
  gsize width;        /* channels in a panel */
  gsize step;         /* output rows that are computed together */
  gsize window, ring; /* rows of the image that one output row reads; the ring keeps as many */
  /* Memory of each worker: size in bytes, and offsets of the parts. It begins with PtXnnRows. */
  gsize worker, image; /* image: rows of the image */
  gsize copies;        /* rows for the first convolution */
  gsize outputs;       /* rows for the last convolution */
} PtXnnSeparable;

static inline gboolean
pt_xnn_exists (const PtXnnNode *node)
{
  return node->klass != NULL;
}

static inline const PtXnnConv *
pt_xnn_conv_of (const PtXnnNode *node)
{
  return node->state;
}

/** PtXnnNode.run of such a node. */
void pt_xnn_run_separable (const PtXnnGraph *graph, const PtXnnNode *node);

G_END_DECLS
