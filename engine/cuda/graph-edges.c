/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/graph-edges-private.h"

#include <string.h>

/* Limit of nodes, because every pair of nodes is compared. */
#define MAX_NODES 4096
/* Smaller numbers are sizes or strides: no device address is that small. */
#define MIN_ADDRESS (G_GUINT64_CONSTANT (1) << 32)

static gboolean
is_possible (const PtCuda *cu)
{
  return cu->cuGraphGetNodes != NULL && cu->cuGraphGetEdges != NULL &&
         cu->cuGraphAddDependencies != NULL && cu->cuGraphRemoveDependencies != NULL &&
         cu->cuGraphNodeGetType != NULL && cu->cuGraphKernelNodeGetParams != NULL;
}

/* ---- reading the chain ---- */

/* Sets the nodes in the order of the chain. FALSE when the graph is not a chain. */
static gboolean
order_nodes (PtEdgeSearch *r, const PtCuNode *nodes, const PtCuNode *from, const PtCuNode *to)
{
  g_autoptr (GHashTable) next = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) reached = g_hash_table_new (NULL, NULL);
  PtCuNode node = NULL;
  gsize i, n_first = 0;

  for (i = 0; i + 1 < r->n; i++)
    if (!g_hash_table_insert (next, from[i], to[i]) || !g_hash_table_add (reached, to[i]))
      return FALSE;
  for (i = 0; i < r->n; i++)
    if (!g_hash_table_contains (reached, nodes[i])) {
      node = nodes[i];
      n_first++;
    }
  for (i = 0; i < r->n && node != NULL; i++) {
    r->nodes[i].node = node;
    node = g_hash_table_lookup (next, node);
  }
  return n_first == 1 && i == r->n;
}

static gboolean
read_chain (PtEdgeSearch *r, PtCuGraph graph)
{
  const PtCuda *cu = r->cu;
  g_autofree PtCuNode *nodes = NULL, *from = NULL, *to = NULL;
  gsize n = 0, n_edges = 0;

  if (cu->cuGraphGetNodes (graph, NULL, &n) != PT_CU_SUCCESS || n < 2 || n > MAX_NODES ||
      cu->cuGraphGetEdges (graph, NULL, NULL, &n_edges) != PT_CU_SUCCESS || n_edges != n - 1)
    return FALSE;
  nodes = g_new0 (PtCuNode, n);
  from = g_new0 (PtCuNode, n_edges);
  to = g_new0 (PtCuNode, n_edges);
  if (cu->cuGraphGetNodes (graph, nodes, &n) != PT_CU_SUCCESS ||
      cu->cuGraphGetEdges (graph, from, to, &n_edges) != PT_CU_SUCCESS || n_edges != n - 1)
    return FALSE;
  r->n = n;
  r->nodes = g_new0 (PtEdgeNode, n);
  return order_nodes (r, nodes, from, to);
}

/* ---- memory accesses of nodes ---- */

static void
add_range (PtEdgeSearch *r, PtCuPointer start, gsize size, gboolean is_write, guint word)
{
  const PtEdgeRange range = { start, start + size, is_write, word };

  g_array_append_val (r->ranges, range);
}

/*
 * Adds the accesses of a node. FALSE when an access has an unknown address. NULL addresses are no
 * access: kernels skip optional arguments that are NULL.
 */
static gboolean
resolve (PtEdgeSearch *r, const PtPtxEffects *effects, guint64 words, gboolean is_write,
         void *const *arguments)
{
  gboolean found = FALSE, is_none = TRUE;

  for (guint i = 0; i < effects->n_words; i++) {
    const PtPtxWord *word = &effects->words[i];
    PtCuPointer pointer, start = 0;
    gsize size = 0;

    if ((words >> i & 1) == 0)
      continue;
    memcpy (&pointer, (const guint8 *) arguments[word->parameter] + word->offset, sizeof pointer);
    is_none = is_none && pointer == 0;
    if (pointer < MIN_ADDRESS)
      continue;
    if (!r->view->find (pointer, &start, &size, r->view->user_data))
      return FALSE;
    add_range (r, start, size, is_write, i);
    found = TRUE;
  }
  return found || is_none;
}

static gboolean
read_kernel (PtEdgeSearch *r, PtEdgeNode *node)
{
  PtCuKernelNode *kernel = &node->kernel;
  const PtPtxEffects *effects;
  int type = -1;

  if (r->cu->cuGraphNodeGetType (node->node, &type) != PT_CU_SUCCESS || type != PT_CU_NODE_KERNEL ||
      r->cu->cuGraphKernelNodeGetParams (node->node, kernel) != PT_CU_SUCCESS ||
      kernel->arguments == NULL)
    return FALSE;
  effects = node->effects = r->view->effects (kernel->function, r->view->user_data);
  if (effects == NULL || !effects->is_known)
    return FALSE;
  for (guint i = 0; i < effects->n_accesses; i++)
    if (!resolve (r, effects, effects->accesses[i].words, effects->accesses[i].is_write,
                  kernel->arguments))
      return FALSE;
  return TRUE;
}

static void
read_nodes (PtEdgeSearch *r, PtCudaGraphEdges *result)
{
  for (gsize i = 0; i < r->n; i++) {
    PtEdgeNode *node = &r->nodes[i];

    node->first = r->ranges->len;
    node->is_barrier = !read_kernel (r, node);
    node->n = r->ranges->len - node->first;
    result->n_barriers += node->is_barrier;
  }
}

/* ---- dependences ---- */

static gboolean
depends (const PtEdgeSearch *r, const PtEdgeNode *later, const PtEdgeNode *earlier)
{
  if (later->is_barrier || earlier->is_barrier)
    return TRUE;
  for (guint i = 0; i < later->n; i++)
    for (guint k = 0; k < earlier->n; k++) {
      const PtEdgeRange *a = &g_array_index (r->ranges, PtEdgeRange, later->first + i);
      const PtEdgeRange *b = &g_array_index (r->ranges, PtEdgeRange, earlier->first + k);

      if ((a->is_write || b->is_write) && a->start < b->end && b->start < a->end)
        return TRUE;
    }
  return FALSE;
}

typedef struct {
  GArray *from, *to; /* PtCuNode */
} Edges;

static void
add_edge (Edges *edges, PtCuNode from, PtCuNode to)
{
  g_array_append_val (edges->from, from);
  g_array_append_val (edges->to, to);
}

/*
 * Finds the direct dependences of each node, searching backwards from the node. A node that another
 * dependence already waits for needs no edge. @missing: edges to add to the chain; @needless: edges
 * of the chain to remove.
 */
static void
find_edges (PtEdgeSearch *r, Edges *missing, Edges *needless, PtCudaGraphEdges *result)
{
  gsize n_words = (r->n + 63) / 64;
  g_autofree guint64 *before = g_new0 (guint64, r->n * n_words); /* bits: nodes that run before */

  for (gsize i = 0; i < r->n; i++) {
    PtEdgeNode *node = &r->nodes[i];
    guint64 *own = before + i * n_words;

    node->depth = 1;
    for (gsize k = i; k-- > 0;) {
      const guint64 *other = before + k * n_words;
      gboolean is_next = k + 1 == i;

      if ((own[k / 64] >> k % 64 & 1) != 0)
        continue;
      if (!depends (r, node, &r->nodes[k])) {
        if (is_next)
          add_edge (needless, r->nodes[k].node, node->node);
        continue;
      }
      own[k / 64] |= G_GUINT64_CONSTANT (1) << k % 64;
      for (gsize w = 0; w < n_words; w++)
        own[w] |= other[w];
      node->depth = MAX (node->depth, r->nodes[k].depth + 1);
      result->n_edges++;
      if (!is_next)
        add_edge (missing, r->nodes[k].node, node->node);
    }
    result->depth = MAX (result->depth, node->depth);
  }
}

/* Add edges before removing others, so that the graph never has too few. */
static gboolean
rewrite (const PtCuda *cu, PtCuGraph graph, const Edges *missing, const Edges *needless)
{
  return (missing->from->len == 0 ||
          cu->cuGraphAddDependencies (graph, (const PtCuNode *) (gpointer) missing->from->data,
                                      (const PtCuNode *) (gpointer) missing->to->data,
                                      missing->from->len) == PT_CU_SUCCESS) &&
         (needless->from->len == 0 ||
          cu->cuGraphRemoveDependencies (graph, (const PtCuNode *) (gpointer) needless->from->data,
                                         (const PtCuNode *) (gpointer) needless->to->data,
                                         needless->from->len) == PT_CU_SUCCESS);
}

static void
edges_init (Edges *edges)
{
  edges->from = g_array_new (FALSE, FALSE, sizeof (PtCuNode));
  edges->to = g_array_new (FALSE, FALSE, sizeof (PtCuNode));
}

static void
edges_clear (Edges *edges)
{
  g_array_unref (edges->from);
  g_array_unref (edges->to);
}

gboolean
pt_cuda_replace_edges (const PtCuda *cu, PtCuGraph graph, const PtCudaMemoryView *view,
                       PtCudaGraphEdges *result)
{
  PtEdgeSearch r = { .cu = cu, .view = view };
  Edges missing, needless;
  gboolean ok;

  memset (result, 0, sizeof *result);
  if (!is_possible (cu))
    return FALSE;
  r.ranges = g_array_new (FALSE, FALSE, sizeof (PtEdgeRange));
  edges_init (&missing);
  edges_init (&needless);
  ok = read_chain (&r, graph);
  if (ok) {
    result->n_nodes = (guint) r.n;
    read_nodes (&r, result);
    ok = pt_edges_drop_unread (&r, graph, result) && pt_edges_rename_buffers (&r, result);
  }
  if (ok) {
    find_edges (&r, &missing, &needless, result);
    ok = rewrite (cu, graph, &missing, &needless);
  }
  edges_clear (&missing);
  edges_clear (&needless);
  g_array_unref (r.ranges);
  g_free (r.nodes);
  return ok;
}
