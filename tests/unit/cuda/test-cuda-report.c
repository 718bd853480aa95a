/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/cuda-report.h"

#include <string.h>

#include <glib/gstdio.h>

#include "engine/base/json.h"
#include "engine/init.h"
#include "engine/tasks/inspect/inspect.h"
#include "engine/base/trusted-files.h"

/*
 * The report of pteris inspect on CUDA programs (tools/make-cuda-fixtures.py). A process has one
 * driver, so each machine is a process of its own.
 */

static gboolean
on_machine (const char *driver, const char *capability, const char *version)
{
  if (!g_test_subprocess ()) {
    g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_INHERIT_STDERR);
    g_test_trap_assert_passed ();
    return FALSE;
  }
  g_setenv ("PTERIS_CUDA", driver, TRUE);
  if (capability != NULL)
    g_setenv ("FAKE_CUDA_CAPABILITY", capability, TRUE);
  if (version != NULL)
    g_setenv ("FAKE_CUDA_VERSION", version, TRUE);
  pt_init ();
  return TRUE;
}

static gboolean
without_gpu (void)
{
  return on_machine ("/nonexistent/libcuda.so.1", NULL, NULL);
}

static json_t *
inspect (const char *name)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "data", "cuda", name, "model.pte", NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = pt_inspect (path, NULL, &error);

  g_assert_no_error (error);
  return json_loads (text, 0, NULL);
}

static json_t *
delegate_of (json_t *report)
{
  json_t *method = json_array_get (json_object_get (report, "methods"), 0);

  return json_array_get (json_object_get (method, "delegates"), 0);
}

static json_t *
contents_of (json_t *report)
{
  json_t *contents = json_object_get (delegate_of (report), "contents");

  g_assert_cmpuint (json_array_size (contents), ==, 1);
  return json_array_get (contents, 0);
}

static json_t *
library_of (json_t *report, gsize i)
{
  return json_array_get (json_object_get (contents_of (report), "libraries"), i);
}

static char *
joined (json_t *list, const char *member)
{
  GString *text = g_string_new (NULL);
  json_t *item;
  size_t i;

  json_array_foreach (list, i, item)
    g_string_append_printf (
        text, "%s%s", i > 0 ? ", " : "",
        json_string_value (member != NULL ? json_object_get (item, member) : item));
  return g_string_free (text, FALSE);
}

static gboolean
lacks (json_t *report, const char *words)
{
  g_autofree char *all = joined (json_object_get (report, "missing"), NULL);

  return strstr (all, words) != NULL;
}

static void
test_names (void)
{
  g_autoptr (json_t) report = NULL;
  g_autofree char *code = NULL, *needed = NULL, *functions = NULL;
  json_t *library, *weights;

  if (!without_gpu ())
    return;
  report = inspect ("names");
  g_assert_false (json_is_true (json_object_get (delegate_of (report), "available")));
  g_assert_cmpstr (pt_json_string (contents_of (report), "form"), ==, "ETCUDAFQN3");
  library = library_of (report, 0);
  code = joined (json_object_get (library, "code"), "name");
  needed = joined (json_object_get (library, "needed"), NULL);
  functions = joined (json_object_get (library, "missing_functions"), NULL);
  g_assert_cmpstr (pt_json_string (library, "platform"), ==, "Linux");
  g_assert_cmpstr (pt_json_string (library, "cpu"), ==, "x86-64");
  g_assert_cmpstr (code, ==, "sm_90a, compute_90a (PTX 9.0), sm_100f, sm_80");
  g_assert_cmpstr (needed, ==, "libc.so.6");
  g_assert_cmpstr (functions, ==, "");
  g_assert_cmpint (pt_json_int (library, "kernels", 0), ==, 2);
  g_assert_cmpint (pt_json_int (library, "bytes", 0), ==, 5328);
  weights = json_object_get (contents_of (report), "weights");
  g_assert_cmpint (pt_json_int (weights, "constants", 0), ==, 2);
  g_assert_cmpint (pt_json_int (weights, "found", 0), ==, 2);
  g_assert_cmpint (pt_json_int (weights, "bytes", 0), ==, 60);
  g_assert_true (json_is_null (json_object_get (weights, "key")));
}

static void
test_no_weights (void)
{
  g_autoptr (json_t) names = NULL, keys = NULL;

  if (!without_gpu ())
    return;
  names = inspect ("no_weights");
  keys = inspect ("method_keys");
  g_assert_true (lacks (names, "The weights “linear.weight” are neither"));
  g_assert_true (lacks (keys, "The weights of method forward (“forward_weights_blob”) are"));
  g_assert_cmpstr (pt_json_string (contents_of (keys), "form"), ==, "method keys");
  g_assert_cmpstr (pt_json_string (library_of (keys, 0), "key"), ==, "forward_so_blob");
}

static void
test_windows (void)
{
  g_autoptr (json_t) report = NULL;
  g_autofree char *needed = NULL, *functions = NULL;

  if (!without_gpu ())
    return;
  report = inspect ("windows");
  needed = joined (json_object_get (library_of (report, 0), "needed"), NULL);
  functions = joined (json_object_get (library_of (report, 0), "missing_functions"), NULL);
  g_assert_cmpstr (pt_json_string (contents_of (report), "form"), ==, "two keys");
  g_assert_cmpstr (pt_json_string (library_of (report, 0), "platform"), ==, "Windows");
  g_assert_cmpstr (needed, ==, "aoti_cuda_shims.dll, cudart64_13.dll");
  g_assert_cmpstr (functions, ==, "aoti_torch_x");
#ifdef G_OS_WIN32
  g_assert_true (lacks (report, "aoti_torch_x"));
#else
  g_assert_true (lacks (report, "exported for Windows"));
#endif
}

/* Only the library that would be taken is held against the program. */
static void
test_targets (void)
{
  g_autoptr (json_t) report = NULL;

  if (!on_machine (FAKE_CUDA_PATH, "90", "13000"))
    return;
  report = inspect ("targets");
  g_assert_cmpstr (pt_json_string (contents_of (report), "form"), ==, "ETCUDAFQN5");
  g_assert_cmpint (pt_json_int (library_of (report, 0), "target", 0), ==, 90);
  g_assert_true (pt_json_bool (library_of (report, 1), "fallback", FALSE));
  g_assert_cmpstr (pt_json_string (library_of (report, 1), "platform"), ==, "Windows");
  g_assert_false (lacks (report, "exported for Windows"));
#ifndef G_OS_WIN32
  /* One of its kernels is a cubin for 8.x alone. */
  g_assert_true (lacks (report, "GPU code for sm_90a, compute_90a (PTX 9.0), sm_100f, sm_80 only; "
                                "your GPU (NVIDIA Test 1, compute capability 9.0) cannot run it"));
#endif
}

static void
test_no_target (void)
{
  g_autoptr (json_t) report = NULL;

  if (!on_machine (FAKE_CUDA_PATH, "75", "13000"))
    return;
  report = inspect ("targets");
  g_assert_true (lacks (report, "GPU code for sm_90, sm_80 only; a GPU of compute capability 7.5"));
}

static void
test_consent (void)
{
  g_autoptr (json_t) before = NULL, after = NULL, none = NULL;
  g_autofree char *cpu =
      g_test_build_filename (G_TEST_DIST, "data", "tiny", "add_f32", "model.pte", NULL);
  g_autofree char *text = NULL;
  const char *digest;

  if (!without_gpu ())
    return;
  before = inspect ("names");
  digest = pt_json_string (json_object_get (before, "native_code"), "sha256");
  g_assert_cmpuint (strlen (digest), ==, 64);
  g_assert_false (pt_json_bool (json_object_get (before, "native_code"), "trusted", TRUE));
  g_assert_true (pt_trust_remember (digest, "names", NULL));
  after = inspect ("names");
  g_assert_true (pt_json_bool (json_object_get (after, "native_code"), "trusted", FALSE));
  text = pt_inspect (cpu, NULL, NULL);
  none = json_loads (text, 0, NULL);
  g_assert_true (json_is_null (json_object_get (none, "native_code")));
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = g_dir_make_tmp ("pteris-test-XXXXXX", NULL);
  g_autofree char *pteris = g_build_filename (folder, "pteris", NULL);
  g_autofree char *trusted = g_build_filename (pteris, "trusted", NULL);
  int status;

  g_setenv ("XDG_DATA_HOME", folder, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cuda/report/names", test_names);
  g_test_add_func ("/cuda/report/no-weights", test_no_weights);
  g_test_add_func ("/cuda/report/windows", test_windows);
  g_test_add_func ("/cuda/report/targets", test_targets);
  g_test_add_func ("/cuda/report/no-target", test_no_target);
  g_test_add_func ("/cuda/report/consent", test_consent);
  status = g_test_run ();
  g_remove (trusted);
  g_rmdir (pteris);
  g_rmdir (folder);
  return status;
}
