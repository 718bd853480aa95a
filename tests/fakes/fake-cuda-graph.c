/* SPDX-License-Identifier: BSD-3-Clause */

/* Graphs of the stand-in. */

#include "tests/fakes/fake-cuda-private.h"

#include <string.h>

/* Numbers of ops. */
typedef struct {
  guint from, to;
} FakeEdge;

struct _PtCuGraphExec {
  GPtrArray *ops;
  GArray *edges;
};

static FakeOp *
op_copy (const FakeOp *op)
{
  FakeOp *copy = g_memdup2 (op, sizeof *op);

  if (op->staged != NULL)
    copy->staged = g_memdup2 (op->staged, op->size);
  return copy;
}

static GPtrArray *
ops_copy (const GPtrArray *ops)
{
  GPtrArray *copy = g_ptr_array_new_with_free_func (fake_op_free);

  for (guint i = 0; i < ops->len; i++)
    g_ptr_array_add (copy, op_copy (g_ptr_array_index (ops, i)));
  return copy;
}

/* ---- Capture ---- */

void
fake_graph_add (PtCuGraph graph, FakeOp *op)
{
  const FakeEdge edge = { graph->ops->len - 1, graph->ops->len };

  if (graph->ops->len > 0)
    g_array_append_val (graph->edges, edge);
  g_ptr_array_add (graph->ops, op);
}

PtCuResult
cuStreamBeginCapture (PtCuStream stream, int mode)
{
  PtCuGraph graph;
  ENTER (NEEDS_CONTEXT);

  if (!fake_object_is (stream, OBJECT_STREAM) || stream->capture != NULL)
    return stream == NULL ? CU_CAPTURE_UNSUPPORTED : PT_CU_INVALID_VALUE;
  graph = g_new0 (struct _PtCuGraph, 1);
  graph->ops = g_ptr_array_new_with_free_func (fake_op_free);
  graph->edges = g_array_new (FALSE, FALSE, sizeof (FakeEdge));
  graph->streams = g_ptr_array_new ();
  graph->is_strict = mode != PT_CU_STREAM_CAPTURE_RELAXED;
  g_ptr_array_add (graph->streams, stream);
  stream->capture = graph;
  return PT_CU_SUCCESS;
}

void
fake_graph_free (PtCuGraph graph)
{
  g_ptr_array_unref (graph->ops);
  g_array_unref (graph->edges);
  g_ptr_array_unref (graph->streams);
  g_free (graph);
}

static void
forget_capture (PtCuGraph graph)
{
  g_autoptr (GList) handles = g_hash_table_get_keys (fake.objects);

  for (guint i = 0; i < graph->streams->len; i++)
    ((PtCuStream) g_ptr_array_index (graph->streams, i))->capture = NULL;
  for (GList *link = handles; link != NULL; link = link->next)
    if (fake_object_is (link->data, OBJECT_EVENT) && ((PtCuEvent) link->data)->capture == graph)
      ((PtCuEvent) link->data)->capture = NULL;
  g_ptr_array_set_size (graph->streams, 0);
}

PtCuResult
cuStreamEndCapture (PtCuStream stream, PtCuGraph *out)
{
  PtCuGraph graph;
  ENTER (NEEDS_CONTEXT);

  *out = NULL;
  if (!fake_is_capturing (stream))
    return PT_CU_INVALID_VALUE;
  graph = stream->capture;
  if (g_ptr_array_index (graph->streams, 0) != stream)
    return CU_CAPTURE_UNMATCHED;
  forget_capture (graph);
  if (graph->is_invalid) {
    fake_graph_free (graph);
    return CU_CAPTURE_INVALIDATED;
  }
  fake_object_add (graph, OBJECT_GRAPH);
  *out = graph;
  return PT_CU_SUCCESS;
}

/* ---- Nodes and edges ---- */

PtCuResult
cuGraphGetNodes (PtCuGraph graph, PtCuNode *nodes, gsize *n)
{
  ENTER (NEEDS_CONTEXT);
  if (!fake_object_is (graph, OBJECT_GRAPH))
    return PT_CU_INVALID_VALUE;
  /* The order has no meaning. */
  for (guint i = 0; nodes != NULL && i < MIN (*n, graph->ops->len); i++)
    nodes[i] = g_ptr_array_index (graph->ops, graph->ops->len - 1 - i);
  *n = graph->ops->len;
  return PT_CU_SUCCESS;
}

PtCuResult
cuGraphGetEdges (PtCuGraph graph, PtCuNode *from, PtCuNode *to, gsize *n)
{
  ENTER (NEEDS_CONTEXT);
  if (!fake_object_is (graph, OBJECT_GRAPH))
    return PT_CU_INVALID_VALUE;
  for (guint i = 0; from != NULL && i < MIN (*n, graph->edges->len); i++) {
    const FakeEdge *edge = &g_array_index (graph->edges, FakeEdge, i);

    from[i] = g_ptr_array_index (graph->ops, edge->from);
    to[i] = g_ptr_array_index (graph->ops, edge->to);
  }
  *n = graph->edges->len;
  return PT_CU_SUCCESS;
}

static gboolean
find_ends (PtCuGraph graph, PtCuNode from, PtCuNode to, FakeEdge *edge)
{
  return fake_object_is (graph, OBJECT_GRAPH) && g_ptr_array_find (graph->ops, from, &edge->from) &&
         g_ptr_array_find (graph->ops, to, &edge->to) && edge->from != edge->to;
}

/* The number of @edge, or that of all edges. */
static guint
find_edge (PtCuGraph graph, const FakeEdge *edge)
{
  guint i = 0;

  while (i < graph->edges->len &&
         memcmp (&g_array_index (graph->edges, FakeEdge, i), edge, sizeof *edge) != 0)
    i++;
  return i;
}

PtCuResult
cuGraphAddDependencies (PtCuGraph graph, const PtCuNode *from, const PtCuNode *to, gsize n)
{
  FakeEdge edge;
  ENTER (NEEDS_CONTEXT);

  for (gsize i = 0; i < n; i++) {
    if (!find_ends (graph, from[i], to[i], &edge) || find_edge (graph, &edge) < graph->edges->len)
      return PT_CU_INVALID_VALUE;
    g_array_append_val (graph->edges, edge);
  }
  return PT_CU_SUCCESS;
}

/* A node that starts early is a kernel, and so is the one before it. */
PtCuResult
cuGraphAddDependencies_v2 (PtCuGraph graph, const PtCuNode *from, const PtCuNode *to,
                           const PtCuEdge *edges, gsize n)
{
  FakeEdge edge;
  ENTER (NEEDS_CONTEXT);

  for (gsize i = 0; i < n; i++) {
    const FakeOp *first = (gpointer) from[i], *second = (gpointer) to[i];

    if (!find_ends (graph, from[i], to[i], &edge) || find_edge (graph, &edge) < graph->edges->len ||
        edges[i].to_port != 0 || edges[i].type > 1 || edges[i].from_port != edges[i].type ||
        (edges[i].type == 1 && (first->kind != OP_LAUNCH || second->kind != OP_LAUNCH)))
      return PT_CU_INVALID_VALUE;
    g_array_append_val (graph->edges, edge);
  }
  return PT_CU_SUCCESS;
}

PtCuResult
cuGraphRemoveDependencies (PtCuGraph graph, const PtCuNode *from, const PtCuNode *to, gsize n)
{
  FakeEdge edge;
  ENTER (NEEDS_CONTEXT);

  for (gsize i = 0; i < n; i++) {
    if (!find_ends (graph, from[i], to[i], &edge) || find_edge (graph, &edge) == graph->edges->len)
      return PT_CU_INVALID_VALUE;
    g_array_remove_index (graph->edges, find_edge (graph, &edge));
  }
  return PT_CU_SUCCESS;
}

/* Edges are numbers of ops, and later ops get other ones. */
static void
remove_op (PtCuGraph graph, guint op)
{
  for (guint i = graph->edges->len; i-- > 0;) {
    FakeEdge *edge = &g_array_index (graph->edges, FakeEdge, i);

    if (edge->from == op || edge->to == op) {
      g_array_remove_index (graph->edges, i);
      continue;
    }
    edge->from -= edge->from > op;
    edge->to -= edge->to > op;
  }
  g_ptr_array_remove_index (graph->ops, op);
}

PtCuResult
cuGraphDestroyNode (PtCuNode node)
{
  g_autoptr (GList) handles = NULL;
  ENTER (NEEDS_CONTEXT);

  handles = g_hash_table_get_keys (fake.objects);
  for (GList *link = handles; link != NULL; link = link->next) {
    PtCuGraph graph = link->data;
    guint op;

    if (!fake_object_is (graph, OBJECT_GRAPH) || !g_ptr_array_find (graph->ops, node, &op))
      continue;
    remove_op (graph, op);
    return PT_CU_SUCCESS;
  }
  return PT_CU_INVALID_VALUE;
}

PtCuResult
cuGraphNodeGetType (PtCuNode node, int *type)
{
  const FakeOp *op = (gpointer) node;
  ENTER (NEEDS_CONTEXT);

  *type = op->kind == OP_LAUNCH ? PT_CU_NODE_KERNEL
          : op->kind == OP_COPY ? PT_CU_NODE_COPY
                                : PT_CU_NODE_SET;
  return PT_CU_SUCCESS;
}

PtCuResult
cuGraphKernelNodeGetParams (PtCuNode node, PtCuKernelNode *kernel)
{
  FakeOp *op = (gpointer) node;
  ENTER (NEEDS_CONTEXT);

  if (op->kind != OP_LAUNCH)
    return PT_CU_INVALID_VALUE;
  memset (kernel, 0, sizeof *kernel);
  kernel->function = op->function;
  memcpy (kernel->grid, op->launch.grid, sizeof kernel->grid);
  memcpy (kernel->block, op->launch.block, sizeof kernel->block);
  kernel->shared_bytes = op->launch.shared_bytes;
  for (guint i = 0; i < op->kernel.n_arguments; i++)
    op->addresses[i] = &op->arguments[i];
  if (op->kernel.n_arguments > 0)
    kernel->arguments = op->addresses;
  return PT_CU_SUCCESS;
}

PtCuResult
cuGraphKernelNodeSetParams (PtCuNode node, const PtCuKernelNode *kernel)
{
  FakeOp *op = (gpointer) node;
  ENTER (NEEDS_CONTEXT);

  if (op->kind != OP_LAUNCH || kernel->function == NULL || kernel->arguments == NULL)
    return PT_CU_INVALID_VALUE;
  fake_set_function (op, kernel->function);
  memcpy (op->launch.grid, kernel->grid, sizeof op->launch.grid);
  memcpy (op->launch.block, kernel->block, sizeof op->launch.block);
  op->launch.shared_bytes = kernel->shared_bytes;
  for (guint i = 0; i < op->kernel.n_arguments; i++)
    memcpy (&op->arguments[i], kernel->arguments[i], sizeof op->arguments[i]);
  return PT_CU_SUCCESS;
}

/* ---- What can be launched ---- */

/* Ops in any order that the edges allow; @order: [ops]. FALSE: they go round in circles. */
static gboolean
choose_order (const GPtrArray *ops, const GArray *edges, guint *order)
{
  static GRand *rand;
  g_autofree guint *n_before = g_new0 (guint, ops->len + 1);
  guint n_ready = 0, n_done = 0, i;

  if (rand == NULL)
    rand = g_rand_new_with_seed (1);
  for (i = 0; i < edges->len; i++)
    n_before[g_array_index (edges, FakeEdge, i).to]++;
  for (i = 0; i < ops->len; i++)
    if (n_before[i] == 0)
      order[n_ready++] = i;
  while (n_done < n_ready) {
    guint chosen = (guint) g_rand_int_range (rand, (gint32) n_done, (gint32) n_ready);
    guint op = order[chosen];

    order[chosen] = order[n_done];
    order[n_done++] = op;
    for (i = 0; i < edges->len; i++) {
      const FakeEdge *edge = &g_array_index (edges, FakeEdge, i);

      if (edge->from == op && --n_before[edge->to] == 0)
        order[n_ready++] = edge->to;
    }
  }
  return n_done == ops->len;
}

PtCuResult
cuGraphInstantiateWithFlags (PtCuGraphExec *exec, PtCuGraph graph, guint64 flags)
{
  g_autofree guint *order = NULL;
  ENTER (NEEDS_CONTEXT);

  if (!fake_object_is (graph, OBJECT_GRAPH))
    return PT_CU_INVALID_VALUE;
  order = g_new0 (guint, graph->ops->len + 1);
  if (!choose_order (graph->ops, graph->edges, order))
    return PT_CU_INVALID_VALUE;
  *exec = g_new0 (struct _PtCuGraphExec, 1);
  (*exec)->ops = ops_copy (graph->ops);
  (*exec)->edges = g_array_copy (graph->edges);
  fake_object_add (*exec, OBJECT_EXEC);
  return PT_CU_SUCCESS;
}

PtCuResult
cuGraphLaunch (PtCuGraphExec exec, PtCuStream stream)
{
  g_autofree guint *order = NULL;
  ENTER (NEEDS_CONTEXT);

  if (!fake_object_is (exec, OBJECT_EXEC))
    return PT_CU_INVALID_VALUE;
  order = g_new0 (guint, exec->ops->len + 1);
  choose_order (exec->ops, exec->edges, order);
  for (guint i = 0; i < exec->ops->len; i++) {
    g_autofree FakeOp *op = op_copy (g_ptr_array_index (exec->ops, order[i]));
    PtCuResult code;

    op->launch.is_replay = TRUE;
    code = fake_push (stream, op);
    if (code != PT_CU_SUCCESS)
      return code;
  }
  return PT_CU_SUCCESS;
}

void
fake_exec_free (PtCuGraphExec exec)
{
  g_ptr_array_unref (exec->ops);
  g_array_unref (exec->edges);
  g_free (exec);
}

PtCuResult
cuGraphExecDestroy (PtCuGraphExec exec)
{
  ENTER (NEEDS_CONTEXT);
  if (!fake_object_is (exec, OBJECT_EXEC))
    return PT_CU_INVALID_VALUE;
  fake_object_remove (exec);
  fake_exec_free (exec);
  return PT_CU_SUCCESS;
}

PtCuResult
cuGraphDestroy (PtCuGraph graph)
{
  ENTER (NEEDS_CONTEXT);
  if (!fake_object_is (graph, OBJECT_GRAPH))
    return PT_CU_INVALID_VALUE;
  fake_object_remove (graph);
  fake_graph_free (graph);
  return PT_CU_SUCCESS;
}
