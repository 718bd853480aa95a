/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/openvino/openvino-fixture.h"

#include <string.h>
#include <pteris/trust.h>

#include <glib/gstdio.h>

#include "engine/openvino/openvino-cache.h"
#include "engine/openvino/openvino-find.h"

/*
 * Import of a blob, and every reason why there is none. The tests run in this order: the library
 * stays loaded, and so do its cores.
 */

static PtProgram *linear;

/* Nothing is loaded without consent, and in a process that must not crash. */
static void
test_permission (void)
{
  PtDelegateContext context = openvino_context (linear);

  context.trust = NULL;
  openvino_refuse (&context, PT_ERROR_UNTRUSTED, "was compiled for OpenVINO");
  g_unsetenv ("PTERIS_HOST");
  context.trust = PT_TRUST_AS_READ;
  openvino_refuse (&context, PT_ERROR_UNSUPPORTED, "in a process of their own only");
  g_setenv ("PTERIS_HOST", "1", TRUE);
  g_assert_cmpstr (openvino_calls (), ==, "");
}

static void
test_library (void)
{
  PtDelegateContext context = openvino_context (linear);
  g_autofree char *nothing = g_build_filename (g_get_user_data_dir (), "libopenvino_c.so", NULL);

  g_setenv ("PTERIS_OPENVINO", g_get_user_data_dir (), TRUE);
  openvino_refuse (&context, PT_ERROR_MISSING_BACKEND, "where there is no OpenVINO library");
  g_assert_true (g_file_set_contents (nothing, "no library", -1, NULL));
  g_setenv ("PTERIS_OPENVINO", nothing, TRUE);
  openvino_refuse (&context, PT_ERROR_MISSING_BACKEND, "cannot be loaded");
  g_remove (nothing);
  g_setenv ("PTERIS_OPENVINO", FAKE_OPENVINO_LACKING_PATH, TRUE);
  openvino_refuse (&context, PT_ERROR_MISSING_BACKEND, "lacks the function ov_get_last_err_msg");
  g_setenv ("PTERIS_OPENVINO", FAKE_OPENVINO_PATH, TRUE);
  g_setenv ("FAKE_OPENVINO_VERSION", "2024.6.0", TRUE);
  openvino_refuse (&context, PT_ERROR_MISSING_BACKEND, "OpenVINO 2024.6.0 (");
  g_setenv ("FAKE_OPENVINO_VERSION", "strange", TRUE);
  openvino_refuse (&context, PT_ERROR_MISSING_BACKEND, "is too old");
  g_unsetenv ("FAKE_OPENVINO_VERSION");
  g_setenv ("FAKE_OPENVINO_FAIL", "ov_get_openvino_version", TRUE);
  openvino_refuse (&context, PT_ERROR_MISSING_BACKEND, "does not tell its version");
  g_unsetenv ("FAKE_OPENVINO_FAIL");
}

/* Without a core, and with one that has no devices. */
static void
test_start (void)
{
  PtDelegateContext context = openvino_context (linear);

  g_setenv ("FAKE_OPENVINO_FAIL", "ov_core_create", TRUE);
  openvino_refuse (&context, PT_ERROR_MISSING_BACKEND, FAKE_OPENVINO_WORDS);
  g_setenv ("FAKE_OPENVINO_FAIL", "ov_core_get_available_devices", TRUE);
  openvino_refuse (&context, PT_ERROR_MISSING_BACKEND, "does not tell its devices");
  g_unsetenv ("FAKE_OPENVINO_FAIL");
  g_setenv ("FAKE_OPENVINO_DEVICES", "none", TRUE);
  openvino_refuse (&context, PT_ERROR_MISSING_BACKEND, "its plugins are missing");
  g_unsetenv ("FAKE_OPENVINO_DEVICES");
  g_assert_cmpint (openvino_alive (), ==, 0);
  g_assert_null (strstr (openvino_calls (), "import"));
}

/* The import, its settings and its end. */
static void
test_import (void)
{
  PtDelegateContext context = openvino_context (linear);
  g_autoptr (GError) error = NULL;
  PtOpenvinoModel *model;

  g_setenv ("FAKE_OPENVINO_DEVICES", "CPU,GPU.0,GPU.1,NPU", TRUE);
  openvino_calls ();
  model = pt_openvino_model_new (&context, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (model->n_inputs, ==, 1);
  g_assert_cmpuint (model->n_outputs, ==, 1);
  g_assert_cmpstr (openvino_calls (), ==,
                   "ov_core_create\n"
                   "ov_core_get_available_devices\n"
                   "ov_core_set_property CPU INFERENCE_NUM_THREADS=0\n"
                   "ov_core_import_model CPU 3491\n"
                   "ov_compiled_model_inputs_size\n"
                   "ov_compiled_model_outputs_size\n"
                   "ov_compiled_model_create_infer_request\n");
  pt_openvino_model_free (model);
  g_assert_cmpstr (openvino_calls (), ==, "ov_infer_request_free\nov_compiled_model_free\n");
  /* The core. */
  g_assert_cmpint (openvino_alive (), ==, 1);
}

/* The hint goes to a core of its own, whatever its devices say to it; both cores are kept. */
static void
test_exact (void)
{
  PtDelegateContext context = openvino_context (linear);
  g_autoptr (PtPool) pool = pt_pool_new (pt_pool_n_workers (context.pool) + 1);
  g_autoptr (PtOpenvinoModel) exact = NULL, usual = NULL;
  const char *calls;

  context.exact = TRUE;
  context.pool = pool;
  g_setenv ("FAKE_OPENVINO_FAIL", "ov_core_set_property", TRUE);
  exact = pt_openvino_model_new (&context, NULL);
  g_assert_nonnull (exact);
  calls = openvino_calls ();
  g_assert_nonnull (strstr (calls, " CPU INFERENCE_PRECISION_HINT=f32\n"));
  g_assert_nonnull (strstr (calls, " NPU INFERENCE_PRECISION_HINT=f32\n"));
  g_assert_null (strstr (calls, "INFERENCE_NUM_THREADS=0"));
  g_assert_nonnull (strstr (calls, "INFERENCE_NUM_THREADS="));
  g_unsetenv ("FAKE_OPENVINO_FAIL");
  context.exact = FALSE;
  usual = pt_openvino_model_new (&context, NULL);
  g_assert_nonnull (usual);
  calls = openvino_calls ();
  g_assert_null (strstr (calls, "PRECISION"));
  g_assert_null (strstr (calls, "ov_core_create"));
}

/* For each device its number, and a folder for what is compiled, if the program has made one. */
static void
test_devices (void)
{
  static const struct {
    const char *device;
    int index;
    const char *used; /* NULL: it is refused */
  } CASES[] = {
    { "GPU", 0, "GPU.0" },   { "GPU", 1, "GPU.1" }, { "GPU.1", 0, "GPU.1" }, { "NPU", 1, "NPU" },
    { "GPU.7", 0, "GPU.0" }, { "GPU", 2, NULL },    { "TPU", 0, NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (CASES); i++) {
    const PtCompileSpec device = { "device", 6, (const guint8 *) CASES[i].device,
                                   strlen (CASES[i].device) };
    PtDelegateContext context = openvino_context (linear);
    PtDelegateSpec spec = *context.spec;
    g_autoptr (PtOpenvinoModel) model = NULL;
    g_autofree char *import = g_strdup_printf ("import_model %s ", CASES[i].used);

    spec.specs = &device;
    spec.n_specs = 1;
    context.spec = &spec;
    context.device = CASES[i].index;
    if (CASES[i].used == NULL) {
      openvino_refuse (&context, PT_ERROR_MISSING_BACKEND, "CPU, GPU.0, GPU.1, NPU");
      continue;
    }
    openvino_calls ();
    model = pt_openvino_model_new (&context, NULL);
    g_assert_nonnull (model);
    g_assert_nonnull (strstr (openvino_calls (), import));
  }
}

static void
test_failures (void)
{
  static const char *const NAMES[] = { "ov_compiled_model_inputs_size",
                                       "ov_compiled_model_outputs_size",
                                       "ov_compiled_model_create_infer_request" };
  g_autoptr (PtProgram) newer = openvino_program ("dynamic_2026_4");
  PtDelegateContext context = openvino_context (linear), other = openvino_context (newer);
  int before = openvino_alive ();

  g_setenv ("FAKE_OPENVINO_FAIL", "ov_core_import_model", TRUE);
  openvino_refuse (&context, PT_ERROR_MISSING_BACKEND,
                   "compiled with another version: " FAKE_OPENVINO_WORDS);
  openvino_refuse (&other, PT_ERROR_MISSING_BACKEND,
                   "compiled with OpenVINO 2026.4.1, and this computer has version 2025.4.1");
  openvino_refuse (&other, PT_ERROR_MISSING_BACKEND, "openvino==2026.4.1");
  for (guint i = 0; i < G_N_ELEMENTS (NAMES); i++) {
    g_setenv ("FAKE_OPENVINO_FAIL", NAMES[i], TRUE);
    openvino_refuse (&context, PT_ERROR_DELEGATE, FAKE_OPENVINO_WORDS);
  }
  g_unsetenv ("FAKE_OPENVINO_FAIL");
  g_assert_cmpint (openvino_alive (), ==, before);
}

/* The program of "linear" for a GPU, in a file of its own. */
static PtProgram *
make_gpu_program (const char *name)
{
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), name, NULL), *bytes = NULL;
  g_autoptr (GError) error = NULL;
  PtProgram *program;
  gsize size, at = 0;

  g_assert_true (g_file_get_contents (pt_program_path (linear), &bytes, &size, NULL));
  while (at + 4 <= size && memcmp (bytes + at, "CPU", 3) != 0)
    at++;
  bytes[at] = 'G';
  g_assert_true (g_file_set_contents (path, bytes, (gssize) size, NULL));
  program = pt_program_open (path, &error);
  g_assert_no_error (error);
  return program;
}

/* Each program for a GPU has a folder of its own, which is used if it is there; one for processors
 * has none. */
static void
test_cache (void)
{
  g_autoptr (PtProgram) one = make_gpu_program ("one.pte"), two = make_gpu_program ("two.pte");
  g_autofree char *first = pt_openvino_cache_folder (one);
  g_autofree char *second = pt_openvino_cache_folder (two);
  g_autofree char *setting = g_strdup_printf (" GPU.0 CACHE_DIR=%s\n", first);
  PtDelegateContext context = openvino_context (one);
  g_autoptr (PtOpenvinoModel) without = NULL, with = NULL;

  g_assert_null (pt_openvino_cache_folder (linear));
  g_assert_true (g_str_has_prefix (first, g_get_user_cache_dir ()));
  g_assert_cmpstr (first, !=, second);
  openvino_calls ();
  without = pt_openvino_model_new (&context, NULL);
  g_assert_nonnull (without);
  g_assert_null (strstr (openvino_calls (), "CACHE_DIR"));
  g_assert_cmpint (g_mkdir_with_parents (first, 0700), ==, 0);
  with = pt_openvino_model_new (&context, NULL);
  g_assert_nonnull (with);
  g_assert_nonnull (strstr (openvino_calls (), setting));
}

int
main (int argc, char **argv)
{
  int status;

  openvino_begin (FAKE_OPENVINO_PATH);
  g_test_init (&argc, &argv, NULL);
  linear = openvino_program ("linear");
  g_test_add_func ("/openvino/model/permission", test_permission);
  g_test_add_func ("/openvino/model/library", test_library);
  g_test_add_func ("/openvino/model/start", test_start);
  g_test_add_func ("/openvino/model/import", test_import);
  g_test_add_func ("/openvino/model/exact", test_exact);
  g_test_add_func ("/openvino/model/devices", test_devices);
  g_test_add_func ("/openvino/model/failures", test_failures);
  g_test_add_func ("/openvino/model/cache", test_cache);
  status = g_test_run ();
  pt_program_unref (linear);
  openvino_end ();
  return status;
}
