/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/base/set-error.h"
#include "engine/program/checked.h"
#include "engine/vulkan/vk-operators.h"
#include "engine/vulkan/vk-payload-private.h"
#include "engine/vulkan/vk-schema.h"

/* Far above the number in any real graph. */
#define MAX_CALLS 65536
#define MAX_EXTERNS 4096
/* The number of unknown operators that an error names. */
#define MAX_NAMED 12

/* ---- Kinds of arguments ---- */

static gboolean
is_number (PtVkKind kind)
{
  return kind == PT_VK_INT || kind == PT_VK_DOUBLE || kind == PT_VK_BOOL || kind == PT_VK_SYMINT;
}

/* A list of integers may be one of bools when it is empty. */
static gboolean
is_int_list (const PtVkGraph *graph, const PtVkValue *value)
{
  if (value->kind == PT_VK_INTS || value->kind == PT_VK_INT ||
      (value->kind == PT_VK_BOOLS && value->count == 0))
    return TRUE;
  if (value->kind != PT_VK_VALUES)
    return FALSE;
  for (guint i = 0; i < value->count; i++)
    if (!is_number (graph->values[value->items[i]].kind))
      return FALSE;
  return TRUE;
}

static gboolean
is_tensor_list (const PtVkGraph *graph, const PtVkValue *value)
{
  if (value->kind != PT_VK_VALUES)
    return FALSE;
  for (guint i = 0; i < value->count; i++)
    if (graph->values[value->items[i]].kind != PT_VK_TENSOR)
      return FALSE;
  return TRUE;
}

static gboolean
fits_letter (const PtVkGraph *graph, const PtVkValue *value, char letter)
{
  PtVkKind kind = value->kind;
  gboolean is_null = kind == PT_VK_NULL;

  switch (letter) {
  case 'T':
  case 'O': return kind == PT_VK_TENSOR;
  case 'K': return kind == PT_VK_TENSOR && value->constant != NULL;
  case 't': return kind == PT_VK_TENSOR || is_null;
  case 'i':
  case 'f':
  case 'b': return is_number (kind);
  case 'n':
  case 'g': return is_number (kind) || is_null;
  case 'I': return is_int_list (graph, value);
  case 'J': return is_int_list (graph, value) || is_null;
  case 'G': return kind == PT_VK_DOUBLES || is_null || is_int_list (graph, value);
  case 's': return kind == PT_VK_STRING || is_null;
  case 'V':
  case 'L': return is_tensor_list (graph, value);
  case 'S': return kind == PT_VK_SYMINT;
  case 'z': return TRUE;
  default: return FALSE;
  }
}

/* ---- What calls read and write ---- */

static gboolean
check_read (const PtVkGraph *graph, guint32 index, const char *name, GError **error)
{
  if (graph->values[index].kind == PT_VK_TENSOR && !graph->values[index].is_written)
    return pt_vk_damaged (error, "operator %.60s reads tensor %u, which nothing wrote", name,
                          index);
  return TRUE;
}

static gboolean
check_write (PtVkGraph *graph, guint32 index, const char *name, GError **error)
{
  PtVkValue *value = &graph->values[index];

  if (value->kind == PT_VK_TENSOR && value->is_written)
    return pt_vk_damaged (error,
                          "operator %.60s writes tensor %u, which is an input, a constant "
                          "or another output",
                          name, index);
  value->is_written = TRUE;
  return TRUE;
}

static gboolean
check_argument (PtVkGraph *graph, const PtVkCall *call, guint i, GError **error)
{
  const PtVkValue *value = pt_vk_arg (graph, call, i);
  char letter = call->op->signature[i];

  if (!fits_letter (graph, value, letter))
    return pt_vk_damaged (error, "argument %u of operator %s is of the wrong kind (%d)", i,
                          call->op->name, value->kind);
  switch (letter) {
  case 'T':
  case 't': return check_read (graph, call->args[i], call->op->name, error);
  case 'V':
    for (guint k = 0; k < value->count; k++)
      if (!check_read (graph, value->items[k], call->op->name, error))
        return FALSE;
    return TRUE;
  case 'O': return check_write (graph, call->args[i], call->op->name, error);
  case 'L':
    for (guint k = 0; k < value->count; k++)
      if (!check_write (graph, value->items[k], call->op->name, error))
        return FALSE;
    return TRUE;
  default: return TRUE;
  }
}

/* An alias refers to the memory of the value that it comes from. State changes, so its aliases are
 * copies. */
static void
resolve_view (PtVkGraph *graph, const PtVkCall *call)
{
  const PtVkValue *in = pt_vk_arg (graph, call, 0);
  PtVkValue *out = pt_vk_arg (graph, call, call->n_args - 1);

  if (in->kind == PT_VK_TENSOR && !graph->values[in->source].is_state &&
      in->stored == out->stored && !out->is_input)
    out->source = in->source;
}

/* ---- Calls ---- */

static gboolean
read_args (PtVkReader *reader, PtVkCall *call, PtFbRef table, GError **error)
{
  PtFbVec args = pt_fb_vec (table, PT_VK_CALL_ARGS);
  guint32 *out;

  if (args.count != strlen (call->op->signature))
    return pt_vk_damaged (error, "operator %s has %u arguments instead of %" G_GSIZE_FORMAT,
                          call->op->name, args.count, strlen (call->op->signature));
  out = pt_vk_reader_allocate (reader, args.count, sizeof *out, error);
  if (out == NULL)
    return FALSE;
  for (guint32 i = 0; i < args.count; i++) {
    gint32 arg = pt_fb_vec_i32 (args, i);

    if (!pt_index_fits (arg, reader->graph->n_values))
      return pt_vk_damaged (error, "operator %s has value %d of %u as an argument", call->op->name,
                            arg, reader->graph->n_values);
    out[i] = (guint32) arg;
    if (call->op->signature[i] == 'K') {
      reader->graph->values[arg].is_state = TRUE;
      reader->graph->has_state = TRUE;
    }
  }
  call->args = out;
  call->n_args = args.count;
  return TRUE;
}

static gboolean
read_call (PtVkReader *reader, PtVkCall *call, PtFbRef table, GPtrArray *unknown, GError **error)
{
  gsize length = 0;
  const char *name = pt_fb_string (table, PT_VK_CALL_NAME, &length);

  if (name == NULL)
    return pt_vk_damaged (error, "an operator has no name");
  call->op = pt_vk_operator_find (name, length);
  if (call->op != NULL)
    return read_args (reader, call, table, error);
  for (guint i = 0; i < unknown->len; i++)
    if (strcmp (unknown->pdata[i], name) == 0)
      return TRUE;
  if (unknown->len < MAX_NAMED)
    g_ptr_array_add (unknown, g_strndup (name, MIN (length, 80)));
  return TRUE;
}

static gboolean
read_chain (PtVkReader *reader, GError **error)
{
  g_autoptr (GPtrArray) unknown = g_ptr_array_new_with_free_func (g_free);
  PtFbVec chain = pt_fb_vec (reader->root, PT_VK_GRAPH_CHAIN);
  PtVkGraph *graph = reader->graph;
  g_autofree char *names = NULL;

  if (chain.count > MAX_CALLS)
    return pt_vk_damaged (error, "it has %u calls", chain.count);
  graph->calls = pt_vk_reader_allocate (reader, chain.count, sizeof (PtVkCall), error);
  if (graph->calls == NULL)
    return FALSE;
  graph->n_calls = chain.count;
  for (guint32 i = 0; i < chain.count; i++)
    if (!read_call (reader, &graph->calls[i], pt_fb_vec_table (chain, i), unknown, error))
      return FALSE;
  if (unknown->len == 0)
    return TRUE;
  g_ptr_array_add (unknown, NULL);
  names = g_strjoinv (", ", (char **) unknown->pdata);
  return pt_fail (error, PT_ERROR_UNSUPPORTED,
                  "A Vulkan delegate of this program uses operators that Pteris does not have: %s. "
                  "Export the program with another version of ExecuTorch, or for the CPU.",
                  names);
}

static gboolean
check_chain (PtVkGraph *graph, GError **error)
{
  for (guint i = 0; i < graph->n_calls; i++) {
    const PtVkCall *call = &graph->calls[i];

    for (guint k = 0; k < call->n_args; k++)
      if (!check_argument (graph, call, k, error))
        return FALSE;
    if (call->op->is_view)
      resolve_view (graph, call);
  }
  return TRUE;
}

/* ---- Inputs and outputs ---- */

static gboolean
read_ids (PtVkReader *reader, guint slot, guint32 **ids, guint *n, GError **error)
{
  PtFbVec list = pt_fb_vec (reader->root, slot);

  if (list.count > MAX_EXTERNS)
    return pt_vk_damaged (error, "it has %u inputs or outputs", list.count);
  *ids = pt_vk_reader_allocate (reader, list.count, sizeof **ids, error);
  if (*ids == NULL)
    return FALSE;
  *n = list.count;
  for (guint32 i = 0; i < list.count; i++) {
    guint32 id = pt_fb_vec_u32 (list, i);
    PtVkKind kind;

    if (id >= reader->graph->n_values)
      return pt_vk_damaged (error, "an input or output is value %u of %u", id,
                            reader->graph->n_values);
    kind = reader->graph->values[id].kind;
    if (kind != PT_VK_TENSOR && kind != PT_VK_SYMINT)
      return pt_vk_damaged (error, "an input or output is neither a tensor nor an integer");
    (*ids)[i] = id;
  }
  return TRUE;
}

static gboolean
mark_inputs (PtVkGraph *graph, GError **error)
{
  for (guint i = 0; i < graph->n_inputs; i++) {
    PtVkValue *value = &graph->values[graph->inputs[i]];

    if (value->is_input || value->constant != NULL)
      return pt_vk_damaged (error, "input %u is a constant or another input", i);
    value->is_input = value->is_written = TRUE;
  }
  return TRUE;
}

static gboolean
mark_outputs (PtVkGraph *graph, GError **error)
{
  for (guint i = 0; i < graph->n_outputs; i++) {
    PtVkValue *value = &graph->values[graph->outputs[i]];

    if (!value->is_written && value->kind == PT_VK_TENSOR)
      return pt_vk_damaged (error, "nothing writes output %u", i);
    value->is_output = TRUE;
  }
  return TRUE;
}

/* ---- Weights that a call unpacks ---- */

static gboolean
is_constant (const PtVkGraph *graph, const PtVkCall *call, guint arg)
{
  const PtVkValue *value = pt_vk_arg (graph, call, arg);

  return value->kind != PT_VK_TENSOR || pt_vk_constant_of (graph, value) != NULL;
}

static void
forget_unpacked (PtVkGraph *graph, guint32 index)
{
  PtVkValue *value = &graph->values[index];

  value->unpacked_by = 0;
  for (guint k = 0; value->kind == PT_VK_VALUES && k < value->count; k++)
    graph->values[value->items[k]].unpacked_by = 0;
}

static void
mark_unpacked (PtVkGraph *graph)
{
  for (guint i = 0; i < graph->n_calls; i++) {
    const PtVkCall *call = &graph->calls[i];

    if (call->op->is_unpacking && is_constant (graph, call, 0) && is_constant (graph, call, 2) &&
        is_constant (graph, call, 3))
      pt_vk_arg (graph, call, call->n_args - 1)->unpacked_by = i + 1;
  }
  for (guint i = 0; i < graph->n_calls; i++) {
    const PtVkCall *call = &graph->calls[i];

    for (guint k = 0; k + 1 < call->n_args; k++)
      if (k != 1 || !call->op->reads_packed)
        forget_unpacked (graph, call->args[k]);
  }
  for (guint i = 0; i < graph->n_outputs; i++)
    forget_unpacked (graph, graph->outputs[i]);
}

gboolean
pt_vk_read_calls (PtVkReader *reader, GError **error)
{
  PtVkGraph *graph = reader->graph;

  for (guint i = 0; i < graph->n_values; i++)
    graph->has_symints |= graph->values[i].kind == PT_VK_SYMINT;
  if (!read_ids (reader, PT_VK_GRAPH_INPUT_IDS, &graph->inputs, &graph->n_inputs, error) ||
      !read_ids (reader, PT_VK_GRAPH_OUTPUT_IDS, &graph->outputs, &graph->n_outputs, error) ||
      !mark_inputs (graph, error) || !read_chain (reader, error) || !check_chain (graph, error) ||
      !mark_outputs (graph, error))
    return FALSE;
  mark_unpacked (graph);
  return TRUE;
}
