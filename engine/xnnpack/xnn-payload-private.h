/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/xnnpack/xnn-payload.h"
#include "engine/xnnpack/xnn-schema.h"

G_BEGIN_DECLS

/* Shared by the readers of values and of nodes. */

typedef struct {
  const PtDelegateContext *context;
  PtXnnGraph *graph;
  const guint8 *flatbuffer;
  gsize flatbuffer_size;
  gboolean has_header;
  const guint8 *region; /* the region of constants in the blob */
  gsize region_size;
  PtFbRef root;
  GHashTable *index_of_id; /* payload id -> index into graph->values */
  guint32 *replaced_by;    /* [n_values]: the index of a value's quantised twin, or its own index */
} PtXnnReader;

/** pt_delegate_damaged() of this backend. */
#define pt_xnn_damaged(error, ...) pt_delegate_damaged (error, "An XNNPACK", __VA_ARGS__)

/** Fill graph->values and reader->index_of_id. */
gboolean pt_xnn_read_values (PtXnnReader *reader, GError **error);

/** Fill graph->nodes. */
gboolean pt_xnn_read_nodes (PtXnnReader *reader, GError **error);

G_END_DECLS
