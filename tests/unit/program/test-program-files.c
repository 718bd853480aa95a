/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/program/data-file.h"
#include "engine/program/program-file.h"

#include <string.h>

#include <glib/gstdio.h>
#ifndef G_OS_WIN32
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

/* The container: headers, lengths, and files that are something else. */

enum { AT_LENGTH = 12, AT_PROGRAM_SIZE = 16, AT_BASE = 24, AT_SEGMENT_SIZE = 32 };

static GByteArray *
read_case (const char *name)
{
  GByteArray *array = g_byte_array_new ();
  g_autofree char *contents = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (
      g_test_get_filename (G_TEST_DIST, "data", "tiny", name, "model.pte", NULL), &contents, &size,
      NULL));
  g_byte_array_append (array, (guint8 *) contents, (guint) size);
  return array;
}

static PtProgram *
open_bytes (const GByteArray *array, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (array->data, array->len);

  return pt_program_new (bytes, "model.pte", error);
}

static void
put_u32 (GByteArray *array, gsize at, guint32 value)
{
  memcpy (array->data + at, &value, sizeof value);
}

static void
put_u64 (GByteArray *array, gsize at, guint64 value)
{
  memcpy (array->data + at, &value, sizeof value);
}

static void
assert_refused (const GByteArray *array, PtError code, const char *words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PtProgram) program = open_bytes (array, &error);

  g_assert_null (program);
  g_assert_error (error, PT_ERROR, (int) code);
  g_assert_nonnull (strstr (error->message, "model.pte"));
  if (strstr (error->message, words) == NULL)
    g_error ("“%s” is not in “%s”", words, error->message);
}

static void
assert_accepted (const GByteArray *array)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PtProgram) program = open_bytes (array, &error);

  g_assert_no_error (error);
}

static void
test_accepted_headers (void)
{
  g_autoptr (GByteArray) array = read_case ("linear");
  guint8 more[64] = { 0 };

  assert_accepted (array);
  put_u32 (array, AT_LENGTH, 200); /* a later, longer header */
  assert_accepted (array);
  put_u32 (array, AT_LENGTH, 24); /* one without the segments' size */
  put_u64 (array, AT_SEGMENT_SIZE, G_MAXUINT64);
  assert_accepted (array);
  g_byte_array_append (array, more, sizeof more);
  assert_accepted (array);
}

static void
test_refused_headers (void)
{
  static const struct {
    gsize at;
    guint64 value;
    const char *words;
  } damage[] = {
    { AT_PROGRAM_SIZE, 7, "invalid size" },
    { AT_PROGRAM_SIZE, 0, "invalid size" },
    { AT_PROGRAM_SIZE, 1597, "1 of 1597 bytes are missing" },
    { AT_PROGRAM_SIZE, G_MAXUINT64, "invalid sizes" },
    { AT_PROGRAM_SIZE, 1580, "segments into the tables" },
    { AT_BASE, 0, "segments into the tables" },
    { AT_BASE, 128, "segments into the tables" },
    { AT_BASE, G_MAXUINT64 - 8, "invalid sizes" },
    { AT_BASE, 1540, "4 of 1600 bytes are missing" },
    { AT_SEGMENT_SIZE, 61, "1 of 1597 bytes are missing" },
    { AT_SEGMENT_SIZE, G_MAXUINT64, "invalid sizes" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (damage); i++) {
    g_autoptr (GByteArray) array = read_case ("linear");

    put_u64 (array, damage[i].at, damage[i].value);
    assert_refused (array, PT_ERROR_PROGRAM, damage[i].words);
  }
}

/* Every length that is too short says how much is missing, and nothing is read behind it. */
static void
test_cut_short (void)
{
  g_autoptr (GByteArray) array = read_case ("linear");
  guint size = array->len;

  assert_accepted (array);
  for (guint cut = 8; cut < size; cut++) {
    g_autoptr (GByteArray) part = g_byte_array_new ();

    g_byte_array_append (part, array->data, cut);
    assert_refused (part, PT_ERROR_PROGRAM, "bytes are missing");
  }
}

static void
test_identifiers (void)
{
  g_autoptr (GByteArray) array = read_case ("linear");

  memcpy (array->data + 4, "ET13", 4);
  assert_refused (array, PT_ERROR_FORMAT, "of the format ET13");
  memcpy (array->data + 4, "FT01", 4);
  assert_refused (array, PT_ERROR_FORMAT, "data file");
  memcpy (array->data + 4, "BP08", 4);
  assert_refused (array, PT_ERROR_FORMAT, "bundled");
  memcpy (array->data + 4, "ETxx", 4);
  assert_refused (array, PT_ERROR_FORMAT, "does not carry the identifier ET12");
  memcpy (array->data + 8, "ED00", 4);
  assert_refused (array, PT_ERROR_FORMAT, "profile (ETDump)");
  memset (array->data + 8, 0, 4);
  memcpy (array->data, "GGUF", 4);
  assert_refused (array, PT_ERROR_FORMAT, "GGUF");
  g_byte_array_set_size (array, 3);
  assert_refused (array, PT_ERROR_FORMAT, "does not carry the identifier ET12");
}

/* ---- Paths ---- */

static void
assert_no_program (const char *path, PtError code, const char *words)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PtProgram) program = pt_program_open (path, &error);

  g_assert_null (program);
  g_assert_error (error, PT_ERROR, (int) code);
  g_assert_nonnull (strstr (error->message, words));
}

#ifndef G_OS_WIN32
/* Every file that the process may have is open. */
static void
assert_no_file_left (const char *path)
{
  struct rlimit before, none;

  getrlimit (RLIMIT_NOFILE, &before);
  none = before;
  none.rlim_cur = 0;
  setrlimit (RLIMIT_NOFILE, &none);
  assert_no_program (path, PT_ERROR_FILE, "cannot be opened: Too many open files");
  setrlimit (RLIMIT_NOFILE, &before);
}
#endif

static void
test_paths (void)
{
  g_autofree char *folder = g_dir_make_tmp ("pteris-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "x.pte", NULL);

  assert_no_program (path, PT_ERROR_FILE, "There is no file");
  assert_no_program (folder, PT_ERROR_FILE, "is not a file");
  g_file_set_contents (path, "", 0, NULL);
  assert_no_program (path, PT_ERROR_FORMAT, "is empty");
  g_file_set_contents (path, "A text that somebody renamed.", -1, NULL);
  assert_no_program (path, PT_ERROR_FORMAT, "is not an ExecuTorch program");
#ifndef G_OS_WIN32
  assert_no_file_left (path);
  g_unlink (path);
  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  assert_no_program (path, PT_ERROR_FILE, "is not a file");
#endif
  g_unlink (path);
  g_rmdir (folder);
}

static void
test_exchanged (void)
{
  const char *data =
      g_test_get_filename (G_TEST_DIST, "data", "tiny", "external_weights", "weights.ptd", NULL);
  const char *program =
      g_test_get_filename (G_TEST_DIST, "data", "tiny", "linear", "model.pte", NULL);
  g_autoptr (GError) error = NULL;

  assert_no_program (data, PT_ERROR_FORMAT, "data file");
  g_assert_null (pt_data_file_open (program, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_FORMAT);
  g_assert_nonnull (strstr (error->message, "an ExecuTorch program, which"));
}

/* Folders as people name them, and longer than old systems allow. */
static void
test_names (void)
{
  static const char *const FOLDERS[] = { "Модели и файлы", "模型 (二)", "fern 🌿 & Größe", "%s%n" };
  g_autoptr (GByteArray) array = read_case ("linear");
  g_autofree char *home = g_dir_make_tmp ("pteris-names-XXXXXX", NULL);
  g_autoptr (GString) folder = g_string_new (home);
  g_autofree char *path = NULL;
  g_autoptr (PtProgram) program = NULL;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; folder->len < 400; i++)
    g_string_append_printf (folder, G_DIR_SEPARATOR_S "%s", FOLDERS[i % G_N_ELEMENTS (FOLDERS)]);
  path = g_build_filename (folder->str, "модель 模型.pte", NULL);
  g_assert_cmpint (g_mkdir_with_parents (folder->str, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, (const char *) array->data, array->len, NULL));
  program = pt_program_open (path, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (pt_program_path (program), ==, path);
  /* A message about it is whole, too. Windows removes no file that is mapped. */
  g_clear_pointer (&program, pt_program_unref);
  g_unlink (path);
  g_assert_null (pt_program_open (path, &error));
  g_assert_nonnull (strstr (error->message, "модель 模型.pte"));
}

#ifndef G_OS_WIN32
static guint64
get_u64 (const GByteArray *array, gsize at)
{
  guint64 value;

  memcpy (&value, array->data + at, sizeof value);
  return value;
}

/* Segments behind 4 GiB, in a file that is mostly a hole. */
static void
test_large_file (void)
{
  const guint64 base = (guint64) 5 << 30;
  g_autoptr (GByteArray) array = read_case ("linear");
  guint64 old_base = get_u64 (array, AT_BASE), segment_size = get_u64 (array, AT_SEGMENT_SIZE);
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "pteris-large-XXXXXX", NULL);
  int fd = g_mkstemp (path);
  g_autoptr (PtProgram) program = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (fd, >=, 0);
  put_u64 (array, AT_BASE, base);
  if (pwrite (fd, array->data, old_base, 0) != (gssize) old_base ||
      pwrite (fd, array->data + old_base, segment_size, (off_t) base) != (gssize) segment_size) {
    g_test_skip ("no room for a sparse file");
  } else {
    program = pt_program_open (path, &error);
    g_assert_no_error (error);
    g_assert_cmpuint (pt_program_size (program), ==, base + segment_size);
    g_assert_cmpmem (pt_program_plan (program, 0)->values[0].as_tensor->data, 48,
                     array->data + old_base, 48);
  }
  close (fd);
  g_unlink (path);
}
#endif

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/program/files/accepted-headers", test_accepted_headers);
  g_test_add_func ("/program/files/refused-headers", test_refused_headers);
  g_test_add_func ("/program/files/cut-short", test_cut_short);
  g_test_add_func ("/program/files/identifiers", test_identifiers);
  g_test_add_func ("/program/files/paths", test_paths);
  g_test_add_func ("/program/files/names", test_names);
  g_test_add_func ("/program/files/exchanged", test_exchanged);
#ifndef G_OS_WIN32
  g_test_add_func ("/program/files/large", test_large_file);
#endif
  return g_test_run ();
}
