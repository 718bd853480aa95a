/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <glib/gstdio.h>

#include "engine/init.h"

static char *folder, *scratch_path;
static guint64 checksum;

static void
remove_scratch (void)
{
  g_remove (scratch_path);
  g_rmdir (folder);
}

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  g_log_set_always_fatal (G_LOG_LEVEL_WARNING | G_LOG_LEVEL_CRITICAL | G_LOG_FATAL_MASK);
  pt_init ();
  folder = g_dir_make_tmp ("pteris-fuzz-XXXXXX", NULL);
  g_assert (folder != NULL);
  /* The name that a folder's tokenizer configuration has; nobody else cares. */
  scratch_path = g_build_filename (folder, "tokenizer_config.json", NULL);
  atexit (remove_scratch);
  return 0;
}

GBytes *
fuzz_bytes (const guint8 *data, gsize size)
{
  guint8 *copy = g_aligned_alloc (1, MAX (size, 1), 64);

  memcpy (copy, data, size);
  return g_bytes_new_with_free_func (copy, size, g_aligned_free, copy);
}

const char *
fuzz_file (const guint8 *data, gsize size)
{
  FILE *file = g_fopen (scratch_path, "wb");

  g_assert (file != NULL);
  g_assert (size == 0 || fwrite (data, 1, size, file) == size);
  g_assert (fclose (file) == 0);
  return scratch_path;
}

const char *
fuzz_folder (void)
{
  return folder;
}

char *
fuzz_data_path (const char *name)
{
  return g_build_filename (PTERIS_TEST_DATA, name, NULL);
}

void
fuzz_check_error (GError *error)
{
  g_assert (error != NULL);
  g_assert (error->domain == PT_ERROR);
  if (error->code == PT_ERROR_INTERNAL)
    g_error ("internal error: %s", error->message);
  g_assert (g_utf8_validate (error->message, -1, NULL));
  g_error_free (error);
}

PtPool *
fuzz_pool (void)
{
  static PtPool *pool;

  if (pool == NULL)
    pool = pt_pool_new (1);
  return pool;
}

void
fuzz_touch (gconstpointer data, gsize size)
{
  const guint8 *bytes = data;

  for (gsize i = 0; i < size; i++)
    checksum = checksum * 31 + bytes[i];
}

static void
touch_indices (const PtPlan *plan, const gint32 *items, guint count)
{
  for (guint i = 0; i < count; i++)
    g_assert (items[i] >= -1 && items[i] < (gint32) plan->n_values);
}

static void
touch_tensor (const PtTensorSpec *tensor)
{
  g_assert (tensor->rank <= PT_MAX_RANK);
  if (tensor->data != NULL)
    fuzz_touch (tensor->data, tensor->nbytes);
  if (tensor->name != NULL)
    fuzz_touch (tensor->name, tensor->name_length + 1);
}

static void
touch_value (const PtPlan *plan, const PtValueSpec *value)
{
  switch (value->kind) {
  case PT_VALUE_TENSOR: touch_tensor (value->as_tensor); break;
  case PT_VALUE_STRING: fuzz_touch (value->as_string.data, value->as_string.length + 1); break;
  case PT_VALUE_DOUBLE_LIST:
    fuzz_touch (value->as_doubles.items, value->as_doubles.count * sizeof (double));
    break;
  case PT_VALUE_BOOL_LIST: fuzz_touch (value->as_bools.items, value->as_bools.count); break;
  case PT_VALUE_INT_LIST:
  case PT_VALUE_TENSOR_LIST:
  case PT_VALUE_OPTIONAL_TENSOR_LIST:
    touch_indices (plan, value->as_indices.items, value->as_indices.count);
    break;
  default: break;
  }
}

static void
touch_instruction (const PtPlan *plan, const PtChain *chain, const PtInstruction *instruction)
{
  touch_indices (plan, instruction->args, instruction->n_args);
  switch (instruction->kind) {
  case PT_INSTRUCTION_KERNEL: g_assert (instruction->op < plan->n_operators); break;
  case PT_INSTRUCTION_DELEGATE: g_assert (instruction->op < plan->n_delegates); break;
  case PT_INSTRUCTION_JUMP_FALSE: g_assert (instruction->to <= chain->n_instructions); break;
  case PT_INSTRUCTION_MOVE: g_assert (instruction->to < plan->n_values); break;
  case PT_INSTRUCTION_FREE: g_assert (instruction->from < plan->n_values); break;
  }
}

static void
touch_delegate (const PtDelegateSpec *delegate)
{
  fuzz_touch (delegate->id, strlen (delegate->id));
  fuzz_touch (delegate->payload, delegate->payload_size);
  for (guint i = 0; i < delegate->n_specs; i++) {
    fuzz_touch (delegate->specs[i].key, delegate->specs[i].key_length + 1);
    fuzz_touch (delegate->specs[i].value, delegate->specs[i].size);
  }
}

static void
touch_plan (const PtPlan *plan)
{
  fuzz_touch (plan->name, strlen (plan->name));
  touch_indices (plan, plan->inputs, plan->n_inputs);
  touch_indices (plan, plan->outputs, plan->n_outputs);
  for (guint i = 0; i < plan->n_values; i++)
    touch_value (plan, &plan->values[i]);
  for (guint c = 0; c < plan->n_chains; c++)
    for (guint i = 0; i < plan->chains[c].n_instructions; i++)
      touch_instruction (plan, &plan->chains[c], &plan->chains[c].instructions[i]);
  for (guint i = 0; i < plan->n_operators; i++)
    fuzz_touch (plan->operators[i], strlen (plan->operators[i]));
  for (guint i = 0; i < plan->n_delegates; i++)
    touch_delegate (&plan->delegates[i]);
}

void
fuzz_touch_program (const PtProgram *program)
{
  for (guint i = 0; i < pt_program_n_plans (program); i++)
    touch_plan (pt_program_plan (program, i));
  for (guint i = 0; i < pt_program_n_named_data (program); i++) {
    const PtNamedData *named = pt_program_named_data (program, i);

    fuzz_touch (named->key, named->key_length + 1);
    fuzz_touch (named->data, named->size);
    g_assert (pt_program_find_named_data (program, named->key, named->key_length) == named);
  }
}
