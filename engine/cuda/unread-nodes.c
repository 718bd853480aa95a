/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Removes kernels whose results nobody reads. A library has none, but kernels of ours read what a
 * kernel of the library was going to copy (cuda-replacements.h). A kernel is removed if
 *
 * - it writes only temporary blocks, whose content comes from the graph and is not used after it;
 * - no kernel that remains reads anything of these blocks, also of what others write to them;
 * - all accesses of all nodes are known: a graph with a barrier is left unchanged.
 */

#include "engine/cuda/graph-edges-private.h"

#include <string.h>

static const PtEdgeRange *
range_of (const PtEdgeSearch *r, const PtEdgeNode *node, guint i)
{
  return &g_array_index (r->ranges, PtEdgeRange, node->first + i);
}

static gboolean
is_read (const PtEdgeSearch *r, const gboolean *dropped, const PtEdgeRange *block)
{
  for (gsize i = 0; i < r->n; i++)
    for (guint k = 0; !dropped[i] && k < r->nodes[i].n; k++) {
      const PtEdgeRange *range = range_of (r, &r->nodes[i], k);

      if (!range->is_write && range->start < block->end && block->start < range->end)
        return TRUE;
    }
  return FALSE;
}

static gboolean
is_unread (const PtEdgeSearch *r, const gboolean *dropped, const PtEdgeNode *node)
{
  guint n_writes = 0;

  for (guint i = 0; i < node->n; i++) {
    const PtEdgeRange *range = range_of (r, node, i);

    if (!range->is_write)
      continue;
    if (!r->view->is_passing (range->start, r->view->user_data) || is_read (r, dropped, range))
      return FALSE;
    n_writes++;
  }
  return n_writes > 0;
}

/* A removed kernel may have been the only reader of another one. */
static guint
find_unread (const PtEdgeSearch *r, gboolean *dropped)
{
  guint n = 0;
  gboolean changed = TRUE;

  while (changed) {
    changed = FALSE;
    for (gsize i = 0; i < r->n; i++)
      if (!dropped[i] && is_unread (r, dropped, &r->nodes[i])) {
        dropped[i] = changed = TRUE;
        n++;
      }
  }
  return n;
}

gboolean
pt_edges_take_out (PtEdgeSearch *r, PtCuGraph graph, const gboolean *dropped)
{
  const PtCuda *cu = r->cu;
  gsize n = 0;

  for (gsize i = 0; i < r->n; i++)
    if (dropped[i] && cu->cuGraphDestroyNode (r->nodes[i].node) != PT_CU_SUCCESS)
      return FALSE;
  for (gsize i = 0; i < r->n; i++) {
    if (dropped[i])
      continue;
    if (n > 0 && dropped[i - 1] &&
        cu->cuGraphAddDependencies (graph, &r->nodes[n - 1].node, &r->nodes[i].node, 1) !=
            PT_CU_SUCCESS)
      return FALSE;
    r->nodes[n++] = r->nodes[i];
  }
  r->n = n;
  return TRUE;
}

gboolean
pt_edges_drop_unread (PtEdgeSearch *r, PtCuGraph graph, PtCudaGraphEdges *result)
{
  g_autofree gboolean *dropped = NULL;

  if (!r->view->may_drop || r->view->is_passing == NULL || result->n_barriers > 0 ||
      r->cu->cuGraphDestroyNode == NULL)
    return TRUE;
  dropped = g_new0 (gboolean, r->n);
  result->n_dropped = find_unread (r, dropped);
  if (result->n_dropped == 0 || result->n_dropped == r->n || pt_edges_take_out (r, graph, dropped))
    return TRUE;
  result->is_broken = TRUE;
  return FALSE;
}
