/* SPDX-License-Identifier: BSD-3-Clause */

/* pteris transcribe --output and pteris run --output-dir, --trace: what they write, and what they
 * do not destroy. */

#include <string.h>

#include <gio/gio.h>
#include <glib/gstdio.h>

#define FAILED 1

static char *folder;

static char *
place (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

static char *
data (const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "data", name, NULL);
}

/* A copy of the test data @from that may be overwritten. */
static char *
copy (const char *from, const char *name)
{
  g_autofree char *original = data (from), *text = NULL;
  char *path = place (name);
  g_autofree char *parent = g_path_get_dirname (path);
  gsize size;

  g_assert_true (g_file_get_contents (original, &text, &size, NULL));
  g_assert_cmpint (g_mkdir_with_parents (parent, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, text, (gssize) size, NULL));
  return path;
}

static void
check_same (const char *path, const char *original)
{
  g_autofree char *expected_path = data (original), *text = NULL, *expected = NULL;
  gsize size, expected_size;

  g_assert_true (g_file_get_contents (path, &text, &size, NULL));
  g_assert_true (g_file_get_contents (expected_path, &expected, &expected_size, NULL));
  g_assert_cmpmem (text, size, expected, expected_size);
}

/* Runs pteris and returns its stderr. */
static char *
run (int status, const char *const *arguments)
{
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_autofree char *program = g_test_build_filename (G_TEST_BUILT, "..", "app", "pteris", NULL);
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GError) error = NULL;
  char *err = NULL;

  g_ptr_array_add (argv, program);
  for (guint i = 0; arguments[i] != NULL; i++)
    g_ptr_array_add (argv, (gpointer) arguments[i]);
  g_ptr_array_add (argv, NULL);
  process = g_subprocess_newv ((const char *const *) argv->pdata,
                               G_SUBPROCESS_FLAGS_STDOUT_SILENCE | G_SUBPROCESS_FLAGS_STDERR_PIPE,
                               &error);
  g_assert_no_error (error);
  g_subprocess_communicate_utf8 (process, NULL, NULL, NULL, &err, &error);
  g_assert_no_error (error);
  if (g_subprocess_get_exit_status (process) != status)
    g_error ("status %d, and it says: %s", g_subprocess_get_exit_status (process), err);
  return err;
}

#define RUN(status, ...) run (status, (const char *[]){ __VA_ARGS__, NULL })

static void
test_recordings (void)
{
  g_autofree char *model = data ("whisper-mini/model.pte");
  g_autofree char *one = copy ("whisper-mini/audio.wav", "a/x.wav");
  g_autofree char *two = copy ("whisper-mini/audio.wav", "b/x.wav");
  g_autofree char *program = copy ("whisper-mini/model.pte", "other.pte");
  g_autofree char *over_itself = RUN (FAILED, "transcribe", model, one, "-o", one);
  g_autofree char *over_another = RUN (FAILED, "transcribe", model, one, "-o", two);
  g_autofree char *over_a_model = RUN (FAILED, "transcribe", model, one, "-o", program);

  g_assert_nonnull (strstr (over_itself, "is one of the inputs"));
  g_assert_nonnull (strstr (over_another, "is not a text file"));
  g_assert_nonnull (strstr (over_a_model, "is not a text file"));
  check_same (one, "whisper-mini/audio.wav");
  check_same (two, "whisper-mini/audio.wav");
  check_same (program, "whisper-mini/model.pte");
}

/* The tokenizer of the model is text, and as dear. */
static void
test_model (void)
{
  g_autofree char *program = copy ("whisper-mini/model.pte", "model/model.pte");
  g_autofree char *tokenizer = copy ("whisper-mini/tokenizer.json", "model/tokenizer.json");
  g_autofree char *sound = data ("whisper-mini/audio.wav");
  g_autofree char *err = RUN (FAILED, "transcribe", program, sound, "-o", tokenizer);

  g_assert_nonnull (strstr (err, "is one of the inputs"));
  check_same (tokenizer, "whisper-mini/tokenizer.json");
}

static void
check_transcript (const char *name)
{
  g_autofree char *path = place (name);
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_nonnull (strstr (text, "\"segments\""));
}

static void
test_folder (void)
{
  g_autofree char *model = data ("whisper-mini/model.pte");
  g_autofree char *one = copy ("whisper-mini/audio.wav", "a/x.wav");
  g_autofree char *two = copy ("whisper-mini/audio.wav", "b/X.wav");
  g_autofree char *three = copy ("whisper-mini/audio.wav", "a/x-2.wav");
  g_autofree char *out = place ("out"), *fourth = place ("out/x-3.json");
  g_autofree char *err = NULL;

  g_assert_cmpint (g_mkdir_with_parents (out, 0700), ==, 0);
  err = RUN (0, "transcribe", model, one, two, three, "-o", out, "-f", "json");
  check_transcript ("out/x.json");
  check_transcript ("out/X-2.json");
  check_transcript ("out/x-2-2.json");
  g_assert_false (g_file_test (fourth, G_FILE_TEST_EXISTS));
}

/* A recording may have the name of another one's transcript. */
static void
test_folder_of_inputs (void)
{
  g_autofree char *model = data ("whisper-mini/model.pte");
  g_autofree char *one = copy ("whisper-mini/audio.wav", "c/x.wav");
  g_autofree char *two = copy ("whisper-mini/audio.wav", "c/x.txt");
  g_autofree char *out = place ("c");
  g_autofree char *err = RUN (FAILED, "transcribe", model, one, two, "-o", out);

  g_assert_nonnull (strstr (err, "is one of the inputs"));
  check_same (two, "whisper-mini/audio.wav");
}

static void
test_arrays (void)
{
  g_autofree char *model = copy ("tiny/softmax/model.pte", "tiny.pte");
  g_autofree char *bytes = data ("tiny/softmax/s0_in0.bin");
  g_autofree char *out = place ("arrays"), *array = place ("arrays/out0.npy");
  g_autofree char *before = NULL, *after = NULL;
  g_autofree char *first = RUN (0, "run", model, "-i", bytes, "-o", out);
  g_autofree char *again = RUN (0, "run", model, "-i", bytes, "-o", out);
  g_autofree char *over_itself = NULL, *over_model = NULL;
  gsize size, size_after;

  g_assert_true (g_file_get_contents (array, &before, &size, NULL));
  over_itself = RUN (FAILED, "run", model, "-i", array, "-o", out);
  g_assert_nonnull (strstr (over_itself, "is one of the inputs"));
  g_assert_true (g_file_get_contents (array, &after, &size_after, NULL));
  g_assert_cmpmem (before, size, after, size_after);
  over_model = RUN (FAILED, "run", model, "-i", bytes, "--trace", model);
  g_assert_nonnull (strstr (over_model, "is not a text file"));
  check_same (model, "tiny/softmax/model.pte");
}

static void
remove_all (const char *path)
{
  GDir *dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *child = g_build_filename (path, name, NULL);

    remove_all (child);
  }
  g_clear_pointer (&dir, g_dir_close);
  g_remove (path);
}

int
main (int argc, char **argv)
{
  int status;

  g_setenv ("PTERIS_MODELS", "/nowhere", TRUE);
  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("pteris-outputs-XXXXXX", NULL);
  g_test_add_func ("/outputs/recordings", test_recordings);
  g_test_add_func ("/outputs/model", test_model);
  g_test_add_func ("/outputs/folder", test_folder);
  g_test_add_func ("/outputs/folder-of-inputs", test_folder_of_inputs);
  g_test_add_func ("/outputs/arrays", test_arrays);
  status = g_test_run ();
  remove_all (folder);
  g_free (folder);
  return status;
}
