/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/xnnpack/convolution.h"

G_BEGIN_DECLS

/* What separable.c, which finds and lays out such groups of nodes, and separable-rows.c, which runs
 * them, share. */

/* The image is what the depthwise convolution reads. A worker has its rows [begin, end), row @index
 * in place @index % ring, for each panel of channels apart. */
typedef struct {
  gsize item; /* of the batch */
  gsize begin, end;
} PtXnnRows;

/* Where the first convolution finds its taps: in a copy of rows with their padding. */
typedef struct {
  gsize width;      /* pixels of a row */
  gsize row, plane; /* floats from a row, or in planes from a channel, to the next */
  gsize step;       /* ... from an output to the next */
  gsize *offsets;   /* [k] of the numbers that an output is made from */
} PtXnnTaps;

typedef struct {
  /* As they were; their values keep their shapes. No class: there is none. */
  PtXnnNode transpose, first, depthwise, last, sum;
  PtXnnTaps taps;
  gsize width;        /* channels of a panel */
  gsize step;         /* rows of the output that are made together */
  gsize window, ring; /* rows of the image that one of them reads, and all */
  /* What each worker has, in bytes: where it is in the image (PtXnnRows), rows of that, */
  gsize worker, image;
  gsize copies;  /* ... of what the first convolution reads, */
  gsize outputs; /* ... and of what the last one does. */
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
