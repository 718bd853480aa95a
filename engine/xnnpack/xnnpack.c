/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/xnnpack/xnnpack.h"

#include "engine/base/set-error.h"
#include "engine/kernels/cpu.h"
#include "engine/runtime/backend.h"
#include "engine/xnnpack/call-arguments.h"
#include "engine/xnnpack/elementwise-chain.h"
#include "engine/xnnpack/nodes.h"
#include "engine/xnnpack/xnn-payload.h"
#include "engine/xnnpack/result-cache.h"

typedef struct {
  PtXnnGraph *graph;
  PtXnnAlias *aliases;
  PtXnnResultCache *results;
  gboolean has_shapes;  /* shapes and memory plan are valid for the last call */
  gboolean widens;      /* some outputs are int32 in the graph and int64 in the program */
  gboolean has_aliases; /* some outputs can be aliases */
  guint generation;     /* version of the workspace that the pointers refer to */
} Delegate;

static void
destroy (gpointer data)
{
  Delegate *delegate = data;

  pt_xnn_result_cache_free (delegate->results);
  g_free (delegate->aliases);
  pt_xnn_graph_free (delegate->graph);
  g_free (delegate);
}

static gpointer
init (const PtDelegateContext *context, GError **error)
{
  g_autoptr (PtXnnGraph) graph = pt_xnn_payload_read (context, error);
  PtXnnResultCache *results;
  PtXnnAlias *aliases;
  Delegate *delegate;

  if (graph == NULL || !pt_xnn_graph_plan (graph, error))
    return NULL;
  aliases = pt_xnn_aliases_new (graph, error);
  if (aliases == NULL)
    return NULL;
  results = pt_xnn_result_cache_new (graph, error);
  if (results == NULL) {
    g_free (aliases);
    return NULL;
  }
  pt_xnn_graph_reserve (graph);
  delegate = g_new0 (Delegate, 1);
  for (guint i = 0; i < graph->n_values; i++)
    delegate->widens |= graph->values[i].is_output && graph->values[i].type == PT_XNN_I32;
  for (guint i = 0; i < graph->n_externs; i++)
    delegate->has_aliases |= aliases[i].node != NULL;
  delegate->aliases = aliases;
  delegate->results = results;
  delegate->graph = g_steal_pointer (&graph);
  return delegate;
}

/* Sets shapes, memory and pointers for this call. In most calls they do not change. */
static gboolean
prepare_call (Delegate *delegate, PtValue *const *args, GError **error)
{
  PtXnnGraph *graph = delegate->graph;
  gboolean reshaped = !delegate->has_shapes, moved = FALSE;

  delegate->has_shapes = FALSE;
  if (delegate->has_aliases)
    pt_xnn_end_aliases (graph, delegate->aliases, args);
  if (!pt_xnn_bind_inputs (graph, args, &reshaped, &moved, error) ||
      (reshaped && !pt_xnn_graph_reshape (graph, error)) ||
      !pt_xnn_bind_outputs (graph, args, &moved, error))
    return FALSE;
  /* Another delegate may have enlarged the workspace. */
  moved |= delegate->generation != graph->workspace->generation;
  moved |= delegate->has_aliases && pt_xnn_make_aliases (graph, delegate->aliases, args);
  if (moved && !pt_xnn_graph_take_workspace (graph, error))
    return FALSE;
  if (reshaped)
    pt_xnn_result_cache_forget (delegate->results);
  if (reshaped || moved)
    pt_xnn_graph_bind (graph);
  delegate->generation = graph->workspace->generation;
  delegate->has_shapes = TRUE;
  return TRUE;
}

static gboolean
execute (gpointer data, PtExecution *execution, PtValue *const *args, guint n_args, GError **error)
{
  Delegate *delegate = data;
  PtXnnGraph *graph = delegate->graph;
  PtXnnReuse reuse;

  if (n_args < graph->n_externs)
    return pt_fail (error, PT_ERROR_PROGRAM,
                    "An XNNPACK delegate has %u arguments, but its call gives %u. "
                    "(ExecuTorch error 0x23)",
                    graph->n_externs, n_args);
  if (!prepare_call (delegate, args, error))
    return FALSE;
  reuse = pt_xnn_result_cache_begin (delegate->results, graph, args);
  for (guint i = 0, n; i < graph->n_nodes; i += MAX (n, 1)) {
    n = 0;
    if (graph->nodes[i].run == NULL)
      continue;
    if (pt_execution_is_cancelled (execution))
      return pt_fail (error, PT_ERROR_CANCELLED, "Stopped.");
    if (reuse == PT_XNN_ALL_NEW)
      n = pt_xnn_run_chain (graph, i);
    if (n == 0)
      pt_xnn_result_cache_run (delegate->results, graph, i, reuse);
  }
  /* Cache results only when all nodes have run completely. */
  if (pt_execution_is_cancelled (execution))
    return pt_fail (error, PT_ERROR_CANCELLED, "Stopped.");
  pt_xnn_result_cache_end (delegate->results, reuse);
  if (delegate->widens)
    pt_xnn_widen_outputs (graph, args);
  return TRUE;
}

/*
 * Bytes of each value and node that every call reads, and the number of values and nodes to
 * prefetch; later ones are prefetched when they are used.
 */
#define HOT_BYTES 128
#define MAX_FETCHED 64
G_STATIC_ASSERT (G_STRUCT_OFFSET (PtXnnValue, shape) < HOT_BYTES);
G_STATIC_ASSERT (G_STRUCT_OFFSET (PtXnnNode, has_clamp) <= HOT_BYTES);

static void
fetch (gconstpointer data)
{
  const PtXnnGraph *graph = ((const Delegate *) data)->graph;

  pt_fetch (graph->externals, graph->n_externs * sizeof *graph->externals);
  for (guint i = 0; i < MIN (graph->n_values, MAX_FETCHED); i++)
    pt_fetch (&graph->values[i], HOT_BYTES);
  for (guint i = 0; i < MIN (graph->n_nodes, MAX_FETCHED); i++)
    pt_fetch (&graph->nodes[i], HOT_BYTES);
}

/* Possible when a product computes the output and no other node reads it. */
static gboolean
set_last_rows (gpointer data, guint arg, guint n_rows)
{
  PtXnnGraph *graph = ((Delegate *) data)->graph;
  const PtXnnValue *out, *in;
  PtXnnNode *node;

  if (arg >= graph->n_externs || graph->externals[arg] == PT_XNN_NONE)
    return FALSE;
  out = &graph->values[graph->externals[arg]];
  if (!out->is_output || out->n_uses > 0 || out->producer < 0)
    return FALSE;
  node = &graph->nodes[out->producer];
  if (!pt_xnn_is_kind (node, PT_XNN_TAG_FULLY_CONNECTED))
    return FALSE;
  node->last_rows = n_rows;
  pt_xnn_result_cache_forget (((Delegate *) data)->results);
  in = pt_xnn_in (graph, node, 0);
  if (in->producer >= 0 && in->n_uses == 1 &&
      pt_xnn_is_kind (&graph->nodes[in->producer], PT_XNN_TAG_CONVERT) && in->type == PT_XNN_QD8)
    graph->nodes[in->producer].last_rows = n_rows;
  return TRUE;
}

static void
describe (const PtDelegateContext *context, PtDelegateDescription *description)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PtXnnGraph) graph = pt_xnn_payload_read (context, &error);
  PtInspectContent *content = &description->content;
  g_autoptr (GArray) nodes = g_array_new (FALSE, FALSE, sizeof (PtInspectCount));

  if (graph == NULL) {
    g_ptr_array_add (description->missing, g_strdup (error->message));
    return;
  }
  for (guint tag = 0; tag < PT_XNN_N_TAGS; tag++) {
    PtInspectCount count = { .count = graph->n_by_tag[tag] };

    if (count.count == 0)
      continue;
    count.name = pt_xnn_class_by_tag (tag)->name;
    g_array_append_val (nodes, count);
  }
  content->kind = PT_INSPECT_CONTENT_NODES;
  content->nodes =
      pt_heap_take_array (description->heap, g_steal_pointer (&nodes), &content->n_nodes);
}

static guint
bits_of (PtXnnType type)
{
  if (type == PT_XNN_QC4 || type == PT_XNN_QB4)
    return 4;
  return (guint) pt_xnn_type_size (type) * 8;
}

static void
measure (const PtDelegateContext *context, PtDelegateNeeds *needs)
{
  g_autoptr (PtXnnGraph) graph = pt_xnn_payload_read (context, NULL);

  if (graph == NULL)
    return;
  for (guint i = 0; i < graph->n_values; i++) {
    const PtXnnValue *value = &graph->values[i];

    if (value->constant != NULL)
      pt_delegate_needs_add (needs, value->constant, value->constant_size, bits_of (value->type));
  }
  if (pt_xnn_graph_plan (graph, NULL) && pt_xnn_graph_measure (graph, NULL))
    needs->workspace = MAX (needs->workspace, graph->workspace_size);
}

static const PtBackend backend = {
  .id = "XnnpackBackend",
  .init = init,
  .execute = execute,
  .destroy = destroy,
  .fetch = fetch,
  .set_last_rows = set_last_rows,
  .describe = describe,
  .measure = measure,
};

void
pt_xnnpack_register (void)
{
  pt_backend_register (&backend);
}
