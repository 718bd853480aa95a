/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of the house's operators (engine/operators) with the values of a graph. */
#include <math.h>
#include <string.h>

#include "engine/base/set-error.h"
#include "engine/vulkan/vk-cpu.h"

#define MAX_ARGS 16

/* One argument of a kernel. */
typedef struct {
  char kind;     /* 'a': an argument of the call; 'O': an output; else as in PtVkOperator.pass */
  guint arg;     /* number of the argument, or of the output */
  gboolean wide; /* the tensor is int64 for the kernel */
  gpointer wide_data;
  guint n_items;
  PtValue value;
  PtTensor tensor;
  PtValue *items; /* [n_items], of a list */
  PtValue **pointers;
  PtTensor *tensors;
  double doubles[PT_VK_MAX_RANK];
} Slot;

struct _PtVkKernelCall {
  const PtOperator *op;
  guint n;
  Slot slots[MAX_ARGS];
  PtValue result;
  PtValue *args[MAX_ARGS + 1];
};

/* ---- Preparation ---- */

static guint
digit (char c)
{
  return c >= 'a' ? (guint) (c - 'a') + 10 : (guint) (c - '0');
}

static void
add_slot (PtVkKernelCall *self, char kind, guint arg, gboolean wide)
{
  Slot *slot = &self->slots[self->n];

  g_assert (self->n < MAX_ARGS);
  slot->kind = kind;
  slot->arg = arg;
  slot->wide = wide;
  self->args[self->n++] = &slot->value;
}

static void
make_items (Slot *slot, guint n)
{
  slot->n_items = n;
  slot->items = g_new0 (PtValue, MAX (n, 1));
  slot->pointers = g_new0 (PtValue *, MAX (n, 1));
  slot->tensors = g_new0 (PtTensor, MAX (n, 1));
  for (guint i = 0; i < n; i++)
    slot->pointers[i] = &slot->items[i];
}

static void
read_pass (PtVkKernelCall *self, const PtVkGraph *graph, const PtVkCall *call)
{
  for (const char *p = call->op->pass; *p != 0; p++)
    switch (*p) {
    case 'O':
    case 'P':
      if (call->op->signature[call->n_args - 1] == 'L' &&
          strstr (call->op->kernel, "split") != NULL) {
        add_slot (self, '*', call->n_args - 1, FALSE);
        break;
      }
      for (guint k = 0; k < pt_vk_n_outs (graph, call); k++)
        add_slot (self, 'O', k,
                  *p == 'P' && graph->values[pt_vk_out (graph, call, k)].stored == PT_DTYPE_I32);
      break;
    case 'N':
    case 'F':
    case 'T': add_slot (self, *p, 0, FALSE); break;
    case 'W': add_slot (self, 'a', digit (*++p), TRUE); break;
    case 'L':
    case 'S': {
      char kind = *p;

      add_slot (self, kind, digit (*++p), FALSE);
      break;
    }
    default: add_slot (self, 'a', digit (*p), FALSE);
    }
}

PtVkKernelCall *
pt_vk_kernel_call_new (const PtVkGraph *graph, const PtVkCall *call, GError **error)
{
  const PtOperator *op = call->op->kernel != NULL ? pt_operator_find (call->op->kernel) : NULL;
  PtVkKernelCall *self;

  if (op == NULL) {
    pt_fail (error, PT_ERROR_MISSING_OPERATOR, "Operator %s cannot be computed.", call->op->name);
    return NULL;
  }
  self = g_new0 (PtVkKernelCall, 1);
  self->op = op;
  read_pass (self, graph, call);
  for (guint i = 0; i < self->n; i++) {
    Slot *slot = &self->slots[i];
    const PtVkValue *value = &graph->values[call->args[slot->kind == 'O' ? 0 : slot->arg]];

    if (slot->kind == 'L')
      make_items (slot, 1);
    else if (slot->kind == '*')
      make_items (slot, pt_vk_n_outs (graph, call));
    else if (slot->kind == 'a' && (value->kind == PT_VK_INTS || value->kind == PT_VK_VALUES ||
                                   value->kind == PT_VK_BOOLS))
      make_items (slot, value->count);
    else if (slot->kind == 'a' && strchr ("IJ", call->op->signature[slot->arg]) != NULL)
      make_items (slot, 1);
  }
  self->args[self->n] = &self->result;
  if (self->n + 1 == op->n_args)
    return self;
  pt_fail (error, PT_ERROR_PROGRAM, "Operator %s has another number of outputs than %s.",
           call->op->name, op->name);
  pt_vk_kernel_call_free (self);
  return NULL;
}

void
pt_vk_kernel_call_free (PtVkKernelCall *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < self->n; i++) {
    g_free (self->slots[i].items);
    g_free (self->slots[i].pointers);
    g_free (self->slots[i].tensors);
  }
  g_free (self);
}

/* ---- Arguments ---- */

static gboolean
set_tensor (const PtVkCpuCall *cpu, guint32 index, PtTensor *tensor, PtValue *value, GError **error)
{
  const PtVkValue *from = &cpu->graph->values[index];

  value->kind = PT_VALUE_TENSOR;
  value->as_tensor = tensor;
  return pt_tensor_init (tensor, from->stored, from->shape.rank, from->shape.sizes, NULL,
                         cpu->host[index], error);
}

/* Gives the slot a copy as int64; of an output, without its elements. */
static gboolean
widen (const PtVkCpuCall *cpu, Slot *slot, gboolean is_out, GError **error)
{
  PtTensor *tensor = &slot->tensor;
  const gint32 *from = tensor->data;
  gint64 sizes[PT_MAX_RANK];
  gint64 *wide;

  if (!slot->wide || tensor->dtype != PT_DTYPE_I32)
    return TRUE;
  slot->wide_data = wide =
      pt_execution_scratch (cpu->execution, MAX (tensor->numel, 1) * sizeof *wide, error);
  if (wide == NULL)
    return FALSE;
  for (gsize i = 0; !is_out && i < tensor->numel; i++)
    wide[i] = from[i];
  memcpy (sizes, tensor->sizes, sizeof sizes);
  return pt_tensor_init (tensor, PT_DTYPE_I64, tensor->rank, sizes, NULL, wide, error);
}

static void
set_int (PtValue *value, gint64 number)
{
  value->kind = PT_VALUE_INT;
  value->as_int = number;
}

/* Python's equality made 1 and 1.0 one value (docs/formats/vulkan.md, section 4). */
static void
set_number (const PtVkCpuCall *cpu, const PtVkValue *from, char letter, PtValue *value)
{
  const PtVkValue *out = &cpu->graph->values[pt_vk_out (cpu->graph, cpu->call, 0)];
  gboolean is_whole = from->kind == PT_VK_DOUBLE && floor (from->as_double) == from->as_double &&
                      fabs (from->as_double) < 9e15;

  if (letter == 'b') {
    value->kind = PT_VALUE_BOOL;
    value->as_bool = from->as_int != 0 || from->as_double != 0;
  } else if (from->kind != PT_VK_DOUBLE) {
    set_int (value, from->as_int);
  } else if (letter == 'i' || letter == 'n' || (is_whole && out->stored != PT_DTYPE_F32)) {
    set_int (value, is_whole ? (gint64) from->as_double : 0);
  } else {
    value->kind = PT_VALUE_DOUBLE;
    value->as_double = from->as_double;
  }
}

static void
set_list (const PtVkCpuCall *cpu, Slot *slot)
{
  gint64 ints[64] = { 0 };
  guint n = pt_vk_ints (cpu->graph, cpu->call, slot->arg, ints, G_N_ELEMENTS (ints));

  for (guint i = 0; i < MIN (n, slot->n_items); i++)
    set_int (&slot->items[i], i < G_N_ELEMENTS (ints) ? ints[i] : 0);
  slot->value.kind = PT_VALUE_INT_LIST;
  slot->value.as_values.items = slot->pointers;
  slot->value.as_values.count = slot->n_items;
}

static gboolean
set_tensors (const PtVkCpuCall *cpu, Slot *slot, const guint32 *list, PtValueKind kind,
             GError **error)
{
  for (guint i = 0; i < slot->n_items; i++)
    if (!set_tensor (cpu, list[i], &slot->tensors[i], &slot->items[i], error))
      return FALSE;
  slot->value.kind = kind;
  slot->value.as_values.items = slot->pointers;
  slot->value.as_values.count = slot->n_items;
  return TRUE;
}

static gboolean
set_argument (const PtVkCpuCall *cpu, Slot *slot, GError **error)
{
  const PtVkValue *from = pt_vk_arg (cpu->graph, cpu->call, slot->arg);
  char letter = cpu->call->op->signature[slot->arg];

  switch (from->kind) {
  case PT_VK_TENSOR:
    return set_tensor (cpu, cpu->call->args[slot->arg], &slot->tensor, &slot->value, error) &&
           widen (cpu, slot, FALSE, error);
  case PT_VK_VALUES:
    if (letter == 'V')
      return set_tensors (cpu, slot, from->items,
                          strstr (cpu->call->op->kernel, "index.") != NULL
                              ? PT_VALUE_OPTIONAL_TENSOR_LIST
                              : PT_VALUE_TENSOR_LIST,
                          error);
    set_list (cpu, slot);
    return TRUE;
  case PT_VK_DOUBLES:
    slot->value.kind = PT_VALUE_DOUBLE_LIST;
    slot->value.as_doubles.items = from->doubles;
    slot->value.as_doubles.count = from->count;
    return TRUE;
  case PT_VK_INTS:
  case PT_VK_BOOLS:
    if (letter == 'G') {
      slot->value.kind = PT_VALUE_DOUBLE_LIST;
      slot->value.as_doubles.items = slot->doubles;
      slot->value.as_doubles.count =
          MIN (PT_VK_MAX_RANK,
               pt_vk_doubles (cpu->graph, cpu->call, slot->arg, slot->doubles, PT_VK_MAX_RANK));
    } else {
      set_list (cpu, slot);
    }
    return TRUE;
  case PT_VK_STRING:
    slot->value.kind = PT_VALUE_STRING;
    slot->value.as_string.data = from->text;
    slot->value.as_string.length = from->count;
    return TRUE;
  case PT_VK_NULL: slot->value.kind = PT_VALUE_NONE; return TRUE;
  default:
    if (letter == 'I' || letter == 'J')
      set_list (cpu, slot);
    else
      set_number (cpu, from, letter, &slot->value);
    return TRUE;
  }
}

static gboolean
set_slot (const PtVkCpuCall *cpu, Slot *slot, GError **error)
{
  const PtVkGraph *graph = cpu->graph;
  const PtVkCall *call = cpu->call;

  slot->wide_data = NULL;
  switch (slot->kind) {
  case 'a': return set_argument (cpu, slot, error);
  case 'O':
    return set_tensor (cpu, pt_vk_out (graph, call, slot->arg), &slot->tensor, &slot->value,
                       error) &&
           widen (cpu, slot, TRUE, error);
  case '*':
    return set_tensors (cpu, slot, pt_vk_arg (graph, call, slot->arg)->items, PT_VALUE_TENSOR_LIST,
                        error);
  case 'L': set_list (cpu, slot); return TRUE;
  case 'S': set_int (&slot->value, pt_vk_arg (graph, call, slot->arg)->shape.sizes[1]); return TRUE;
  case 'N': slot->value.kind = PT_VALUE_NONE; return TRUE;
  default:
    slot->value.kind = PT_VALUE_BOOL;
    slot->value.as_bool = slot->kind == 'T';
    return TRUE;
  }
}

gboolean
pt_vk_kernel_call_run (PtVkKernelCall *self, const PtVkCpuCall *cpu, GError **error)
{
  for (guint i = 0; i < self->n; i++)
    if (!set_slot (cpu, &self->slots[i], error))
      return FALSE;
  if (!self->op->kernel (cpu->execution, self->args, self->n + 1, error))
    return FALSE;
  for (guint i = 0; i < self->n; i++) {
    const Slot *slot = &self->slots[i];
    const gint64 *wide = slot->wide_data;
    gint32 *out;

    if (slot->kind != 'O' || wide == NULL)
      continue;
    out = pt_vk_host_out (cpu, slot->arg);
    for (gsize k = 0; k < slot->tensor.numel; k++)
      out[k] = (gint32) wide[k];
  }
  return TRUE;
}
