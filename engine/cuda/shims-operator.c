/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Operators that model libraries leave to the runtime (docs/formats/cuda.md, section 9). These
 * functions check the arguments and launch our kernels.
 */

#include "engine/cuda/cuda-kernels.h"
#include "engine/cuda/shims-private.h"

#define ALIGNMENT 16
#define INT4PACK "_weight_int4pack_mm"

/* Notes that the library gave an operator wrong arguments. */
static gint32
wrong (const char *operator)
{
  return pt_shim_refuse (
      PT_ERROR_ARGUMENT,
      "The model calls %s with tensors of types or sizes that do not fit.", operator);
}

static PtCuPointer
address (const PtShimTensor *tensor)
{
  return (PtCuPointer) (guintptr) pt_shim_tensor_data (tensor);
}

static PtShimTensor *
dense_copy (const PtShimTensor *tensor)
{
  GError *error = NULL;
  PtShimTensor *copy = pt_shim_tensor_new (pt_shim_state.context, tensor->dtype, tensor->rank,
                                           tensor->sizes, NULL, 1, &error);

  if (copy == NULL)
    pt_shim_refuse_error (error);
  else if (pt_shim_copy_tensor (copy, tensor) != 0)
    g_clear_pointer (&copy, pt_shim_tensor_free);
  return copy;
}

/*
 * A handle of @tensor on the GPU, dense and aligned; it is a copy when necessary. NULL with a note.
 */
static PtShimTensor *
input (const char *operator, PtShimHandle tensor)
{
  gboolean is_good = tensor != NULL && tensor->storage->device_type == 1;

  for (gint32 i = 0; is_good && i < tensor->rank; i++)
    is_good = tensor->sizes[i] <= G_MAXINT32;
  if (!is_good || pt_shim_context (operator) == NULL) {
    wrong (operator);
    return NULL;
  }
  if (pt_shim_tensor_is_contiguous (tensor) && address (tensor) % ALIGNMENT == 0)
    return pt_shim_tensor_share (tensor);
  return dense_copy (tensor);
}

/* Allocates a result. NULL with a note. */
static PtShimTensor *
output (gint32 dtype, gint32 rank, const gint64 *sizes)
{
  GError *error = NULL;
  PtShimTensor *tensor =
      pt_shim_tensor_new (pt_shim_state.context, dtype, rank, sizes, NULL, 1, &error);

  if (tensor == NULL)
    pt_shim_refuse_error (error);
  return tensor;
}

/* ---- int4, tile packed ---- */

static gint32
run_int4 (const PtCudaInt4 *product)
{
  PtCudaContext *context = pt_shim_state.context;
  gsize size = pt_cuda_int4_scratch (context, product->m, product->n, product->k);
  GError *error = NULL;
  PtCuPointer scratch = pt_cuda_pool_allocate (context->pool, size, &error);

  if (error == NULL)
    pt_cuda_kernel_int4 (context, product, scratch, &error);
  pt_cuda_pool_release (context->pool, scratch);
  return error != NULL ? pt_shim_refuse_error (error) : 0;
}

int32_t
pt_aoti_torch_cuda__weight_int4pack_mm (PtShimHandle self, PtShimHandle weight, int64_t group_size,
                                        PtShimHandle scale_and_zero, PtShimHandle *out)
{
  g_autoptr (PtShimTensor) a = input (INT4PACK, self);
  g_autoptr (PtShimTensor) b = input (INT4PACK, weight);
  g_autoptr (PtShimTensor) s = input (INT4PACK, scale_and_zero);
  g_autoptr (PtShimTensor) y = NULL;
  PtCudaInt4 product = { .group = group_size };

  if (a == NULL || b == NULL || s == NULL)
    return 1;
  if (a->dtype != PT_DTYPE_BF16 || a->rank != 2 || b->dtype != PT_DTYPE_I32 || b->rank != 4 ||
      s->dtype != PT_DTYPE_BF16 || s->rank != 3 || group_size <= 0 || group_size > G_MAXINT32)
    return wrong (INT4PACK);
  product.m = a->sizes[0];
  product.n = 8 * b->sizes[0];
  product.k = a->sizes[1];
  product.inner = 2 * b->sizes[3];
  if (product.inner > 8 || b->sizes[1] * 16 * product.inner != product.k || b->sizes[2] != 32 ||
      s->sizes[0] * group_size != product.k || s->sizes[1] != product.n || s->sizes[2] != 2)
    return wrong (INT4PACK);
  y = output (PT_DTYPE_BF16, 2, (gint64[]){ product.m, product.n });
  if (y == NULL)
    return 1;
  product.input = address (a);
  product.weights = address (b);
  product.scales = address (s);
  product.output = address (y);
  if (run_int4 (&product) != 0)
    return 1;
  *out = g_steal_pointer (&y);
  return 0;
}

/* ---- Plain quantised weights ---- */

typedef enum { LOW, HIGH, SCALE, SCALE_STEP, ZERO, ZERO_STEP, N_PARTS } Part;

/* One part of the weights: [n][columns] of one dtype. */
typedef enum { NONE, BYTES_1, BYTES_2, BYTES_4, BYTES_8, CODES, FLOATS, STEPS, N_SHAPES } PartShape;

static const struct {
  gint32 dtypes[2]; /* both dtypes are accepted */
  gint64 divisor;   /* number of columns = k / divisor; 0: k / group size */
} part_shapes[N_SHAPES] = {
  [BYTES_1] = { { PT_DTYPE_U8, PT_DTYPE_I8 }, 1 },
  [BYTES_2] = { { PT_DTYPE_U8, PT_DTYPE_I8 }, 2 },
  [BYTES_4] = { { PT_DTYPE_U8, PT_DTYPE_I8 }, 4 },
  [BYTES_8] = { { PT_DTYPE_U8, PT_DTYPE_I8 }, 8 },
  [CODES] = { { PT_DTYPE_U8, PT_DTYPE_I8 }, 0 },
  [FLOATS] = { { PT_DTYPE_BF16, PT_DTYPE_BF16 }, 0 },
  [STEPS] = { { PT_DTYPE_F16, PT_DTYPE_F16 }, 256 },
};

static const struct {
  const char *name;
  PartShape parts[N_PARTS]; /* low, high, scale, scale_step, zero, zero_step */
} plain_kinds[] = {
  [PT_CUDA_PLAIN_INT4_FLOAT] = { "int4_plain_mm", { BYTES_2, NONE, FLOATS, NONE, FLOATS, NONE } },
  [PT_CUDA_PLAIN_INT4] = { "int4_plain_mm", { BYTES_2, NONE, CODES, STEPS, CODES, STEPS } },
  [PT_CUDA_PLAIN_INT5] = { "int5_plain_mm", { BYTES_2, BYTES_8, CODES, STEPS, CODES, STEPS } },
  [PT_CUDA_PLAIN_INT6] = { "int6_plain_mm", { BYTES_2, BYTES_4, CODES, STEPS, NONE, NONE } },
  [PT_CUDA_PLAIN_INT8] = { "int8_plain_mm", { BYTES_1, NONE, FLOATS, NONE, CODES, NONE } },
};

/* Only in the oldest int4 form, scales and zeros are transposed. */
static gboolean
part_fits (const PtShimTensor *part, PtCudaPlainKind kind, PartShape shape, gint64 n, gint64 k,
           gint64 group)
{
  gint64 divisor = part_shapes[shape].divisor != 0 ? part_shapes[shape].divisor : group;
  gboolean is_turned = kind == PT_CUDA_PLAIN_INT4_FLOAT && shape == FLOATS;

  return (part->dtype == part_shapes[shape].dtypes[0] ||
          part->dtype == part_shapes[shape].dtypes[1]) &&
         part->rank == 2 && k % divisor == 0 && part->sizes[is_turned ? 1 : 0] == n &&
         part->sizes[is_turned ? 0 : 1] == k / divisor;
}

static gint32
run_plain (PtCudaPlainKind kind, const PtShimTensor *a, PtShimTensor *const *parts, gint64 group,
           PtShimHandle *out)
{
  const PartShape *shapes = plain_kinds[kind].parts;
  PtCudaPlain product = { .kind = kind, .m = a->sizes[0], .k = a->sizes[1], .group = group };
  g_autoptr (PtShimTensor) y = NULL;
  PtCuPointer data[N_PARTS] = { 0 };
  GError *error = NULL;

  product.n = parts[LOW]->rank == 2 ? parts[LOW]->sizes[0] : -1;
  for (guint i = 0; i < N_PARTS; i++) {
    if (shapes[i] == NONE)
      continue;
    if (!part_fits (parts[i], kind, shapes[i], product.n, product.k, group))
      return wrong (plain_kinds[kind].name);
    data[i] = address (parts[i]);
  }
  y = output (PT_DTYPE_BF16, 2, (gint64[]){ product.m, product.n });
  if (y == NULL)
    return 1;
  product.input = address (a);
  product.low = data[LOW];
  product.high = data[HIGH];
  product.scale = data[SCALE];
  product.scale_step = data[SCALE_STEP];
  product.zero = data[ZERO];
  product.zero_step = data[ZERO_STEP];
  product.output = address (y);
  if (!pt_cuda_kernel_plain (pt_shim_state.context, &product, &error))
    return pt_shim_refuse_error (error);
  *out = g_steal_pointer (&y);
  return 0;
}

static gint32
plain_mm (PtCudaPlainKind kind, PtShimHandle self, const PtShimHandle *handles, gint64 group,
          PtShimHandle *out)
{
  const char *name = plain_kinds[kind].name;
  g_autoptr (PtShimTensor) a = input (name, self);
  PtShimTensor *parts[N_PARTS] = { NULL };
  gboolean is_good = a != NULL;
  gint32 code = 1;

  for (guint i = 0; is_good && i < N_PARTS; i++) {
    if (plain_kinds[kind].parts[i] == NONE)
      continue;
    parts[i] = input (name, handles[i]);
    is_good = parts[i] != NULL;
  }
  if (is_good && (a->dtype != PT_DTYPE_BF16 || a->rank != 2 || group <= 0 || group > G_MAXINT32))
    wrong (name);
  else if (is_good)
    code = run_plain (kind, a, parts, group, out);
  for (guint i = 0; i < N_PARTS; i++)
    pt_shim_tensor_free (parts[i]);
  return code;
}

/*
 * Two functions have the same name (docs/formats/cuda.md, section 9.3). Exporters of ExecuTorch 1.3
 * pass self, weights, scale, zero, the group size and the address of the result. Later exporters
 * pass self, weights, scale and its step, zero and its step, the group size and the address of the
 * result.
 */
int32_t
pt_aoti_torch_cuda_int4_plain_mm (void *a0, void *a1, void *a2, void *a3, void *a4, void *a5,
                                  int64_t a6, void *a7)
{
  const guintptr first_address = 65536;

  if ((guintptr) a4 < first_address)
    return plain_mm (PT_CUDA_PLAIN_INT4_FLOAT, a0,
                     (PtShimHandle[N_PARTS]){ [LOW] = a1, [SCALE] = a2, [ZERO] = a3 },
                     (gint64) (guintptr) a4, a5);
  return plain_mm (PT_CUDA_PLAIN_INT4, a0,
                   (PtShimHandle[N_PARTS]){
                       [LOW] = a1, [SCALE] = a2, [SCALE_STEP] = a3, [ZERO] = a4, [ZERO_STEP] = a5 },
                   a6, a7);
}

int32_t
pt_aoti_torch_cuda_int5_plain_mm (PtShimHandle self, PtShimHandle low, PtShimHandle high,
                                  PtShimHandle scale, PtShimHandle scale_step, PtShimHandle zero,
                                  PtShimHandle zero_step, int64_t group_size, PtShimHandle *out)
{
  return plain_mm (PT_CUDA_PLAIN_INT5, self,
                   (PtShimHandle[N_PARTS]){ [LOW] = low,
                                            [HIGH] = high,
                                            [SCALE] = scale,
                                            [SCALE_STEP] = scale_step,
                                            [ZERO] = zero,
                                            [ZERO_STEP] = zero_step },
                   group_size, out);
}

int32_t
pt_aoti_torch_cuda_int6_plain_mm (PtShimHandle self, PtShimHandle low, PtShimHandle high,
                                  PtShimHandle scale, PtShimHandle scale_step, int64_t group_size,
                                  PtShimHandle *out)
{
  return plain_mm (PT_CUDA_PLAIN_INT6, self,
                   (PtShimHandle[N_PARTS]){
                       [LOW] = low, [HIGH] = high, [SCALE] = scale, [SCALE_STEP] = scale_step },
                   group_size, out);
}

int32_t
pt_aoti_torch_cuda_int8_plain_mm (PtShimHandle self, PtShimHandle weight, PtShimHandle scale,
                                  PtShimHandle zero, int64_t group_size, PtShimHandle *out)
{
  return plain_mm (PT_CUDA_PLAIN_INT8, self,
                   (PtShimHandle[N_PARTS]){ [LOW] = weight, [SCALE] = scale, [ZERO] = zero },
                   group_size, out);
}

/* ---- Sorting ---- */

static gint32
run_sort (const PtCudaSort *sort)
{
  PtCudaContext *context = pt_shim_state.context;
  GError *error = NULL;
  PtCuPointer scratch = pt_cuda_pool_allocate (context->pool, pt_cuda_sort_scratch (sort), &error);

  if (error == NULL)
    pt_cuda_kernel_sort (context, sort, scratch, &error);
  pt_cuda_pool_release (context->pool, scratch);
  return error != NULL ? pt_shim_refuse_error (error) : 0;
}

/* The sort is always stable, so @stable is ignored. */
int32_t
pt_aoti_torch_cuda_sort_stable (PtShimHandle self, int32_t *stable, int64_t dim, int32_t descending,
                                PtShimHandle *values, PtShimHandle *indices)
{
  g_autoptr (PtShimTensor) x = input ("sort", self), y = NULL, at = NULL;
  PtCudaSort sort = { .outer = 1, .length = 1, .inner = 1, .descending = descending != 0 };
  gint64 axis;

  if (x == NULL)
    return 1;
  axis = dim < 0 ? dim + MAX (x->rank, 1) : dim;
  if (axis < 0 || axis >= MAX (x->rank, 1))
    return wrong ("sort");
  for (gint32 i = 0; i < x->rank && x->numel > 0; i++)
    *(i < axis ? &sort.outer : i > axis ? &sort.inner : &sort.length) *= x->sizes[i];
  y = output (x->dtype, x->rank, x->sizes);
  at = y != NULL ? output (PT_DTYPE_I64, x->rank, x->sizes) : NULL;
  if (at == NULL)
    return 1;
  sort.dtype = (PtDType) x->dtype;
  sort.input = address (x);
  sort.values = address (y);
  sort.indices = address (at);
  if (x->numel > 0 && run_sort (&sort) != 0)
    return 1;
  *values = g_steal_pointer (&y);
  *indices = g_steal_pointer (&at);
  return 0;
}

/* ---- Random numbers ---- */

int32_t
pt_aoti_torch_cuda_randint_low_out (PtShimHandle out, int64_t low, int64_t high,
                                    const int64_t *sizes, int64_t rank)
{
  PtCudaContext *context = pt_shim_context ("randint");
  PtCuPointer state;
  GError *error = NULL;

  if (context == NULL)
    return 1;
  if (out == NULL || out->storage->device_type != 1 || out->dtype != PT_DTYPE_I64 ||
      out->rank != rank || !pt_shim_tensor_is_contiguous (out))
    return wrong ("randint");
  for (gint32 i = 0; i < out->rank; i++)
    if (sizes[i] != out->sizes[i])
      return wrong ("randint");
  state = pt_shim_random_state (context);
  if (state == 0)
    return 1;
  if (!pt_cuda_kernel_randint (context, state, address (out), out->numel, low, high, &error))
    return pt_shim_refuse_error (error);
  return 0;
}

int32_t
pt_aoti_torch_cuda_rand (const int64_t *sizes, int64_t rank, int32_t *dtype, int32_t *layout,
                         int32_t *device, int32_t device_index, int32_t *pin_memory,
                         PtShimHandle *out)
{
  PtCudaContext *context = pt_shim_context ("rand");
  gint32 type = dtype != NULL ? *dtype : PT_DTYPE_F32;
  g_autoptr (PtShimTensor) y = NULL;
  PtCuPointer state;
  GError *error = NULL;

  if (context == NULL)
    return 1;
  if ((device != NULL && *device != 1) || rank < 0 || rank > PT_SHIM_MAX_RANK)
    return wrong ("rand");
  state = pt_shim_random_state (context);
  y = state != 0 ? output (type, (gint32) rank, sizes) : NULL;
  if (y == NULL)
    return 1;
  if (!pt_cuda_kernel_rand (context, state, address (y), (PtDType) type, y->numel, &error))
    return pt_shim_refuse_error (error);
  *out = g_steal_pointer (&y);
  return 0;
}
