/* SPDX-License-Identifier: BSD-3-Clause */
#include <glib/gstdio.h>

#include "tools/starter/fetch.h"
#include "tools/starter/pack.h"

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

int
main (int argc, char **argv)
{
  static const char *const formats[] = { "gguf", "ctranslate2" };
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
  return g_test_run ();
}
