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

void
pt_edges_read_node (PtEdgeSearch *r, PtEdgeNode *node)
{
  node->first = r->ranges->len;
  node->is_barrier = !read_kernel (r, node);
  node->n = r->ranges->len - node->first;
}

static void
read_nodes (PtEdgeSearch *r, PtCudaGraphEdges *result)
{
  for (gsize i = 0; i < r->n; i++) {
    pt_edges_read_node (r, &r->nodes[i]);
    result->n_barriers += r->nodes[i].is_barrier;
  }
}

/* ---- dependences ---- */

gboolean
pt_edges_depend (const PtEdgeSearch *r, const PtEdgeNode *later, const PtEdgeNode *earlier)
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

/*
 * Changes of the chain. An early edge does not replace a wait for what its first kernel depends on:
 * that kernel ends after these, because it waited for them, too.
 */
typedef struct {
  Edges missing, needless, early;
} Changes;

static void
add_edge (Edges *edges, PtCuNode from, PtCuNode to)
{
  g_array_append_val (edges->from, from);
  g_array_append_val (edges->to, to);
}

gboolean
pt_edges_starts_early (const PtEdgeSearch *r, const PtEdgeNode *node)
{
  return !node->is_barrier && r->view->starts_early != NULL &&
         r->cu->cuGraphAddDependencies_v2 != NULL &&
         r->view->starts_early (node->kernel.function, r->view->user_data);
}

/*
 * Finds the direct dependences of each node, searching backwards from the node. A node that another
 * dependence already waits for needs no edge.
 */
static void
find_edges (PtEdgeSearch *r, Changes *changes, PtCudaGraphEdges *result)
{
  gsize n_words = (r->n + 63) / 64;
  g_autofree guint64 *before = g_new0 (guint64, r->n * n_words); /* bits: nodes that run before */

  for (gsize i = 0; i < r->n; i++) {
    PtEdgeNode *node = &r->nodes[i];
    guint64 *own = before + i * n_words;

    gboolean is_early = pt_edges_starts_early (r, node);

    node->depth = 1;
    for (gsize k = i; k-- > 0;) {
      const guint64 *other = before + k * n_words;
      gboolean is_next = k + 1 == i;

      if ((own[k / 64] >> k % 64 & 1) != 0)
        continue;
      if (!pt_edges_depend (r, node, &r->nodes[k])) {
        if (is_next)
          add_edge (&changes->needless, r->nodes[k].node, node->node);
        continue;
      }
      own[k / 64] |= G_GUINT64_CONSTANT (1) << k % 64;
      for (gsize w = 0; w < n_words; w++)
        own[w] |= other[w];
      node->depth = MAX (node->depth, r->nodes[k].depth + 1);
      result->n_edges++;
      if (is_early && !r->nodes[k].is_barrier) {
        add_edge (&changes->early, r->nodes[k].node, node->node);
        if (is_next)
          add_edge (&changes->needless, r->nodes[k].node, node->node);
      } else if (!is_next) {
        add_edge (&changes->missing, r->nodes[k].node, node->node);
      }
    }
    result->depth = MAX (result->depth, node->depth);
  }
}

static gboolean
add_edges (const PtCuda *cu, PtCuGraph graph, const Edges *edges)
{
  return edges->from->len == 0 ||
         cu->cuGraphAddDependencies (graph, (const PtCuNode *) (gpointer) edges->from->data,
                                     (const PtCuNode *) (gpointer) edges->to->data,
                                     edges->from->len) == PT_CU_SUCCESS;
}

static gboolean
remove_edges (const PtCuda *cu, PtCuGraph graph, const Edges *edges)
{
  return edges->from->len == 0 ||
         cu->cuGraphRemoveDependencies (graph, (const PtCuNode *) (gpointer) edges->from->data,
                                        (const PtCuNode *) (gpointer) edges->to->data,
                                        edges->from->len) == PT_CU_SUCCESS;
}

/* One by one: what the driver does not accept becomes a plain edge. FALSE: an edge is missing. */
static gboolean
add_early_edges (const PtCuda *cu, PtCuGraph graph, const Edges *edges, PtCudaGraphEdges *result)
{
  const PtCuEdge early = PT_CU_EDGE_EARLY;

  for (guint i = 0; i < edges->from->len; i++) {
    const PtCuNode *from = &g_array_index (edges->from, PtCuNode, i);
    const PtCuNode *to = &g_array_index (edges->to, PtCuNode, i);

    if (cu->cuGraphAddDependencies_v2 (graph, from, to, &early, 1) == PT_CU_SUCCESS)
      result->n_early++;
    else if (cu->cuGraphAddDependencies (graph, from, to, 1) != PT_CU_SUCCESS)
      return FALSE;
  }
  return TRUE;
}

/* Adds edges before it removes others, so that the graph never has too few; but two nodes have one
 * edge, so early ones come last. */
static gboolean
rewrite (const PtCuda *cu, PtCuGraph graph, const Changes *changes, PtCudaGraphEdges *result)
{
  if (!add_edges (cu, graph, &changes->missing))
    return FALSE;
  if (remove_edges (cu, graph, &changes->needless) &&
      add_early_edges (cu, graph, &changes->early, result))
    return TRUE;
  result->is_broken = changes->early.from->len > 0;
  return FALSE;
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
  Changes changes;
  gboolean ok;

  memset (result, 0, sizeof *result);
  if (!is_possible (cu))
    return FALSE;
  r.ranges = g_array_new (FALSE, FALSE, sizeof (PtEdgeRange));
  edges_init (&changes.missing);
  edges_init (&changes.needless);
  edges_init (&changes.early);
  ok = read_chain (&r, graph);
  if (ok) {
    result->n_nodes = (guint) r.n;
    read_nodes (&r, result);
    ok = pt_edges_drop_unread (&r, graph, result) && pt_edges_rename_buffers (&r, result) &&
         pt_edges_combine (&r, graph, result) && pt_edges_read_early (&r, result);
  }
  if (ok) {
    find_edges (&r, &changes, result);
    ok = rewrite (cu, graph, &changes, result);
  }
  edges_clear (&changes.missing);
  edges_clear (&changes.needless);
  edges_clear (&changes.early);
  g_array_unref (r.ranges);
  g_free (r.nodes);
  return ok;
}
