/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/xnnpack/xnn-convolution.h"

G_BEGIN_DECLS

/* Shared by separable.c, which finds and plans groups of nodes, and separable-rows.c, which runs
 * them. */

/* The image is the input of the depthwise convolution. A worker holds its rows [begin, end): row
 * @index in place @index % ring, separately for each panel of channels. */
typedef struct {
  gsize item; /* of the batch */
  gsize begin, end;
} PtXnnRows;

/* Layout of the copy of input rows, with their padding, that the first convolution reads. */
typedef struct {
  gsize width;      /* pixels of a row */
  gsize row, plane; /* floats from a row, or in planes from a channel, to the next */
  gsize step;       /* ... from an output to the next */
  gsize *offsets;   /* [k] of the elements that an output is computed from */
} PtXnnTaps;

typedef struct {
  /* The nodes of the group as they were; their values keep their shapes. A node without a class is
   * not part of the group. */
  PtXnnNode transpose, first, depthwise, last, sum;
  PtXnnTaps taps;
  gsize width;        /* channels of a panel */
  gsize step;         /* rows of the output that are computed together */
  gsize window, ring; /* rows of the image that one output row reads, and that are kept */
  /* Memory of each worker: its size in bytes, and the offsets of its parts. It begins with
   * PtXnnRows. */
  gsize worker, image; /* image: rows of the image */
  gsize copies;        /* rows that the first convolution reads */
  gsize outputs;       /* rows that the last one reads */
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

/** Run such a node; PtXnnNode.run. */
void pt_xnn_run_separable (const PtXnnGraph *graph, const PtXnnNode *node);

G_END_DECLS
