/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * One launch for two: a product, and one with the same input that uses its results, such as a gate
 * and what it is multiplied with. The second moves to where the first is, if
 *
 * - neither it nor a node between them writes what the other one reads or writes;
 * - it writes nothing that the first reads or writes;
 * - all accesses of these nodes are known.
 *
 * Likewise, launches with weights that nothing in the graph writes are told to read them before
 * they wait for the nodes in front of them.
 */

#include "engine/cuda/graph-edges-private.h"

/* Nodes behind the first among which others are looked for. */
#define LOOK_AHEAD 16

/* ---- changes ---- */

/* Also reads the accesses again. FALSE: the driver refuses. */
static gboolean
change_node (PtEdgeSearch *r, PtEdgeNode *node, const PtCudaKernelChange *change)
{
  if (r->cu->cuGraphKernelNodeSetParams (node->node, &change->node) != PT_CU_SUCCESS)
    return FALSE;
  pt_edges_read_node (r, node);
  return TRUE;
}

static gboolean
is_known (const PtEdgeSearch *r, PtCuFunction function)
{
  const PtPtxEffects *effects = r->view->effects (function, r->view->user_data);

  return effects != NULL && effects->is_known;
}

/* ---- several launches as one ---- */

/* Whether @a writes what @b reads or writes. */
static gboolean
writes_to (const PtEdgeSearch *r, const PtEdgeNode *a, const PtEdgeNode *b)
{
  for (guint i = 0; i < a->n; i++)
    for (guint k = 0; k < b->n; k++) {
      const PtEdgeRange *x = &g_array_index (r->ranges, PtEdgeRange, a->first + i);
      const PtEdgeRange *y = &g_array_index (r->ranges, PtEdgeRange, b->first + k);

      if (x->is_write && x->start < y->end && y->start < x->end)
        return TRUE;
    }
  return FALSE;
}

static gboolean
can_move (const PtEdgeSearch *r, gsize to, gsize from, const gboolean *dropped)
{
  for (gsize i = to + 1; i < from; i++)
    if (!dropped[i] && pt_edges_depend (r, &r->nodes[from], &r->nodes[i]))
      return FALSE;
  return !writes_to (r, &r->nodes[from], &r->nodes[to]);
}

/* FALSE: the graph is unusable. */
static gboolean
combine_with_later (PtEdgeSearch *r, gsize first, gboolean *dropped)
{
  PtEdgeNode *node = &r->nodes[first];
  gsize end = MIN (r->n, first + 1 + LOOK_AHEAD);

  for (gsize i = first + 1; i < end && !r->nodes[i].is_barrier; i++) {
    PtEdgeNode *other = &r->nodes[i];
    PtCudaKernelChange both;

    if (dropped[i] ||
        !r->view->combine (&node->kernel, &other->kernel, &both, r->view->user_data) ||
        !is_known (r, both.node.function) || !can_move (r, first, i, dropped))
      continue;
    if (!change_node (r, node, &both))
      return FALSE;
    dropped[i] = TRUE;
  }
  return TRUE;
}

gboolean
pt_edges_combine (PtEdgeSearch *r, PtCuGraph graph, PtCudaGraphEdges *result)
{
  g_autofree gboolean *dropped = g_new0 (gboolean, r->n);

  if (r->view->combine == NULL || r->cu->cuGraphKernelNodeSetParams == NULL ||
      r->cu->cuGraphDestroyNode == NULL)
    return TRUE;
  for (gsize i = 0; i < r->n; i++)
    if (!dropped[i] && !r->nodes[i].is_barrier && !combine_with_later (r, i, dropped)) {
      result->is_broken = TRUE;
      return FALSE;
    }
  for (gsize i = 0; i < r->n; i++)
    result->n_combined += dropped[i];
  if (result->n_combined == 0 || pt_edges_take_out (r, graph, dropped))
    return TRUE;
  result->is_broken = TRUE;
  return FALSE;
}

/* ---- weights before the wait ---- */

static gboolean
is_written (const PtEdgeSearch *r, PtCuPointer start, PtCuPointer end)
{
  for (guint i = 0; i < r->ranges->len; i++) {
    const PtEdgeRange *range = &g_array_index (r->ranges, PtEdgeRange, i);

    if (range->is_write && range->start < end && start < range->end)
      return TRUE;
  }
  return FALSE;
}

static gboolean
are_constant (const PtEdgeSearch *r, const PtEdgeNode *node)
{
  PtCuPointer addresses[PT_CUDA_MOST_WEIGHTS];
  guint n = r->view->weights (&node->kernel, addresses, r->view->user_data);

  for (guint i = 0; i < n; i++) {
    PtCuPointer start = 0;
    gsize size = 0;

    if (!r->view->find (addresses[i], &start, &size, r->view->user_data) ||
        is_written (r, start, start + size))
      return FALSE;
  }
  return n > 0;
}

gboolean
pt_edges_read_early (PtEdgeSearch *r, PtCudaGraphEdges *result)
{
  if (r->view->weights == NULL || result->n_barriers > 0 ||
      r->cu->cuGraphKernelNodeSetParams == NULL)
    return TRUE;
  for (gsize i = 0; i < r->n; i++) {
    PtEdgeNode *node = &r->nodes[i];
    PtCudaKernelChange change;

    if (!pt_edges_starts_early (r, node) || !are_constant (r, node))
      continue;
    r->view->read_early (&node->kernel, &change, r->view->user_data);
    if (!change_node (r, node, &change)) {
      result->is_broken = TRUE;
      return FALSE;
    }
    result->n_read_early++;
  }
  return TRUE;
}
