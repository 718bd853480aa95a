/* SPDX-License-Identifier: BSD-3-Clause */

/* An output does not replace files that are read or are not its own. */

#include "engine/base/output.h"

#include <errno.h>
#include <string.h>

#include <glib/gstdio.h>

#ifdef G_OS_UNIX
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

static char *folder;

static char *
place (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

static char *
make (const char *name, const char *bytes, gssize size)
{
  char *path = place (name);

  g_assert_true (g_file_set_contents (path, bytes, size, NULL));
  return path;
}

static void
check_text (const char *path, const char *expected)
{
  g_autofree char *text = NULL;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, expected);
}

static gboolean
write_text (const char *path, const char *const *inputs, const char *text, GError **error)
{
  const PtOutputPart parts[] = { { text, 1 }, { text + 1, strlen (text) - 1 } };

  return pt_output_write (path, PT_OUTPUT_TEXT, inputs, parts, G_N_ELEMENTS (parts), error);
}

static void
refuse (const char *path, PtOutputKind kind, const char *const *inputs, const char *words)
{
  g_autoptr (GError) error = NULL;
  const PtOutputPart part = { "new", 3 };
  g_autofree char *before = NULL, *after = NULL;
  gsize size = 0, size_after = 0;

  g_file_get_contents (path, &before, &size, NULL);
  g_assert_false (pt_output_write (path, kind, inputs, &part, 1, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_FILE);
  if (strstr (error->message, words) == NULL)
    g_error ("%s", error->message);
  g_file_get_contents (path, &after, &size_after, NULL);
  g_assert_cmpmem (before, size, after, size_after);
}

static void
test_replace (void)
{
  g_autofree char *path = make ("words.txt", "before, in \xe9 of Latin-1\n", -1);
  g_autofree char *empty = make ("empty.wav", "", 0);
  g_autofree char *fresh = place ("fresh.txt");
  g_autofree char *nowhere = g_build_filename (folder, "none", "x.txt", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (write_text (path, NULL, "after", &error));
  check_text (path, "after");
  g_assert_true (write_text (empty, NULL, "after", &error));
  check_text (empty, "after");
  g_assert_true (write_text (fresh, NULL, "after", &error));
  check_text (fresh, "after");
  g_assert_no_error (error);
  refuse (nowhere, PT_OUTPUT_TEXT, NULL, "cannot be written");
}

/* An answer with control characters is a text when it is UTF-8, wherever the bytes read end. */
static void
test_control_characters (void)
{
  for (guint shift = 0; shift < 4; shift++) {
    g_autoptr (GString) text = g_string_new ("\x01\x07 bell");
    g_autofree char *path = NULL;
    g_autoptr (GError) error = NULL;

    for (guint i = 0; i < shift; i++)
      g_string_append_c (text, '.');
    while (text->len < 5000)
      g_string_append (text, "\xf0\x9f\x8c\xbf");
    path = make ("answer.md", text->str, (gssize) text->len);
    g_assert_true (write_text (path, NULL, "after", &error));
    g_assert_no_error (error);
    check_text (path, "after");
    g_string_insert_c (text, 100, '\xff');
    g_assert_true (g_file_set_contents (path, text->str, (gssize) text->len, NULL));
    refuse (path, PT_OUTPUT_TEXT, NULL, "is not a text file");
  }
}

static void
test_kinds (void)
{
  static const struct {
    const char *name, *bytes;
    gssize size;
  } files[] = {
    { "sound.wav", "RIFF\x24\0\0\0WAVEfmt ", 16 }, { "sound.txt", "RIFF\x24\0\0\0WAVEfmt ", 16 },
    { "sound.mp3", "ID3\x03\0\0\0\0\0\x21", 10 },  { "film.mkv", "\x1a\x45\xdf\xa3\x01\0\0\0", 8 },
    { "model.pte", "\x1c\0\0\0ET12", 8 },          { "model.ptd", "\x10\0\0\0FT01", 8 },
  };
  g_autofree char *npy = make ("out0.npy", "\x93NUMPY\x01\0", 8);
  g_autofree char *text = make ("words.txt", "words", -1);
  g_autoptr (GError) error = NULL;
  const PtOutputPart part = { "\x93NUMPY\x02", 7 };

  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree char *path = make (files[i].name, files[i].bytes, files[i].size);

    refuse (path, PT_OUTPUT_TEXT, NULL, "is not a text file");
    refuse (path, PT_OUTPUT_ARRAY, NULL, "is not an array");
  }
  refuse (npy, PT_OUTPUT_TEXT, NULL, "is not a text file");
  refuse (text, PT_OUTPUT_ARRAY, NULL, "is not an array");
  refuse (folder, PT_OUTPUT_TEXT, NULL, "is a folder");
  g_assert_true (pt_output_write (npy, PT_OUTPUT_ARRAY, NULL, &part, 1, &error));
  g_assert_no_error (error);
}

/* A new file never takes the place of another one. */
static void
test_create (void)
{
  g_autofree char *path = place ("created.txt"), *gone = place ("no/such/folder.txt");
  const PtOutputPart first = { "first", 5 }, second = { "second", 6 };

  g_assert_cmpint (pt_output_create (path, &first, 1), ==, 0);
  check_text (path, "first");
  g_assert_cmpint (pt_output_create (path, &second, 1), ==, EEXIST);
  check_text (path, "first");
  g_assert_cmpint (pt_output_replace (path, &second, 1), ==, 0);
  check_text (path, "second");
  g_assert_cmpint (pt_output_create (gone, &first, 1), ==, ENOENT);
}

/* An input is no output, by whatever name. */
static void
test_inputs (void)
{
  g_autofree char *input = make ("input.txt", "words", -1);
  g_autofree char *other = make ("other.txt", "words", -1);
  g_autofree char *missing = place ("missing.txt");
  g_autofree char *hard = place ("hard.txt"), *soft = place ("soft.txt");
  const char *const inputs[] = { missing, input, NULL };
  g_autofree char *detour = g_build_filename (folder, ".", "input.txt", NULL);
  g_autoptr (GError) error = NULL;

  refuse (input, PT_OUTPUT_TEXT, inputs, "is one of the inputs");
  refuse (detour, PT_OUTPUT_TEXT, inputs, "is one of the inputs");
  g_assert_true (write_text (other, inputs, "after", &error));
  g_assert_no_error (error);
#ifdef G_OS_UNIX
  g_assert_cmpint (link (input, hard), ==, 0);
  g_assert_cmpint (symlink ("input.txt", soft), ==, 0);
  refuse (hard, PT_OUTPUT_TEXT, inputs, "is one of the inputs");
  refuse (soft, PT_OUTPUT_TEXT, inputs, "is one of the inputs");
#endif
}

#ifdef G_OS_UNIX

static void
check_link (const char *path)
{
  g_assert_true (g_file_test (path, G_FILE_TEST_IS_SYMLINK));
}

static void
test_links (void)
{
  g_autofree char *real = make ("real.txt", "before", -1);
  g_autofree char *first = place ("first"), *second = place ("second"), *circle = place ("circle");
  g_autofree char *dangling = place ("dangling"), *later = place ("later.txt");
  g_autoptr (GError) error = NULL;
  GStatBuf status;

  g_assert_cmpint (g_chmod (real, 0640), ==, 0);
  g_assert_cmpint (symlink ("real.txt", first), ==, 0);
  g_assert_cmpint (symlink (first, second), ==, 0);
  g_assert_cmpint (symlink ("later.txt", dangling), ==, 0);
  g_assert_cmpint (symlink ("circle", circle), ==, 0);
  g_assert_true (write_text (second, NULL, "after", &error));
  check_link (first);
  check_link (second);
  check_text (real, "after");
  g_assert_cmpint (g_stat (real, &status), ==, 0);
  g_assert_cmpint (status.st_mode & 0777, ==, 0640);
  g_assert_true (write_text (dangling, NULL, "later", &error));
  check_link (dangling);
  check_text (later, "later");
  g_assert_no_error (error);
  refuse (circle, PT_OUTPUT_TEXT, NULL, "cannot be written");
  check_link (circle);
}

static gpointer
read_fifo (gpointer path)
{
  char *text = NULL;

  g_file_get_contents (path, &text, NULL, NULL);
  return text;
}

/* Output to a pipe or device is written directly; the file is not replaced. */
static void
test_streams (void)
{
  g_autofree char *path = place ("pipe"), *text = NULL;
  g_autoptr (GError) error = NULL;
  GThread *reader;
  GStatBuf status;

  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  reader = g_thread_new (NULL, read_fifo, path);
  g_assert_true (write_text (path, NULL, "through the pipe", &error));
  g_assert_no_error (error);
  text = g_thread_join (reader);
  g_assert_cmpstr (text, ==, "through the pipe");
  g_assert_cmpint (g_stat (path, &status), ==, 0);
  g_assert_true (S_ISFIFO (status.st_mode));

  g_assert_true (write_text ("/dev/null", NULL, "nowhere", &error));
  g_assert_cmpint (g_stat ("/dev/null", &status), ==, 0);
  g_assert_true (S_ISCHR (status.st_mode));
  g_assert_false (write_text ("/dev/full", NULL, "much", &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_FILE);
}

/* An open file keeps its place: what is written comes after what is there. */
static void
test_open_files (void)
{
  g_autofree char *path = make ("open.txt", "", 0), *name = NULL;
  g_autoptr (GError) error = NULL;
  int fd = g_open (path, O_WRONLY | O_APPEND | O_CLOEXEC, 0), saved = dup (STDOUT_FILENO);

  g_assert_cmpint (write (fd, "one ", 4), ==, 4);
  fflush (stdout);
  g_assert_cmpint (dup2 (fd, STDOUT_FILENO), ==, STDOUT_FILENO);
  g_assert_true (write_text ("/dev/stdout", NULL, "two", &error));
  g_assert_cmpint (dup2 (saved, STDOUT_FILENO), ==, STDOUT_FILENO);
  g_assert_no_error (error);
  check_text (path, "one two");
  g_close (fd, NULL);
  g_close (saved, NULL);
}

#endif

static void
clean_up (void)
{
  GDir *dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = place (name);

    g_remove (path);
  }
  g_dir_close (dir);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("pteris-output-XXXXXX", NULL);
  g_test_add_func ("/output/replace", test_replace);
  g_test_add_func ("/output/control-characters", test_control_characters);
  g_test_add_func ("/output/kinds", test_kinds);
  g_test_add_func ("/output/inputs", test_inputs);
  g_test_add_func ("/output/create", test_create);
#ifdef G_OS_UNIX
  g_test_add_func ("/output/links", test_links);
  g_test_add_func ("/output/streams", test_streams);
  g_test_add_func ("/output/open-files", test_open_files);
#endif
  status = g_test_run ();
  clean_up ();
  g_free (folder);
  return status;
}
