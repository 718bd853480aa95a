/* SPDX-License-Identifier: BSD-3-Clause */

#include <string.h>

#include "engine/cuda/cuda-kernels.h"
#include "engine/cuda/shims-private.h"
#include "tests/fakes/fake-cuda.h"

/* The functions that model libraries import, on the stand-in for the driver. */

static const FakeCuda *fake;

typedef struct {
  PtCudaContext *context;
  PtShimModules *modules;
} Fixture;

static void
setup (Fixture *self, gconstpointer data)
{
  GError *error = NULL;

  fake->reset ();
  self->context = pt_cuda_context_ref (0, &error);
  g_assert_no_error (error);
  self->modules = pt_shim_modules_new ();
  pt_shims_enter (self->context, self->modules);
}

/* Everything came back. */
static void
teardown (Fixture *self, gconstpointer data)
{
  FakeCounts counts;

  fake->reset ();
  pt_shims_leave ();
  pt_shim_modules_free (self->modules, self->context);
  pt_cuda_context_unref (self->context);
  g_clear_error (&pt_shim_state.note);
  g_assert_cmpuint (pt_shim_tensor_count (), ==, 0);
  fake->counts (&counts);
  g_assert_cmpuint (counts.contexts, ==, 0);
  g_assert_cmpuint (counts.bytes, ==, 0);
  g_assert_cmpuint (counts.leaked, ==, 0);
}

static void
expect_note (gint code, const char *text)
{
  g_autoptr (GError) note = pt_shim_take_note ();

  g_assert_error (note, PT_ERROR, code);
  if (strstr (note->message, text) == NULL)
    g_error ("\"%s\" is not in \"%s\"", text, note->message);
}

/* ---- Copies between all kinds of memory ---- */

static PtShimTensor *
make (gint32 device, gint64 rank, const gint64 *sizes, const gint64 *strides)
{
  PtShimHandle tensor;

  g_assert_cmpint (
      pt_aoti_torch_empty_strided (rank, sizes, strides, PT_DTYPE_I16, device, -1, &tensor), ==, 0);
  return tensor;
}

/* All bytes of the storage, gaps included; freed by the caller. */
static gint16 *
bytes_of (const PtShimTensor *tensor)
{
  gsize size = tensor->storage->size;
  gint16 *bytes = g_malloc (size);

  g_assert_true (pt_shim_copy_bytes (pt_shim_state.context, bytes, FALSE, tensor->storage->data,
                                     tensor->storage->device_type == 1, size));
  return bytes;
}

static void
fill (PtShimTensor *tensor, gint16 first)
{
  gsize n = tensor->storage->size / 2;
  g_autofree gint16 *bytes = g_new (gint16, n + 1);

  for (gsize i = 0; i < n; i++)
    bytes[i] = (gint16) (first + (gint16) i);
  g_assert_true (pt_shim_copy_bytes (pt_shim_state.context, tensor->storage->data,
                                     tensor->storage->device_type == 1, bytes, FALSE, n * 2));
}

static gint64
position (const PtShimTensor *tensor, gint64 n)
{
  gint64 at = tensor->offset;

  for (gint32 i = tensor->rank; i-- > 0; n /= tensor->sizes[i])
    at += n % tensor->sizes[i] * tensor->strides[i];
  return at;
}

static void
check_copy (gint32 to_device, gint32 from_device, gint64 rank, const gint64 *sizes,
            const gint64 *to_strides, const gint64 *from_strides)
{
  g_autoptr (PtShimTensor) to = make (to_device, rank, sizes, to_strides);
  g_autoptr (PtShimTensor) from = make (from_device, rank, sizes, from_strides);
  g_autoptr (PtShimTensor) copy = NULL;
  g_autofree gint16 *to_bytes = NULL, *from_bytes = NULL, *copy_bytes = NULL;
  gsize n_copied = 0;

  fill (to, -30000);
  fill (from, 100);
  g_assert_cmpint (pt_aoti_torch_clone_preserve_strides (from, &copy), ==, 0);
  g_assert_cmpint (copy->storage->device_type, ==, from_device);
  g_assert_cmpint (pt_aoti_torch_copy_ (to, from, 0), ==, 0);
  to_bytes = bytes_of (to);
  from_bytes = bytes_of (from);
  copy_bytes = bytes_of (copy);
  g_assert_cmpmem (copy_bytes, copy->storage->size, from_bytes, from->storage->size);
  for (gint64 i = 0; i < to->numel; i++)
    g_assert_cmpint (to_bytes[position (to, i)], ==, from_bytes[position (from, i)]);
  for (gsize i = 0; i < to->storage->size / 2; i++)
    n_copied += to_bytes[i] >= 100;
  g_assert_cmpuint (n_copied, ==, (gsize) to->numel);
  g_free (to_bytes);
  g_assert_cmpint (pt_aoti_torch_zero_ (to), ==, 0);
  to_bytes = bytes_of (to);
  for (gsize i = n_copied = 0; i < to->storage->size / 2; i++)
    n_copied += to_bytes[i] == 0;
  g_assert_cmpuint (n_copied, ==, (gsize) to->numel);
}

static void
test_copy (Fixture *self, gconstpointer data)
{
  const gint64 sizes[] = { 3, 4, 5 }, gaps[] = { 50, 7, 1 }, across[] = { 1, 3, 12 };
  const gint64 *const layouts[] = { NULL, gaps, across };

  for (guint i = 0; i < 36; i++)
    check_copy (i % 2, i / 2 % 2, 3, sizes, layouts[i / 4 % 3], layouts[i / 12]);
  check_copy (1, 1, 0, NULL, NULL, NULL);
}

/* Parts of one storage, as generated code updates caches. */
static void
test_copy_views (Fixture *self, gconstpointer data)
{
  const gint64 sizes[] = { 4, 8 }, row[] = { 1, 8 }, strides[] = { 8, 1 };
  g_autoptr (PtShimTensor) cache = make (1, 2, sizes, NULL), fresh = make (1, 2, row, NULL);
  g_autoptr (PtShimTensor) view = NULL;
  g_autofree gint16 *bytes = NULL;
  gint16 *expected = g_newa (gint16, 32);

  fill (cache, 0);
  fill (fresh, 500);
  g_assert_cmpint (pt_aoti_torch__reinterpret_tensor (cache, 2, row, strides, 16, &view), ==, 0);
  g_assert_cmpint (pt_aoti_torch_copy_ (view, fresh, 1), ==, 0);
  bytes = bytes_of (cache);
  for (gint16 i = 0; i < 32; i++)
    expected[i] = i >= 16 && i < 24 ? (gint16) (500 + i - 16) : i;
  g_assert_cmpmem (bytes, 64, expected, 64);
}

/* The stream orders what is on the GPU: nobody waits. */
static void
test_no_waiting (Fixture *self, gconstpointer data)
{
  const gint64 sizes[] = { 64 };
  g_autoptr (PtShimTensor) a = make (1, 1, sizes, NULL), b = make (1, 1, sizes, NULL), c = NULL;

  fill (a, 1);
  fake->reset ();
  g_assert_cmpint (pt_aoti_torch_copy_ (b, a, 0), ==, 0);
  g_assert_cmpint (pt_aoti_torch_clone (b, &c), ==, 0);
  g_assert_cmpint (pt_aoti_torch_zero_ (a), ==, 0);
  g_assert_cmpuint (fake->n_calls ("cuStreamSynchronize"), ==, 0);
  g_assert_cmpuint (fake->n_calls ("cuCtxSynchronize"), ==, 0);
}

/* ---- While a graph is captured ---- */

static void
test_capture (Fixture *self, gconstpointer data)
{
  const gint64 sizes[] = { 1 };
  g_autoptr (PtShimTensor) device = make (1, 1, sizes, NULL), host = make (0, 1, sizes, NULL);
  gint16 value = 0;
  void *event;

  fill (device, 42);
  g_assert_cmpint (pt_aoti_torch_item_int16 (device, &value), ==, 0);
  g_assert_cmpint (value, ==, 42);
  g_assert_cmpint (pt_cudaEventCreate (&event), ==, 0);
  self->context->is_capturing = TRUE;
  g_assert_cmpint (pt_aoti_torch_item_int16 (device, &value), ==, 1);
  expect_note (PT_ERROR_UNSUPPORTED, "CUDA graph");
  g_assert_cmpint (pt_aoti_torch_copy_ (host, device, 0), ==, 1);
  expect_note (PT_ERROR_UNSUPPORTED, "CUDA graph");
  g_assert_cmpint (pt_aoti_torch_copy_ (device, host, 0), ==, 1);
  expect_note (PT_ERROR_UNSUPPORTED, "CUDA graph");
  g_assert_cmpint (pt_cudaMemcpy (&value, device->storage->data, 2, 2), !=, 0);
  expect_note (PT_ERROR_UNSUPPORTED, "CUDA graph");
  g_assert_cmpint (pt_cudaEventSynchronize (event), !=, 0);
  expect_note (PT_ERROR_UNSUPPORTED, "CUDA graph");
  g_assert_cmpint (pt_aoti_torch_item_int16 (host, &value), ==, 0);
  self->context->is_capturing = FALSE;
  g_assert_cmpint (pt_cudaEventDestroy (event), ==, 0);
}

/* ---- Streams and devices ---- */

static void
test_guards (Fixture *self, gconstpointer data)
{
  PtShimGuard guards[20], device;
  void *stream = NULL;

  for (guint i = 0; i < 20; i++)
    g_assert_cmpint (
        pt_aoti_torch_create_cuda_stream_guard (i % 2 == 0 ? self->context->stream : NULL,
                                                i % 3 == 0 ? -1 : 0, &guards[i]),
        ==, 0);
  g_assert_cmpint (pt_aoti_torch_get_current_cuda_stream (0, &stream), ==, 0);
  g_assert_true (stream == self->context->stream);
  for (guint i = 20; i-- > 0;)
    g_assert_cmpint (pt_aoti_torch_delete_cuda_stream_guard (guards[i]), ==, 0);
  g_assert_cmpint (pt_aoti_torch_create_cuda_guard (0, &device), ==, 0);
  g_assert_cmpint (pt_aoti_torch_cuda_guard_set_index (device, 0), ==, 0);
  g_assert_cmpint (pt_aoti_torch_cuda_guard_set_index (device, 1), ==, 1);
  expect_note (PT_ERROR_UNSUPPORTED, "GPU 1");
  g_assert_cmpint (pt_aoti_torch_delete_cuda_guard (device), ==, 0);
  g_assert_cmpint (pt_aoti_torch_create_cuda_stream_guard (self, 0, &guards[0]), ==, 1);
  expect_note (PT_ERROR_UNSUPPORTED, "stream");
  g_assert_cmpint (pt_aoti_torch_create_cuda_stream_guard (NULL, 3, &guards[0]), ==, 1);
  expect_note (PT_ERROR_UNSUPPORTED, "GPU 3");
  g_assert_cmpint (pt_aoti_torch_get_current_cuda_stream (2, &stream), ==, 1);
}

static void
test_other_device (Fixture *self, gconstpointer data)
{
  const gint64 sizes[] = { 4 };
  PtShimHandle tensor;
  gint32 index;

  g_assert_cmpint (pt_aoti_torch_empty_strided (1, sizes, NULL, 6, 1, 5, &tensor), ==, 1);
  expect_note (PT_ERROR_UNSUPPORTED, "device 5");
  g_assert_cmpint (pt_aoti_torch_empty_strided (1, sizes, NULL, 6, 12, 0, &tensor), ==, 1);
  g_assert_cmpint (pt_aoti_torch_empty_strided (1, sizes, NULL, 6, 1, -1, &tensor), ==, 0);
  g_assert_cmpint (pt_aoti_torch_get_device_index (tensor, &index), ==, 0);
  g_assert_cmpint (index, ==, 0);
  g_assert_cmpint (pt_aoti_torch_delete_tensor_object (tensor), ==, 0);
}

/* ---- No memory ---- */

static void
test_no_memory (Fixture *self, gconstpointer data)
{
  const gint64 sizes[] = { 1 << 20, 64 };
  PtShimHandle tensor = NULL;
  void *block = self;

  fake->fail ("cuMemAlloc", 0, PT_CU_OUT_OF_MEMORY);
  g_assert_cmpint (pt_aoti_torch_empty_strided (2, sizes, NULL, 6, 1, 0, &tensor), ==, 1);
  g_assert_null (tensor);
  expect_note (PT_ERROR_MEMORY, "memory");
  g_assert_cmpint (pt_cudaMalloc (&block, 1 << 20), ==, PT_CU_OUT_OF_MEMORY);
  g_assert_null (block);
  expect_note (PT_ERROR_MEMORY, "memory");
  g_assert_cmpint (pt_cudaGetLastError (), ==, PT_CU_OUT_OF_MEMORY);
  fake->reset ();
  g_assert_cmpint (pt_aoti_torch_empty_strided (2, sizes, NULL, 6, 1, 0, &tensor), ==, 0);
  g_assert_cmpint (pt_aoti_torch_delete_tensor_object (tensor), ==, 0);
}

/* The first error is the reason; those after it are its consequences. */
static void
test_first_note (Fixture *self, gconstpointer data)
{
  pt_shim_note (PT_ERROR_MEMORY, "one %d", 1);
  pt_shim_note (PT_ERROR_INTERNAL, "two");
  expect_note (PT_ERROR_MEMORY, "one 1");
  g_assert_null (pt_shim_take_note ());
  pt_shim_note (PT_ERROR_INTERNAL, "two");
  pt_shims_leave ();
  pt_shims_enter (self->context, self->modules);
  g_assert_null (pt_shim_take_note ());
}

/* ---- The runtime's functions ---- */

static void
test_memory (Fixture *self, gconstpointer data)
{
  const char text[] = "a model's weights";
  char back[sizeof text] = "";
  void *a, *b;

  g_assert_cmpint (pt_cudaMalloc (&a, 0), ==, 0);
  g_assert_null (a);
  g_assert_cmpint (pt_cudaFree (a), ==, 0);
  g_assert_cmpint (pt_cudaMalloc (&a, sizeof text), ==, 0);
  g_assert_cmpint (pt_cudaMalloc (&b, sizeof text), ==, 0);
  g_assert_cmpint (pt_cudaMemcpy (a, text, sizeof text, 1), ==, 0);
  g_assert_cmpint (pt_cudaMemcpy (b, a, sizeof text, 3), ==, 0);
  g_assert_cmpint (pt_cudaMemcpy (back, b, sizeof text, 2), ==, 0);
  g_assert_cmpstr (back, ==, text);
  g_assert_cmpint (pt_cudaMemcpy (back + 2, back, 4, 0), ==, 0);
  g_assert_cmpint (pt_cudaMemcpy (NULL, NULL, 0, 1), ==, 0);
  g_assert_cmpint (pt_cudaFree (a), ==, 0);
  g_assert_cmpint (pt_cudaFree (b), ==, 0);
  g_assert_cmpint (pt_cudaFree (b), !=, 0);
  g_assert_cmpint (pt_cudaGetLastError (), !=, 0);
}

static void
test_upload (Fixture *self, gconstpointer data)
{
  const gsize size = 3 << 20;
  g_autofree guint8 *weights = g_malloc (size), *back = g_malloc (size);
  g_autoptr (PtCudaUpload) upload = NULL;
  GError *error = NULL;
  void *block;

  for (gsize i = 0; i < size; i++)
    weights[i] = (guint8) (i * 7 + (i >> 9));
  upload = pt_cuda_upload_new (self->context, &error);
  g_assert_no_error (error);
  g_assert_cmpint (pt_cudaMalloc (&block, size), ==, 0);
  pt_shim_upload_begin (upload, NULL);
  g_assert_cmpint (pt_cudaMemcpy (block, weights, size / 3, 1), ==, 0);
  g_assert_cmpint (
      pt_cudaMemcpy ((char *) block + size / 3, weights + size / 3, size - size / 3, 1), ==, 0);
  g_assert_true (pt_shim_upload_finish (&error));
  g_assert_no_error (error);
  g_assert_cmpint (pt_cudaMemcpy (back, block, size, 2), ==, 0);
  g_assert_cmpmem (back, size, weights, size);
  g_assert_cmpint (pt_cudaFree (block), ==, 0);
}

static void
test_upload_cancelled (Fixture *self, gconstpointer data)
{
  const gsize size = 8 << 20;
  g_autofree guint8 *weights = g_malloc0 (size);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (PtCudaUpload) upload = pt_cuda_upload_new (self->context, NULL);
  g_autoptr (GError) error = NULL;
  void *block;

  g_assert_cmpint (pt_cudaMalloc (&block, size), ==, 0);
  g_cancellable_cancel (cancellable);
  pt_shim_upload_begin (upload, cancellable);
  g_assert_cmpint (pt_cudaMemcpy (block, weights, size, 1), !=, 0);
  expect_note (PT_ERROR_CANCELLED, "");
  pt_shim_upload_finish (&error);
  g_assert_cmpint (pt_cudaFree (block), ==, 0);
}

static void
test_events (Fixture *self, gconstpointer data)
{
  const gint64 sizes[] = { 64 };
  g_autoptr (PtShimTensor) tensor = make (1, 1, sizes, NULL);
  void *event;

  g_assert_cmpint (pt_cudaEventCreate (&event), ==, 0);
  g_assert_cmpint (pt_aoti_torch_zero_ (tensor), ==, 0);
  g_assert_cmpint (pt_cudaEventRecord (event, NULL), ==, 0);
  g_assert_cmpint (pt_cudaEventSynchronize (event), ==, 0);
  g_assert_cmpint (pt_cudaEventQuery (event), ==, 0);
  fake->fail ("cuEventQuery", 1, PT_CU_NOT_READY);
  g_assert_cmpint (pt_cudaEventQuery (event), ==, PT_CU_NOT_READY);
  g_assert_cmpint (pt_cudaGetLastError (), ==, 0); /* which is no error */
  fake->fail ("cuEventRecord", 1, PT_CU_INVALID_VALUE);
  g_assert_cmpint (pt_cudaEventRecord (event, self->context->stream), ==, PT_CU_INVALID_VALUE);
  g_assert_cmpint (pt_cudaGetLastError (), ==, PT_CU_INVALID_VALUE);
  g_assert_cmpint (pt_cudaEventDestroy (event), ==, 0);
}

static void
test_device (Fixture *self, gconstpointer data)
{
  int index = -1;

  g_assert_cmpint (pt_cudaGetDevice (&index), ==, 0);
  g_assert_cmpint (index, ==, 0);
  g_assert_cmpint (pt_cudaSetDevice (0), ==, 0);
  g_assert_cmpint (pt_cudaSetDevice (1), ==, PT_CUDA_ERROR_INVALID_DEVICE);
  expect_note (PT_ERROR_UNSUPPORTED, "GPU 1");
  g_assert_cmpstr (pt_cudaGetErrorString (0), ==, "no error");
  g_assert_cmpuint (strlen (pt_cudaGetErrorString (700)), >, 0);
}

/* ---- Constants ---- */

static void
test_record (Fixture *self, gconstpointer data)
{
  const gint64 sizes[] = { 4, 2 }, strides[] = { 1, 4 };
  PtShimHandle constant, plain, copy;
  g_auto (PtShimRecord) record = { NULL, NULL };
  PtShimTensor *seen;
  void *block;

  g_assert_cmpint (pt_cudaMalloc (&block, 256), ==, 0);
  pt_shim_record_begin (&record);
  g_assert_cmpint (pt_aoti_torch_create_tensor_from_blob_v2 (block, 2, sizes, strides, 5, 6, 1, 0,
                                                             &constant, 0, NULL, 0),
                   ==, 0);
  g_assert_cmpint (
      pt_aoti_torch_create_tensor_from_blob (block, 2, sizes, strides, 0, 6, 1, 0, &plain), ==, 0);
  g_assert_cmpint (pt_aoti_torch_new_tensor_handle (plain, &copy), ==, 0);
  pt_shim_record_end ();
  g_assert_cmpuint (record.constants->len, ==, 1);
  g_assert_cmpuint (record.handles->len, ==, 1);
  g_assert_true (record.handles->pdata[0] == copy);
  g_assert_cmpint (pt_aoti_torch_delete_tensor_object (constant), ==, 0);
  seen = record.constants->pdata[0]; /* which is ours and stays */
  g_assert_true (seen != constant);
  g_assert_cmpint (seen->offset, ==, 5);
  g_assert_cmpint (seen->strides[1], ==, 4);
  g_assert_true (pt_shim_tensor_data (seen) == (char *) block + 20);
  g_assert_cmpint (pt_aoti_torch_new_tensor_handle (plain, &copy), ==, 0);
  g_assert_cmpuint (record.handles->len, ==, 1); /* not after the end */
  g_assert_cmpint (pt_aoti_torch_delete_tensor_object (copy), ==, 0);
  g_assert_cmpint (pt_aoti_torch_delete_tensor_object (plain), ==, 0);
  g_assert_cmpint (pt_cudaFree (block), ==, 0);
}

/* ---- Kernels of a library ---- */

static const char image[] = "\x50\xed\x55\xba";

static void
test_modules (Fixture *self, gconstpointer data)
{
  void *modules[3], *function;
  FakeCounts counts;

  for (guint i = 0; i < 3; i++)
    g_assert_cmpint (pt_cuModuleLoadData (&modules[i], image), ==, 0);
  g_assert_cmpint (pt_cuModuleGetFunction (&function, modules[0], "triton_mm"), ==, 0);
  g_assert_cmpint (pt_cuFuncSetAttribute (function, 8, 100 << 10), ==, 0);
  g_assert_cmpint (pt_cuLaunchKernel (function, 1, 1, 1, 128, 1, 1, 100 << 10,
                                      self->context->stream, NULL, NULL),
                   ==, 0);
  g_assert_cmpint (pt_cuModuleUnload (modules[1]), ==, 0);
  g_assert_cmpuint (pt_shim_modules_count (self->modules), ==, 2);
  pt_shim_modules_free (self->modules, self->context);
  self->modules = pt_shim_modules_new ();
  fake->counts (&counts);
  g_assert_cmpuint (counts.modules, ==, 0);
}

static void
test_kernel_errors (Fixture *self, gconstpointer data)
{
  void *module, *function;

  fake->fail ("cuModuleLoadData", 1, PT_CU_NO_BINARY_FOR_GPU);
  g_assert_cmpint (pt_cuModuleLoadData (&module, image), ==, PT_CU_NO_BINARY_FOR_GPU);
  expect_note (PT_ERROR_UNSUPPORTED, "209");
  g_assert_cmpint (pt_cuModuleLoadData (&module, image), ==, 0);
  fake->fail ("cuModuleGetFunction", 1, 500);
  g_assert_cmpint (pt_cuModuleGetFunction (&function, module, "triton_mm"), ==, 500);
  g_clear_error (&pt_shim_state.note);
  g_assert_cmpint (pt_cuModuleGetFunction (&function, module, "triton_mm"), ==, 0);
  g_assert_cmpint (pt_cuFuncSetAttribute (function, 8, 300 << 10), !=, 0);
  expect_note (PT_ERROR_UNSUPPORTED, "Kernel triton_mm needs 300 KB of shared memory");
  fake->fail ("cuLaunchKernel", 1, PT_CU_LAUNCH_OUT_OF_RESOURCES);
  g_assert_cmpint (
      pt_cuLaunchKernel (function, 1, 1, 1, 128, 1, 1, 0, self->context->stream, NULL, NULL), ==,
      PT_CU_LAUNCH_OUT_OF_RESOURCES);
  g_assert_nonnull (pt_shim_state.note);
  g_assert_nonnull (strstr (pt_shim_state.note->message, "triton_mm"));
  g_assert_cmpint (self->context->fatal, ==, 0);
}

/* An error that kills the context is known to it, and nothing more is freed by then. */
static void
test_fatal (Fixture *self, gconstpointer data)
{
  const gint64 sizes[] = { 64 };
  g_autoptr (PtShimTensor) tensor = make (1, 1, sizes, NULL);

  fake->fail ("cuMemsetD8Async", 1, PT_CU_ILLEGAL_ADDRESS);
  g_assert_cmpint (pt_aoti_torch_zero_ (tensor), ==, 1);
  g_assert_cmpint (self->context->fatal, ==, PT_CU_ILLEGAL_ADDRESS);
}

/* ---- Operators ---- */

static void
test_operators_check (Fixture *self, gconstpointer data)
{
  PtShimHandle out = NULL;

  g_assert_cmpint (pt_aoti_torch_proxy_executor_call_function (NULL, 0, 0, NULL, 0, NULL), ==, 1);
  expect_note (PT_ERROR_MISSING_OPERATOR, "PyTorch");
  g_assert_cmpint (pt_aoti_torch_index_put_out (NULL, NULL, 0, NULL, false), ==, 1);
  expect_note (PT_ERROR_MISSING_OPERATOR, "index_put");
  g_assert_cmpint (pt_aoti_torch_cuda__weight_int4pack_mm (NULL, NULL, 32, NULL, &out), ==, 1);
  g_clear_error (&pt_shim_state.note);
  g_assert_null (out);
}

int
main (int argc, char **argv)
{
  g_setenv ("PTERIS_CUDA", FAKE_CUDA_PATH, TRUE);
  g_test_init (&argc, &argv, NULL);
  fake = fake_cuda_open (FAKE_CUDA_PATH);
  pt_cuda_kernels_use_image ("none"); /* they would not run */
#define ADD(name, function) \
  g_test_add ("/cuda/shims/" name, Fixture, NULL, setup, function, teardown)
  ADD ("copy", test_copy);
  ADD ("copy-views", test_copy_views);
  ADD ("no-waiting", test_no_waiting);
  ADD ("capture", test_capture);
  ADD ("guards", test_guards);
  ADD ("other-device", test_other_device);
  ADD ("no-memory", test_no_memory);
  ADD ("first-note", test_first_note);
  ADD ("memory", test_memory);
  ADD ("upload", test_upload);
  ADD ("upload-cancelled", test_upload_cancelled);
  ADD ("events", test_events);
  ADD ("device", test_device);
  ADD ("record", test_record);
  ADD ("modules", test_modules);
  ADD ("kernel-errors", test_kernel_errors);
  ADD ("fatal", test_fatal);
  ADD ("operators", test_operators_check);
  return g_test_run ();
}
