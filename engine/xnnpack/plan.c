/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/xnnpack/xnn-graph.h"

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/xnnpack/nodes.h"
#include "engine/xnnpack/q8.h"
#include "engine/xnnpack/separable.h"
#include "engine/xnnpack/xnn-elementwise.h"

/* The part of the plan that is made once, at load (docs/formats/xnnpack.md, section 9.1). */

/* ---- Equal conversions ---- */

static gboolean
is_quantising (const PtXnnGraph *graph, const PtXnnNode *node)
{
  return pt_xnn_is_kind (node, PT_XNN_TAG_CONVERT) &&
         pt_xnn_out (graph, node, 0)->type == PT_XNN_QD8;
}

/*
 * Exporters quantise a tensor once for each product that reads it. This keeps the first Convert of
 * each kind and redirects all readers to its output.
 */
static gboolean
merge_converts (PtXnnGraph *graph, GError **error)
{
  g_autofree guint32 *same = pt_allocate (graph->n_values, sizeof (guint32), error);
  /* [input * ranks + n_nonbatch - 1]: the output of the first Convert */
  g_autofree guint32 *first = same != NULL ? pt_allocate ((gsize) graph->n_values * PT_XNN_MAX_RANK,
                                                          sizeof (guint32), error)
                                           : NULL;
  guint kept = 0;

  if (first == NULL)
    return FALSE;

  for (guint i = 0; i < graph->n_values; i++)
    same[i] = i;
  for (guint i = 0; i < graph->n_values * PT_XNN_MAX_RANK; i++)
    first[i] = PT_XNN_NONE;
  for (guint i = 0; i < graph->n_nodes; i++) {
    PtXnnNode *node = &graph->nodes[i];

    for (guint k = 0; k < node->n_in; k++)
      if (node->in[k] != PT_XNN_NONE)
        node->in[k] = same[node->in[k]];
    if (is_quantising (graph, node)) {
      guint32 *seen =
          &first[node->in[0] * PT_XNN_MAX_RANK + pt_xnn_out (graph, node, 0)->n_nonbatch - 1];

      if (*seen != PT_XNN_NONE) {
        same[node->out[0]] = *seen;
        continue;
      }
      *seen = node->out[0];
    }
    graph->nodes[kept++] = *node;
  }
  graph->n_nodes = kept;
  return TRUE;
}

/* Whether equal bytes of the two values are equal numbers. */
static gboolean
same_bytes (const PtXnnValue *a, const PtXnnValue *b)
{
  return a->type == b->type && a->scale == b->scale && a->zero_point == b->zero_point;
}

/* ---- Clamps of static 8-bit values ---- */

/* The nodes whose 8-bit results are clamped to their own min and max. */
static gboolean
has_bounds (const PtXnnNode *node)
{
  switch (node->klass->table) {
  case PT_XNN_TABLE_CONV:
  case PT_XNN_TABLE_FC: return TRUE;
  case PT_XNN_TABLE_N2:
    return pt_xnn_is_kind (node, PT_XNN_TAG_ADD) || pt_xnn_is_kind (node, PT_XNN_TAG_MULTIPLY) ||
           pt_xnn_is_kind (node, PT_XNN_TAG_SUBTRACT);
  default: return FALSE;
  }
}

/* Whether @clamp does no more than the bounds of @node could do, which computes its input. */
static gboolean
can_take_clamp (const PtXnnGraph *graph, const PtXnnNode *node, const PtXnnNode *clamp)
{
  const PtXnnValue *x = pt_xnn_in (graph, clamp, 0), *y = pt_xnn_out (graph, clamp, 0);

  return has_bounds (node) && pt_is_q8 (x->type) && same_bytes (x, y) &&
         pt_xnn_value_is_internal (x) && MAX (node->min, clamp->min) <= MIN (node->max, clamp->max);
}

/*
 * Exporters write a convolution and its activation function as two nodes. This gives the bounds of
 * a Clamp to the only node whose result it reads, and removes it.
 */
static gboolean
merge_clamps (PtXnnGraph *graph, GError **error)
{
  g_autofree guint *n_uses = pt_allocate (graph->n_values, sizeof *n_uses, error);
  /* Where the node that computes a value is kept, plus 1; 0: no node computes it. */
  g_autofree guint *producers =
      n_uses != NULL ? pt_allocate (graph->n_values, sizeof *producers, error) : NULL;
  guint kept = 0;

  if (producers == NULL)
    return FALSE;
  memset (n_uses, 0, graph->n_values * sizeof *n_uses);
  memset (producers, 0, graph->n_values * sizeof *producers);
  for (guint i = 0; i < graph->n_nodes; i++)
    for (guint k = 0; k < graph->nodes[i].n_in; k++)
      if (graph->nodes[i].in[k] != PT_XNN_NONE)
        n_uses[graph->nodes[i].in[k]]++;
  for (guint i = 0; i < graph->n_nodes; i++) {
    const PtXnnNode *node = &graph->nodes[i];

    if (pt_xnn_is_kind (node, PT_XNN_TAG_CLAMP) && producers[node->in[0]] > 0 &&
        n_uses[node->in[0]] == 1 &&
        can_take_clamp (graph, &graph->nodes[producers[node->in[0]] - 1], node)) {
      PtXnnNode *producer = &graph->nodes[producers[node->in[0]] - 1];

      producer->min = MAX (producer->min, node->min);
      producer->max = MIN (producer->max, node->max);
      producer->out[0] = node->out[0];
      producers[node->out[0]] = producers[node->in[0]];
      continue;
    }
    for (guint k = 0; k < node->n_out; k++)
      producers[node->out[k]] = kept + 1;
    graph->nodes[kept++] = *node;
  }
  graph->n_nodes = kept;
  return TRUE;
}

/* ---- Views ---- */

static guint32
root_of (const PtXnnGraph *graph, guint32 index)
{
  while (graph->values[index].root != index)
    index = graph->values[index].root;
  return index;
}

/* Reshape and Copy need not copy bytes: one of the two values becomes a view of the other. */
static void
find_views (PtXnnGraph *graph)
{
  for (guint i = 0; i < graph->n_values; i++)
    graph->values[i].root = i;
  for (guint i = 0; i < graph->n_nodes; i++) {
    PtXnnNode *node = &graph->nodes[i];
    PtXnnValue *out;
    guint32 in;

    if (!pt_xnn_is_kind (node, PT_XNN_TAG_RESHAPE) && !pt_xnn_is_kind (node, PT_XNN_TAG_COPY))
      continue;
    out = pt_xnn_out (graph, node, 0);
    in = root_of (graph, node->in[0]);
    if (!same_bytes (pt_xnn_in (graph, node, 0), out))
      continue;
    if (pt_xnn_value_is_internal (out))
      out->root = in;
    else if (pt_xnn_value_is_internal (&graph->values[in]))
      graph->values[in].root = node->out[0];
    else
      continue;
    node->run = NULL;
  }
  for (guint i = 0; i < graph->n_values; i++)
    graph->values[i].root = root_of (graph, i);
}

/* ---- First and last use ---- */

static void
count_uses (PtXnnGraph *graph)
{
  for (guint i = 0; i < graph->n_values; i++) {
    graph->values[i].producer = graph->values[i].last_use = -1;
    graph->values[i].n_uses = 0;
  }
  for (guint i = 0; i < graph->n_nodes; i++) {
    const PtXnnNode *node = &graph->nodes[i];

    for (guint k = 0; k < node->n_in; k++)
      if (node->in[k] != PT_XNN_NONE) {
        PtXnnValue *in = &graph->values[node->in[k]];

        in->n_uses++;
        graph->values[in->root].last_use = (gint32) i;
      }
    for (guint k = 0; k < node->n_out; k++)
      pt_xnn_out (graph, node, k)->producer = (gint32) i;
  }
}

/* ---- Chains of floats between 8-bit values ---- */

/* The longest chain, with its two conversions. */
#define MAX_CHAIN 8

static gboolean
is_float_unary (const PtXnnGraph *graph, const PtXnnNode *node)
{
  return node->klass->prepare == pt_xnn_prepare_unary &&
         pt_xnn_in (graph, node, 0)->type == PT_XNN_F32;
}

static gboolean
is_conversion (const PtXnnGraph *graph, const PtXnnNode *node, gboolean to_floats)
{
  PtXnnType in, out;

  if (!pt_xnn_is_kind (node, PT_XNN_TAG_CONVERT))
    return FALSE;
  in = pt_xnn_in (graph, node, 0)->type;
  out = pt_xnn_out (graph, node, 0)->type;
  return to_floats ? pt_is_q8 (in) && out == PT_XNN_F32 : in == PT_XNN_F32 && pt_is_q8 (out);
}

/* The chain that ends with @last, from its end of @chain on: its length, or 0. */
static guint
find_chain (const PtXnnGraph *graph, PtXnnNode *last, PtXnnNode **chain)
{
  PtXnnNode *node = last;

  for (guint n = 1; n < MAX_CHAIN; n++) {
    const PtXnnValue *in = pt_xnn_in (graph, node, 0);

    chain[MAX_CHAIN - n] = node;
    if (in->producer < 0 || in->n_uses != 1 || !pt_xnn_value_is_internal (in) ||
        &graph->nodes[in->producer] >= node || graph->nodes[in->producer].klass == NULL)
      return 0;
    node = &graph->nodes[in->producer];
    if (is_conversion (graph, node, TRUE)) {
      chain[MAX_CHAIN - n - 1] = node;
      return n + 1;
    }
    if (!is_float_unary (graph, node))
      return 0;
  }
  return 0;
}

/*
 * Exporters compute an activation function such as hard swish in floats, between two conversions.
 * Each of 256 bytes then has one result, so a table replaces such a chain.
 */
static gboolean
merge_chains (PtXnnGraph *graph, gboolean *merged, GError **error)
{
  guint kept = 0;

  for (guint i = 0; i < graph->n_nodes; i++) {
    PtXnnNode *chain[MAX_CHAIN], *node = &graph->nodes[i], table;
    guint n = is_conversion (graph, node, FALSE) ? find_chain (graph, node, chain) : 0;

    if (n == 0)
      continue;
    if (!pt_xnn_prepare_float_table (graph, chain + MAX_CHAIN - n, n, &table, error))
      return FALSE;
    for (guint j = MAX_CHAIN - n; j < MAX_CHAIN; j++)
      chain[j]->klass = NULL;
    *node = table;
    *merged = TRUE;
  }
  for (guint i = 0; i < graph->n_nodes; i++)
    if (graph->nodes[i].klass != NULL)
      graph->nodes[kept++] = graph->nodes[i];
  graph->n_nodes = kept;
  return TRUE;
}

/* Values that no node uses get no memory. */
gboolean
pt_xnn_graph_plan (PtXnnGraph *graph, GError **error)
{
  gboolean merged = FALSE;

  if (!merge_converts (graph, error) || !merge_clamps (graph, error))
    return FALSE;
  for (guint i = 0; i < graph->n_nodes; i++)
    if (!graph->nodes[i].klass->prepare (graph, &graph->nodes[i], error))
      return FALSE;
  find_views (graph);
  count_uses (graph);
  if (!merge_chains (graph, &merged, error))
    return FALSE;
  if (merged)
    count_uses (graph);
  if (!pt_xnn_merge_separable (graph, &merged, error))
    return FALSE;
  if (merged)
    count_uses (graph);
  return pt_xnn_memory_plan_init (graph, error);
}
