/* SPDX-License-Identifier: BSD-3-Clause */

/* pteris-starter beside another one: the second waits, and takes nothing away from the first. */

#include <string.h>

#include <glib/gstdio.h>
#include <jansson.h>

#include "engine/base/lock.h"
#include "tools/starter/fetch.h"

typedef struct {
  char *folder; /* resources/tiny and models/tiny lie there */
  char *resources, *models, *model;
  char *weights; /* the folder of the weights */
} Fixture;

static void
copy (const char *from_folder, const char *name, const char *to_folder)
{
  g_autofree char *from = g_build_filename (from_folder, name, NULL);
  g_autofree char *to = g_build_filename (to_folder, name, NULL);
  g_autofree char *bytes = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (from, &bytes, &size, NULL));
  g_assert_true (g_file_set_contents (to, bytes, (gssize) size, NULL));
}

static char *
sha256_of (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *bytes = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  return g_compute_checksum_for_data (G_CHECKSUM_SHA256, (const guchar *) bytes, size);
}

static void
write_source (const char *weights, const char *resource)
{
  g_autofree char *path = g_build_filename (resource, "source.json", NULL);
  g_autofree char *sha256 = sha256_of (weights, "weights.bin");
  g_autofree char *result = sha256_of (weights, "expected.bin");
  json_t *json =
      json_pack ("{s:s, s:[], s:[], s:[{s:s, s:s}], s:[s], s:s, s:s}", "title", "Tiny", "packages",
                 "package_bytes", "files", "path", "weights.bin", "sha256", sha256, "install",
                 "manifest.json", "format", "gguf", "result_sha256", result);
  char *text = json_dumps (json, 0);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  free (text);
  json_decref (json);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autofree char *resource = NULL;

  fixture->weights = g_test_build_filename (G_TEST_DIST, "data", "starter-packer", "gguf", NULL);
  fixture->folder = g_dir_make_tmp ("pteris-packers-XXXXXX", NULL);
  fixture->resources = g_build_filename (fixture->folder, "resources", NULL);
  fixture->models = g_build_filename (fixture->folder, "models", NULL);
  fixture->model = g_build_filename (fixture->models, "tiny", NULL);
  resource = g_build_filename (fixture->resources, "tiny", NULL);
  g_assert_cmpint (g_mkdir_with_parents (resource, 0700), ==, 0);
  g_assert_cmpint (g_mkdir_with_parents (fixture->model, 0700), ==, 0);
  copy (fixture->weights, "manifest.json", resource);
  copy (fixture->weights, "model.ptd.head", resource);
  write_source (fixture->weights, resource);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  fetch_remove_folder (fixture->folder);
  g_free (fixture->folder);
  g_free (fixture->resources);
  g_free (fixture->models);
  g_free (fixture->model);
  g_free (fixture->weights);
}

static GSubprocess *
start (Fixture *fixture)
{
  g_autofree char *program =
      g_test_build_filename (G_TEST_BUILT, "..", "tools", "pteris-starter", NULL);
  g_autoptr (GError) error = NULL;
  GSubprocess *process = g_subprocess_new (
      G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error, program, "--data-dir", fixture->models, "--resources",
      fixture->resources, "--packages", fixture->weights, "tiny", NULL);

  g_assert_no_error (error);
  return process;
}

static void
check_made (Fixture *fixture)
{
  g_autofree char *made = sha256_of (fixture->model, "model.ptd");
  g_autofree char *expected = sha256_of (fixture->weights, "expected.bin");

  g_assert_cmpstr (made, ==, expected);
}

/* Reads lines until one has @step. */
static void
wait_for_step (GSubprocess *process, const char *step)
{
  g_autoptr (GDataInputStream) lines =
      g_data_input_stream_new (g_subprocess_get_stdout_pipe (process));

  g_filter_input_stream_set_close_base_stream (G_FILTER_INPUT_STREAM (lines), FALSE);
  for (;;) {
    g_autofree char *line = g_data_input_stream_read_line (lines, NULL, NULL, NULL);

    if (line == NULL)
      g_error ("it ended without “%s”", step);
    if (strstr (line, step) != NULL)
      return;
  }
}

static void
test_second_waits (Fixture *fixture, gconstpointer data)
{
  g_autofree char *temporary = g_build_filename (fixture->model, "model.ptd.A1B2C3", NULL);
  g_autofree char *name = g_build_filename (fixture->model, ".lock", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) second = NULL;
  PtLock *lock = pt_lock_take (name, FALSE, &error);

  /* As the first one has it while it packs. */
  g_assert_no_error (error);
  g_assert_true (g_file_set_contents (temporary, "half a file", -1, NULL));
  second = start (fixture);
  wait_for_step (second, " wait ");
  g_assert_true (g_file_test (temporary, G_FILE_TEST_EXISTS));
  pt_lock_free (lock);
  g_assert_true (g_subprocess_wait_check (second, NULL, &error));
  g_assert_no_error (error);
  /* The temporary file of the first process is removed. */
  g_assert_false (g_file_test (temporary, G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (name, G_FILE_TEST_EXISTS));
  check_made (fixture);
}

static void
test_at_once (Fixture *fixture, gconstpointer data)
{
  GSubprocess *processes[4];
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (processes); i++)
    processes[i] = start (fixture);
  for (guint i = 0; i < G_N_ELEMENTS (processes); i++) {
    g_assert_true (g_subprocess_communicate (processes[i], NULL, NULL, NULL, NULL, &error));
    g_assert_no_error (error);
    g_assert_true (g_subprocess_get_successful (processes[i]));
    g_object_unref (processes[i]);
  }
  check_made (fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/starter/packers/second-waits", Fixture, NULL, set_up, test_second_waits, tear_down);
  g_test_add ("/starter/packers/at-once", Fixture, NULL, set_up, test_at_once, tear_down);
  return g_test_run ();
}
