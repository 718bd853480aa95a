/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/program/program-file.h"

#include <string.h>

/*
 * Random damage to every tiny program. What opens is walked completely, so that a sanitizer
 * sees every pointer that was handed out. The seed is fixed; the time is bounded.
 */

#define ROUNDS 4000

static guint64 checksum;

static void
touch (const void *data, gsize size)
{
  const guint8 *bytes = data;

  for (gsize i = 0; i < size; i++)
    checksum += bytes[i];
}

static void
touch_value (const PtPlan *plan, const PtValueSpec *value)
{
  switch (value->kind) {
  case PT_VALUE_TENSOR:
    g_assert_cmpuint (value->as_tensor->rank, <=, PT_MAX_RANK);
    if (value->as_tensor->data != NULL)
      touch (value->as_tensor->data, value->as_tensor->nbytes);
    if (value->as_tensor->name != NULL)
      touch (value->as_tensor->name, value->as_tensor->name_length + 1);
    break;
  case PT_VALUE_STRING: touch (value->as_string.data, value->as_string.length + 1); break;
  case PT_VALUE_DOUBLE_LIST:
    touch (value->as_doubles.items, value->as_doubles.count * sizeof (double));
    break;
  case PT_VALUE_BOOL_LIST: touch (value->as_bools.items, value->as_bools.count); break;
  case PT_VALUE_INT_LIST:
  case PT_VALUE_TENSOR_LIST:
  case PT_VALUE_OPTIONAL_TENSOR_LIST:
    for (guint i = 0; i < value->as_indices.count; i++)
      g_assert_cmpint (value->as_indices.items[i], <, plan->n_values);
    break;
  default: break;
  }
}

static void
touch_code (const PtPlan *plan)
{
  for (guint c = 0; c < plan->n_chains; c++)
    for (guint i = 0; i < plan->chains[c].n_instructions; i++) {
      const PtInstruction *instruction = &plan->chains[c].instructions[i];

      touch (instruction->args, instruction->n_args * sizeof (gint32));
      if (instruction->kind == PT_INSTRUCTION_KERNEL)
        touch (plan->operators[instruction->op], strlen (plan->operators[instruction->op]));
      if (instruction->kind == PT_INSTRUCTION_JUMP_FALSE)
        g_assert_cmpuint (instruction->to, <=, plan->chains[c].n_instructions);
    }
}

static void
touch_delegates (const PtPlan *plan)
{
  for (guint i = 0; i < plan->n_delegates; i++) {
    const PtDelegateSpec *delegate = &plan->delegates[i];

    touch (delegate->id, strlen (delegate->id));
    touch (delegate->payload, delegate->payload_size);
    for (guint k = 0; k < delegate->n_specs; k++) {
      touch (delegate->specs[k].key, delegate->specs[k].key_length + 1);
      touch (delegate->specs[k].value, delegate->specs[k].size);
    }
  }
}

static void
touch_program (const PtProgram *program)
{
  for (guint p = 0; p < pt_program_n_plans (program); p++) {
    const PtPlan *plan = pt_program_plan (program, p);

    for (guint i = 0; i < plan->n_values; i++)
      touch_value (plan, &plan->values[i]);
    for (guint i = 0; i < plan->n_inputs; i++)
      g_assert_cmpint (plan->inputs[i], <, plan->n_values);
    touch_code (plan);
    touch_delegates (plan);
  }
  for (guint i = 0; i < pt_program_n_named_data (program); i++) {
    const PtNamedData *named = pt_program_named_data (program, i);

    touch (named->key, named->key_length + 1);
    touch (named->data, named->size);
  }
}

static void
mutate (GRand *rand, guint8 *bytes, gsize size)
{
  static const guint8 favourites[] = { 0x00, 0x01, 0x04, 0x7f, 0x80, 0xff };
  gint32 n = g_rand_int_range (rand, 1, 5);

  while (n-- > 0) {
    gint32 at = g_rand_int_range (rand, 8, (gint32) size);

    if (g_rand_boolean (rand))
      bytes[at] ^= (guint8) (1u << g_rand_int_range (rand, 0, 8));
    else
      bytes[at] = favourites[g_rand_int_range (rand, 0, G_N_ELEMENTS (favourites))];
  }
}

static void
test_case (gconstpointer data)
{
  const char *path =
      g_test_get_filename (G_TEST_DIST, "data", "tiny", (const char *) data, "model.pte", NULL);
  g_autoptr (GRand) rand = g_rand_new_with_seed (20240607);
  g_autofree guint8 *original = NULL;
  gsize size;
  guint opened = 0;

  g_assert_true (g_file_get_contents (path, (char **) &original, &size, NULL));
  for (guint i = 0; i < ROUNDS; i++) {
    guint8 *copy = g_memdup2 (original, size);
    g_autoptr (GBytes) bytes = g_bytes_new_take (copy, size);
    g_autoptr (GError) error = NULL;
    g_autoptr (PtProgram) program = NULL;

    mutate (rand, copy, size);
    program = pt_program_new (bytes, "mutation", &error);
    if (program == NULL) {
      g_assert_true (error->domain == PT_ERROR);
      continue;
    }
    touch_program (program);
    opened++;
  }
  g_test_message ("%u of %u open", opened, ROUNDS);
}

int
main (int argc, char **argv)
{
  static const char *const names[] = {
    "linear",  "constant_methods",   "cond",           "lists_and_index",
    "dtypes",  "mutable_state_init", "xnnpack_linear", "xnnpack_linear_inline",
    "add_f32", "device_copies_v15",  "map_loop",       "legacy_inline_constants"
  };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = g_strconcat ("/mutations/", names[i], NULL);

    g_test_add_data_func (path, names[i], test_case);
  }
  return g_test_run ();
}
