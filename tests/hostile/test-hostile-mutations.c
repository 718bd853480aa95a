/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/init.h"
#include "engine/runtime/method.h"
#include "engine/tasks/run/npy.h"

/*
 * Real programs with a few bytes changed, through loading and execution: an error or a result,
 * both are right, as long as nothing outside the program's own memory is touched. That is
 * what the sanitizers are for; here it must at least not crash. The changes are the same in every
 * run.
 *
 * PTERIS_MUTATIONS sets how many changed programs are made of each case.
 */

#define DEFAULT_MUTATIONS 100
#define MAX_CHANGES 4

static const char *const numbers_of_interest[] = { "\x00", "\x01", "\x7f", "\x80", "\xff" };

static void
mutate (GRand *random, guint8 *data, gsize size)
{
  gint changes = g_rand_int_range (random, 1, MAX_CHANGES + 1);

  while (changes-- > 0) {
    gsize at = (gsize) g_rand_int_range (random, 8, (gint32) size);

    if (g_rand_boolean (random))
      data[at] = (guint8) *numbers_of_interest[g_rand_int_range (
          random, 0, G_N_ELEMENTS (numbers_of_interest))];
    else
      data[at] ^= (guint8) (1u << g_rand_int_range (random, 0, 8));
  }
}

/* Zeros of the declared type and shape. Programs that now want absurd inputs are let go. */
static gboolean
set_zero_input (PtMethod *method, guint i, GPtrArray *files)
{
  const PtValueSpec *spec = pt_method_input_spec (method, i);
  gint64 sizes[PT_MAX_RANK];
  PtTensorFile *file;
  guint k;

  if (spec->kind != PT_VALUE_TENSOR || spec->as_tensor->nbytes > 1 << 20)
    return FALSE;
  for (k = 0; k < spec->as_tensor->rank; k++)
    sizes[k] = spec->as_tensor->sizes[k];
  file = pt_tensor_file_new (spec->as_tensor->dtype, spec->as_tensor->rank, sizes,
                             spec->as_tensor->dim_order, NULL);
  if (file == NULL)
    return FALSE;
  g_ptr_array_add (files, file);
  memset (file->tensor.data, 0, pt_tensor_nbytes (&file->tensor));
  return pt_method_set_input_tensor (method, i, &file->tensor, NULL);
}

static void
run_program (PtProgram *program, guint *n_executed)
{
  const PtMethodOptions options = { .max_planned_bytes = 1 << 24, .max_instructions = 1000 };
  guint p, i, round;

  for (p = 0; p < pt_program_n_plans (program); p++) {
    g_autoptr (GPtrArray) files =
        g_ptr_array_new_with_free_func ((GDestroyNotify) pt_tensor_file_free);
    g_autoptr (GError) error = NULL;
    g_autoptr (PtMethod) method =
        pt_method_load (program, NULL, pt_program_plan (program, p)->name, &options, &error);

    g_assert_true ((method == NULL) == (error != NULL));
    for (round = 0; method != NULL && round < 2; round++) {
      g_clear_error (&error);
      for (i = 0; i < pt_method_n_inputs (method); i++)
        if (!set_zero_input (method, i, files))
          break;
      if (i < pt_method_n_inputs (method))
        break;
      if (pt_method_execute (method, NULL, &error))
        ++*n_executed;
      else
        g_assert_nonnull (error);
    }
  }
}

static void
check_case (gconstpointer user_data)
{
  const char *path = user_data;
  const char *wanted = g_getenv ("PTERIS_MUTATIONS");
  guint n = wanted != NULL ? (guint) g_ascii_strtoull (wanted, NULL, 10) : DEFAULT_MUTATIONS;
  g_autofree char *bytes = NULL;
  guint i, opened = 0, executed = 0;
  gsize size;

  g_assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  for (i = 0; i < n; i++) {
    guint8 *copy = g_memdup2 (bytes, size);
    g_autoptr (GBytes) changed = g_bytes_new_take (copy, size);
    g_autoptr (PtProgram) program = NULL;
    GRand *random = g_rand_new_with_seed (i);

    mutate (random, copy, size);
    g_rand_free (random);
    program = pt_program_new (changed, "mutated.pte", NULL);
    if (program == NULL)
      continue;
    opened++;
    run_program (program, &executed);
  }
  g_test_message ("%u programs, %u opened, %u executions", n, opened, executed);
}

static void
add_cases (const char *collection)
{
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "data", collection, NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  g_assert_nonnull (dir);
  while ((name = g_dir_read_name (dir)) != NULL) {
    char *path = g_build_filename (folder, name, "model.pte", NULL);
    g_autofree char *test = g_strdup_printf ("/mutations/%s/%s", collection, name);

    if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
      g_test_add_data_func_full (test, path, check_case, g_free);
    else
      g_free (path);
  }
}

int
main (int argc, char **argv)
{
  g_setenv ("PTERIS_VULKAN", "cpu", TRUE);
  g_test_init (&argc, &argv, NULL);
  pt_init ();
  add_cases ("tiny");
  add_cases ("xnnpack");
  add_cases ("vulkan");
  return g_test_run ();
}
