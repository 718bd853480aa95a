/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <glib/gstdio.h>

#include "tools/starter/fetch.h"
#include "tools/starter/pack.h"
#include "tools/starter/zip.h"

typedef struct {
  char *folder; /* below tests/data */
  char *temporary;
  char *output;
  GBytes *weights;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer format)
{
  g_autofree char *path = NULL;
  g_autoptr (GError) error = NULL;
  char *contents;
  gsize size;

  fixture->folder = g_test_build_filename (G_TEST_DIST, "data", "starter-packer", format, NULL);
  fixture->temporary = g_dir_make_tmp ("pteris-starter-XXXXXX", NULL);
  fixture->output = g_build_filename (fixture->temporary, "model.ptd", NULL);
  path = g_build_filename (fixture->folder, "weights.bin", NULL);
  g_file_get_contents (path, &contents, &size, &error);
  g_assert_no_error (error);
  fixture->weights = g_bytes_new_take (contents, size);
}

static void
tear_down (Fixture *fixture, gconstpointer format)
{
  fetch_remove_folder (fixture->temporary);
  g_assert_false (g_file_test (fixture->temporary, G_FILE_TEST_EXISTS));
  g_bytes_unref (fixture->weights);
  g_free (fixture->folder);
  g_free (fixture->temporary);
  g_free (fixture->output);
}

static void
on_progress (double fraction, gpointer user_data)
{
  double *last = user_data;

  g_assert_cmpfloat (fraction, >=, *last);
  g_assert_cmpfloat (fraction, <=, 1);
  *last = fraction;
}

/* The expected bytes were written by the numpy reference. */
static void
test_same_as_reference (Fixture *fixture, gconstpointer format)
{
  g_autofree char *expected_path = g_build_filename (fixture->folder, "expected.bin", NULL);
  g_autofree char *expected = NULL;
  g_autofree char *got = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (Source) source = source_open (format, fixture->weights, &error);
  gsize expected_size, got_size;
  double last = 0;

  g_assert_no_error (error);
  pack_data_file (fixture->folder, source, fixture->output, NULL, on_progress, &last, &error);
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (expected_path, &expected, &expected_size, NULL));
  g_assert_true (g_file_get_contents (fixture->output, &got, &got_size, NULL));
  g_assert_cmpmem (got, got_size, expected, expected_size);
}

static guint
count_files (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

static void
test_wrong_sum_leaves_nothing (Fixture *fixture, gconstpointer format)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (Source) source = source_open (format, fixture->weights, NULL);
  double last = 0;

  g_assert_false (
      pack_data_file (fixture->folder, source, fixture->output, "00", on_progress, &last, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA);
  g_assert_cmpuint (count_files (fixture->temporary), ==, 0);
}

/* Every cut of the weights is refused when it is opened, or still has all that the manifest wants.
 */
static void
test_truncated (Fixture *fixture, gconstpointer format)
{
  gsize size = g_bytes_get_size (fixture->weights);
  gsize cut;

  for (cut = 0; cut < size; cut++) {
    g_autoptr (GBytes) part = g_bytes_new (g_bytes_get_data (fixture->weights, NULL), cut);
    g_autoptr (GError) error = NULL;
    g_autoptr (Source) source = source_open (format, part, &error);

    g_assert_null (source);
    g_assert_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA);
  }
}

static void
test_unknown_tensor (Fixture *fixture, gconstpointer format)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (Source) source = source_open (format, fixture->weights, NULL);

  g_assert_null (source_find (source, "no.such.tensor", &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
}

/* Shapes and places that do not fit in the file. */
static void
test_safetensors_refused (void)
{
  static const char *const headers[] = {
    "[]",
    "{\"a\": 1}",
    "{\"a\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [0, 12]}}",
    "{\"a\": {\"dtype\": \"F32\", \"shape\": [3], \"data_offsets\": [0, 8]}}",
    "{\"a\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [-8, 0]}}",
    "{\"a\": {\"dtype\": \"F32\", \"shape\": [2], \"data_offsets\": [8, 0]}}",
    "{\"a\": {\"dtype\": \"F32\", \"shape\": [-2], \"data_offsets\": [0, 8]}}",
    "{\"a\": {\"dtype\": \"F32\", \"shape\": [1, 1, 1, 1, 1], \"data_offsets\": [0, 8]}}",
    "{\"a\": {\"dtype\": \"F32\", \"shape\": [4294967296, 4294967296, 4], "
    "\"data_offsets\": [0, 8]}}",
  };

  for (guint i = 0; i < G_N_ELEMENTS (headers); i++) {
    g_autoptr (GByteArray) file = g_byte_array_new ();
    guint64 length = GUINT64_TO_LE (strlen (headers[i]));
    g_autoptr (GBytes) bytes = NULL;
    g_autoptr (Source) source = NULL;
    g_autoptr (GError) error = NULL;

    g_byte_array_append (file, (const guint8 *) &length, 8);
    g_byte_array_append (file, (const guint8 *) headers[i], (guint) strlen (headers[i]));
    g_byte_array_append (file, (const guint8 *) "\0\0\0\0\0\0\0\0", 8);
    bytes = g_byte_array_free_to_bytes (g_steal_pointer (&file));
    source = source_open ("safetensors", bytes, &error);
    g_assert_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA);
    g_assert_null (source);
  }
}

/* Tensors one after the other in a file without a header. */
static void
test_raw (void)
{
  static const float numbers[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
  static const char *const refused[] = {
    "[{\"name\": \"a\", \"shape\": [9]}]",
    "[{\"name\": \"a\", \"shape\": [8]}, {\"name\": \"b\", \"shape\": [1]}]",
    "[{\"name\": \"a\", \"shape\": []}]",
    "[{\"shape\": [1]}]",
    "[{\"name\": \"a\", \"shape\": [4611686018427387904, 4]}]",
  };
  g_autoptr (GBytes) bytes = g_bytes_new_static (numbers, sizeof numbers);
  json_t *tensors = json_pack ("[{s:s, s:[i, i]}, {s:s, s:[i]}]", "name", "a", "shape", 2, 3,
                               "name", "b", "shape", 2);
  g_autoptr (GError) error = NULL;
  g_autoptr (Source) source = source_open_raw (tensors, bytes, &error);
  float row[3];

  json_decref (tensors);
  g_assert_no_error (error);
  source_read_row (source_find (source, "a", NULL), 1, row);
  g_assert_cmpmem (row, sizeof row, numbers + 3, sizeof row);
  source_read_row (source_find (source, "b", NULL), 1, row);
  g_assert_cmpfloat (row[0], ==, 8);
  for (guint i = 0; i < G_N_ELEMENTS (refused); i++) {
    g_autoptr (GError) why = NULL;

    tensors = json_loads (refused[i], 0, NULL);
    g_assert_null (source_open_raw (tensors, bytes, &why));
    g_assert_error (why, G_IO_ERROR, G_IO_ERROR_INVALID_DATA);
    json_decref (tensors);
  }
}

static guint8 *
read_archive (gsize *size)
{
  g_autofree char *path =
      g_test_build_filename (G_TEST_DIST, "data", "starter-packer", "archive.zip", NULL);
  char *contents;

  g_assert_true (g_file_get_contents (path, &contents, size, NULL));
  return (guint8 *) contents;
}

static void
test_zip (void)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "starter-packer",
                                                 "safetensors", "weights.bin", NULL);
  g_autofree char *expected = NULL;
  g_autoptr (GError) error = NULL;
  gsize size, expected_size, n;
  guint8 *contents = read_archive (&size);
  g_autoptr (GBytes) archive = g_bytes_new_take (contents, size);
  g_autoptr (GBytes) deflated = zip_read (archive, "weights.bin", &error);
  g_autoptr (GBytes) stored = zip_read (archive, "stored.bin", NULL);

  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &expected, &expected_size, NULL));
  g_assert_cmpmem (g_bytes_get_data (deflated, NULL), g_bytes_get_size (deflated), expected,
                   expected_size);
  g_assert_nonnull (stored);
  g_assert_cmpmem (g_bytes_get_data (stored, &n), g_bytes_get_size (stored), expected, 100);
  g_assert_null (zip_read (archive, "absent.bin", &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND);
}

/* Cut archives are refused; changed ones give an error or bytes, and read nothing outside. */
static void
test_zip_damaged (void)
{
  gsize size;
  g_autofree guint8 *contents = read_archive (&size);
  const gsize comment = strlen ("a comment");

  for (gsize cut = 0; cut < size - comment; cut++) {
    g_autoptr (GBytes) part = g_bytes_new (contents, cut);

    g_assert_null (zip_read (part, "weights.bin", NULL));
  }
  for (gsize at = 0; at < size; at++) {
    for (guint bit = 0; bit < 8; bit++) {
      g_autofree guint8 *changed = g_memdup2 (contents, size);
      g_autoptr (GBytes) archive = NULL;
      g_autoptr (GBytes) bytes = NULL;

      changed[at] ^= (guint8) (1u << bit);
      archive = g_bytes_new_take (g_steal_pointer (&changed), size);
      bytes = zip_read (archive, "weights.bin", NULL);
    }
  }
}

int
main (int argc, char **argv)
{
  static const char *const formats[] = { "gguf", "ctranslate2", "safetensors" };
  guint i;

  g_test_init (&argc, &argv, NULL);
  for (i = 0; i < G_N_ELEMENTS (formats); i++) {
    const char *format = formats[i];

#define ADD(name, func)                                                       \
  do {                                                                        \
    g_autofree char *path = g_strdup_printf ("/starter/%s/%s", format, name); \
    g_test_add (path, Fixture, format, set_up, func, tear_down);              \
  } while (0)
    ADD ("same-as-reference", test_same_as_reference);
    ADD ("wrong-sum", test_wrong_sum_leaves_nothing);
    ADD ("truncated", test_truncated);
    ADD ("unknown-tensor", test_unknown_tensor);
  }
  g_test_add_func ("/starter/safetensors/refused", test_safetensors_refused);
  g_test_add_func ("/starter/raw", test_raw);
  g_test_add_func ("/starter/zip/read", test_zip);
  g_test_add_func ("/starter/zip/damaged", test_zip_damaged);
  return g_test_run ();
}
