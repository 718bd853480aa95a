/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/runtime/tensor.h"

#include <string.h>

static PtTensor
make (PtDType dtype, guint rank, const gint64 *sizes, const guint8 *order, gpointer data)
{
  PtTensor tensor;
  GError *error = NULL;

  pt_tensor_init (&tensor, dtype, rank, sizes, order, data, &error);
  g_assert_no_error (error);
  return tensor;
}

static void
test_strides (void)
{
  const gint64 sizes[] = { 2, 3, 4, 5 };
  const guint8 order[] = { 0, 2, 3, 1 };
  PtTensor plain = make (PT_DTYPE_F32, 4, sizes, NULL, NULL);
  PtTensor last = make (PT_DTYPE_F32, 4, sizes, order, NULL);

  g_assert_cmpint (plain.strides[0], ==, 60);
  g_assert_cmpint (plain.strides[3], ==, 1);
  g_assert_true (pt_tensor_is_contiguous (&plain));
  g_assert_false (pt_tensor_is_channels_last (&plain));
  g_assert_cmpint (last.strides[0], ==, 60);
  g_assert_cmpint (last.strides[1], ==, 1);
  g_assert_cmpint (last.strides[2], ==, 15);
  g_assert_cmpint (last.strides[3], ==, 3);
  g_assert_true (pt_tensor_is_channels_last (&last));
  g_assert_false (pt_tensor_is_contiguous (&last));
  g_assert_cmpuint (pt_tensor_nbytes (&last), ==, 480);
}

/* With one channel both orders mean the same bytes. */
static void
test_size_one_has_no_order (void)
{
  const gint64 sizes[] = { 2, 1, 4, 5 };
  PtTensor tensor = make (PT_DTYPE_F32, 4, sizes, NULL, NULL);

  g_assert_true (pt_tensor_is_contiguous (&tensor));
  g_assert_true (pt_tensor_is_channels_last (&tensor));
}

static void
test_bad_shapes (void)
{
  const gint64 huge[] = { G_MAXINT32, G_MAXINT32, G_MAXINT32 };
  const gint64 huge_but_empty[] = { 0, G_MAXINT64, G_MAXINT64 };
  const gint64 negative[] = { 2, -1 };
  const gint64 small[] = { 2, 2 };
  const guint8 twice[] = { 1, 1 };
  PtTensor tensor;

  g_assert_false (pt_tensor_init (&tensor, PT_DTYPE_F32, 3, huge, NULL, NULL, NULL));
  g_assert_false (pt_tensor_init (&tensor, PT_DTYPE_F32, 3, huge_but_empty, NULL, NULL, NULL));
  g_assert_false (pt_tensor_init (&tensor, PT_DTYPE_F32, 2, negative, NULL, NULL, NULL));
  g_assert_false (pt_tensor_init (&tensor, PT_DTYPE_F32, 2, small, twice, NULL, NULL));
  g_assert_false (pt_tensor_init (&tensor, PT_DTYPE_F32, 17, small, NULL, NULL, NULL));
  g_assert_false (pt_tensor_init (&tensor, (PtDType) 30, 2, small, NULL, NULL, NULL));
}

static void
test_resize (void)
{
  const gint64 sizes[] = { 4, 6 }, other[] = { 8, 3 }, too_many[] = { 5, 5 }, empty[] = { 0, 6 };
  PtTensor tensor = make (PT_DTYPE_I64, 2, sizes, NULL, NULL);
  PtTensor scalar = make (PT_DTYPE_I64, 0, NULL, NULL, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (pt_tensor_resize (&tensor, 2, sizes, NULL));
  g_assert_false (pt_tensor_resize (&tensor, 2, other, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "int64 [4, 6]"));

  /* A bounded tensor may exceed the bound of one dimension, not the element count. */
  tensor.dynamism = PT_DYNAMISM_BOUND;
  g_assert_true (pt_tensor_resize (&tensor, 2, other, NULL));
  g_assert_cmpint (tensor.strides[0], ==, 3);
  g_assert_false (pt_tensor_resize (&tensor, 2, too_many, NULL));
  g_assert_true (pt_tensor_resize (&tensor, 2, empty, NULL));
  g_assert_cmpuint (tensor.numel, ==, 0);
  g_assert_true (pt_tensor_resize (&tensor, 2, sizes, NULL));
  g_assert_false (pt_tensor_resize (&tensor, 1, sizes, NULL));
  g_assert_true (pt_tensor_resize (&scalar, 0, NULL, NULL));
  g_assert_cmpuint (scalar.numel, ==, 1);
}

static void
test_copy_elements (void)
{
  const gint64 sizes[] = { 1, 2, 2, 2 };
  const guint8 order[] = { 0, 2, 3, 1 };
  const guint8 expected[] = { 0, 4, 1, 5, 2, 6, 3, 7 };
  guint8 from_bytes[] = { 0, 1, 2, 3, 4, 5, 6, 7 }, to_bytes[8], back_bytes[8];
  PtTensor from = make (PT_DTYPE_U8, 4, sizes, NULL, from_bytes);
  PtTensor to = make (PT_DTYPE_U8, 4, sizes, order, to_bytes);
  PtTensor back = make (PT_DTYPE_U8, 4, sizes, NULL, back_bytes);

  pt_tensor_copy_elements (&to, &from);
  g_assert_cmpmem (to_bytes, 8, expected, 8);
  pt_tensor_copy_elements (&back, &to);
  g_assert_cmpmem (back_bytes, 8, from_bytes, 8);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/runtime/tensor/strides", test_strides);
  g_test_add_func ("/runtime/tensor/size-one-has-no-order", test_size_one_has_no_order);
  g_test_add_func ("/runtime/tensor/bad-shapes", test_bad_shapes);
  g_test_add_func ("/runtime/tensor/resize", test_resize);
  g_test_add_func ("/runtime/tensor/copy-elements", test_copy_elements);
  return g_test_run ();
}
