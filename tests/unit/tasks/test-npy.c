/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/run/npy.h"
#include "tests/unit/tasks/fixtures.h"

#include <string.h>

#include <glib/gstdio.h>

static char *folder;

static char *
path_of (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

/* A file with this dictionary and these elements. */
static char *
make_npy (int version, const char *dictionary, gconstpointer data, gsize size)
{
  /* Each has a name of its own: Windows replaces no file that is mapped. */
  static guint n_made;
  g_autofree char *name = g_strdup_printf ("%u-made.npy", n_made++);
  char *path = path_of (name);
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  gsize length = strlen (dictionary);
  const guint8 head[] = {
    0x93, 'N', 'U', 'M', 'P', 'Y', (guint8) version, 0, (guint8) length, (guint8) (length >> 8),
    0,    0
  };

  g_byte_array_append (bytes, head, version == 1 ? 10 : 12);
  g_byte_array_append (bytes, (const guint8 *) dictionary, (guint) length);
  g_byte_array_append (bytes, data, (guint) size);
  g_assert_true (g_file_set_contents (path, (const char *) bytes->data, bytes->len, NULL));
  return path;
}

static PtTensorFile *
read_made (int version, const char *dictionary, gconstpointer data, gsize size)
{
  g_autofree char *path = make_npy (version, dictionary, data, size);
  GError *error = NULL;
  PtTensorFile *file = pt_npy_read (path, &error);

  g_assert_no_error (error);
  return file;
}

static void
refuses (const char *dictionary, gsize size, PtError code)
{
  static const guint8 zeros[256];
  g_autofree char *path = make_npy (1, dictionary, zeros, size);
  g_autoptr (GError) error = NULL;

  g_assert_null (pt_npy_read (path, &error));
  g_assert_error (error, PT_ERROR, (int) code);
  g_assert_nonnull (strstr (error->message, "made.npy"));
}

static void
test_read (void)
{
  const float numbers[] = { 1, 2, 3, 4, 5, 6 };
  g_autoptr (PtTensorFile) plain =
      read_made (1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }  \n", numbers, 24);
  g_autoptr (PtTensorFile) second =
      read_made (2, "{\"shape\": (6,), \"fortran_order\": False, \"descr\": \"=f4\"}", numbers, 24);
  g_autoptr (PtTensorFile) columns =
      read_made (1, "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}", numbers, 24);
  g_autoptr (PtTensorFile) scalar =
      read_made (1, "{'descr': '<f4', 'fortran_order': False, 'shape': ()}", numbers, 4);

  g_assert_cmpint (plain->tensor.dtype, ==, PT_DTYPE_F32);
  g_assert_cmpuint (plain->tensor.rank, ==, 2);
  g_assert_cmpint (plain->tensor.sizes[1], ==, 3);
  g_assert_cmpmem (plain->tensor.data, 24, numbers, 24);
  g_assert_cmpuint (second->tensor.rank, ==, 1);
  g_assert_cmpfloat (((const float *) columns->tensor.data)[1], ==, 3);
  g_assert_true (pt_tensor_is_contiguous (&columns->tensor));
  g_assert_cmpuint (scalar->tensor.rank, ==, 0);
  g_assert_cmpuint (scalar->tensor.numel, ==, 1);
}

static void
test_refuse (void)
{
  refuses ("{'descr': '>f4', 'fortran_order': False, 'shape': (2,)}", 8, PT_ERROR_UNSUPPORTED);
  refuses ("{'descr': '|O', 'fortran_order': False, 'shape': (2,)}", 8, PT_ERROR_UNSUPPORTED);
  refuses ("{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}", 8, PT_ERROR_FORMAT);
  refuses ("{'descr': '<f4', 'fortran_order': False}", 8, PT_ERROR_FORMAT);
  refuses ("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,)}", 8, PT_ERROR_FORMAT);
  refuses ("{'descr': '<f4', 'fortran_order': False, 'shape': (2,", 8, PT_ERROR_FORMAT);
  refuses ("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}", 8, PT_ERROR_FORMAT);
  refuses ("{'descr': '<f4", 8, PT_ERROR_FORMAT);
  refuses ("", 0, PT_ERROR_FORMAT);
  refuses ("{'descr': '<f4', 'fortran_order': False, 'shape': (9999999999999999999,)}", 8,
           PT_ERROR_FORMAT);
  refuses ("{'descr': '<f8', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", 8,
           PT_ERROR_ARGUMENT);
  refuses ("{'descr': '<f4', 'fortran_order': False, "
           "'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}",
           8, PT_ERROR_FORMAT);
}

/* Every prefix of a good file is refused without reading past its end. */
static void
test_truncated (void)
{
  const float numbers[] = { 1, 2 };
  g_autofree char *path = make_npy (1, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
                                    numbers, sizeof numbers);
  g_autofree char *bytes = NULL;
  gsize size, i;

  g_assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  for (i = 0; i < size; i++) {
    g_assert_true (g_file_set_contents (path, bytes, (gssize) i, NULL));
    g_assert_null (pt_npy_read (path, NULL));
  }
}

static void
check_round_trip (PtDType dtype, PtDType read_as)
{
  const gint64 sizes[] = { 3, 2 };
  guint8 bytes[6 * 16];
  g_autofree char *path = path_of ("round.npy");
  g_autoptr (PtTensorFile) back = NULL;
  GError *error = NULL;
  PtTensor tensor;
  guint i;

  for (i = 0; i < sizeof bytes; i++)
    bytes[i] = (guint8) i;
  g_assert_true (pt_tensor_init (&tensor, dtype, 2, sizes, NULL, bytes, NULL));
  pt_npy_write (path, &tensor, NULL, &error);
  g_assert_no_error (error);
  back = pt_npy_read (path, &error);
  g_assert_no_error (error);
  g_assert_cmpint (back->tensor.dtype, ==, read_as);
  g_assert_true (pt_tensor_same_shape (&back->tensor, &tensor));
  g_assert_cmpmem (back->tensor.data, pt_tensor_nbytes (&tensor), bytes,
                   pt_tensor_nbytes (&tensor));
}

static void
test_round_trip (void)
{
  check_round_trip (PT_DTYPE_F32, PT_DTYPE_F32);
  check_round_trip (PT_DTYPE_I64, PT_DTYPE_I64);
  check_round_trip (PT_DTYPE_BOOL, PT_DTYPE_BOOL);
  check_round_trip (PT_DTYPE_F16, PT_DTYPE_F16);
  check_round_trip (PT_DTYPE_C64, PT_DTYPE_C64);
  check_round_trip (PT_DTYPE_BF16, PT_DTYPE_U16);
  check_round_trip (PT_DTYPE_QI8, PT_DTYPE_I8);
}

static void
test_write_in_c_order (void)
{
  const gint64 sizes[] = { 2, 3 };
  const guint8 order[] = { 1, 0 };
  guint8 bytes[] = { 0, 3, 1, 4, 2, 5 };
  const guint8 expected[] = { 0, 1, 2, 3, 4, 5 };
  g_autofree char *path = path_of ("order.npy");
  g_autoptr (PtTensorFile) back = NULL;
  PtTensor tensor;

  g_assert_true (pt_tensor_init (&tensor, PT_DTYPE_U8, 2, sizes, order, bytes, NULL));
  g_assert_true (pt_npy_write (path, &tensor, NULL, NULL));
  back = pt_npy_read (path, NULL);
  g_assert_cmpmem (back->tensor.data, 6, expected, 6);
}

static void
test_raw (void)
{
  const gint64 sizes[] = { 2, 3 }, empty[] = { 0, 3 };
  g_autofree char *path = path_of ("raw.bin");
  g_autofree char *nothing = path_of ("empty.bin");
  g_autoptr (PtTensorFile) file = NULL, none = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_set_contents (path, "abcdef", 6, NULL));
  g_assert_true (g_file_set_contents (nothing, "", 0, NULL));
  file = pt_raw_read (path, PT_DTYPE_U8, 2, sizes, NULL, NULL);
  g_assert_nonnull (file);
  g_assert_true (file->tensor.is_constant);
  none = pt_raw_read (nothing, PT_DTYPE_F32, 2, empty, NULL, NULL);
  g_assert_nonnull (none);
  g_assert_null (pt_raw_read (path, PT_DTYPE_F32, 2, sizes, NULL, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_ARGUMENT);
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("pteris-npy-XXXXXX", NULL);
  g_test_add_func ("/tasks/npy/read", test_read);
  g_test_add_func ("/tasks/npy/refuse", test_refuse);
  g_test_add_func ("/tasks/npy/truncated", test_truncated);
  g_test_add_func ("/tasks/npy/round-trip", test_round_trip);
  g_test_add_func ("/tasks/npy/write-in-c-order", test_write_in_c_order);
  g_test_add_func ("/tasks/npy/raw", test_raw);
  result = g_test_run ();
  remove_folder (folder);
  g_free (folder);
  return result;
}
