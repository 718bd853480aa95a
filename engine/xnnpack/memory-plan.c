/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/set-error.h"
#include "engine/xnnpack/xnn-graph.h"

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/program/checked.h"

#define ALIGNMENT 64
/* With more blocks in use at once, new blocks are appended without a search for gaps. */
#define MAX_SEARCH 2048

gboolean
pt_xnn_memory_plan_init (PtXnnGraph *graph, GError **error)
{
  /* Each value and the scratch of one node may be a block. */
  graph->blocks = pt_allocate ((gsize) graph->n_values + 1, sizeof (PtXnnBlock), error);
  return graph->blocks != NULL;
}

static void
insert_block (PtXnnGraph *graph, guint at, gsize offset, gsize size)
{
  memmove (&graph->blocks[at + 1], &graph->blocks[at],
           (graph->n_blocks - at) * sizeof *graph->blocks);
  graph->blocks[at] = (PtXnnBlock){ offset, size };
  graph->n_blocks++;
}

/* Finds the lowest gap that is large enough. */
static gboolean
take (PtXnnGraph *graph, gsize size, gsize *offset, GError **error)
{
  gsize start = 0, end;
  guint at = 0;

  /* Never 0 bytes, because blocks are identified by their offsets. */
  if (!pt_add_size (MAX (size, 1), ALIGNMENT - 1, &size))
    return pt_fail (error, PT_ERROR_MEMORY, "A tensor of an XNNPACK delegate is too large.");
  size -= size % ALIGNMENT;
  if (graph->n_blocks > MAX_SEARCH)
    at = graph->n_blocks - 1;
  for (; at < graph->n_blocks; at++) {
    const PtXnnBlock *block = &graph->blocks[at];

    if (graph->n_blocks <= MAX_SEARCH && block->offset - start >= size)
      break;
    start = block->offset + block->size;
  }
  if (!pt_add_size (start, size, &end))
    return pt_fail (error, PT_ERROR_MEMORY, "An XNNPACK delegate needs too much memory.");
  insert_block (graph, at, start, size);
  graph->workspace_size = MAX (graph->workspace_size, end);
  *offset = start;
  return TRUE;
}

static void
release (PtXnnGraph *graph, gsize offset)
{
  guint low = 0, high = graph->n_blocks;

  while (high - low > 1) {
    guint middle = low + (high - low) / 2;

    if (graph->blocks[middle].offset <= offset)
      low = middle;
    else
      high = middle;
  }
  graph->n_blocks--;
  memmove (&graph->blocks[low], &graph->blocks[low + 1],
           (graph->n_blocks - low) * sizeof *graph->blocks);
}

static PtXnnValue *
root_of (PtXnnGraph *graph, guint32 index)
{
  return &graph->values[graph->values[index].root];
}

/*
 * Finds an input that no later node reads and whose memory the node may overwrite with its result.
 */
static PtXnnValue *
find_overwritten (PtXnnGraph *graph, gint32 index, const PtXnnValue *out)
{
  const PtXnnNode *node = &graph->nodes[index];

  for (guint k = 0; k < node->n_in; k++) {
    PtXnnValue *in;
    gboolean usable = (node->can_overwrite >> k & 1) != 0;

    if (!usable || node->in[k] == PT_XNN_NONE)
      continue;
    in = root_of (graph, node->in[k]);
    usable = pt_xnn_value_is_internal (in) && in->last_use == index && in->nbytes == out->nbytes;
    /* Another input may be the same memory in another shape. */
    for (guint j = 0; usable && j < node->n_in; j++)
      if (node->in[j] != PT_XNN_NONE && root_of (graph, node->in[j]) == in)
        usable = (node->can_overwrite >> j & 1) != 0;
    if (usable)
      return in;
  }
  return NULL;
}

static gboolean
place_outputs (PtXnnGraph *graph, gint32 index, PtXnnValue **overwritten, GError **error)
{
  const PtXnnNode *node = &graph->nodes[index];

  *overwritten = NULL;
  for (guint k = 0; k < node->n_out; k++) {
    PtXnnValue *out = pt_xnn_out (graph, node, k);

    if (out->root != node->out[k] || !pt_xnn_value_is_internal (out))
      continue;
    if (k == 0)
      *overwritten = find_overwritten (graph, index, out);
    if (k == 0 && *overwritten != NULL)
      out->offset = (*overwritten)->offset;
    else if (!take (graph, out->nbytes, &out->offset, error))
      return FALSE;
  }
  return TRUE;
}

static void
release_inputs (PtXnnGraph *graph, gint32 index, const PtXnnValue *overwritten)
{
  const PtXnnNode *node = &graph->nodes[index];

  for (guint k = 0; k < node->n_in; k++) {
    const PtXnnValue *in;
    gboolean again = FALSE;

    if (node->in[k] == PT_XNN_NONE)
      continue;
    in = root_of (graph, node->in[k]);
    for (guint j = 0; j < k; j++)
      again |= node->in[j] != PT_XNN_NONE && root_of (graph, node->in[j]) == in;
    if (!again && in != overwritten && pt_xnn_value_is_internal (in) && in->last_use == index)
      release (graph, in->offset);
  }
}

static void
release_unused_outputs (PtXnnGraph *graph, gint32 index)
{
  const PtXnnNode *node = &graph->nodes[index];

  for (guint k = 0; k < node->n_out; k++) {
    const PtXnnValue *out = pt_xnn_out (graph, node, k);

    if (out->root == node->out[k] && pt_xnn_value_is_internal (out) && out->last_use < 0)
      release (graph, out->offset);
  }
}

gboolean
pt_xnn_memory_plan (PtXnnGraph *graph, GError **error)
{
  graph->n_blocks = 0;
  graph->workspace_size = 0;
  for (guint i = 0; i < graph->n_nodes; i++) {
    PtXnnNode *node = &graph->nodes[i];
    PtXnnValue *overwritten;

    if (!place_outputs (graph, (gint32) i, &overwritten, error))
      return FALSE;
    if (node->scratch_size > 0) {
      if (!take (graph, node->scratch_size, &node->scratch_offset, error))
        return FALSE;
      release (graph, node->scratch_offset);
    }
    release_inputs (graph, (gint32) i, overwritten);
    release_unused_outputs (graph, (gint32) i);
  }
  return TRUE;
}
