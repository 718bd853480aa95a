/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/program/data-file.h"
#include "engine/program/flatbuffer.h"
#include "engine/program/schema.h"

#include <string.h>

#include <glib/gstdio.h>

static char *
tiny (const char *folder, const char *file)
{
  return g_test_build_filename (G_TEST_DIST, "data", "tiny", folder, file, NULL);
}

static void
test_entries (void)
{
  g_autofree char *path = tiny ("external_weights", "weights.ptd");
  g_autoptr (GError) error = NULL;
  g_autoptr (PtDataFile) file = pt_data_file_open (path, &error);
  const PtDataEntry *weight, *bias;

  g_assert_no_error (error);
  g_assert_cmpstr (pt_data_file_path (file), ==, path);
  g_assert_cmpuint (pt_data_file_size (file), ==, 524);
  g_assert_cmpuint (pt_data_file_n_entries (file), ==, 2);
  weight = pt_data_file_entry (file, 0);
  bias = pt_data_file_entry (file, 1);
  g_assert_cmpstr (weight->key, ==, "weight");
  g_assert_true (weight->has_layout);
  g_assert_cmpint (weight->dtype, ==, PT_DTYPE_F32);
  g_assert_cmpuint (weight->rank, ==, 2);
  g_assert_cmpint (weight->sizes[0], ==, 3);
  g_assert_cmpint (weight->sizes[1], ==, 4);
  g_assert_cmpint (weight->dim_order[1], ==, 1);
  g_assert_cmpuint (weight->size, ==, 48);
  g_assert_cmpfloat_with_epsilon (*(const float *) (gconstpointer) weight->data, 0.2576316f, 1e-6);
  g_assert_cmpstr (bias->key, ==, "bias");
  g_assert_cmpuint (bias->size, ==, 12);
}

static void
test_blobs (void)
{
  g_autofree char *path = tiny ("xnnpack_linear_external", "xnn_weights.ptd");
  g_autoptr (GError) error = NULL;
  g_autoptr (PtDataFile) file = pt_data_file_open (path, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < pt_data_file_n_entries (file); i++)
    g_assert_false (pt_data_file_entry (file, i)->has_layout);
}

static PtDataMap *
open_map (const char *first, const char *second, GError **error)
{
  const char *paths[] = { first, second, NULL };

  return pt_data_map_open (paths, error);
}

static void
test_map (void)
{
  g_autofree char *first = tiny ("external_weights", "weights.ptd");
  g_autofree char *second = tiny ("xnnpack_linear_external", "xnn_weights.ptd");
  g_autoptr (GError) error = NULL;
  g_autoptr (PtDataMap) map = open_map (first, second, &error);
  g_autoptr (PtDataMap) none = NULL;
  const PtDataEntry *blob;

  g_assert_no_error (error);
  g_assert_cmpuint (pt_data_map_n_files (map), ==, 2);
  blob = pt_data_file_entry (pt_data_map_file (map, 1), 0);
  g_assert_true (pt_data_map_find (map, blob->key, blob->key_length) == blob);
  g_assert_cmpuint (pt_data_map_find (map, "bias", 4)->size, ==, 12);
  g_assert_null (pt_data_map_find (map, "Bias", 4));
  g_assert_null (pt_data_map_find (map, "bia", 3));
  g_assert_null (pt_data_map_find (NULL, "bias", 4));
  none = open_map (NULL, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (pt_data_map_n_files (none), ==, 0);
  g_assert_null (pt_data_map_find (none, "bias", 4));
}

static void
test_key_twice (void)
{
  g_autofree char *path = tiny ("external_weights", "weights.ptd");
  g_autoptr (GError) error = NULL;

  g_assert_null (open_map (path, path, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_DATA);
  g_assert_nonnull (strstr (error->message, "weights.ptd both contain “"));
}

/* Of which file an entry is; none is foreign by its looks. */
static void
test_file_of (void)
{
  g_autofree char *path = tiny ("external_weights", "weights.ptd");
  g_autoptr (GError) error = NULL;
  g_autoptr (PtDataMap) map = open_map (path, NULL, &error);
  g_autoptr (PtDataFile) other = pt_data_file_open (path, NULL);
  const PtDataEntry *twin = pt_data_file_entry (other, 0);
  const PtDataEntry *entry = pt_data_map_find (map, twin->key, twin->key_length);

  g_assert_no_error (error);
  g_assert_true (pt_data_map_file_of (map, entry) == pt_data_map_file (map, 0));
  g_assert_null (pt_data_map_file_of (map, twin));
}

/* A file without entries is good, but of no use. */
static void
test_no_entries (void)
{
  g_autofree char *path = tiny ("external_weights", "weights.ptd");
  g_autofree char *copy = g_build_filename (g_get_tmp_dir (), "pteris-XXXXXX.ptd", NULL);
  g_autofree char *contents = NULL;
  g_autoptr (PtDataFile) file = NULL;
  g_autoptr (GError) error = NULL;
  int fd = g_mkstemp (copy);
  PtFbVec named;
  gsize size;

  g_assert_true (g_close (fd, NULL));
  g_assert_true (g_file_get_contents (path, &contents, &size, NULL));
  named = pt_fb_vec (pt_fb_root ((const guint8 *) contents), SLOT_DATA_FILE_NAMED);
  memset ((guint8 *) named.items - sizeof (guint32), 0, sizeof (guint32));
  g_assert_true (g_file_set_contents (copy, contents, (gssize) size, NULL));
  file = pt_data_file_open (copy, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (pt_data_file_n_entries (file), ==, 0);
  g_assert_null (open_map (copy, NULL, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_DATA);
  g_assert_nonnull (strstr (error->message, "contains no data"));
  g_unlink (copy);
}

static void
assert_refused (const guint8 *contents, gsize size, const char *words)
{
  g_autofree char *path = g_build_filename (g_get_tmp_dir (), "pteris-XXXXXX.ptd", NULL);
  g_autoptr (GError) error = NULL;
  int fd = g_mkstemp (path);

  g_assert_true (g_close (fd, NULL));
  g_assert_true (g_file_set_contents (path, (const char *) contents, (gssize) size, NULL));
  g_assert_null (pt_data_file_open (path, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_DATA);
  if (strstr (error->message, words) == NULL)
    g_error ("“%s” is not in “%s”", words, error->message);
  g_unlink (path);
}

static void
test_headers (void)
{
  static const struct {
    gsize at;
    guint64 value;
    const char *words;
  } damage[] = {
    { 8, 0x2731304846, "header is missing" },
    { 16, G_MAXUINT64, "invalid sizes" },
    { 24, 600, "bytes are missing" },
    { 32, G_MAXUINT64, "invalid sizes" },
    { 40, 141, "1 of 525 bytes are missing" },
    { 32, 0x200, "bytes are missing" },
    { 24, 100, "is damaged" },
  };
  g_autofree char *path = tiny ("external_weights", "weights.ptd");
  g_autofree char *contents = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (path, &contents, &size, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (damage); i++) {
    g_autofree guint8 *copy = g_memdup2 (contents, size);

    memcpy (copy + damage[i].at, &damage[i].value, sizeof (guint64));
    assert_refused (copy, size, damage[i].words);
  }
  for (gsize cut = 8; cut < size; cut += 7)
    assert_refused ((const guint8 *) contents, cut, "bytes are missing");
}

/* Damage anywhere is refused or leaves entries that can be read completely. */
static void
test_damaged (void)
{
  g_autofree char *path = tiny ("external_weights", "weights.ptd");
  g_autofree char *copy = g_build_filename (g_get_tmp_dir (), "pteris-XXXXXX.ptd", NULL);
  g_autofree char *contents = NULL;
  int fd = g_mkstemp (copy);
  guint64 sum = 0;
  gsize size;

  g_assert_true (g_close (fd, NULL));
  g_assert_true (g_file_get_contents (path, &contents, &size, NULL));
  for (gsize at = 0; at < size; at++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (PtDataFile) file = NULL;
    char before = contents[at];

    contents[at] = (char) (before ^ (at % 2 != 0 ? 0x5a : 0x01));
    g_assert_true (g_file_set_contents (copy, contents, (gssize) size, NULL));
    contents[at] = before;
    file = pt_data_file_open (copy, &error);
    g_assert_true (file != NULL || error->domain == PT_ERROR);
    for (guint i = 0; file != NULL && i < pt_data_file_n_entries (file); i++) {
      const PtDataEntry *entry = pt_data_file_entry (file, i);

      for (gsize k = 0; k < entry->size; k++)
        sum += entry->data[k];
    }
  }
  g_assert_cmpuint (sum, >, 0);
  g_unlink (copy);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data-file/file-of", test_file_of);
  g_test_add_func ("/data-file/no-entries", test_no_entries);
  g_test_add_func ("/data-file/entries", test_entries);
  g_test_add_func ("/data-file/blobs", test_blobs);
  g_test_add_func ("/data-file/map", test_map);
  g_test_add_func ("/data-file/key-twice", test_key_twice);
  g_test_add_func ("/data-file/headers", test_headers);
  g_test_add_func ("/data-file/damaged", test_damaged);
  return g_test_run ();
}
