/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/xnnpack/result-cache.h"

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/xnnpack/xnn-convolution.h"
#include "engine/xnnpack/fully-connected.h"
#include "engine/xnnpack/nodes.h"
#include "engine/xnnpack/xnn-shape-nodes.h"

typedef struct {
  gboolean is_unchanged;
  gboolean is_kept[2]; /* index of the output; its result is read by others, so it is cached */
  gpointer kept[2];    /* memory of the cached results */
  gsize sizes[2];      /* bytes of all blocks */
} Part;

struct _PtXnnResultCache {
  guint n_externs, n_nodes;
  guint64 *versions;  /* [n_externs]: versions of the inputs when results were cached; 0: unknown */
  guint64 *now;       /* [n_externs]: versions of the inputs of this call */
  gboolean *values;   /* [n_values]: whether the value is unchanged */
  Part *parts;        /* [n_nodes]: whether the node is unchanged */
  gboolean has_parts; /* with these inputs, caching pays for some nodes */
  gboolean is_kept;   /* the cached results are valid */
};

PtXnnResultCache *
pt_xnn_result_cache_new (const PtXnnGraph *graph, GError **error)
{
  PtXnnResultCache *self = g_new0 (PtXnnResultCache, 1);

  self->n_externs = graph->n_externs;
  self->n_nodes = graph->n_nodes;
  self->versions = pt_allocate (graph->n_externs, sizeof *self->versions, error);
  if (self->versions != NULL)
    self->now = pt_allocate (graph->n_externs, sizeof *self->now, error);
  if (self->now != NULL)
    self->values = pt_allocate (graph->n_values, sizeof *self->values, error);
  if (self->values != NULL)
    self->parts = pt_allocate (graph->n_nodes, sizeof *self->parts, error);
  if (self->parts != NULL)
    return self;
  pt_xnn_result_cache_free (self);
  return NULL;
}

void
pt_xnn_result_cache_free (PtXnnResultCache *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; self->parts != NULL && i < self->n_nodes; i++) {
    g_free (self->parts[i].kept[0]);
    g_free (self->parts[i].kept[1]);
  }
  g_free (self->versions);
  g_free (self->now);
  g_free (self->values);
  g_free (self->parts);
  g_free (self);
}

void
pt_xnn_result_cache_forget (PtXnnResultCache *self)
{
  self->is_kept = FALSE;
}

/* ---- Choosing nodes ---- */

/*
 * Whether an alias may replace @node (call-arguments.h). Such a node is not cached: caching would
 * save nothing, and its output must not be written while the alias exists.
 */
static gboolean
may_be_alias (const PtXnnGraph *graph, const PtXnnNode *node)
{
  return pt_xnn_is_move (node) && pt_xnn_in (graph, node, 0)->is_input;
}

/* Whether caching the result of @node pays. Other nodes are as fast as a copy of their results. */
static gboolean
is_product (const PtXnnNode *node)
{
  return node->klass->prepare == pt_xnn_prepare_fully_connected ||
         node->klass->prepare == pt_xnn_prepare_conv;
}

static gboolean
reads_unchanged_only (const PtXnnResultCache *self, const PtXnnGraph *graph, const PtXnnNode *node)
{
  for (guint k = 0; k < node->n_in; k++)
    if (node->in[k] != PT_XNN_NONE && !self->values[node->in[k]] &&
        graph->values[node->in[k]].constant == NULL)
      return FALSE;
  return node->n_in > 0 && !may_be_alias (graph, node);
}

/* Whether the caller, or a node that is not unchanged, reads the memory of value @index. */
static gboolean
is_read_elsewhere (const PtXnnResultCache *self, const PtXnnGraph *graph, guint32 index)
{
  guint32 root = graph->values[index].root;

  for (guint i = 0; i < graph->n_values; i++)
    if (graph->values[i].root == root && graph->values[i].is_output)
      return TRUE;
  for (guint i = 0; i < graph->n_nodes; i++) {
    const PtXnnNode *node = &graph->nodes[i];

    for (guint k = 0; !self->parts[i].is_unchanged && k < node->n_in; k++)
      if (node->in[k] != PT_XNN_NONE && graph->values[node->in[k]].root == root)
        return TRUE;
  }
  return FALSE;
}

static void
find_parts (PtXnnResultCache *self, const PtXnnGraph *graph)
{
  memset (self->values, 0, graph->n_values * sizeof *self->values);
  for (guint i = 0; i < graph->n_externs; i++)
    if (self->now[i] != 0)
      self->values[graph->externals[i]] = TRUE;
  self->has_parts = FALSE;
  for (guint i = 0; i < graph->n_nodes; i++) {
    const PtXnnNode *node = &graph->nodes[i];
    gboolean is_unchanged = reads_unchanged_only (self, graph, node);

    self->parts[i].is_unchanged = is_unchanged;
    self->has_parts |= is_unchanged && is_product (node);
    for (guint k = 0; k < node->n_out; k++)
      self->values[node->out[k]] = is_unchanged;
  }
  for (guint i = 0; self->has_parts && i < graph->n_nodes; i++)
    for (guint k = 0; k < graph->nodes[i].n_out; k++)
      self->parts[i].is_kept[k] = self->parts[i].is_unchanged && graph->nodes[i].run != NULL &&
                                  is_read_elsewhere (self, graph, graph->nodes[i].out[k]);
}

/* Allocates memory for the cached results with the current shapes. */
static gboolean
make_room (PtXnnResultCache *self, const PtXnnGraph *graph)
{
  for (guint i = 0; i < graph->n_nodes; i++)
    for (guint k = 0; k < graph->nodes[i].n_out; k++) {
      Part *part = &self->parts[i];
      gsize size = pt_xnn_out (graph, &graph->nodes[i], k)->nbytes;

      if (!part->is_kept[k] || size <= part->sizes[k])
        continue;
      g_free (part->kept[k]);
      part->kept[k] = g_try_malloc (size);
      part->sizes[k] = part->kept[k] != NULL ? size : 0;
      if (part->kept[k] == NULL)
        return FALSE;
    }
  return TRUE;
}

/* ---- Calls ---- */

/* Reads the versions of the inputs. FALSE: no input has a version. */
static gboolean
read_versions (PtXnnResultCache *self, const PtXnnGraph *graph, PtValue *const *args)
{
  gboolean any = FALSE;

  for (guint i = 0; i < graph->n_externs; i++) {
    const PtXnnValue *value =
        graph->externals[i] != PT_XNN_NONE ? &graph->values[graph->externals[i]] : NULL;
    const PtTensor *tensor = args[i]->kind == PT_VALUE_TENSOR ? args[i]->as_tensor : NULL;

    self->now[i] = 0;
    if (value != NULL && value->is_input && tensor != NULL && tensor->is_constant)
      self->now[i] = tensor->version;
    any |= self->now[i] != 0;
  }
  return any;
}

static gboolean
same_inputs (const PtXnnResultCache *self)
{
  for (guint i = 0; i < self->n_externs; i++)
    if ((self->now[i] != 0) != (self->versions[i] != 0))
      return FALSE;
  return TRUE;
}

PtXnnReuse
pt_xnn_result_cache_begin (PtXnnResultCache *self, const PtXnnGraph *graph, PtValue *const *args)
{
  gsize size = self->n_externs * sizeof *self->now;

  if (!read_versions (self, graph, args))
    return PT_XNN_ALL_NEW;
  if (self->is_kept && memcmp (self->now, self->versions, size) == 0)
    return PT_XNN_REUSE;
  self->is_kept = FALSE;
  if (!same_inputs (self))
    find_parts (self, graph);
  memcpy (self->versions, self->now, size);
  return self->has_parts && make_room (self, graph) ? PT_XNN_KEEP : PT_XNN_ALL_NEW;
}

void
pt_xnn_result_cache_run (PtXnnResultCache *self, const PtXnnGraph *graph, guint i, PtXnnReuse reuse)
{
  const PtXnnNode *node = &graph->nodes[i];
  const Part *part = &self->parts[i];

  if (reuse != PT_XNN_REUSE || !part->is_unchanged)
    node->run (graph, node);
  for (guint k = 0; reuse != PT_XNN_ALL_NEW && k < node->n_out; k++) {
    const PtXnnValue *out = pt_xnn_out (graph, node, k);

    if (part->is_kept[k] && reuse == PT_XNN_KEEP)
      memcpy (part->kept[k], out->data, out->nbytes);
    else if (part->is_kept[k])
      memcpy (out->data, part->kept[k], out->nbytes);
  }
}

void
pt_xnn_result_cache_end (PtXnnResultCache *self, PtXnnReuse reuse)
{
  self->is_kept = reuse != PT_XNN_ALL_NEW;
}
