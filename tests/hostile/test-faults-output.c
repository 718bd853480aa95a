/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Outputs that cannot be written to their end: the system lets a file grow to a few bytes only
 * (RLIMIT_FSIZE), which stops a write in the middle as a full disk does. Nothing half written gets
 * the name that was asked for, and what had that name before stays.
 */

#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "engine/tasks/run/npy.h"
#include "tests/hostile/hostile.h"
#include "tools/starter/pack.h"

static void
limit_files (rlim_t size)
{
  struct rlimit limit;

  getrlimit (RLIMIT_FSIZE, &limit);
  limit.rlim_cur = MIN (size, limit.rlim_max);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
}

static guint
count_files (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (dir != NULL && g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

/* Runs Pteris with files of at most @size bytes; returns what it says. */
static char *
run (rlim_t size, int status, const char *const *arguments)
{
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  char *err = NULL;
  GError *error = NULL;
  int got;

  g_ptr_array_add (argv, (gpointer) g_getenv ("PTERIS"));
  for (guint i = 0; arguments[i] != NULL; i++)
    g_ptr_array_add (argv, (gpointer) arguments[i]);
  g_ptr_array_add (argv, NULL);
  limit_files (size);
  g_spawn_sync (NULL, (char **) argv->pdata, NULL,
                G_SPAWN_STDIN_FROM_DEV_NULL | G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL, &err,
                &got, &error);
  limit_files (RLIM_INFINITY);
  g_assert_no_error (error);
  g_test_message ("%s: %s", arguments[0], err);
  g_assert_true (WIFEXITED (got));
  g_assert_cmpint (WEXITSTATUS (got), ==, status);
  return err;
}

static void
check_run (const char *folder, rlim_t size, int status)
{
  g_autofree char *model = hostile_data_path ("tiny/linear/model.pte");
  g_autofree char *input = hostile_data_path ("tiny/linear/s0_in0.bin");
  g_autofree char *err =
      run (size, status,
           (const char *[]){ "run", model, "--input", input, "--output-dir", folder, NULL });

  if (status != 0)
    g_assert_true (g_str_has_prefix (err, "pteris: "));
}

static void
test_run (void)
{
  g_autofree char *folder = hostile_path ("out");
  g_autofree char *output = g_build_filename (folder, "out0.npy", NULL);
  g_autofree char *before = NULL, *after = NULL;
  gsize size, size_after;

  check_run (folder, 100, 1);
  g_assert_cmpuint (count_files (folder), ==, 0);
  check_run (folder, RLIM_INFINITY, 0);
  g_assert_true (g_file_get_contents (output, &before, &size, NULL));
  check_run (folder, 100, 1);
  g_assert_cmpuint (count_files (folder), ==, 1);
  g_assert_true (g_file_get_contents (output, &after, &size_after, NULL));
  g_assert_cmpmem (before, size, after, size_after);
  hostile_clean_up ();
}

/* Interrupts the write at every size. */
static void
test_npy (void)
{
  g_autofree char *inside = hostile_file ("marker", NULL, 0);
  g_autofree char *folder = g_path_get_dirname (inside);
  g_autofree char *path = hostile_path ("a.npy");
  const gint64 size = 5000;
  g_autoptr (PtTensorFile) file = pt_tensor_file_new (PT_DTYPE_F32, 1, &size, NULL, NULL);
  GError *error = NULL;

  memset (file->tensor.data, 0, file->tensor.capacity);
  for (rlim_t limit = 0; limit < 20128; limit += 64) {
    gboolean ok;

    limit_files (limit);
    ok = pt_npy_write (path, &file->tensor, NULL, &error);
    limit_files (RLIM_INFINITY);
    g_assert_false (ok);
    g_assert_error (error, PT_ERROR, PT_ERROR_FILE);
    g_clear_error (&error);
    g_assert_cmpuint (count_files (folder), ==, 1);
  }
  g_assert_true (pt_npy_write (path, &file->tensor, NULL, &error));
  hostile_clean_up ();
}

static void
no_progress (double fraction, gpointer user_data)
{
}

static void
test_pack (void)
{
  g_autofree char *folder = hostile_data_path ("starter-packer/gguf");
  g_autofree char *inside = hostile_file ("marker", NULL, 0);
  g_autofree char *out = g_path_get_dirname (inside);
  g_autofree char *output = hostile_path ("model.ptd");
  gsize size;
  guint8 *weights = hostile_data ("starter-packer/gguf/weights.bin", &size);
  g_autoptr (GBytes) bytes = g_bytes_new_take (weights, size);
  g_autoptr (Source) source = source_open ("gguf", bytes, NULL);
  GError *error = NULL;

  for (rlim_t limit = 0; limit < 881; limit += 40) {
    gboolean ok;

    limit_files (limit);
    ok = pack_data_file (folder, source, output, NULL, no_progress, NULL, &error);
    limit_files (RLIM_INFINITY);
    g_assert_false (ok);
    g_assert_nonnull (error);
    g_clear_error (&error);
    g_assert_cmpuint (count_files (out), ==, 1);
  }
  g_assert_true (pack_data_file (folder, source, output, NULL, no_progress, NULL, &error));
  hostile_clean_up ();
}

static void
test_transcript (void)
{
  g_autofree char *model = hostile_data_path ("whisper-mini/model.pte");
  g_autofree char *audio = hostile_data_path ("whisper-mini/audio.wav");
  g_autofree char *inside = hostile_file ("words.json", "before", 6);
  g_autofree char *folder = g_path_get_dirname (inside);
  g_autofree char *text = NULL;
  g_autofree char *err = run (
      8, 1,
      (const char *[]){ "transcribe", model, audio, "--format", "json", "--output", inside, NULL });

  g_assert_nonnull (strstr (err, "could not be written"));
  g_assert_cmpuint (count_files (folder), ==, 1);
  g_assert_true (g_file_get_contents (inside, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "before");
  hostile_clean_up ();
}

static void
test_standard_output (void)
{
  g_autofree char *model = hostile_data_path ("tiny/linear/model.pte");
  g_autofree char *command =
      g_strdup_printf ("exec %s inspect %s >/dev/full", g_getenv ("PTERIS"), model);
  const char *const argv[] = { "/bin/sh", "-c", command, NULL };
  g_autofree char *err = NULL;
  int status;

  g_assert_true (g_spawn_sync (NULL, (char **) argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, &err,
                               &status, NULL));
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, 1);
  g_assert_true (g_str_has_prefix (err, "pteris: "));
}

/* A file that cannot be read gives an error with its name. */
static void
test_unreadable (void)
{
  g_autofree char *model = hostile_data_path ("tiny/linear/model.pte");
  const char *const path = "/proc/self/mem"; /* EIO */

  for (guint i = 0; i < 4; i++) {
    const char *const lines[][6] = { { "run", path },
                                     { "run", model, "--input", path },
                                     { "chat", model, "--tokenizer", path, "--prompt", "Hi" },
                                     { "run", model, "--steps", path } };
    const char *line[7] = { NULL };
    g_autofree char *err = NULL;

    memcpy (line, lines[i], sizeof lines[i]);
    err = run (RLIM_INFINITY, 1, line);
    g_assert_true (g_str_has_prefix (err, "pteris: "));
  }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  signal (SIGXFSZ, SIG_IGN); /* then a write fails instead */
  g_test_add_func ("/hostile/faults-output/run", test_run);
  g_test_add_func ("/hostile/faults-output/npy", test_npy);
  g_test_add_func ("/hostile/faults-output/pack", test_pack);
  g_test_add_func ("/hostile/faults-output/transcript", test_transcript);
  g_test_add_func ("/hostile/faults-output/stdout", test_standard_output);
  g_test_add_func ("/hostile/faults-output/unreadable", test_unreadable);
  return g_test_run ();
}
