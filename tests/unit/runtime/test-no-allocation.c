/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include <gmodule.h>
#include <jansson.h>

#include "engine/init.h"
#include "engine/kernels/worker-pool.h"
#include "engine/runtime/module.h"
#include "engine/tasks/run/npy.h"

/*
 * Once a method is loaded, giving it inputs and running it takes nothing from the heap. The
 * allocator of the C library is replaced by one that counts, also what libraries ask for.
 */

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)
#define CAN_COUNT 1
#endif

G_DEFINE_AUTOPTR_CLEANUP_FUNC (json_t, json_decref)

static gint counting, n_allocations;

#ifdef CAN_COUNT
void *__libc_malloc (size_t size);
void *__libc_calloc (size_t n, size_t size);
void *__libc_realloc (void *data, size_t size);
void *__libc_memalign (size_t alignment, size_t size);

static void
count (void)
{
  if (g_atomic_int_get (&counting))
    g_atomic_int_inc (&n_allocations);
}

G_MODULE_EXPORT void *
malloc (size_t size)
{
  count ();
  return __libc_malloc (size);
}

G_MODULE_EXPORT void *
calloc (size_t n, size_t size)
{
  count ();
  return __libc_calloc (n, size);
}

G_MODULE_EXPORT void *
realloc (void *data, size_t size)
{
  count ();
  return __libc_realloc (data, size);
}

G_MODULE_EXPORT void *
aligned_alloc (size_t alignment, size_t size)
{
  count ();
  return __libc_memalign (alignment, size);
}
#endif

static PtTensorFile *
read_input (const char *name, json_t *entry)
{
  g_autofree char *path = g_test_build_filename (
      G_TEST_DIST, "data", "tiny", name, json_string_value (json_object_get (entry, "file")), NULL);
  json_t *shape = json_object_get (entry, "shape");
  const char *dtype = json_string_value (json_object_get (entry, "dtype"));
  gint64 sizes[PT_MAX_RANK];
  GError *error = NULL;
  PtTensorFile *file;
  size_t i;

  for (i = 0; i < json_array_size (shape); i++)
    sizes[i] = json_integer_value (json_array_get (shape, i));
  file = pt_raw_read (path, (PtDType) pt_dtype_from_name (dtype), (guint) i, sizes, NULL, &error);
  g_assert_no_error (error);
  return file;
}

static void
run_step (PtModule *module, const char *name, json_t *step)
{
  GError *error = NULL;
  PtMethod *method =
      pt_module_method (module, json_string_value (json_object_get (step, "method")), &error);
  g_autoptr (GPtrArray) files =
      g_ptr_array_new_with_free_func ((GDestroyNotify) pt_tensor_file_free);
  json_t *entry;
  size_t i;
  gboolean ok = TRUE;

  g_assert_no_error (error);
  json_array_foreach (json_object_get (step, "inputs"), i, entry)
    g_ptr_array_add (files, read_input (name, entry));

  g_atomic_int_set (&n_allocations, 0);
  g_atomic_int_set (&counting, 1);
  for (i = 0; i < files->len; i++) {
    PtTensorFile *file = g_ptr_array_index (files, i);

    ok = ok && pt_method_set_input_tensor (method, (guint) i, &file->tensor, &error);
  }
  ok = ok && pt_method_execute (method, NULL, &error);
  g_atomic_int_set (&counting, 0);
  g_assert_no_error (error);
  g_assert_true (ok);
  g_assert_cmpint (g_atomic_int_get (&n_allocations), ==, 0);
}

static void
check_case (gconstpointer user_data)
{
  const char *name = user_data;
  g_autofree char *folder = g_test_build_filename (G_TEST_DIST, "data", "tiny", name, NULL);
  g_autofree char *description = g_build_filename (folder, "case.json", NULL);
  g_autofree char *program = g_build_filename (folder, "model.pte", NULL);
  g_autoptr (json_t) root = json_load_file (description, 0, NULL);
  g_autoptr (PtModule) module = NULL;
  GError *error = NULL;
  json_t *step;
  size_t i;

#ifndef CAN_COUNT
  g_test_skip ("allocations cannot be counted in this build");
  return;
#endif
  module = pt_module_open (program, NULL, NULL, &error);
  g_assert_no_error (error);
  json_array_foreach (json_object_get (root, "steps"), i, step)
    run_step (module, name, step);
}

static gint n_arrived;

static void
wait_for_all (gpointer data, gsize begin, gsize end, guint worker)
{
  g_atomic_int_add (&n_arrived, (gint) (end - begin));
  while (g_atomic_int_get (&n_arrived) < GPOINTER_TO_INT (data))
    g_thread_yield ();
}

/* A thread takes memory when it starts, which may be late: each must have done something. */
static void
start_workers (void)
{
  PtPool *pool = pt_pool_default ();
  guint n = pt_pool_n_workers (pool);

  pt_pool_run (pool, n, 1, wait_for_all, GUINT_TO_POINTER (n));
}

int
main (int argc, char **argv)
{
  static const char *cases[] = {
    "linear",
    "dynamic_shape",
    "map_loop",
    "cond",
    "kv_cache",
    "layer_norm",
    "lists_and_index",
    "conv2d",
    "softmax",
    "embedding",
    "unplanned_io",
    "xnnpack_linear",
    "conv2d_channels_last",
  };
  guint i;

  g_test_init (&argc, &argv, NULL);
  pt_init ();
  start_workers ();
  for (i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path = g_strdup_printf ("/runtime/no-allocation/%s", cases[i]);

    g_test_add_data_func (path, cases[i], check_case);
  }
  return g_test_run ();
}
