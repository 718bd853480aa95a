/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/init.h"
#include "engine/runtime/module.h"
#include "engine/base/trusted-files.h"

#include <string.h>
#include <pteris/engine.h>

#include <glib/gstdio.h>

#if defined(__x86_64__) && defined(__linux__)

/*
 * No byte of a library is loaded before the user has agreed: one that writes a file when it is
 * (tests/data/cuda/canary.c) must not have done so.
 */

/* The digest of a file that has been replaced since. */
#define SHOWN "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static char *
canary_file (void)
{
  return g_build_filename (g_get_user_data_dir (), "canary", NULL);
}

static gboolean
has_sung (void)
{
  g_autofree char *path = canary_file ();

  return g_file_test (path, G_FILE_TEST_EXISTS);
}

static void
load (const char *trust, PtError expected, const char *words)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "data", "cuda", "canary", "model.pte", NULL);
  const PtMethodOptions options = { .trust = trust };
  g_autoptr (GError) error = NULL;
  g_autoptr (PtModule) module = pt_module_open (path, NULL, &options, &error);

  g_assert_no_error (error);
  g_assert_null (pt_module_method (module, "forward", &error));
  g_assert_error (error, PT_ERROR, (int) expected);
  g_assert_nonnull (strstr (error->message, words));
}

static void
on_event (const PtEvent *event, gpointer user_data)
{
  char **digest = user_data;

  if (event->kind != PT_EVENT_FAILED)
    return;
  g_assert_cmpint (event->code, ==, PT_ERROR_UNTRUSTED);
  *digest = g_strdup (event->digest);
}

/* The event of the error names the file that needs consent. */
static void
check_event (const char *path, const char *expected)
{
  g_autofree char *digest = NULL;
  g_autoptr (PtEngine) engine = pt_engine_new (NULL, on_event, &digest);
  PtJob job = PT_JOB_INIT (PT_JOB_RUN);

  job.model.path = path;
  pt_engine_submit (engine, &job);
  while (digest == NULL)
    g_main_context_iteration (NULL, TRUE);
  g_assert_cmpstr (digest, ==, expected);
}

static void
test_consent (void)
{
  g_autofree char *canary = canary_file ();
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "data", "cuda", "canary", "model.pte", NULL);
  g_autoptr (PtProgram) program = pt_program_open (path, NULL);
  const char *digest = pt_program_digest (program);

  g_assert_cmpint (g_mkdir_with_parents (g_get_user_data_dir (), 0700), ==, 0);
  g_setenv ("PTERIS_CANARY", canary, TRUE);
  load (NULL, PT_ERROR_UNTRUSTED, digest);
  check_event (path, digest);
  load (SHOWN, PT_ERROR_UNTRUSTED, "has been replaced");
  g_assert_false (has_sung ());
  /* It is loaded now, which shows that it would have sung; but it is no model. */
  load (digest, PT_ERROR_DELEGATE, "lacks AOTInductorModelContainerCreateWithDevice");
  g_assert_true (has_sung ());
  g_remove (canary);
  load (NULL, PT_ERROR_DELEGATE, "lacks");
  g_assert_true (has_sung ());
  g_remove (canary);
  g_assert_true (pt_trusted_forget (digest, NULL));
  load (NULL, PT_ERROR_UNTRUSTED, digest);
  g_assert_false (has_sung ());
}

#else

static void
test_consent (void)
{
  g_test_skip ("the library is one for Linux on x86-64");
}

#endif

int
main (int argc, char **argv)
{
  g_autofree char *folder = g_dir_make_tmp ("pteris-test-XXXXXX", NULL);
  g_autofree char *pteris = g_build_filename (folder, "pteris", NULL);
  g_autofree char *trusted = g_build_filename (pteris, "trusted", NULL);
  int status;

  g_setenv ("XDG_DATA_HOME", folder, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_setenv ("PTERIS_CUDA", FAKE_CUDA_PATH, TRUE);
  g_setenv ("PTERIS_CUDA_SHIMS", CUDA_SHIMS_PATH, TRUE);
  pt_init ();
  g_test_add_func ("/cuda/consent", test_consent);
  status = g_test_run ();
  g_remove (trusted);
  g_rmdir (pteris);
  g_rmdir (folder);
  return status;
}
