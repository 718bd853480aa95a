/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/program/bundle.h"

#include <string.h>

#include <glib/gstdio.h>

static char *
bundled (const char *file)
{
  return g_test_build_filename (G_TEST_DIST, "data", "tiny", "bundled", file, NULL);
}

static void
check_tensor (const PtBundleValue *value, const char *file, gint32 columns)
{
  g_autofree char *path = bundled (file);
  g_autofree char *contents = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (path, &contents, &size, NULL));
  g_assert_cmpint (value->kind, ==, PT_VALUE_TENSOR);
  g_assert_cmpint (value->as_tensor.dtype, ==, PT_DTYPE_F32);
  g_assert_cmpuint (value->as_tensor.rank, ==, 2);
  g_assert_cmpint (value->as_tensor.sizes[0], ==, 2);
  g_assert_cmpint (value->as_tensor.sizes[1], ==, columns);
  g_assert_cmpint (value->as_tensor.dim_order[0], ==, 0);
  g_assert_cmpmem (value->as_tensor.data, value->as_tensor.nbytes, contents, size);
}

static void
test_cases (void)
{
  g_autofree char *path = bundled ("model.bpte");
  g_autoptr (GError) error = NULL;
  g_autoptr (PtBundle) bundle = pt_bundle_open (path, &error);
  const PtBundleSuite *suite;

  g_assert_no_error (error);
  g_assert_cmpuint (pt_bundle_n_suites (bundle), ==, 1);
  suite = pt_bundle_suite (bundle, 0);
  g_assert_true (suite->plan == pt_program_find_plan (pt_bundle_program (bundle), "forward"));
  g_assert_cmpuint (suite->n_cases, ==, 2);
  for (guint i = 0; i < suite->n_cases; i++) {
    g_autofree char *in = g_strdup_printf ("s%u_in0.bin", i);
    g_autofree char *out = g_strdup_printf ("s%u_out0.bin", i);

    g_assert_cmpuint (suite->cases[i].n_inputs, ==, 1);
    g_assert_cmpuint (suite->cases[i].n_outputs, ==, 1);
    check_tensor (&suite->cases[i].inputs[0], in, 4);
    check_tensor (&suite->cases[i].outputs[0], out, 3);
  }
}

/* The program outlives the bundle that it came in. */
static void
test_program (void)
{
  g_autofree char *path = bundled ("model.bpte");
  g_autoptr (PtBundle) bundle = pt_bundle_open (path, NULL);
  g_autoptr (PtProgram) program = pt_program_ref (pt_bundle_program (bundle));
  const PtTensorSpec *weight;

  g_clear_pointer (&bundle, pt_bundle_free);
  weight = pt_program_plan (program, 0)->values[0].as_tensor;
  g_assert_cmpint (weight->storage, ==, PT_STORAGE_CONSTANT);
  g_assert_cmpfloat_with_epsilon (*(const float *) (gconstpointer) weight->data, 0.2576316f, 1e-6);
}

static void
open_bytes (const char *contents, gsize size, GError **error)
{
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "pteris-XXXXXX.bpte", NULL);
  int fd = g_mkstemp (path);
  g_autoptr (PtBundle) bundle = NULL;

  g_assert_true (g_close (fd, NULL));
  g_assert_true (g_file_set_contents (path, contents, (gssize) size, NULL));
  bundle = pt_bundle_open (path, error);
  g_unlink (path);
}

static void
test_damaged (void)
{
  g_autofree char *path = bundled ("model.bpte");
  g_autofree char *program = bundled ("model.pte");
  g_autofree char *contents = NULL;
  g_autoptr (GError) error = NULL;
  gsize size;

  g_assert_null (pt_bundle_open (program, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_FORMAT);
  g_assert_true (g_file_get_contents (path, &contents, &size, NULL));
  for (gsize at = 0; at < size; at += 3) {
    g_autoptr (GError) damage = NULL;
    char before = contents[at];

    contents[at] = (char) (before ^ 0x5a);
    open_bytes (contents, size, &damage);
    g_assert_true (damage == NULL || damage->domain == PT_ERROR);
    contents[at] = before;
  }
}

/* Inputs of other kinds; the file was written by the exporter for forward (tensor, 3, 2.5, True).
 */
static void
test_scalars (void)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "data", "bundles", "scalars.bpte", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (PtBundle) bundle = pt_bundle_open (path, &error);
  const PtBundleSuite *suite;

  g_assert_no_error (error);
  suite = pt_bundle_suite (bundle, 0);
  g_assert_cmpuint (suite->n_cases, ==, 2);
  for (guint i = 0; i < suite->n_cases; i++) {
    const PtBundleValue *inputs = suite->cases[i].inputs;

    g_assert_cmpuint (suite->cases[i].n_inputs, ==, 4);
    g_assert_cmpint (inputs[0].kind, ==, PT_VALUE_TENSOR);
    g_assert_cmpint (inputs[1].kind, ==, PT_VALUE_INT);
    g_assert_cmpint (inputs[1].as_int, ==, 3);
    g_assert_cmpint (inputs[2].kind, ==, PT_VALUE_DOUBLE);
    g_assert_cmpfloat (inputs[2].as_double, ==, 2.5);
    g_assert_cmpint (inputs[3].kind, ==, PT_VALUE_BOOL);
    g_assert_true (inputs[3].as_bool);
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bundle/cases", test_cases);
  g_test_add_func ("/bundle/scalars", test_scalars);
  g_test_add_func ("/bundle/program", test_program);
  g_test_add_func ("/bundle/damaged", test_damaged);
  return g_test_run ();
}
