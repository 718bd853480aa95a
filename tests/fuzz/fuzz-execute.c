/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/program/checked.h"
#include "engine/program/data-file.h"
#include "engine/runtime/method.h"
#include "tests/fuzz/fuzz.h"

/*
 * Running programs: what opens is loaded and run twice, with random inputs of the declared shapes
 * and then of smaller ones, in little memory and for few instructions.
 */

#define MAX_PLANNED (1024 * 1024)
#define MAX_INPUTS (256 * 1024)
#define MAX_INSTRUCTIONS 2000
#define MAX_METHODS 4

/* The external weights of one seed; others need none. */
static PtDataMap *
weights (void)
{
  static PtDataMap *map;

  if (map == NULL) {
    g_autofree char *path = fuzz_data_path ("tiny/external_weights/weights.ptd");

    map = pt_data_map_open ((const char *[]){ path, NULL }, NULL);
    g_assert (map != NULL);
  }
  return map;
}

/* Small numbers, for indices; now and then anything. */
static void
fill (GRand *rand, PtDType dtype, guint8 *data, gsize n)
{
  gsize width = pt_dtype_size (dtype);

  for (gsize i = 0; i < n; i++) {
    gint64 integer = g_rand_int_range (rand, 0, 16) ? g_rand_int_range (rand, -2, 8)
                                                    : (gint32) g_rand_int (rand);
    double number = g_rand_double_range (rand, -4, 4);
    float single = (float) number;
    guint8 *at = data + i * width;

    if (dtype == PT_DTYPE_F32)
      memcpy (at, &single, sizeof single);
    else if (dtype == PT_DTYPE_F64)
      memcpy (at, &number, sizeof number);
    else if (dtype == PT_DTYPE_BOOL)
      *at = integer & 1;
    else
      memcpy (at, &integer, MIN (width, sizeof integer));
  }
}

/* Returns FALSE when the input is too large for this. The bytes go to @memory. */
static gboolean
set_tensor (PtMethod *method, guint i, GRand *rand, gboolean smaller, GPtrArray *memory,
            gsize *left)
{
  const PtTensorSpec *spec = pt_method_input_spec (method, i)->as_tensor;
  gint64 sizes[PT_MAX_RANK];
  PtTensor tensor;
  GError *error = NULL;
  guint8 *data;

  for (guint d = 0; d < spec->rank; d++) {
    sizes[d] = spec->sizes[d];
    if (smaller && spec->dynamism == PT_DYNAMISM_BOUND && sizes[d] > 0)
      sizes[d] = g_rand_int_range (rand, 0, (gint32) MIN (sizes[d], G_MAXINT32 - 1) + 1);
  }
  if (spec->nbytes > *left)
    return FALSE;
  *left -= spec->nbytes;
  data = g_malloc0 (MAX (spec->nbytes, 1));
  g_ptr_array_add (memory, data);
  fill (rand, spec->dtype, data, spec->numel);
  if (!pt_tensor_init (&tensor, spec->dtype, spec->rank, sizes, spec->dim_order, data, &error) ||
      !pt_method_set_input_tensor (method, i, &tensor, &error)) {
    fuzz_check_error (error);
    return FALSE;
  }
  return TRUE;
}

static gboolean
set_scalar (PtMethod *method, guint i)
{
  const PtValueSpec *spec = pt_method_input_spec (method, i);
  PtValue value = { .kind = spec->kind };
  GError *error = NULL;

  switch (spec->kind) {
  case PT_VALUE_INT: value.as_int = spec->as_int; break;
  case PT_VALUE_BOOL: value.as_bool = spec->as_bool; break;
  case PT_VALUE_DOUBLE: value.as_double = spec->as_double; break;
  case PT_VALUE_STRING:
    value.as_string.data = spec->as_string.data;
    value.as_string.length = spec->as_string.length;
    break;
  default: break;
  }
  if (pt_method_set_input (method, i, &value, &error))
    return TRUE;
  fuzz_check_error (error);
  return FALSE;
}

static void
touch_value (const PtValue *value, guint depth)
{
  const PtTensor *tensor;

  if (value->kind == PT_VALUE_TENSOR) {
    tensor = value->as_tensor;
    if (tensor->data == NULL || tensor->device_type != PT_DEVICE_CPU)
      return;
    g_assert (pt_tensor_nbytes (tensor) <= tensor->capacity);
    fuzz_touch (tensor->data, pt_tensor_nbytes (tensor));
  } else if (depth < 4 && (value->kind == PT_VALUE_TENSOR_LIST ||
                           value->kind == PT_VALUE_OPTIONAL_TENSOR_LIST)) {
    for (guint i = 0; i < value->as_values.count; i++)
      if (value->as_values.items[i] != NULL)
        touch_value (value->as_values.items[i], depth + 1);
  }
}

static void
run_once (PtMethod *method, GRand *rand, gboolean smaller)
{
  g_autoptr (GPtrArray) memory = g_ptr_array_new_with_free_func (g_free);
  GError *error = NULL;
  gsize left = MAX_INPUTS;

  for (guint i = 0; i < pt_method_n_inputs (method); i++) {
    gboolean ok = pt_method_input_spec (method, i)->kind == PT_VALUE_TENSOR
                      ? set_tensor (method, i, rand, smaller, memory, &left)
                      : set_scalar (method, i);

    if (!ok)
      return;
  }
  if (!pt_method_execute (method, NULL, &error)) {
    fuzz_check_error (error);
    return;
  }
  for (guint i = 0; i < pt_method_n_outputs (method); i++)
    touch_value (pt_method_output (method, i), 0);
}

static void
run_method (PtProgram *program, const char *name, GRand *rand)
{
  const PtMethodOptions options = { .pool = fuzz_pool (),
                                    .max_planned_bytes = MAX_PLANNED,
                                    .max_instructions = MAX_INSTRUCTIONS };
  GError *error = NULL;
  g_autoptr (PtMethod) method = pt_method_load (program, weights (), name, &options, &error);

  if (method == NULL) {
    fuzz_check_error (error);
    return;
  }
  run_once (method, rand, FALSE);
  run_once (method, rand, TRUE);
  if (pt_method_reset_state (method, NULL))
    run_once (method, rand, FALSE);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = fuzz_bytes (data, size);
  g_autoptr (GRand) rand = g_rand_new_with_seed ((guint32) size);
  g_autoptr (PtProgram) program = pt_program_new (bytes, "fuzz.pte", NULL);

  if (program == NULL)
    return 0;
  for (guint i = 0; i < MIN (pt_program_n_plans (program), MAX_METHODS); i++)
    run_method (program, pt_program_plan (program, i)->name, rand);
  return 0;
}
