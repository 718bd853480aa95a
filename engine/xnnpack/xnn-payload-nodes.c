/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/set-error.h"
#include "engine/xnnpack/xnn-payload-private.h"

#include <math.h>

#include "engine/base/allocate.h"
#include "engine/xnnpack/nodes.h"

#define MAX_NODES 65536
/*
 * Windows, strides, pads and channel counts above this are damaged; products of two values below it
 * cannot wrap.
 */
#define MAX_NUMBER (1u << 24)

/* ---- References to values ---- */

static gboolean
find_value (PtXnnReader *reader, guint32 id, guint32 *index, GError **error)
{
  gpointer found;

  if (!g_hash_table_lookup_extended (reader->index_of_id, GUINT_TO_POINTER (id), NULL, &found))
    return pt_xnn_damaged (error, "a node uses value %u, which does not exist", id);
  *index = GPOINTER_TO_UINT (found);
  return TRUE;
}

static gboolean
add_input (PtXnnReader *reader, PtXnnNode *node, PtFbRef table, guint slot, GError **error)
{
  guint32 index = 0;

  if (!find_value (reader, pt_fb_u32 (table, slot, 0), &index, error))
    return FALSE;
  node->in[node->n_in++] = reader->replaced_by[index];
  return TRUE;
}

/* The bias of a product. */
static gboolean
add_optional_input (PtXnnReader *reader, PtXnnNode *node, PtFbRef table, guint slot, GError **error)
{
  if (pt_fb_u32 (table, slot, 0) != PT_XNN_NONE)
    return add_input (reader, node, table, slot, error);
  node->in[node->n_in++] = PT_XNN_NONE;
  return TRUE;
}

static gboolean
add_output (PtXnnReader *reader, PtXnnNode *node, PtFbRef table, guint slot, GError **error)
{
  const PtXnnValue *value;
  guint32 index = 0;

  if (!find_value (reader, pt_fb_u32 (table, slot, 0), &index, error))
    return FALSE;
  value = &reader->graph->values[index];
  if (value->constant != NULL || value->is_input)
    return pt_xnn_damaged (error, "a node writes value %u, which is %s", value->id,
                           value->is_input ? "an input" : "a constant");
  node->out[node->n_out++] = index;
  return TRUE;
}

/* ---- Tables ---- */

static gboolean
read_window (PtXnnNode *node, PtFbRef table, gboolean has_steps, GError **error)
{
  PtXnnWindow *w = &node->window;
  gsize *const fields[] = {
    &w->pad_top,  &w->pad_right, &w->pad_bottom, &w->pad_left,   &w->kernel_h,
    &w->kernel_w, &w->stride_h,  &w->stride_w,   &w->dilation_h, &w->dilation_w,
  };
  guint n = has_steps ? G_N_ELEMENTS (fields) : 6;

  for (guint i = 0; i < n; i++) {
    guint32 number = pt_fb_u32 (table, i, 0);

    if (number > MAX_NUMBER)
      return pt_xnn_damaged (error, "a window of a %s is out of range", node->klass->name);
    *fields[i] = number;
  }
  if (!has_steps) {
    w->stride_h = w->kernel_h;
    w->stride_w = w->kernel_w;
    w->dilation_h = w->dilation_w = 1;
  }
  if (w->kernel_h == 0 || w->kernel_w == 0 || w->stride_h == 0 || w->stride_w == 0)
    return pt_xnn_damaged (error, "a window of a %s is empty", node->klass->name);
  return TRUE;
}

static gboolean
read_conv (PtXnnReader *reader, PtXnnNode *node, PtFbRef table, GError **error)
{
  PtXnnWindow *w = &node->window;
  gsize *const fields[] = { &w->group_in, &w->group_out, &w->groups, &w->adjustment_h,
                            &w->adjustment_w };

  if (!read_window (node, table, TRUE, error))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (fields); i++) {
    guint32 number = pt_fb_u32 (table, PT_XNN_CONV_GROUP_IN + i, 0);

    if (number > MAX_NUMBER)
      return pt_xnn_damaged (error, "a %s has too many channels", node->klass->name);
    *fields[i] = number;
  }
  if (w->dilation_h == 0 || w->dilation_w == 0 || w->group_in == 0 || w->group_out == 0 ||
      w->groups == 0)
    return pt_xnn_damaged (error, "a %s has no channels", node->klass->name);
  return add_input (reader, node, table, PT_XNN_CONV_INPUT, error) &&
         add_input (reader, node, table, PT_XNN_CONV_FILTER, error) &&
         add_optional_input (reader, node, table, PT_XNN_CONV_BIAS, error) &&
         add_output (reader, node, table, PT_XNN_CONV_OUTPUT, error);
}

static gboolean
read_pool (PtXnnReader *reader, PtXnnNode *node, PtFbRef table, GError **error)
{
  return read_window (node, table, TRUE, error) &&
         add_input (reader, node, table, PT_XNN_POOL_INPUT, error) &&
         add_output (reader, node, table, PT_XNN_POOL_OUTPUT, error);
}

static gboolean
read_argmax (PtXnnReader *reader, PtXnnNode *node, PtFbRef table, GError **error)
{
  return read_window (node, table, FALSE, error) &&
         add_input (reader, node, table, PT_XNN_ARGMAX_INPUT, error) &&
         add_output (reader, node, table, PT_XNN_ARGMAX_VALUE, error) &&
         add_output (reader, node, table, PT_XNN_ARGMAX_INDEX, error);
}

static gboolean
read_cat (PtXnnReader *reader, PtXnnNode *node, PtFbRef table, GError **error)
{
  static const guint slots[] = { PT_XNN_CAT_INPUT1, PT_XNN_CAT_INPUT1 + 1, PT_XNN_CAT_INPUT1 + 2,
                                 PT_XNN_CAT_INPUT1 + 3, PT_XNN_CAT_INPUT5 };

  node->axis = pt_fb_u32 (table, PT_XNN_CAT_AXIS, 0);
  for (guint i = 0; i < node->klass->n_in; i++)
    if (!add_input (reader, node, table, slots[i], error))
      return FALSE;
  return add_output (reader, node, table, PT_XNN_CAT_OUTPUT, error);
}

/* Numbers in the payload are u32, but slices use them as i32. */
static gboolean
read_list (PtXnnNode *node, PtFbRef table, guint slot, guint which, GError **error)
{
  PtFbVec items = pt_fb_vec (table, slot);

  if (items.count > PT_XNN_MAX_RANK || (which > 0 && items.count != node->n_list))
    return pt_xnn_damaged (error, "a %s has %u dimensions", node->klass->name, items.count);
  node->n_list = items.count;
  for (guint32 i = 0; i < items.count; i++)
    node->list[which][i] = pt_fb_vec_i32 (items, i);
  return TRUE;
}

static gboolean
read_counted_list (PtXnnNode *node, PtFbRef table, GError **error)
{
  if (!read_list (node, table, PT_XNN_LIST_ITEMS, 0, error))
    return FALSE;
  if (pt_fb_u32 (table, PT_XNN_LIST_NUM_DIMS, 0) != node->n_list)
    return pt_xnn_damaged (error, "a %s contradicts itself about its rank", node->klass->name);
  return TRUE;
}

static gboolean
read_transpose (PtXnnReader *reader, PtXnnNode *node, PtFbRef table, GError **error)
{
  guint seen = 0;

  if (!read_counted_list (node, table, error))
    return FALSE;
  for (guint i = 0; i < node->n_list; i++)
    if (node->list[0][i] >= 0 && node->list[0][i] < (gint64) node->n_list)
      seen |= 1u << node->list[0][i];
  if (seen != (1u << node->n_list) - 1)
    return pt_xnn_damaged (error, "a %s has an order of dimensions that is none",
                           node->klass->name);
  return add_input (reader, node, table, PT_XNN_LIST_INPUT, error) &&
         add_output (reader, node, table, PT_XNN_LIST_OUTPUT, error);
}

static gboolean
read_reshape (PtXnnReader *reader, PtXnnNode *node, PtFbRef table, GError **error)
{
  guint n_inferred = 0;

  if (!read_counted_list (node, table, error))
    return FALSE;
  for (guint i = 0; i < node->n_list; i++) {
    if (node->list[0][i] < 0)
      return pt_xnn_damaged (error, "a %s has a negative size", node->klass->name);
    n_inferred += node->list[0][i] == 0;
  }
  if (n_inferred > 1)
    return pt_xnn_damaged (error, "a %s leaves %u sizes open", node->klass->name, n_inferred);
  return add_input (reader, node, table, PT_XNN_LIST_INPUT, error) &&
         add_output (reader, node, table, PT_XNN_LIST_OUTPUT, error);
}

static gboolean
read_slice (PtXnnReader *reader, PtXnnNode *node, PtFbRef table, GError **error)
{
  if (!read_counted_list (node, table, error) ||
      !read_list (node, table, PT_XNN_SLICE_SIZES, 1, error))
    return FALSE;
  for (guint i = 0; i < node->n_list; i++)
    if (node->list[0][i] < 0)
      return pt_xnn_damaged (error, "a %s has a negative offset", node->klass->name);
  return add_input (reader, node, table, PT_XNN_SLICE_INPUT, error) &&
         add_output (reader, node, table, PT_XNN_SLICE_OUTPUT, error);
}

static gboolean
read_pad (PtXnnReader *reader, PtXnnNode *node, PtFbRef table, GError **error)
{
  if (!read_list (node, table, PT_XNN_PAD_PRE, 0, error) ||
      !read_list (node, table, PT_XNN_PAD_POST, 1, error))
    return FALSE;
  for (guint i = 0; i < node->n_list; i++)
    if (node->list[0][i] < 0 || node->list[1][i] < 0)
      return pt_xnn_damaged (error, "a %s has negative padding", node->klass->name);
  node->number = pt_fb_f32 (table, PT_XNN_PAD_VALUE, 0.0f);
  return add_input (reader, node, table, PT_XNN_PAD_INPUT, error) &&
         add_output (reader, node, table, PT_XNN_PAD_OUTPUT, error);
}

static gboolean
read_resize (PtXnnReader *reader, PtXnnNode *node, PtFbRef table, GError **error)
{
  node->new_h = pt_fb_u32 (table, PT_XNN_RESIZE_HEIGHT, 0);
  node->new_w = pt_fb_u32 (table, PT_XNN_RESIZE_WIDTH, 0);
  node->flags = pt_fb_u32 (table, PT_XNN_RESIZE_FLAGS, 0);
  if (node->new_h == 0 || node->new_w == 0 || node->new_h > MAX_NUMBER || node->new_w > MAX_NUMBER)
    return pt_xnn_damaged (error, "a %s has an impossible size", node->klass->name);
  return add_input (reader, node, table, PT_XNN_RESIZE_INPUT, error) &&
         add_output (reader, node, table, PT_XNN_RESIZE_OUTPUT, error);
}

static gboolean
read_n1 (PtXnnReader *reader, PtXnnNode *node, PtFbRef table, GError **error)
{
  node->flags = pt_fb_u32 (table, PT_XNN_N1_FLAGS, 0);
  return add_input (reader, node, table, PT_XNN_N1_INPUT, error) &&
         add_output (reader, node, table, PT_XNN_N1_OUTPUT, error);
}

static gboolean
read_n2 (PtXnnReader *reader, PtXnnNode *node, PtFbRef table, GError **error)
{
  node->flags = pt_fb_u32 (table, PT_XNN_N2_FLAGS, 0);
  return add_input (reader, node, table, PT_XNN_N2_INPUT1, error) &&
         add_input (reader, node, table, PT_XNN_N2_INPUT2, error) &&
         add_output (reader, node, table, PT_XNN_N2_OUTPUT, error);
}

static gboolean
read_fc (PtXnnReader *reader, PtXnnNode *node, PtFbRef table, GError **error)
{
  node->flags = pt_fb_u32 (table, PT_XNN_FC_FLAGS, 0);
  return add_input (reader, node, table, PT_XNN_FC_INPUT, error) &&
         add_input (reader, node, table, PT_XNN_FC_FILTER, error) &&
         add_optional_input (reader, node, table, PT_XNN_FC_BIAS, error) &&
         add_output (reader, node, table, PT_XNN_FC_OUTPUT, error);
}

static gboolean
read_scalar (PtXnnReader *reader, PtXnnNode *node, PtFbRef table, GError **error)
{
  node->number = pt_fb_f32 (table, PT_XNN_SCALAR_NUMBER, 0.0f);
  return add_input (reader, node, table, PT_XNN_SCALAR_INPUT, error) &&
         add_output (reader, node, table, PT_XNN_SCALAR_OUTPUT, error);
}

typedef gboolean (*ReadTable) (PtXnnReader *reader, PtXnnNode *node, PtFbRef table, GError **error);

static const ReadTable readers[PT_XNN_N_TABLES] = {
  [PT_XNN_TABLE_N1] = read_n1,           [PT_XNN_TABLE_N2] = read_n2,
  [PT_XNN_TABLE_CAT] = read_cat,         [PT_XNN_TABLE_FC] = read_fc,
  [PT_XNN_TABLE_CONV] = read_conv,       [PT_XNN_TABLE_POOL] = read_pool,
  [PT_XNN_TABLE_ARGMAX] = read_argmax,   [PT_XNN_TABLE_TRANSPOSE] = read_transpose,
  [PT_XNN_TABLE_RESHAPE] = read_reshape, [PT_XNN_TABLE_SLICE] = read_slice,
  [PT_XNN_TABLE_RESIZE] = read_resize,   [PT_XNN_TABLE_PAD] = read_pad,
  [PT_XNN_TABLE_SCALAR] = read_scalar,
};

/* ---- Nodes ---- */

static gboolean
read_clamp (PtXnnNode *node, PtFbRef xnode, GError **error)
{
  PtFbRef clamp = pt_fb_table (xnode, PT_XNN_NODE_CLAMP);

  node->min = -INFINITY;
  node->max = INFINITY;
  if (!pt_fb_present (clamp))
    return TRUE;
  node->has_clamp = TRUE;
  node->min = pt_fb_f32 (clamp, PT_XNN_CLAMP_MIN, 0.0f);
  node->max = pt_fb_f32 (clamp, PT_XNN_CLAMP_MAX, 0.0f);
  if (!(node->min <= node->max))
    return pt_xnn_damaged (error, "a %s limits its output to nothing", node->klass->name);
  return TRUE;
}

static gboolean
read_node (PtXnnReader *reader, PtXnnNode *node, PtFbRef xnode, GError **error)
{
  PtFbRef table = pt_fb_table (xnode, PT_XNN_UNION_TABLE);

  if (!pt_fb_present (table))
    return pt_xnn_damaged (error, "a %s has no content", node->klass->name);
  return read_clamp (node, xnode, error) && readers[node->klass->table](reader, node, table, error);
}

/* Names all kinds of nodes that are not implemented in one message. */
static gboolean
check_kinds (PtFbVec xnodes, GError **error)
{
  g_autoptr (GString) missing = g_string_new (NULL);
  gboolean reported[256] = { FALSE };

  for (guint32 i = 0; i < xnodes.count; i++) {
    guint8 tag = pt_fb_u8 (pt_fb_vec_table (xnodes, i), PT_XNN_UNION_TYPE, 0);
    const PtXnnClass *klass = pt_xnn_class_by_tag (tag);

    if ((klass != NULL && klass->prepare != NULL) || reported[tag])
      continue;
    reported[tag] = TRUE;
    if (klass != NULL)
      g_string_append_printf (missing, "%s%s", missing->len > 0 ? ", " : "", klass->name);
    else
      g_string_append_printf (missing, "%snumber %u", missing->len > 0 ? ", " : "", tag);
  }
  if (missing->len == 0)
    return TRUE;
  return pt_fail (error, PT_ERROR_UNSUPPORTED,
                  "An XNNPACK delegate of this program has nodes that Pteris does not run: %s. "
                  "(ExecuTorch error 0x10)",
                  missing->str);
}

static void
add_twin_converts (PtXnnReader *reader)
{
  PtXnnGraph *graph = reader->graph;

  for (guint32 i = 0; i < graph->n_values; i++) {
    PtXnnNode *node = &graph->nodes[graph->n_nodes];

    if (reader->replaced_by[i] == i)
      continue;
    node->klass = pt_xnn_class_by_tag (PT_XNN_TAG_CONVERT);
    node->in[node->n_in++] = i;
    node->out[node->n_out++] = reader->replaced_by[i];
    node->min = -INFINITY;
    node->max = INFINITY;
    graph->n_nodes++;
  }
}

/* Nodes must be in the order of execution, and one node computes each value. */
static gboolean
check_order (PtXnnGraph *graph, GError **error)
{
  for (guint i = 0; i < graph->n_values; i++)
    graph->values[i].producer = -1;
  for (guint i = 0; i < graph->n_nodes; i++) {
    const PtXnnNode *node = &graph->nodes[i];

    for (guint k = 0; k < node->n_in; k++) {
      const PtXnnValue *value = pt_xnn_in (graph, node, k);

      if (value != NULL && value->constant == NULL && !value->is_input && value->producer < 0)
        return pt_xnn_damaged (error, "a %s uses value %u before it is computed", node->klass->name,
                               value->id);
    }
    for (guint k = 0; k < node->n_out; k++) {
      PtXnnValue *value = pt_xnn_out (graph, node, k);

      if (value->producer >= 0)
        return pt_xnn_damaged (error, "value %u is computed twice", value->id);
      value->producer = (gint32) i;
    }
  }
  for (guint i = 0; i < graph->n_values; i++)
    if (graph->values[i].is_output && graph->values[i].producer < 0)
      return pt_xnn_damaged (error, "output %u is never computed", graph->values[i].external);
  return TRUE;
}

gboolean
pt_xnn_read_nodes (PtXnnReader *reader, GError **error)
{
  PtXnnGraph *graph = reader->graph;
  PtFbVec xnodes = pt_fb_vec (reader->root, PT_XNN_GRAPH_NODES);
  guint n_twins;

  if (xnodes.count > MAX_NODES)
    return pt_xnn_damaged (error, "it has %u nodes", xnodes.count);
  if (!check_kinds (xnodes, error))
    return FALSE;
  n_twins = graph->n_values - g_hash_table_size (reader->index_of_id);
  graph->nodes = pt_allocate ((gsize) xnodes.count + n_twins + 1, sizeof (PtXnnNode), error);
  if (graph->nodes == NULL)
    return FALSE;
  add_twin_converts (reader);
  for (guint32 i = 0; i < xnodes.count; i++) {
    PtFbRef xnode = pt_fb_vec_table (xnodes, i);
    guint8 tag = pt_fb_u8 (xnode, PT_XNN_UNION_TYPE, 0);
    PtXnnNode *node = &graph->nodes[graph->n_nodes++];

    node->klass = pt_xnn_class_by_tag (tag);
    graph->n_by_tag[tag]++;
    if (!read_node (reader, node, xnode, error))
      return FALSE;
  }
  return check_order (graph, error);
}
