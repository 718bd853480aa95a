/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/program/program-file.h"

#include <jansson.h>
#include <string.h>

/* Every good tiny program against the independent decoding that lies beside it. */

static json_int_t
int_of (json_t *object, const char *name)
{
  return json_integer_value (json_object_get (object, name));
}

static void
check_indices (json_t *expected, const gint32 *items, guint count)
{
  g_assert_cmpuint (json_array_size (expected), ==, count);
  for (guint i = 0; i < count; i++)
    g_assert_cmpint (json_integer_value (json_array_get (expected, i)), ==, items[i]);
}

/* ---- Values ---- */

static void
check_tensor (json_t *expected, const PtTensorSpec *tensor)
{
  json_t *allocation = json_object_get (expected, "allocation_info");
  json_t *extra = json_object_get (expected, "extra_tensor_info");
  json_t *name = json_object_get (extra, "fully_qualified_name");
  gsize numel = 1;

  g_assert_cmpint (int_of (expected, "scalar_type"), ==, tensor->dtype);
  g_assert_cmpint (int_of (expected, "shape_dynamism"), ==, tensor->dynamism);
  check_indices (json_object_get (expected, "sizes"), tensor->sizes, tensor->rank);
  for (guint i = 0; i < tensor->rank; i++) {
    json_t *dim_order = json_object_get (expected, "dim_order");

    g_assert_cmpint (json_integer_value (json_array_get (dim_order, i)), ==, tensor->dim_order[i]);
    numel *= (gsize) tensor->sizes[i];
  }
  g_assert_cmpuint (numel, ==, tensor->numel);
  g_assert_cmpuint (numel * pt_dtype_size (tensor->dtype), ==, tensor->nbytes);
  if (json_is_object (allocation)) {
    g_assert_cmpint (int_of (allocation, "memory_id"), ==, tensor->memory_id);
    g_assert_cmpuint ((guint64) int_of (allocation, "memory_offset_high") << 32 |
                          (guint64) int_of (allocation, "memory_offset_low"),
                      ==, tensor->memory_offset);
    g_assert_true (tensor->storage == PT_STORAGE_PLANNED ||
                   tensor->storage == PT_STORAGE_EXTERNAL_PLANNED);
  }
  g_assert_cmpint (int_of (extra, "device_type"), ==, tensor->device_type);
  g_assert_cmpint (int_of (extra, "device_index"), ==, tensor->device_index);
  g_assert_cmpstr (json_string_value (name), ==, tensor->name);
  if (int_of (extra, "location") == 1)
    g_assert_true (tensor->storage == PT_STORAGE_EXTERNAL_CONSTANT ||
                   tensor->storage == PT_STORAGE_EXTERNAL_PLANNED);
  else if (int_of (expected, "data_buffer_idx") > 0 && !json_is_object (allocation))
    g_assert_cmpint (tensor->storage, ==, PT_STORAGE_CONSTANT);
}

static void
check_value (json_t *expected, const PtValueSpec *value)
{
  json_t *val = json_object_get (expected, "val");
  json_t *items = json_object_get (val, "items");
  const char *kind = json_string_value (json_object_get (val, "_type"));

  g_assert_cmpstr (strcmp (kind, "Null") == 0 ? "None" : kind, ==,
                   pt_value_kind_name (value->kind));
  switch (value->kind) {
  case PT_VALUE_INT: g_assert_cmpint (int_of (val, "int_val"), ==, value->as_int); break;
  case PT_VALUE_BOOL:
    g_assert_cmpint (json_is_true (json_object_get (val, "bool_val")), ==, value->as_bool);
    break;
  case PT_VALUE_DOUBLE:
    g_assert_cmpfloat (json_number_value (json_object_get (val, "double_val")), ==,
                       value->as_double);
    break;
  case PT_VALUE_STRING:
    g_assert_cmpstr (json_string_value (json_object_get (val, "string_val")), ==,
                     value->as_string.data);
    break;
  case PT_VALUE_TENSOR: check_tensor (val, value->as_tensor); break;
  case PT_VALUE_INT_LIST:
  case PT_VALUE_TENSOR_LIST:
  case PT_VALUE_OPTIONAL_TENSOR_LIST:
    check_indices (items, value->as_indices.items, value->as_indices.count);
    break;
  case PT_VALUE_DOUBLE_LIST:
    for (guint i = 0; i < value->as_doubles.count; i++)
      g_assert_cmpfloat (json_number_value (json_array_get (items, i)), ==,
                         value->as_doubles.items[i]);
    break;
  case PT_VALUE_BOOL_LIST:
    g_assert_cmpuint (json_array_size (items), ==, value->as_bools.count);
    break;
  case PT_VALUE_NONE:
  default: break;
  }
}

/* ---- Instructions ---- */

static void
check_instruction (json_t *expected, const PtInstruction *instruction)
{
  json_t *call = json_object_get (expected, "instr_args");

  switch (instruction->kind) {
  case PT_INSTRUCTION_KERNEL:
    g_assert_cmpint (int_of (call, "op_index"), ==, instruction->op);
    check_indices (json_object_get (call, "args"), instruction->args, instruction->n_args);
    break;
  case PT_INSTRUCTION_DELEGATE:
    g_assert_cmpint (int_of (call, "delegate_index"), ==, instruction->op);
    check_indices (json_object_get (call, "args"), instruction->args, instruction->n_args);
    break;
  case PT_INSTRUCTION_MOVE:
    g_assert_cmpint (int_of (call, "move_from"), ==, instruction->from);
    g_assert_cmpint (int_of (call, "move_to"), ==, instruction->to);
    break;
  case PT_INSTRUCTION_JUMP_FALSE:
    g_assert_cmpint (int_of (call, "cond_value_index"), ==, instruction->from);
    g_assert_cmpint (int_of (call, "destination_instruction"), ==, instruction->to);
    break;
  case PT_INSTRUCTION_FREE:
  default: g_assert_cmpint (int_of (call, "value_index"), ==, instruction->from); break;
  }
  g_assert_cmpint (int_of (expected, "instr_args_type"), ==, (int) instruction->kind + 1);
}

static void
check_operator (json_t *expected, const char *name)
{
  const char *base = json_string_value (json_object_get (expected, "name"));
  const char *overload = json_string_value (json_object_get (expected, "overload"));
  g_autofree char *joined =
      overload != NULL && *overload != 0 ? g_strconcat (base, ".", overload, NULL) : NULL;

  g_assert_cmpstr (joined != NULL ? joined : base, ==, name);
}

static void
check_code (json_t *expected, const PtPlan *plan)
{
  json_t *operators = json_object_get (expected, "operators");
  json_t *chains = json_object_get (expected, "chains");

  g_assert_cmpuint (json_array_size (operators), ==, plan->n_operators);
  for (guint i = 0; i < plan->n_operators; i++)
    check_operator (json_array_get (operators, i), plan->operators[i]);
  g_assert_cmpuint (json_array_size (chains), ==, plan->n_chains);
  for (guint c = 0; c < plan->n_chains; c++) {
    json_t *list = json_object_get (json_array_get (chains, c), "instructions");

    g_assert_cmpuint (json_array_size (list), ==, plan->chains[c].n_instructions);
    for (guint i = 0; i < plan->chains[c].n_instructions; i++)
      check_instruction (json_array_get (list, i), &plan->chains[c].instructions[i]);
  }
}

static void
check_delegates (json_t *expected, json_t *root, const PtPlan *plan)
{
  json_t *list = json_object_get (expected, "delegates");

  g_assert_cmpuint (json_array_size (list), ==, plan->n_delegates);
  for (guint i = 0; i < plan->n_delegates; i++) {
    json_t *delegate = json_array_get (list, i);
    json_t *processed = json_object_get (delegate, "processed");
    gsize at = (gsize) int_of (processed, "index");

    g_assert_cmpstr (json_string_value (json_object_get (delegate, "id")), ==,
                     plan->delegates[i].id);
    g_assert_cmpuint (json_array_size (json_object_get (delegate, "compile_specs")), ==,
                      plan->delegates[i].n_specs);
    if (int_of (processed, "location") == 1)
      g_assert_cmpint (int_of (json_array_get (json_object_get (root, "segments"), at), "size"), ==,
                       plan->delegates[i].payload_size);
  }
}

static void
check_plan (json_t *expected, json_t *root, const PtPlan *plan)
{
  json_t *values = json_object_get (expected, "values");
  json_t *buffers = json_object_get (expected, "non_const_buffer_sizes");

  g_assert_cmpstr (json_string_value (json_object_get (expected, "name")), ==, plan->name);
  g_assert_cmpuint (json_array_size (values), ==, plan->n_values);
  for (guint i = 0; i < plan->n_values; i++)
    check_value (json_array_get (values, i), &plan->values[i]);
  check_indices (json_object_get (expected, "inputs"), plan->inputs, plan->n_inputs);
  check_indices (json_object_get (expected, "outputs"), plan->outputs, plan->n_outputs);
  g_assert_cmpuint (json_array_size (buffers), ==, plan->n_buffers);
  for (guint i = 0; i < plan->n_buffers; i++)
    g_assert_cmpint (json_integer_value (json_array_get (buffers, i)), ==, plan->buffers[i].size);
  check_code (expected, plan);
  check_delegates (expected, root, plan);
}

static void
test_case (gconstpointer data)
{
  const char *name = data;
  const char *path = g_test_get_filename (G_TEST_DIST, "data", "tiny", name, "model.pte", NULL);
  const char *decoded =
      g_test_get_filename (G_TEST_DIST, "data", "tiny", name, "decoded.json", NULL);
  json_t *all = json_load_file (decoded, 0, NULL);
  json_t *root = json_object_get (json_object_get (all, "model.pte"), "root");
  json_t *plans = json_object_get (root, "execution_plan");
  json_t *named = json_object_get (root, "named_data");
  g_autoptr (GError) error = NULL;
  g_autoptr (PtProgram) program = pt_program_open (path, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (json_array_size (plans), >, 0);
  g_assert_cmpuint (json_array_size (plans), ==, pt_program_n_plans (program));
  for (guint i = 0; i < pt_program_n_plans (program); i++) {
    const PtPlan *plan = pt_program_plan (program, i);

    check_plan (json_array_get (plans, i), root, plan);
    g_assert_true (pt_program_find_plan (program, plan->name) == plan);
  }
  g_assert_cmpuint (json_array_size (named), ==, pt_program_n_named_data (program));
  for (guint i = 0; i < pt_program_n_named_data (program); i++) {
    const PtNamedData *entry = pt_program_named_data (program, i);

    g_assert_cmpstr (json_string_value (json_object_get (json_array_get (named, i), "key")), ==,
                     entry->key);
    g_assert_true (pt_program_find_named_data (program, entry->key, entry->key_length) == entry);
  }
  g_assert_null (pt_program_find_plan (program, "no such method"));
  g_assert_null (pt_program_find_named_data (program, "", 0));
  json_decref (all);
}

/* ---- Bytes ---- */

static PtProgram *
open_tiny (const char *name)
{
  GError *error = NULL;
  PtProgram *program = pt_program_open (
      g_test_get_filename (G_TEST_DIST, "data", "tiny", name, "model.pte", NULL), &error);

  g_assert_no_error (error);
  return program;
}

static const PtTensorSpec *
tensor_of (const PtProgram *program, guint value)
{
  const PtPlan *plan = pt_program_find_plan (program, "forward");

  g_assert_cmpuint (value, <, plan->n_values);
  g_assert_cmpint (plan->values[value].kind, ==, PT_VALUE_TENSOR);
  return plan->values[value].as_tensor;
}

/* The weights that the format's documentation prints, in three containers. */
static void
test_constants (void)
{
  static const char *const names[] = { "linear", "legacy_inline_constants", "aligned_256",
                                       "short_header" };
  static const float weight[] = { 0.2576316f, -0.2206891f, -0.0969307f, 0.2346845f };
  static const float bias[] = { 0.1826141f, -0.1948505f, -0.0364544f };

  for (guint n = 0; n < G_N_ELEMENTS (names); n++) {
    g_autoptr (PtProgram) program = open_tiny (names[n]);
    const float *w = (const float *) (gconstpointer) tensor_of (program, 0)->data;
    const float *b = (const float *) (gconstpointer) tensor_of (program, 1)->data;

    for (guint i = 0; i < G_N_ELEMENTS (weight); i++)
      g_assert_cmpfloat_with_epsilon (w[i], weight[i], 1e-6);
    for (guint i = 0; i < G_N_ELEMENTS (bias); i++)
      g_assert_cmpfloat_with_epsilon (b[i], bias[i], 1e-6);
    g_assert_false (pt_program_needs_data (program));
  }
}

static void
test_mutable_state (void)
{
  g_autoptr (PtProgram) program = open_tiny ("mutable_state_init");
  const PtPlan *plan = pt_program_plan (program, 0);
  guint n = 0;

  for (guint i = 0; i < plan->n_values; i++) {
    const PtTensorSpec *tensor = plan->values[i].as_tensor;

    if (plan->values[i].kind == PT_VALUE_TENSOR && tensor->storage == PT_STORAGE_PLANNED &&
        tensor->data != NULL)
      n++;
  }
  g_assert_cmpuint (n, >, 0);
}

static void
test_external (void)
{
  g_autoptr (PtProgram) program = open_tiny ("external_weights");

  g_assert_true (pt_program_needs_data (program));
  g_assert_cmpint (tensor_of (program, 0)->storage, ==, PT_STORAGE_EXTERNAL_CONSTANT);
  g_assert_cmpstr (tensor_of (program, 0)->name, ==, "weight");
}

static void
test_devices (void)
{
  g_autoptr (PtProgram) program = open_tiny ("device_copies_v15");
  const PtPlan *plan = pt_program_plan (program, 0);
  guint n = 0;

  for (guint i = 0; i < plan->n_buffers; i++)
    n += plan->buffers[i].device_type == PT_DEVICE_CUDA;
  g_assert_cmpuint (n, ==, 1);
}

/* Bytes that lie badly in memory are copied. */
static void
test_misaligned_bytes (void)
{
  g_autofree char *contents = NULL;
  g_autofree char *shifted = NULL;
  gsize size;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (PtProgram) program = NULL;
  g_autoptr (GError) error = NULL;

  g_file_get_contents (
      g_test_get_filename (G_TEST_DIST, "data", "tiny", "linear", "model.pte", NULL), &contents,
      &size, &error);
  g_assert_no_error (error);
  shifted = g_malloc (size + 1);
  memcpy (shifted + 1, contents, size);
  bytes = g_bytes_new_static (shifted + 1, size);
  program = pt_program_new (bytes, "inner", &error);
  g_assert_no_error (error);
  g_assert_cmpstr (pt_program_path (program), ==, "inner");
  g_assert_cmpuint (pt_program_size (program), ==, size);
  g_assert_cmpuint (GPOINTER_TO_SIZE (tensor_of (program, 0)->data) % 16, ==, 0);
}

static void
add_cases (void)
{
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "data", "tiny", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint n = 0;

  while ((name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *decoded = g_build_filename (folder, name, "decoded.json", NULL);
    g_autofree char *path = g_strconcat ("/program/decoded/", name, NULL);

    if (!g_file_test (decoded, G_FILE_TEST_EXISTS))
      continue;
    g_test_add_data_func_full (path, g_strdup (name), test_case, g_free);
    n++;
  }
  g_assert_cmpuint (n, ==, 34);
}

/* Two entries of the same key: which one is meant nobody can know. */
static void
test_named_twice (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "xnnpack",
                                                 "conv_group_transpose_f32", "model.pte", NULL);
  g_autofree char *contents = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (PtProgram) program = NULL;
  g_autoptr (GError) error = NULL;
  const PtNamedData *same = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (path, &contents, &size, NULL));
  bytes = g_bytes_new_static (contents, size);
  program = pt_program_new (bytes, "model.pte", NULL);
  for (guint i = 1; i < pt_program_n_named_data (program) && same == NULL; i++)
    if (pt_program_named_data (program, i)->key_length ==
        pt_program_named_data (program, 0)->key_length)
      same = pt_program_named_data (program, i);
  g_assert_nonnull (same);
  memcpy ((char *) same->key, pt_program_named_data (program, 0)->key, same->key_length);
  g_assert_null (pt_program_new (bytes, "model.pte", &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_PROGRAM);
  g_assert_nonnull (strstr (error->message, "two entries of the key"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add_cases ();
  g_test_add_func ("/program/constants", test_constants);
  g_test_add_func ("/program/mutable-state", test_mutable_state);
  g_test_add_func ("/program/external", test_external);
  g_test_add_func ("/program/devices", test_devices);
  g_test_add_func ("/program/misaligned-bytes", test_misaligned_bytes);
  g_test_add_func ("/program/named-twice", test_named_twice);
  return g_test_run ();
}
