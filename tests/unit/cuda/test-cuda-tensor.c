/* SPDX-License-Identifier: BSD-3-Clause */

#include <string.h>

#include "engine/cuda/shims-private.h"

/* Tensors of model libraries on the host: geometry, checks, accounts. No driver. */

#define HUGE_SIZE ((gint64) 1 << 62)

static PtShimTensor *
make (gint32 dtype, gint64 rank, const gint64 *sizes, const gint64 *strides)
{
  GError *error = NULL;
  PtShimTensor *tensor = pt_shim_tensor_new (NULL, dtype, rank, sizes, strides, 0, &error);

  g_assert_no_error (error);
  return tensor;
}

static void
test_scalar (void)
{
  g_autoptr (PtShimTensor) tensor = make (PT_DTYPE_F32, 0, NULL, NULL);

  g_assert_cmpint (tensor->rank, ==, 0);
  g_assert_cmpint (tensor->numel, ==, 1);
  g_assert_cmpuint (tensor->storage->size, ==, 4);
  g_assert_cmpuint (pt_shim_tensor_extent (tensor), ==, 4);
  g_assert_true (pt_shim_tensor_is_contiguous (tensor));
  g_assert_cmpuint ((guintptr) pt_shim_tensor_data (tensor) % 64, ==, 0);
  *(float *) pt_shim_tensor_data (tensor) = 1;
}

static void
test_empty (void)
{
  const gint64 sizes[] = { 3, 0, HUGE_SIZE, HUGE_SIZE };
  g_autoptr (PtShimTensor) tensor = make (PT_DTYPE_F32, 2, sizes, NULL);
  g_autoptr (PtShimTensor) view = NULL;
  GError *error = NULL;

  g_assert_cmpint (tensor->numel, ==, 0);
  g_assert_cmpuint (tensor->storage->size, ==, 0);
  g_assert_null (tensor->storage->data);
  g_assert_cmpuint (pt_shim_tensor_extent (tensor), ==, 0);
  g_assert_true (pt_shim_tensor_is_contiguous (tensor));
  /* Without memory, as constants without elements are given. */
  view =
      pt_shim_tensor_view (NULL, PT_SHIM_ANY_SIZE, PT_DTYPE_F32, 2, sizes, NULL, 0, 1, 0, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (view->storage->size, ==, 0);
}

static void
test_accounts (void)
{
  const gint64 sizes[] = { 4, 4 };
  guint before = pt_shim_tensor_count ();
  PtShimTensor *a = make (PT_DTYPE_F32, 2, sizes, NULL), *b = pt_shim_tensor_share (a), *c;
  GError *error = NULL;

  g_assert_true (a->storage == b->storage);
  c = pt_shim_tensor_reinterpret (a, PT_DTYPE_I32, 1, sizes, NULL, 12, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (a->storage->n_references, ==, 3);
  g_assert_cmpuint (pt_shim_tensor_count (), ==, before + 3);
  pt_shim_tensor_free (a); /* the storage stays as long as somebody looks at it */
  memset (pt_shim_tensor_data (b), 0xff, 64);
  g_assert_cmpint (((gint32 *) pt_shim_tensor_data (c))[3], ==, -1);
  pt_shim_tensor_free (b);
  pt_shim_tensor_free (c);
  pt_shim_tensor_free (NULL);
  g_assert_cmpuint (pt_shim_tensor_count (), ==, before);
}

static void
expect_refused (PtShimTensor *tensor, GError *error)
{
  g_assert_null (tensor);
  g_assert_nonnull (error);
  g_assert_true (error->domain == PT_ERROR);
  g_error_free (error);
}

#define REFUSED(call)               \
  do {                              \
    GError *error = NULL;           \
    PtShimTensor *tensor = call;    \
    expect_refused (tensor, error); \
  } while (0)

static void
test_refused (void)
{
  static guint8 bytes[64];
  gint64 sizes[PT_SHIM_MAX_RANK + 1] = { 4, 4 };
  const gint64 negative[] = { 4, -4 }, large[] = { HUGE_SIZE, 8 }, far[] = { HUGE_SIZE, 1 };
  const gint64 product[] = { (gint64) 1 << 40, (gint64) 1 << 40 }, none[] = { 0, 0 };
  guint before = pt_shim_tensor_count ();

  REFUSED (pt_shim_tensor_new (NULL, PT_DTYPE_F32, -1, sizes, NULL, 0, &error));
  REFUSED (pt_shim_tensor_new (NULL, PT_DTYPE_F32, PT_SHIM_MAX_RANK + 1, sizes, NULL, 0, &error));
  REFUSED (pt_shim_tensor_new (NULL, PT_DTYPE_F32, G_MAXINT64, sizes, NULL, 0, &error));
  REFUSED (pt_shim_tensor_new (NULL, PT_DTYPE_F32, 2, NULL, NULL, 0, &error));
  REFUSED (pt_shim_tensor_new (NULL, PT_N_DTYPES, 2, sizes, NULL, 0, &error));
  REFUSED (pt_shim_tensor_new (NULL, -1, 2, sizes, NULL, 0, &error));
  REFUSED (pt_shim_tensor_new (NULL, PT_DTYPE_F32, 2, negative, NULL, 0, &error));
  REFUSED (pt_shim_tensor_new (NULL, PT_DTYPE_F32, 2, sizes, negative, 0, &error));
  REFUSED (pt_shim_tensor_new (NULL, PT_DTYPE_F32, 2, large, NULL, 0, &error));
  REFUSED (pt_shim_tensor_new (NULL, PT_DTYPE_F32, 2, sizes, far, 0, &error));
  REFUSED (pt_shim_tensor_new (NULL, PT_DTYPE_U8, 2, product, none, 0, &error));
  REFUSED (pt_shim_tensor_view (bytes, 63, PT_DTYPE_F32, 2, sizes, NULL, 0, 0, 0, &error));
  REFUSED (pt_shim_tensor_view (bytes, 64, PT_DTYPE_F32, 2, sizes, NULL, 1, 0, 0, &error));
  REFUSED (pt_shim_tensor_view (bytes, 64, PT_DTYPE_F32, 2, sizes, NULL, -1, 0, 0, &error));
  REFUSED (pt_shim_tensor_view (bytes, 64, PT_DTYPE_F32, 2, none, NULL, HUGE_SIZE, 0, 0, &error));
  REFUSED (pt_shim_tensor_view (NULL, 64, PT_DTYPE_F32, 2, sizes, NULL, 0, 0, 0, &error));
  REFUSED (pt_shim_tensor_view (bytes, 64, PT_DTYPE_F32, 2, sizes, NULL, 0, 2, 0, &error));
  REFUSED (pt_shim_tensor_view (bytes, 64, PT_DTYPE_F32, 2, sizes, NULL, 0, 1, 500, &error));
  g_assert_cmpuint (pt_shim_tensor_count (), ==, before);
}

/* More than any machine has: an error, not the end. */
static void
test_no_memory (void)
{
  const gint64 sizes[] = { G_MAXINT64 - 4096 };
  GError *error = NULL;

#if defined __SANITIZE_ADDRESS__
  g_test_skip ("the sanitizer ends the process");
  return;
#endif
  g_assert_null (pt_shim_tensor_new (NULL, PT_DTYPE_U8, 1, sizes, NULL, 0, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_MEMORY);
  g_error_free (error);
}

/* ---- Against a slow reference ---- */

typedef struct {
  gint64 rank, sizes[4], strides[4], numel, end; /* @end: elements up to the last, 0 for none */
  gboolean is_dense;
} Reference;

static void
random_geometry (Reference *ref)
{
  gint64 expected = 1;

  *ref = (Reference){ .rank = g_test_rand_int_range (0, 5), .numel = 1, .is_dense = TRUE };
  for (gint64 i = 0; i < ref->rank; i++)
    ref->sizes[i] = g_test_rand_int_range (0, 12) == 0 ? 0 : g_test_rand_int_range (1, 5);
  for (gint64 i = ref->rank; i-- > 0;) {
    ref->strides[i] = g_test_rand_int_range (0, 3) > 0 ? expected : g_test_rand_int_range (0, 40);
    expected *= MAX (ref->sizes[i], 1);
    ref->numel *= ref->sizes[i];
  }
  for (gint64 n = 0; n < ref->numel; n++) {
    gint64 rest = n, at = 0;

    for (gint64 i = ref->rank; i-- > 0; rest /= ref->sizes[i])
      at += rest % ref->sizes[i] * ref->strides[i];
    ref->end = MAX (ref->end, at + 1);
    ref->is_dense &= at == n;
  }
}

static void
check_functions (const Reference *ref, PtShimTensor *tensor, gint64 offset)
{
  gint64 *sizes, *strides, value;
  gint32 number;
  bool flag;

  g_assert_cmpint (pt_aoti_torch_get_dim (tensor, &value), ==, 0);
  g_assert_cmpint (value, ==, ref->rank);
  g_assert_cmpint (pt_aoti_torch_get_numel (tensor, &value), ==, 0);
  g_assert_cmpint (value, ==, ref->numel);
  g_assert_cmpint (pt_aoti_torch_get_storage_offset (tensor, &value), ==, 0);
  g_assert_cmpint (value, ==, offset);
  g_assert_cmpint (pt_aoti_torch_get_dtype (tensor, &number), ==, 0);
  g_assert_cmpint (number, ==, PT_DTYPE_I16);
  g_assert_cmpint (pt_aoti_torch_is_contiguous (tensor, &flag), ==, 0);
  g_assert_cmpint (flag, ==, ref->is_dense);
  g_assert_cmpuint (pt_shim_tensor_extent (tensor), ==, (gsize) ref->end * 2);
  g_assert_cmpint (pt_aoti_torch_get_sizes (tensor, &sizes), ==, 0);
  g_assert_cmpint (pt_aoti_torch_get_strides (tensor, &strides), ==, 0);
  for (gint64 i = 0; i < ref->rank; i++) {
    g_assert_cmpint (sizes[i], ==, ref->sizes[i]);
    g_assert_cmpint (strides[i], ==, ref->strides[i]);
    g_assert_cmpint (pt_aoti_torch_get_size (tensor, i - ref->rank, &value), ==, 0);
    g_assert_cmpint (value, ==, ref->sizes[i]);
    g_assert_cmpint (pt_aoti_torch_get_stride (tensor, i, &value), ==, 0);
    g_assert_cmpint (value, ==, ref->strides[i]);
  }
  g_assert_cmpint (pt_aoti_torch_get_size (tensor, ref->rank, &value), ==, 1);
  g_assert_cmpint (pt_aoti_torch_get_stride (tensor, -ref->rank - 1, &value), ==, 1);
}

static void
test_random (void)
{
  static gint16 memory[1024];

  for (guint round = 0; round < 2000; round++) {
    gint64 offset = g_test_rand_int_range (0, 50);
    PtShimHandle view, fresh;
    gint64 size;
    void *data;
    Reference ref;

    random_geometry (&ref);
    g_assert_cmpint (pt_aoti_torch_create_tensor_from_blob (memory, ref.rank, ref.sizes,
                                                            ref.strides, offset, PT_DTYPE_I16, 0, 0,
                                                            &view),
                     ==, 0);
    check_functions (&ref, view, offset);
    g_assert_cmpint (pt_aoti_torch_get_data_ptr (view, &data), ==, 0);
    g_assert_true (data == memory + offset);
    g_assert_cmpint (pt_aoti_torch_get_storage_size (view, &size), ==, 0);
    g_assert_cmpint (size, ==, ref.numel > 0 ? (offset + ref.end) * 2 : 0);
    g_assert_cmpint (
        pt_aoti_torch_empty_strided (ref.rank, ref.sizes, ref.strides, PT_DTYPE_I16, 0, -1, &fresh),
        ==, 0);
    check_functions (&ref, fresh, 0);
    g_assert_cmpint (pt_aoti_torch_get_storage_size (fresh, &size), ==, 0);
    g_assert_cmpint (size, ==, ref.end * 2);
    g_assert_cmpint (pt_aoti_torch_delete_tensor_object (view), ==, 0);
    g_assert_cmpint (pt_aoti_torch_delete_tensor_object (fresh), ==, 0);
  }
  g_assert_cmpuint (pt_shim_tensor_count (), ==, 0);
  g_clear_error (&pt_shim_state.note);
}

/* ---- Constants and single values ---- */

static void
test_constants (void)
{
  bool flag = true;

#define CHECK_DTYPE(name, number)                              \
  g_assert_cmpint (pt_aoti_torch_dtype_##name (), ==, number); \
  g_assert_cmpstr (pt_dtype_name (number), ==, #name);
  PT_SHIM_DTYPES (CHECK_DTYPE)
#undef CHECK_DTYPE
  g_assert_cmpuint (pt_aoti_torch_dtype_element_size (PT_DTYPE_BF16), ==, 2);
  g_assert_cmpint (pt_aoti_torch_device_type_cpu (), ==, 0);
  g_assert_cmpint (pt_aoti_torch_device_type_cuda (), ==, 1);
  g_assert_cmpint (pt_aoti_torch_layout_strided (), ==, 0);
  g_assert_cmpint (pt_aoti_torch_memory_format_channels_last_3d (), ==, 3);
  g_assert_false (pt_aoti_torch_grad_mode_is_enabled ());
  g_assert_cmpint (pt_aoti_torch_grad_mode_set_enabled (true), ==, 0);
  g_assert_cmpint (pt_aoti_torch_is_defined (NULL, &flag), ==, 0);
  g_assert_false (flag);
}

#define CHECK_SCALAR(name, number, type)                                             \
  {                                                                                  \
    PtShimHandle tensor;                                                             \
    type value = (type) 77, back = (type) 0;                                         \
                                                                                     \
    g_assert_cmpint (pt_aoti_torch_scalar_to_tensor_##name (value, &tensor), ==, 0); \
    g_assert_cmpint (tensor->rank, ==, 0);                                           \
    g_assert_cmpint (tensor->dtype, ==, number);                                     \
    g_assert_cmpint (pt_aoti_torch_item_##name (tensor, &back), ==, 0);              \
    g_assert_true (value == back);                                                   \
    g_assert_cmpint (pt_aoti_torch_delete_tensor_object (tensor), ==, 0);            \
  }

static void
test_scalars (void)
{
  const gint64 two[] = { 2 };
  g_autoptr (PtShimTensor) pair = make (PT_DTYPE_BOOL, 1, two, NULL);
  g_autoptr (GError) note = NULL;
  bool flag;
  float number;

  PT_SHIM_SCALARS (CHECK_SCALAR)
  g_assert_cmpint (pt_aoti_torch_item_bool (pair, &flag), ==, 1);
  note = pt_shim_take_note ();
  g_assert_error (note, PT_ERROR, PT_ERROR_ARGUMENT);
  g_assert_null (pt_shim_take_note ());
  pair->numel = 1;
  g_assert_cmpint (pt_aoti_torch_item_float32 (pair, &number), ==, 1);
  g_assert_cmpint (pt_aoti_torch_item_float32 (NULL, &number), ==, 1);
  g_clear_error (&pt_shim_state.note);
}

/* ---- Copies on the host, all strides ---- */

static gint16
element (const PtShimTensor *tensor, gint64 n)
{
  gint64 at = 0;

  for (gint32 i = tensor->rank; i-- > 0; n /= tensor->sizes[i])
    at += n % tensor->sizes[i] * tensor->strides[i];
  return ((const gint16 *) pt_shim_tensor_data (tensor))[at];
}

/* Strides for @sizes in any order of dimensions, with gaps now and then. */
static void
random_layout (gint64 rank, const gint64 *sizes, gint64 *strides)
{
  gint64 order[] = { 0, 1, 2, 3 }, stride = 1;

  for (gint64 i = rank - 1; i > 0; i--) {
    gint64 j = g_test_rand_int_range (0, (gint32) i + 1), k = order[i];

    order[i] = order[j];
    order[j] = k;
  }
  for (gint64 i = 0; i < rank; i++) {
    strides[order[i]] = stride;
    stride *= sizes[order[i]];
    stride += g_test_rand_int_range (0, 4) == 0 ? g_test_rand_int_range (1, 4) : 0;
  }
}

static void
fill (PtShimTensor *tensor, gint16 first)
{
  gint16 *data = tensor->storage->data;

  for (gsize i = 0; i < tensor->storage->size / 2; i++)
    data[i] = (gint16) (first + (gint16) i);
}

static void
test_copy (void)
{
  for (guint round = 0; round < 1000; round++) {
    gint64 rank = g_test_rand_int_range (0, 5), sizes[4], a_strides[4], b_strides[4];
    g_autoptr (PtShimTensor) a = NULL, b = NULL, c = NULL;
    gsize a_elements, used = 0, zeros = 0;

    for (gint64 i = 0; i < rank; i++)
      sizes[i] = g_test_rand_int_range (1, 5);
    random_layout (rank, sizes, a_strides);
    random_layout (rank, sizes, b_strides);
    a = make (PT_DTYPE_I16, rank, sizes, a_strides);
    b = make (PT_DTYPE_I16, rank, sizes, b_strides);
    fill (a, -30000);
    fill (b, 100);
    g_assert_cmpint (pt_aoti_torch_clone (b, &c), ==, 0);
    g_assert_cmpint (pt_aoti_torch_copy_ (a, b, 0), ==, 0);
    a_elements = a->storage->size / 2;
    for (gint64 i = 0; i < a->numel; i++) {
      g_assert_cmpint (element (a, i), ==, element (b, i));
      g_assert_cmpint (element (c, i), ==, element (b, i));
    }
    /* The gaps are unchanged. */
    for (gsize i = 0; i < a_elements; i++)
      used += ((gint16 *) a->storage->data)[i] >= 100;
    g_assert_cmpuint (used, ==, (gsize) a->numel);
    g_assert_cmpint (pt_aoti_torch_zero_ (a), ==, 0);
    for (gsize i = 0; i < a_elements; i++)
      zeros += ((gint16 *) a->storage->data)[i] == 0;
    g_assert_cmpuint (zeros, ==, (gsize) a->numel);
  }
  g_assert_cmpuint (pt_shim_tensor_count (), ==, 0);
}

static void
test_copy_shapes (void)
{
  const gint64 plain[] = { 2, 3 }, ones[] = { 1, 2, 1, 3 }, other[] = { 3, 2 }, six[] = { 6 };
  const gint64 across[] = { 1, 2 };
  g_autoptr (PtShimTensor) a = make (PT_DTYPE_I16, 2, plain, NULL);
  g_autoptr (PtShimTensor) b = make (PT_DTYPE_I16, 4, ones, NULL);
  g_autoptr (PtShimTensor) c = make (PT_DTYPE_I16, 2, other, NULL);
  g_autoptr (PtShimTensor) d = make (PT_DTYPE_I16, 1, six, NULL);
  g_autoptr (PtShimTensor) e = make (PT_DTYPE_U16, 2, plain, NULL);
  g_autoptr (PtShimTensor) f = make (PT_DTYPE_I16, 2, plain, across);

  fill (b, 7);
  g_assert_cmpint (pt_aoti_torch_copy_ (a, b, 0), ==, 0); /* ones do not matter */
  g_assert_cmpint (element (a, 5), ==, 12);
  g_assert_cmpint (pt_aoti_torch_copy_ (c, b, 0), ==, 0); /* as many, both dense */
  g_assert_cmpint (pt_aoti_torch_copy_ (d, c, 0), ==, 0);
  g_assert_cmpint (element (d, 5), ==, 12);
  g_assert_cmpint (pt_aoti_torch_copy_ (f, b, 0), ==, 0);
  g_assert_cmpint (element (f, 1), ==, 8);
  g_assert_cmpint (pt_aoti_torch_copy_ (f, c, 0), ==, 1); /* as many, but not dense */
  g_assert_cmpint (pt_aoti_torch_copy_ (e, a, 0), ==, 1);
  g_assert_cmpint (pt_aoti_torch_copy_ (a, NULL, 0), ==, 1);
  g_clear_error (&pt_shim_state.note);
}

/* ---- Views ---- */

static void
test_views (void)
{
  const gint64 sizes[] = { 4, 6 }, part[] = { 2, 3 }, strides[] = { 6, 2 }, twelve[] = { 12 };
  g_autoptr (PtShimTensor) base = make (PT_DTYPE_I16, 2, sizes, NULL);
  PtShimHandle view, again, bits;

  fill (base, 0);
  g_assert_cmpint (pt_aoti_torch__reinterpret_tensor (base, 2, part, strides, 7, &view), ==, 0);
  g_assert_cmpint (element (view, 4), ==, 7 + 6 + 2);
  /* The offset counts from the start of the storage. */
  g_assert_cmpint (pt_aoti_torch__reinterpret_tensor (view, 2, part, strides, 1, &again), ==, 0);
  g_assert_cmpint (element (again, 0), ==, 1);
  pt_shim_tensor_free (again);
  g_assert_cmpint (pt_aoti_torch_as_strided (view, part, strides, &again), ==, 0);
  g_assert_cmpint (again->offset, ==, 7);
  pt_shim_tensor_free (again);
  g_assert_cmpint (pt_aoti_torch__alloc_from_pool (base, 8, PT_DTYPE_U8, 1, twelve, NULL, &bits),
                   ==, 0);
  g_assert_cmpint (*(guint8 *) pt_shim_tensor_data (bits), ==, 4);
  pt_shim_tensor_free (bits);
  pt_shim_tensor_free (view);
  g_assert_cmpint (pt_aoti_torch__alloc_from_pool (base, 6, PT_DTYPE_I32, 1, twelve, NULL, &bits),
                   ==, 1);
  g_assert_cmpint (pt_aoti_torch__reinterpret_tensor (base, 2, sizes, NULL, 1, &view), ==, 1);
  g_assert_cmpint (pt_aoti_torch__reinterpret_tensor (NULL, 2, sizes, NULL, 0, &view), ==, 1);
  g_clear_error (&pt_shim_state.note);
}

static void
test_inf_and_nan (void)
{
  static const struct {
    gint32 dtype;
    guint64 good, bad;
  } cases[] = {
    { PT_DTYPE_F16, 0x7bff, 0x7c00 },
    { PT_DTYPE_BF16, 0x7f7f, 0xffc0 },
    { PT_DTYPE_F32, 0x7f7fffff, 0x7f800001 },
    { PT_DTYPE_F64, 1, 0x7ff0000000000000 },
    { PT_DTYPE_I32, 0, 0 },
  };
  const gint64 sizes[] = { 5 };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autoptr (PtShimTensor) tensor = make (cases[i].dtype, 1, sizes, NULL);
    gsize item = pt_dtype_size (cases[i].dtype);

    memset (tensor->storage->data, 0, tensor->storage->size);
    memcpy ((guint8 *) tensor->storage->data + 2 * item, &cases[i].good, item);
    g_assert_cmpint (pt_aoti_torch_check_inf_and_nan ("x", tensor), ==, 0);
    memcpy ((guint8 *) tensor->storage->data + 3 * item, &cases[i].bad, item);
    g_assert_cmpint (pt_aoti_torch_check_inf_and_nan ("x", tensor), ==, cases[i].bad != 0);
    pt_aoti_torch_print_tensor_handle (tensor, "x");
  }
  g_clear_error (&pt_shim_state.note);
}

/* Without a GPU all functions report an error and do not abort. */
static void
test_no_context (void)
{
  const gint64 sizes[] = { 4 };
  PtShimHandle tensor;
  PtShimGuard guard;
  g_autoptr (GError) note = NULL;
  void *pointer;
  int index;

  g_assert_cmpint (pt_aoti_torch_empty_strided (1, sizes, NULL, 6, 1, 0, &tensor), ==, 1);
  note = pt_shim_take_note ();
  g_assert_nonnull (note);
  g_assert_cmpint (pt_aoti_torch_create_cuda_stream_guard (NULL, 0, &guard), ==, 1);
  g_assert_cmpint (pt_aoti_torch_get_current_cuda_stream (0, &pointer), ==, 1);
  g_assert_cmpint (pt_cudaMalloc (&pointer, 4), ==, PT_CU_INVALID_CONTEXT);
  g_assert_cmpint (pt_cudaGetLastError (), ==, PT_CU_INVALID_CONTEXT);
  g_assert_cmpint (pt_cudaGetLastError (), ==, 0);
  g_assert_cmpint (pt_cudaGetDevice (&index), !=, 0);
  g_assert_cmpint (pt_cudaFree (NULL), ==, 0);
  g_clear_error (&pt_shim_state.note);
}

static void
test_names (void)
{
  guint n;
  const char *const *names = pt_shims_names (&n);
  gboolean has_malloc = FALSE;

  g_assert_cmpuint (n, >, 100);
  for (guint i = 0; i < n; i++) {
    g_assert_true (i == 0 || strcmp (names[i - 1], names[i]) < 0);
    has_malloc |= strcmp (names[i], "cudaMalloc") == 0;
  }
  g_assert_true (has_malloc);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cuda/tensor/scalar", test_scalar);
  g_test_add_func ("/cuda/tensor/empty", test_empty);
  g_test_add_func ("/cuda/tensor/accounts", test_accounts);
  g_test_add_func ("/cuda/tensor/refused", test_refused);
  g_test_add_func ("/cuda/tensor/no-memory", test_no_memory);
  g_test_add_func ("/cuda/tensor/random", test_random);
  g_test_add_func ("/cuda/tensor/constants", test_constants);
  g_test_add_func ("/cuda/tensor/scalars", test_scalars);
  g_test_add_func ("/cuda/tensor/copy", test_copy);
  g_test_add_func ("/cuda/tensor/copy-shapes", test_copy_shapes);
  g_test_add_func ("/cuda/tensor/views", test_views);
  g_test_add_func ("/cuda/tensor/inf-and-nan", test_inf_and_nan);
  g_test_add_func ("/cuda/tensor/no-context", test_no_context);
  g_test_add_func ("/cuda/tensor/names", test_names);
  return g_test_run ();
}
