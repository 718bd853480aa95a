/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/cuda-report.h"

#include <string.h>

#include <glib/gstdio.h>

#include "engine/init.h"
#include "engine/tasks/inspect/inspect-job.h"
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

static PtInspectReport *
inspect (const char *name)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "data", "cuda", name, "model.pte", NULL);
  g_autoptr (GError) error = NULL;
  PtInspectReport *report = pt_inspect (path, NULL, &error);

  g_assert_no_error (error);
  return report;
}

static const PtInspectDelegate *
delegate_of (const PtInspectReport *report)
{
  g_assert_cmpuint (report->methods[0].n_delegates, ==, 1);
  return &report->methods[0].delegates[0];
}

static const PtInspectCuda *
contents_of (const PtInspectReport *report)
{
  const PtInspectDelegate *delegate = delegate_of (report);

  g_assert_cmpuint (delegate->n_contents, ==, 1);
  g_assert_cmpint (delegate->contents[0].kind, ==, PT_INSPECT_CONTENT_CUDA);
  return delegate->contents[0].cuda;
}

static const PtInspectCudaLibrary *
library_of (const PtInspectReport *report, guint i)
{
  g_assert_cmpuint (i, <, contents_of (report)->n_libraries);
  return &contents_of (report)->libraries[i];
}

static char *
joined (const char *const *list)
{
  return g_strjoinv (", ", (char **) list);
}

static char *
joined_codes (const PtInspectCudaLibrary *library)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < library->n_codes; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", library->codes[i].name);
  return g_string_free (text, FALSE);
}

static gboolean
lacks (const PtInspectReport *report, const char *words)
{
  g_autofree char *all = joined (report->missing);

  return strstr (all, words) != NULL;
}

static void
test_names (void)
{
  g_autoptr (PtInspectReport) report = NULL;
  g_autofree char *code = NULL, *needed = NULL, *functions = NULL;
  const PtInspectCudaLibrary *library;
  const PtInspectCudaWeights *weights;

  if (!without_gpu ())
    return;
  report = inspect ("names");
  g_assert_false (delegate_of (report)->available);
  g_assert_cmpstr (contents_of (report)->form, ==, "ETCUDAFQN3");
  library = library_of (report, 0);
  code = joined_codes (library);
  needed = joined (library->needed);
  functions = joined (library->missing_functions);
  g_assert_cmpstr (library->platform, ==, "Linux");
  g_assert_cmpstr (library->cpu, ==, "x86-64");
  g_assert_cmpstr (code, ==, "sm_90a, compute_90a (PTX 9.0), sm_100f, sm_80");
  g_assert_cmpstr (needed, ==, "libc.so.6");
  g_assert_cmpstr (functions, ==, "");
  g_assert_cmpint (library->n_kernels, ==, 2);
  g_assert_cmpint (library->bytes, ==, 5328);
  weights = contents_of (report)->weights;
  g_assert_cmpint (weights->constants, ==, 2);
  g_assert_cmpint (weights->found, ==, 2);
  g_assert_cmpint (weights->bytes, ==, 60);
  g_assert_null (weights->key);
}

static void
test_no_weights (void)
{
  g_autoptr (PtInspectReport) names = NULL, keys = NULL;

  if (!without_gpu ())
    return;
  names = inspect ("no_weights");
  keys = inspect ("method_keys");
  g_assert_true (lacks (names, "The weights “linear.weight” are neither"));
  g_assert_true (lacks (keys, "The weights of method forward (“forward_weights_blob”) are"));
  g_assert_cmpstr (contents_of (keys)->form, ==, "method keys");
  g_assert_cmpstr (library_of (keys, 0)->key, ==, "forward_so_blob");
}

static void
test_windows (void)
{
  g_autoptr (PtInspectReport) report = NULL;
  g_autofree char *needed = NULL, *functions = NULL;

  if (!without_gpu ())
    return;
  report = inspect ("windows");
  needed = joined (library_of (report, 0)->needed);
  functions = joined (library_of (report, 0)->missing_functions);
  g_assert_cmpstr (contents_of (report)->form, ==, "two keys");
  g_assert_cmpstr (library_of (report, 0)->platform, ==, "Windows");
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
  g_autoptr (PtInspectReport) report = NULL;

  if (!on_machine (FAKE_CUDA_PATH, "90", "13000"))
    return;
  report = inspect ("targets");
  g_assert_cmpstr (contents_of (report)->form, ==, "ETCUDAFQN5");
  g_assert_cmpint (library_of (report, 0)->target, ==, 90);
  g_assert_true (library_of (report, 1)->fallback);
  g_assert_cmpstr (library_of (report, 1)->platform, ==, "Windows");
  g_assert_false (lacks (report, "exported for Windows"));
#if defined(__aarch64__)
  g_assert_true (lacks (report, "x86-64"));
#elif !defined(G_OS_WIN32)
  /* One of its kernels is a cubin for 8.x alone. */
  g_assert_true (lacks (report, "GPU code for sm_90a, compute_90a (PTX 9.0), sm_100f, sm_80 only; "
                                "your GPU (NVIDIA Test 1, compute capability 9.0) cannot run it"));
#endif
}

static void
test_no_target (void)
{
  g_autoptr (PtInspectReport) report = NULL;

  if (!on_machine (FAKE_CUDA_PATH, "75", "13000"))
    return;
  report = inspect ("targets");
  g_assert_true (lacks (report, "GPU code for sm_90, sm_80 only; a GPU of compute capability 7.5"));
}

static void
test_consent (void)
{
  g_autoptr (PtInspectReport) before = NULL, after = NULL, none = NULL;
  g_autofree char *cpu =
      g_test_build_filename (G_TEST_DIST, "data", "tiny", "add_f32", "model.pte", NULL);
  const char *digest;

  if (!without_gpu ())
    return;
  before = inspect ("names");
  digest = before->sha256;
  g_assert_cmpuint (strlen (digest), ==, 64);
  g_assert_true (before->native);
  g_assert_false (before->trusted);
  g_assert_true (pt_trust_remember (digest, "names", NULL));
  after = inspect ("names");
  g_assert_true (after->trusted);
  none = pt_inspect (cpu, NULL, NULL);
  g_assert_false (none->native);
  g_assert_null (none->sha256);
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
