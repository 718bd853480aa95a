/* SPDX-License-Identifier: BSD-3-Clause */

/* Finds which values of pixels an encoder wants: by what its program begins with
 * (docs/formats/protocols.md, section 4.6). */

#include <math.h>
#include <string.h>

#include "engine/tasks/llm/media-private.h"

/* No more instructions than this are followed. */
#define MAX_INSTRUCTIONS 64
/* The largest factor of a picture of 0 to 255, and the smallest of one of 0 to 1. */
#define MOST_OF_BYTES 0.05
#define LEAST_OF_UNITS 1.5
/* The header of an XNNPACK payload, and the alignment of its constants. */
#define HEADER 30
#define SLOT 16
/* The most bytes of a number in named data, with padding. */
#define MAX_PADDED 256

/* The computation on the pixels so far: x * factor + offset. */
typedef struct {
  const PtPlan *plan;
  gint32 value;
  double factor, offset;
} Trace;

/* ---- constants ---- */

static gboolean
number_of (const PtPlan *plan, gint32 index, double *number)
{
  const PtValueSpec *value = &plan->values[index];
  const PtTensorSpec *tensor = pt_media_tensor (value);
  float f32;
  gint64 i64;

  if (value->kind == PT_VALUE_INT || value->kind == PT_VALUE_DOUBLE) {
    *number = value->kind == PT_VALUE_INT ? (double) value->as_int : value->as_double;
    return TRUE;
  }
  if (tensor == NULL || tensor->storage != PT_STORAGE_CONSTANT || tensor->data == NULL ||
      (tensor->numel != 1 && tensor->numel != 3))
    return FALSE;
  switch (tensor->dtype) {
  case PT_DTYPE_F32:
    memcpy (&f32, tensor->data, sizeof f32);
    *number = (double) f32;
    return TRUE;
  case PT_DTYPE_F64: memcpy (number, tensor->data, sizeof *number); return TRUE;
  case PT_DTYPE_I64:
    memcpy (&i64, tensor->data, sizeof i64);
    *number = (double) i64;
    return TRUE;
  default: return FALSE;
  }
}

/* Whether @bytes are one number by which pixels are divided or multiplied, perhaps with zeros
 * behind it. */
static gboolean
is_scale (const guint8 *bytes, gsize size)
{
  static const float scales[] = { 255.0f, 127.5f, 1.0f / 255.0f, 1.0f / 127.5f };
  gboolean found = FALSE;

  if (size < sizeof (float))
    return FALSE;
  for (gsize i = 0; i < G_N_ELEMENTS (scales); i++)
    found = found || memcmp (bytes, &scales[i], sizeof scales[i]) == 0;
  for (gsize i = sizeof (float); found && i < size; i++)
    found = bytes[i] == 0;
  return found;
}

/* ---- operators ---- */

/* Whether the name of an operator, without its overload, is @name. */
static gboolean
is_called (const char *operator, const char * name)
{
  gsize length = strlen (name);

  return strncmp (operator, name, length) == 0 && operator[length] == '.';
}

static gboolean
only_copies (const char *operator)
{
  static const char *const names[] = {
    "aten::permute_copy",   "aten::view_copy",
    "aten::_to_copy",       "aten::clone",
    "aten::unsqueeze_copy", "dim_order_ops::_to_dim_order_copy",
    "aten::expand_copy",    "dim_order_ops::_clone_dim_order",
  };

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    if (is_called (operator, names[i]))
      return TRUE;
  return strcmp (operator, "executorch_prim::et_view.default") == 0;
}

static gboolean
reads (const PtInstruction *instruction, gint32 value)
{
  for (guint i = 0; i < instruction->n_args; i++)
    if (instruction->args[i] == value)
      return TRUE;
  return FALSE;
}

/* Applies an operator with a number. FALSE: it is another one. */
static gboolean
apply (Trace *trace, const char *operator, const PtInstruction * instruction)
{
  gboolean first = instruction->args[0] == trace->value;
  double number;

  if (only_copies (operator))
    return TRUE;
  if (instruction->n_args < 3 ||
      !number_of (trace->plan, instruction->args[first ? 1 : 0], &number) || !isfinite (number))
    return FALSE;
  if (is_called (operator, "aten::div") && first && number != 0) {
    trace->factor /= number;
    trace->offset /= number;
  } else if (is_called (operator, "aten::mul")) {
    trace->factor *= number;
    trace->offset *= number;
  } else if (is_called (operator, "aten::sub") && first) {
    trace->offset -= number;
  } else if (is_called (operator, "aten::add")) {
    trace->offset += number;
  } else {
    return FALSE;
  }
  return TRUE;
}

/* Follows the pixels. Returns the first instruction that does more than to scale them, or NULL. */
static const PtInstruction *
follow (Trace *trace)
{
  const PtChain *chain = &trace->plan->chains[0];

  for (guint i = 0; i < MIN (chain->n_instructions, MAX_INSTRUCTIONS); i++) {
    const PtInstruction *instruction = &chain->instructions[i];

    if (instruction->kind != PT_INSTRUCTION_KERNEL && instruction->kind != PT_INSTRUCTION_DELEGATE)
      continue;
    if (instruction->n_args == 0 || !reads (instruction, trace->value))
      continue;
    if (instruction->kind == PT_INSTRUCTION_DELEGATE ||
        !apply (trace, trace->plan->operators[instruction->op], instruction))
      return instruction;
    trace->value = instruction->args[instruction->n_args - 1];
  }
  return NULL;
}

/* ---- delegates ---- */

static guint64
number_at (const guint8 *bytes, guint size)
{
  guint64 number = 0;

  for (guint i = size; i > 0; i--)
    number = number << 8 | bytes[i - 1];
  return number;
}

/* Whether a payload of XNNPACK has a constant of one number that scales pixels. Behind it, its
 * slot has zeros. */
static gboolean
payload_scales (const PtDelegateSpec *delegate)
{
  guint64 begin, size;

  if (strcmp (delegate->id, "XnnpackBackend") != 0 || delegate->payload_size < HEADER ||
      memcmp (delegate->payload + 4, "XH00", 4) != 0)
    return FALSE;
  begin = number_at (delegate->payload + 18, 4);
  size = number_at (delegate->payload + 22, 8);
  if (begin > delegate->payload_size || size > delegate->payload_size - begin)
    return FALSE;
  for (guint64 at = 0; at < size; at += SLOT)
    if (is_scale (delegate->payload + begin + at, (gsize) MIN (size - at, SLOT)))
      return TRUE;
  return FALSE;
}

/* Whether an argument of a delegate is a number that scales pixels: exports leave numbers outside
 * of delegates. */
static gboolean
arguments_scale (const PtPlan *plan, const PtInstruction *instruction)
{
  for (guint i = 0; i < instruction->n_args; i++) {
    const PtTensorSpec *tensor = pt_media_tensor (&plan->values[instruction->args[i]]);

    if (tensor != NULL && tensor->storage == PT_STORAGE_CONSTANT && tensor->numel == 1 &&
        tensor->dtype == PT_DTYPE_F32 && tensor->data != NULL &&
        is_scale (tensor->data, sizeof (float)))
      return TRUE;
  }
  return FALSE;
}

/* Newer exports keep the constants of delegates in the program. */
static gboolean
data_scales (const PtProgram *program)
{
  for (guint i = 0; i < pt_program_n_named_data (program); i++) {
    const PtNamedData *data = pt_program_named_data (program, i);

    if (data->size <= MAX_PADDED && data->data != NULL && is_scale (data->data, data->size))
      return TRUE;
  }
  return FALSE;
}

PtPixelScale
pt_media_pixel_scale (const PtProgram *program, const char *method)
{
  const PtPlan *plan = pt_program_find_plan (program, method);
  Trace trace = { plan, 0, 1, 0 };
  const PtInstruction *last;

  if (plan == NULL || plan->n_inputs == 0 || plan->n_chains == 0)
    return PT_PIXELS_UNKNOWN;
  trace.value = plan->inputs[0];
  last = follow (&trace);
  if (fabs (trace.factor) <= MOST_OF_BYTES)
    return PT_PIXELS_BYTES;
  if (trace.factor >= LEAST_OF_UNITS && trace.offset < 0)
    return PT_PIXELS_UNITS;
  if (last != NULL && last->kind == PT_INSTRUCTION_DELEGATE &&
      (arguments_scale (plan, last) || payload_scales (&plan->delegates[last->op]) ||
       data_scales (program)))
    return PT_PIXELS_BYTES;
  return PT_PIXELS_UNKNOWN;
}
