/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vulkan/vk-graph.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/program/checked.h"
#include "engine/vulkan/vk-operators.h"

void
pt_vk_graph_free (PtVkGraph *graph)
{
  pt_heap_unref (graph->heap);
  g_free (graph);
}

PtDType
pt_vk_stored_dtype (PtDType declared)
{
  switch (declared) {
  case PT_DTYPE_F16:
  case PT_DTYPE_F64: return PT_DTYPE_F32;
  case PT_DTYPE_I64: return PT_DTYPE_I32;
  default: return declared;
  }
}

gsize
pt_vk_value_bytes (const PtVkValue *value)
{
  return value->numel * pt_dtype_size (value->stored);
}

gboolean
pt_vk_damaged (GError **error, const char *format, ...)
{
  g_autofree char *what = NULL;
  va_list args;

  va_start (args, format);
  what = g_strdup_vprintf (format, args);
  va_end (args);
  return pt_fail (error, PT_ERROR_PROGRAM,
                  "A Vulkan delegate of this program is damaged: %s. Download or export the "
                  "program again. (ExecuTorch error 0x23)",
                  what);
}

/* ---- Arguments ---- */

PtVkValue *
pt_vk_tensor (const PtVkGraph *graph, const PtVkCall *call, guint i)
{
  PtVkValue *value = pt_vk_arg (graph, call, i);

  return value->kind == PT_VK_TENSOR ? value : NULL;
}

static gint64
int_of (const PtVkValue *value, gint64 fallback)
{
  switch (value->kind) {
  case PT_VK_INT:
  case PT_VK_BOOL:
  case PT_VK_SYMINT: return value->as_int;
  case PT_VK_DOUBLE:
    if (value->as_double > -9.2e18 && value->as_double < 9.2e18)
      return (gint64) value->as_double;
    return value->as_double < 0 ? G_MININT64 : G_MAXINT64; /* NaN, too */
  default: return fallback;
  }
}

static double
double_of (const PtVkValue *value, double fallback)
{
  if (value->kind == PT_VK_DOUBLE)
    return value->as_double;
  if (value->kind == PT_VK_INT || value->kind == PT_VK_BOOL || value->kind == PT_VK_SYMINT)
    return (double) value->as_int;
  return fallback;
}

gint64
pt_vk_int (const PtVkGraph *graph, const PtVkCall *call, guint i, gint64 fallback)
{
  return int_of (pt_vk_arg (graph, call, i), fallback);
}

double
pt_vk_double (const PtVkGraph *graph, const PtVkCall *call, guint i, double fallback)
{
  return double_of (pt_vk_arg (graph, call, i), fallback);
}

gboolean
pt_vk_bool (const PtVkGraph *graph, const PtVkCall *call, guint i)
{
  return int_of (pt_vk_arg (graph, call, i), 0) != 0;
}

gboolean
pt_vk_is_text (const PtVkGraph *graph, const PtVkCall *call, guint i, const char *text)
{
  const PtVkValue *value = pt_vk_arg (graph, call, i);

  return value->kind == PT_VK_STRING && value->count == strlen (text) &&
         memcmp (value->text, text, value->count) == 0;
}

guint
pt_vk_ints (const PtVkGraph *graph, const PtVkCall *call, guint i, gint64 *out, guint max)
{
  const PtVkValue *value = pt_vk_arg (graph, call, i);

  switch (value->kind) {
  case PT_VK_NULL: return 0;
  case PT_VK_INTS:
    if (value->count > 0)
      memcpy (out, value->ints, MIN (value->count, max) * sizeof *out);
    return value->count;
  case PT_VK_BOOLS:
    for (guint k = 0; k < MIN (value->count, max); k++)
      out[k] = value->bools[k];
    return value->count;
  case PT_VK_VALUES:
    for (guint k = 0; k < MIN (value->count, max); k++)
      out[k] = int_of (&graph->values[value->items[k]], 0);
    return value->count;
  default: out[0] = int_of (value, 0); return 1;
  }
}

guint
pt_vk_doubles (const PtVkGraph *graph, const PtVkCall *call, guint i, double *out, guint max)
{
  const PtVkValue *value = pt_vk_arg (graph, call, i);
  gint64 ints[PT_VK_MAX_RANK];
  guint n;

  if (value->kind == PT_VK_DOUBLES) {
    if (value->count > 0)
      memcpy (out, value->doubles, MIN (value->count, max) * sizeof *out);
    return value->count;
  }
  n = pt_vk_ints (graph, call, i, ints, PT_VK_MAX_RANK);
  for (guint k = 0; k < MIN (n, MIN (max, PT_VK_MAX_RANK)); k++)
    out[k] = (double) ints[k];
  return n;
}

guint
pt_vk_list_length (const PtVkGraph *graph, const PtVkCall *call, guint i)
{
  return pt_vk_arg (graph, call, i)->count;
}

guint32
pt_vk_list_item (const PtVkGraph *graph, const PtVkCall *call, guint i, guint k)
{
  return pt_vk_arg (graph, call, i)->items[k];
}

guint
pt_vk_n_outs (const PtVkGraph *graph, const PtVkCall *call)
{
  const PtVkValue *last = pt_vk_arg (graph, call, call->n_args - 1);

  return last->kind == PT_VK_VALUES ? last->count : 1;
}

guint32
pt_vk_out (const PtVkGraph *graph, const PtVkCall *call, guint k)
{
  const PtVkValue *last = pt_vk_arg (graph, call, call->n_args - 1);

  return last->kind == PT_VK_VALUES ? last->items[k] : call->args[call->n_args - 1];
}

const PtVkValue *
pt_vk_constant_of (const PtVkGraph *graph, const PtVkValue *value)
{
  const PtVkValue *source = &graph->values[value->source];

  return source->constant != NULL && !source->is_state ? source : NULL;
}

/* ---- Shapes ---- */

static char *
shape_text (const PtVkShape *shape)
{
  GString *text = g_string_new ("[");

  for (guint i = 0; i < shape->rank; i++)
    g_string_append_printf (text, i > 0 ? ", %" G_GINT64_FORMAT : "%" G_GINT64_FORMAT,
                            shape->sizes[i]);
  return g_string_free (g_string_append_c (text, ']'), FALSE);
}

gboolean
pt_vk_set_shape (const PtVkGraph *graph, guint32 index, const PtVkShape *shape, GError **error)
{
  PtVkValue *value = &graph->values[index];
  gsize numel = 1;
  gboolean fits = shape->rank == value->bound.rank;

  for (guint i = 0; fits && i < shape->rank; i++) {
    fits = shape->sizes[i] >= 0 && shape->sizes[i] <= value->bound.sizes[i];
    numel *= fits ? (gsize) shape->sizes[i] : 0; /* at most that of the bound, which was checked */
  }
  if (!fits) {
    g_autofree char *is = shape_text (shape), *may = shape_text (&value->bound);

    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "Tensor %u of a Vulkan delegate would get the shape %s, and the program "
                    "allows at most %s. (ExecuTorch error 0x12)",
                    index, is, may);
  }
  value->shape = *shape;
  value->numel = numel;
  return TRUE;
}

gboolean
pt_vk_dim (gint64 dim, guint rank, guint *out, GError **error)
{
  gint64 limit = MAX (rank, 1);

  if (dim < -limit || dim >= limit)
    return pt_vk_damaged (error, "a tensor of %u dimensions has no dimension %" G_GINT64_FORMAT,
                          rank, dim);
  *out = (guint) (dim < 0 ? dim + limit : dim);
  return TRUE;
}

gboolean
pt_vk_graph_reshape (PtVkGraph *graph, gboolean *changed, GError **error)
{
  for (guint i = 0; i < graph->n_calls; i++) {
    const PtVkCall *call = &graph->calls[i];
    guint n = pt_vk_n_outs (graph, call);
    PtVkShape former = { 0 };

    /* The first output's shape stands for all outputs, which depend on the same numbers. */
    if (n > 0)
      former = graph->values[pt_vk_out (graph, call, 0)].shape;
    if (!call->op->shape (graph, call, error)) {
      pt_prefix_error (error, "Operator %s: ", call->op->name);
      return FALSE;
    }
    for (guint k = 0; k < n && k < 1; k++)
      *changed |=
          memcmp (&former, &graph->values[pt_vk_out (graph, call, k)].shape, sizeof former) != 0;
  }
  return TRUE;
}
