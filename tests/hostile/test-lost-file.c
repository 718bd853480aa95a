/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/init.h"
#include "engine/program/file.h"
#include "engine/program/mapping.h"
#include "engine/runtime/module.h"

#include <string.h>
#include <unistd.h>

#include <glib/gstdio.h>

/* Files that get shorter while they are mapped. */

#define SIZE ((gsize) 64 * 1024)

static char *
copy_of (const char *contents, gsize size)
{
  char *path = NULL;
  int fd = g_file_open_tmp ("pteris-lost-XXXXXX", &path, NULL);

  g_assert_cmpint (fd, >=, 0);
  g_close (fd, NULL);
  g_assert_true (g_file_set_contents (path, contents, (gssize) size, NULL));
  return path;
}

static void
test_mapping (void)
{
  g_autofree char *contents = g_malloc (SIZE);
  g_autofree char *path = NULL, *other_path = NULL;
  guint before = pt_mappings_lost ();
  g_autoptr (GBytes) bytes = NULL, other = NULL, part = NULL;
  const guint8 *data;

  memset (contents, 7, SIZE);
  path = copy_of (contents, SIZE);
  other_path = copy_of (contents, SIZE);
  bytes = pt_file_map (path, NULL);
  other = pt_file_map (other_path, NULL);
  part = g_bytes_new_from_bytes (bytes, 100, 1000);
  data = g_bytes_get_data (bytes, NULL);
  g_assert_cmpint (data[SIZE - 1], ==, 7);

  g_assert_cmpint (truncate (path, 100), ==, 0);
  g_assert_cmpint (data[SIZE / 2], ==, 0);
  g_assert_cmpint (data[SIZE - 1], ==, 0);
  g_assert_cmpint (data[50], ==, 7);
  g_assert_cmpuint (pt_mappings_lost (), ==, before + 1);
  g_assert_false (pt_mapping_is_intact (bytes));
  g_assert_false (pt_mapping_is_intact (part));
  g_assert_true (pt_mapping_is_intact (other));
  g_remove (path);
  g_remove (other_path);

  /* The next file may get the same place and is well. */
  g_clear_pointer (&part, g_bytes_unref);
  g_clear_pointer (&bytes, g_bytes_unref);
  g_free (path);
  path = copy_of (contents, SIZE);
  bytes = pt_file_map (path, NULL);
  g_assert_true (pt_mapping_is_intact (bytes));
  g_remove (path);
}

static void
set_input (PtMethod *method, const PtTensorSpec *spec, gpointer memory)
{
  gint64 sizes[PT_MAX_RANK];
  PtTensor tensor;
  GError *error = NULL;

  for (guint i = 0; i < spec->rank; i++)
    sizes[i] = spec->sizes[i];
  g_assert_true (
      pt_tensor_init (&tensor, spec->dtype, spec->rank, sizes, spec->dim_order, memory, &error));
  g_assert_true (pt_method_set_input_tensor (method, 0, &tensor, &error));
  g_assert_no_error (error);
}

/* The weights lie behind the tables, and go while the method is loaded. */
static void
test_model (void)
{
  g_autofree char *contents = NULL, *path = NULL, *memory = NULL;
  g_autoptr (PtModule) module = NULL, fresh = NULL;
  g_autoptr (GError) error = NULL;
  const PtTensorSpec *spec;
  PtMethod *method;
  gsize size;

  g_assert_true (
      g_file_get_contents (g_test_get_filename (G_TEST_DIST, "data", "xnnpack",
                                                "mobilenet_block_f32", "model.pte", NULL),
                           &contents, &size, NULL));
  g_assert_cmpuint (size, >, 2 * 4096);
  path = copy_of (contents, size);
  module = pt_module_open (path, NULL, NULL, &error);
  g_assert_no_error (error);
  method = pt_module_method (module, "forward", &error);
  g_assert_no_error (error);
  spec = pt_method_input_spec (method, 0)->as_tensor;
  memory = g_malloc0 (spec->nbytes);
  set_input (method, spec, memory);
  g_assert_true (pt_method_execute (method, NULL, &error));

  g_assert_cmpint (truncate (path, 4096), ==, 0);
  for (guint i = 0; i < 2; i++) {
    set_input (method, spec, memory);
    g_assert_false (pt_method_execute (method, NULL, &error));
    g_assert_error (error, PT_ERROR, PT_ERROR_FILE);
    g_clear_error (&error);
  }

  /* Other models do not suffer. */
  g_assert_true (g_file_set_contents (path, contents, (gssize) size, NULL));
  fresh = pt_module_open (path, NULL, NULL, &error);
  g_assert_no_error (error);
  method = pt_module_method (fresh, "forward", &error);
  g_assert_no_error (error);
  set_input (method, spec, memory);
  g_assert_true (pt_method_execute (method, NULL, &error));
  g_remove (path);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  pt_init ();
  g_test_add_func ("/lost-file/mapping", test_mapping);
  g_test_add_func ("/lost-file/model", test_model);
  return g_test_run ();
}
