/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A model for OpenVINO in a process of its own, confined, with a stand-in for the library: it works
 * there, and a crash or an endless loop in the library costs the model, not this process. This
 * program is the host, too.
 */

#include <string.h>
#include <glib/gstdio.h>
#include <pteris/engine.h>

#include "tests/fakes/fake-openvino.h"

static char *folder;

typedef struct {
  PtEngine *engine;
  gboolean ended;
  PtEventKind final;
  PtError code;
  char *text, *alternative, *device;
} Watch;

static void
on_event (const PtEvent *event, gpointer user_data)
{
  Watch *watch = user_data;

  if (event->kind == PT_EVENT_LOADED) {
    g_free (watch->device);
    watch->device = g_strdup (event->loaded->device);
  }
  if (event->kind != PT_EVENT_DONE && event->kind != PT_EVENT_FAILED &&
      event->kind != PT_EVENT_STOPPED)
    return;
  g_free (watch->text);
  g_free (watch->alternative);
  watch->ended = TRUE;
  watch->final = event->kind;
  watch->code = event->code;
  watch->text = g_strdup (event->text != NULL ? event->text : "");
  watch->alternative = g_strdup (event->alternative);
}

static char *
model_path (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

static guint64
submit (Watch *watch, const char *trust)
{
  static const char *const inputs[] = { "zeros:", NULL };
  g_autofree char *path = model_path ("model.pte");
  PtJob job = PT_JOB_INIT (PT_JOB_RUN);

  job.model.path = path;
  job.model.trust = trust;
  job.run.inputs = inputs;
  watch->ended = FALSE;
  return pt_engine_submit (watch->engine, &job);
}

static void
run (Watch *watch, const char *trust)
{
  submit (watch, trust);
  while (!watch->ended)
    g_main_context_iteration (NULL, TRUE);
  g_test_message ("%s", watch->text);
}

static void
set_up (Watch *watch, gconstpointer isolation)
{
  PtEngineOptions options = PT_ENGINE_OPTIONS_INIT;

  options.isolation = (PtIsolation) GPOINTER_TO_INT (isolation);
  watch->engine = pt_engine_new_with_options (&options, NULL, on_event, watch);
}

static void
tear_down (Watch *watch, gconstpointer unused)
{
  pt_engine_free (watch->engine);
  g_free (watch->text);
  g_free (watch->alternative);
  g_free (watch->device);
}

static void
check_failed (const Watch *watch, PtError code, const char *words)
{
  g_assert_cmpint (watch->final, ==, PT_EVENT_FAILED);
  g_assert_cmpint (watch->code, ==, code);
  if (strstr (watch->text, words) == NULL)
    g_error ("“%s” is not in: %s", words, watch->text);
}

/* ---- tests ---- */

static void
test_consent (Watch *watch, gconstpointer unused)
{
  run (watch, NULL);
  check_failed (watch, PT_ERROR_UNTRUSTED, "was compiled for OpenVINO");
  run (watch, PT_TRUST_AS_READ);
  g_assert_cmpint (watch->final, ==, PT_EVENT_DONE);
  run (watch, NULL);
  g_assert_cmpint (watch->final, ==, PT_EVENT_DONE);
}

/* Whatever the library does: the job ends with the reason, and the next one works. A host has the
 * environment of its start. */
static void
crash_in (Watch *watch, const char *function)
{
  g_setenv ("FAKE_OPENVINO_CRASH", function, TRUE);
  run (watch, PT_TRUST_AS_READ);
  check_failed (watch, PT_ERROR_HOST, "");
  g_unsetenv ("FAKE_OPENVINO_CRASH");
  run (watch, PT_TRUST_AS_READ);
  g_assert_cmpint (watch->final, ==, PT_EVENT_DONE);
}

static void
test_crash_of_start (Watch *watch, gconstpointer unused)
{
  crash_in (watch, "ov_core_create");
}

static void
test_crash_of_import (Watch *watch, gconstpointer unused)
{
  crash_in (watch, "ov_core_import_model");
}

static void
test_crash_of_call (Watch *watch, gconstpointer unused)
{
  crash_in (watch, "ov_infer_request_infer");
}

static gboolean
cancel (gpointer user_data)
{
  Watch *watch = user_data;

  for (guint64 job = 1; job < 10; job++)
    pt_engine_cancel (watch->engine, job);
  return G_SOURCE_REMOVE;
}

static void
test_hang (Watch *watch, gconstpointer unused)
{
  g_setenv ("FAKE_OPENVINO_HANG", "ov_infer_request_infer", TRUE);
  g_timeout_add (500, cancel, watch);
  run (watch, PT_TRUST_AS_READ);
  g_unsetenv ("FAKE_OPENVINO_HANG");
  g_assert_cmpint (watch->final, ==, PT_EVENT_STOPPED);
}

/* Without a process of its own it does not run at all. */
static void
test_here (Watch *watch, gconstpointer unused)
{
  run (watch, PT_TRUST_AS_READ);
  check_failed (watch, PT_ERROR_UNSUPPORTED, "in a process of their own only");
}

static void
copy (const char *from, const char *to)
{
  g_autofree char *source = g_test_build_filename (G_TEST_DIST, "data", from, "model.pte", NULL);
  g_autofree char *target = model_path (to), *bytes = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (source, &bytes, &size, NULL));
  g_assert_true (g_file_set_contents (target, bytes, (gssize) size, NULL));
}

/* What keeps the program from running is one sentence, with the program for the CPU beside it. */
static void
check_alternative (Watch *watch, const char *words)
{
  g_autofree char *cpu = model_path ("model-xnnpack.pte");

  copy ("tiny/xnnpack_linear", "model-xnnpack.pte");
  run (watch, PT_TRUST_AS_READ);
  check_failed (watch, PT_ERROR_MISSING_BACKEND, words);
  g_assert_cmpstr (watch->alternative, ==, cpu);
  g_remove (cpu);
}

static void
test_other_version (Watch *watch, gconstpointer unused)
{
  g_setenv ("FAKE_OPENVINO_FAIL", "ov_core_import_model", TRUE);
  check_alternative (watch, FAKE_OPENVINO_WORDS);
  g_unsetenv ("FAKE_OPENVINO_FAIL");
}

static void
test_no_device (Watch *watch, gconstpointer unused)
{
  g_setenv ("FAKE_OPENVINO_DEVICES", "NPU", TRUE);
  check_alternative (watch, "the device CPU of OpenVINO, and this computer has: NPU");
  g_unsetenv ("FAKE_OPENVINO_DEVICES");
}

static void
test_no_library (Watch *watch, gconstpointer unused)
{
  g_setenv ("PTERIS_OPENVINO", folder, TRUE);
  check_alternative (watch, "where there is no OpenVINO library");
  g_setenv ("PTERIS_OPENVINO", FAKE_OPENVINO_PATH, TRUE);
}

static void
add (const char *path, PtIsolation isolation, void (*test) (Watch *watch, gconstpointer data))
{
  g_test_add (path, Watch, GINT_TO_POINTER (isolation), set_up, test, tear_down);
}

static void
remove_folder (void)
{
  static const char *const names[] = { "model.pte",      "pteris/trusted", "pteris/trusted.lock",
                                       "pteris/crashes", "pteris",         "" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    g_autofree char *path = model_path (names[i]);

    g_remove (path);
  }
  g_free (folder);
}

int
main (int argc, char **argv)
{
  int status = pt_engine_host_main (argc, argv);

  if (status >= 0)
    return status;
  folder = g_dir_make_tmp ("pteris-test-XXXXXX", NULL);
  g_setenv ("XDG_DATA_HOME", folder, TRUE);
  g_setenv ("PTERIS_OPENVINO", FAKE_OPENVINO_PATH, TRUE);
  g_test_init (&argc, &argv, NULL);
  copy ("openvino/linear", "model.pte");
  add ("/host/openvino/consent", PT_ISOLATION_NATIVE, test_consent);
  add ("/host/openvino/crash/start", PT_ISOLATION_NATIVE, test_crash_of_start);
  add ("/host/openvino/crash/import", PT_ISOLATION_NATIVE, test_crash_of_import);
  add ("/host/openvino/crash/call", PT_ISOLATION_NATIVE, test_crash_of_call);
  add ("/host/openvino/hang", PT_ISOLATION_NATIVE, test_hang);
  add ("/host/openvino/here", PT_ISOLATION_NONE, test_here);
  add ("/host/openvino/other-version", PT_ISOLATION_NATIVE, test_other_version);
  add ("/host/openvino/no-device", PT_ISOLATION_NATIVE, test_no_device);
  add ("/host/openvino/no-library", PT_ISOLATION_NATIVE, test_no_library);
  status = g_test_run ();
  remove_folder ();
  return status;
}
