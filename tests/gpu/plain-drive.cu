/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The peer of the CUDA delegate: a decoder's library driven plainly, as upstream's runner does it.
 * Weights by AOTInductorModelUpdateConstantsFromBlob from the mapped file; one
 * AOTInductorModelContainerRun for each token, its inputs uploaded and all its logits copied to the
 * host, where the largest is looked for; shims over cudaMallocAsync. Needs the CUDA toolkit, and
 * nothing of ours:
 *
 *     nvcc -O3 -arch=sm_90 --cudart shared -Xlinker -export-dynamic tests/gpu/plain-drive.cu -o
 * plain-drive
 *     ./plain-drive [--keep] MODEL_DIR [PROMPT_TOKENS [NEW_TOKENS [ROUNDS]]]
 *
 * --keep: freed memory stays with the process; by default, as upstream, the driver takes it back
 * whenever the GPU has been waited for. Prints one JSON object. It trusts its files.
 */

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <algorithm>
#include <vector>

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define EXPORT extern "C" __attribute__ ((visibility ("default")))

static cudaStream_t stream;

static void
check (bool ok, const char *what)
{
  if (ok)
    return;
  fprintf (stderr, "plain-drive: %s: %s\n", what, cudaGetErrorString (cudaGetLastError ()));
  exit (1);
}

static double
now ()
{
  struct timespec t;

  clock_gettime (CLOCK_MONOTONIC, &t);
  return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/* ---- tensors and shims (docs/formats/cuda.md, section 8) ---- */

enum { UINT8, INT8, INT16, INT32, INT64, FLOAT16, FLOAT32, BOOL = 11, BFLOAT16 = 15 };
enum { CPU, CUDA };

struct Storage {
  void *data;
  size_t size;
  int refs;
  bool is_own;
};

struct Tensor {
  Storage *storage;
  int64_t rank, sizes[8], strides[8], offset;
  int32_t dtype, device;
};

static size_t
item_size (int32_t dtype)
{
  switch (dtype) {
  case INT64: return 8;
  case INT32:
  case FLOAT32: return 4;
  case INT16:
  case FLOAT16:
  case BFLOAT16: return 2;
  default: return 1;
  }
}

static Tensor *
make (void *data, int64_t rank, const int64_t *sizes, const int64_t *strides, int64_t offset,
      int32_t dtype, int32_t device)
{
  Tensor *t = new Tensor ();
  int64_t extent = 1, next = 1;

  t->rank = rank;
  t->offset = offset;
  t->dtype = dtype;
  t->device = device;
  for (int64_t i = rank - 1; i >= 0; i--) {
    t->sizes[i] = sizes[i];
    t->strides[i] = strides != nullptr ? strides[i] : next;
    next *= sizes[i];
    extent += t->strides[i] * (sizes[i] - 1);
  }
  for (int64_t i = 0; i < rank; i++)
    extent = sizes[i] == 0 ? 0 : extent;
  t->storage =
      new Storage{ data, (size_t) (extent + offset) * item_size (dtype), 1, data == nullptr };
  if (data != nullptr)
    return t;
  if (device == CUDA)
    check (cudaMallocAsync (&t->storage->data, std::max<size_t> (t->storage->size, 1), stream) ==
               cudaSuccess,
           "memory");
  else
    t->storage->data = aligned_alloc (64, (t->storage->size + 64) / 64 * 64);
  return t;
}

static Tensor *
share (const Tensor *original)
{
  Tensor *t = new Tensor (*original);

  t->storage->refs++;
  return t;
}

static void *
address (const Tensor *t)
{
  return (char *) t->storage->data + (size_t) t->offset * item_size (t->dtype);
}

EXPORT int32_t
aoti_torch_delete_tensor_object (Tensor *t)
{
  if (--t->storage->refs == 0) {
    if (t->storage->is_own && t->device == CUDA)
      cudaFreeAsync (t->storage->data, stream);
    else if (t->storage->is_own)
      free (t->storage->data);
    delete t->storage;
  }
  delete t;
  return 0;
}

EXPORT int32_t
aoti_torch_create_tensor_from_blob (void *data, int64_t rank, const int64_t *sizes,
                                    const int64_t *strides, int64_t offset, int32_t dtype,
                                    int32_t device, int32_t index, Tensor **out)
{
  *out = make (data, rank, sizes, strides, offset, dtype, device);
  return 0;
}

EXPORT int32_t
aoti_torch_create_tensor_from_blob_v2 (void *data, int64_t rank, const int64_t *sizes,
                                       const int64_t *strides, int64_t offset, int32_t dtype,
                                       int32_t device, int32_t index, Tensor **out, int32_t layout,
                                       const uint8_t *metadata, int64_t n_metadata)
{
  *out = make (data, rank, sizes, strides, offset, dtype, device);
  return 0;
}

EXPORT int32_t
aoti_torch_empty_strided (int64_t rank, const int64_t *sizes, const int64_t *strides, int32_t dtype,
                          int32_t device, int32_t index, Tensor **out)
{
  *out = make (nullptr, rank, sizes, strides, 0, dtype, device);
  return 0;
}

EXPORT int32_t
aoti_torch_clone (Tensor *t, Tensor **out)
{
  *out = make (nullptr, t->rank, t->sizes, t->strides, 0, t->dtype, t->device);
  return cudaMemcpyAsync ((*out)->storage->data, address (t), (*out)->storage->size,
                          cudaMemcpyDefault, stream);
}

EXPORT int32_t
aoti_torch_clone_preserve_strides (Tensor *t, Tensor **out)
{
  return aoti_torch_clone (t, out);
}

EXPORT int32_t
aoti_torch_new_tensor_handle (Tensor *t, Tensor **out)
{
  *out = share (t);
  return 0;
}

EXPORT int32_t
aoti_torch__reinterpret_tensor (Tensor *t, int64_t rank, const int64_t *sizes,
                                const int64_t *strides, int64_t offset, Tensor **out)
{
  *out = share (t);
  (*out)->rank = rank;
  (*out)->offset = offset;
  memcpy ((*out)->sizes, sizes, (size_t) rank * sizeof *sizes);
  memcpy ((*out)->strides, strides, (size_t) rank * sizeof *strides);
  return 0;
}

#define GETTER(name, type, value)                         \
  EXPORT int32_t aoti_torch_##name (Tensor *t, type *out) \
  {                                                       \
    *out = value;                                         \
    return 0;                                             \
  }
GETTER (get_data_ptr, void *, address (t))
GETTER (get_sizes, int64_t *, t->sizes)
GETTER (get_strides, int64_t *, t->strides)
GETTER (get_dim, int64_t, t->rank)
GETTER (get_dtype, int32_t, t->dtype)
GETTER (get_device_type, int32_t, t->device)
GETTER (get_storage_offset, int64_t, t->offset)
GETTER (get_storage_size, int64_t, (int64_t) t->storage->size)

#define CONSTANT(name, value)         \
  EXPORT int32_t aoti_torch_##name () \
  {                                   \
    return value;                     \
  }
CONSTANT (device_type_cpu, CPU)
CONSTANT (device_type_cuda, CUDA)
CONSTANT (layout_strided, 0)
CONSTANT (dtype_bool, BOOL)
CONSTANT (dtype_int32, INT32)
CONSTANT (dtype_int64, INT64)
CONSTANT (dtype_float32, FLOAT32)
CONSTANT (dtype_bfloat16, BFLOAT16)

EXPORT bool
aoti_torch_grad_mode_is_enabled ()
{
  return false;
}

EXPORT void
aoti_torch_grad_mode_set_enabled (bool enabled)
{
}

EXPORT void
aoti_torch_warn (const char *function, const char *file, uint32_t line, const char *text)
{
  fprintf (stderr, "%s\n", text);
}

EXPORT int32_t
aoti_torch_create_cuda_stream_guard (void *of, int32_t index, void **out)
{
  *out = &stream;
  return 0;
}

EXPORT int32_t
aoti_torch_delete_cuda_stream_guard (void *guard)
{
  return 0;
}

/* ---- tile-packed int4 weights (docs/formats/cuda.md, section 9.2), in upstream's order ---- */

/* Two nibbles of a word, as bf16 pairs: (nibble - 8) * scale + zero, rounded once. */
__device__ static uint32_t
dequantize (uint32_t word, int i, __nv_bfloat162 scale, __nv_bfloat162 zero)
{
  uint32_t bits = ((word >> (4 * i)) & 0x000f000f) | 0x43004300; /* 128 + nibble */
  __nv_bfloat162 q = __hsub2 (*(__nv_bfloat162 *) &bits, __floats2bfloat162_rn (136, 136));
  __nv_bfloat162 b = __hfma2 (q, scale, zero);

  return *(uint32_t *) &b;
}

__device__ static void
multiply (float *c, const uint32_t *a, uint32_t b0, uint32_t b1)
{
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/* The fragment of 16 rows and 16 columns from @column on. */
__device__ static void
load_rows (uint32_t *a, const __nv_bfloat16 *x, int row, int m, int k, int column, int lane)
{
  const uint32_t *top =
      (const uint32_t *) (x + (int64_t) (row + lane / 4) * k + column + 2 * (lane % 4));
  const uint32_t *bottom = top + 4 * k;
  bool has_top = row + lane / 4 < m, has_bottom = row + lane / 4 + 8 < m;

  a[0] = has_top ? top[0] : 0;
  a[1] = has_bottom ? bottom[0] : 0;
  a[2] = has_top ? top[4] : 0;
  a[3] = has_bottom ? bottom[4] : 0;
}

template <int INNER> struct alignas (2 * INNER) Words { /* read at once */
  uint32_t of[INNER / 2];
};

/* Eight warps share 16 rows of @x and 8 of the weights; each takes eight tiles of 16, then skips.
 */
template <int INNER>
__global__ static void
int4_kernel (const __nv_bfloat16 *x, const Words<INNER> *weights, const __nv_bfloat162 *scales,
             __nv_bfloat16 *out, int m, int n, int k, int group)
{
  __shared__ float sums[8][32][4];
  int lane = threadIdx.x, warp = threadIdx.y, row = blockIdx.z * 16, n_tiles = k / 16;
  int column = blockIdx.y * 8 + lane / 4;
  float sum[4] = { 0, 0, 0, 0 };

  for (int outer = warp * 8 / INNER; outer < n_tiles / INNER;) {
    Words<INNER> words = weights[((int64_t) blockIdx.y * (n_tiles / INNER) + outer) * 32 + lane];

#pragma unroll
    for (int tile = 0; tile < INNER; tile++) {
      int at = (outer * INNER + tile) * 16;
      __nv_bfloat162 pair = scales[(int64_t) (at / group) * n + column];
      __nv_bfloat162 scale = __low2bfloat162 (pair), zero = __high2bfloat162 (pair);
      uint32_t a[4];

      load_rows (a, x, row, m, k, at, lane);
      multiply (sum, a, dequantize (words.of[tile / 2], tile % 2 * 2, scale, zero),
                dequantize (words.of[tile / 2], tile % 2 * 2 + 1, scale, zero));
    }
    outer += (outer + 1) * INNER % 8 == 0 ? 56 / INNER + 1 : 1;
  }
  for (int i = 0; i < 4; i++)
    sums[warp][lane][i] = sum[i];
  __syncthreads ();
  if (warp != 0)
    return;
  for (int other = 1; other < 8; other++)
    for (int i = 0; i < 4; i++)
      sum[i] += sums[other][lane][i];
  for (int i = 0; i < 4; i++) {
    int r = row + lane / 4 + i / 2 * 8;

    if (r < m)
      out[(int64_t) r * n + blockIdx.y * 8 + lane % 4 * 2 + i % 2] = __float2bfloat16 (sum[i]);
  }
}

template <int INNER>
static void
launch (const Tensor *x, const Tensor *weights, const Tensor *scales, Tensor *out, int group)
{
  int m = (int) x->sizes[0], k = (int) x->sizes[1], n = (int) out->sizes[1];
  dim3 grid (1, n / 8, (m + 15) / 16), block (32, 8);

  int4_kernel<INNER><<<grid, block, 0, stream>>> (
      (const __nv_bfloat16 *) address (x), (const Words<INNER> *) address (weights),
      (const __nv_bfloat162 *) address (scales), (__nv_bfloat16 *) address (out), m, n, k, group);
}

EXPORT int32_t
aoti_torch_cuda__weight_int4pack_mm (Tensor *x, Tensor *weights, int64_t group, Tensor *scales,
                                     Tensor **out)
{
  int64_t sizes[2] = { x->sizes[0], weights->sizes[0] * 8 };
  auto launch_it = weights->sizes[3] == 4   ? launch<8>
                   : weights->sizes[3] == 2 ? launch<4>
                                            : launch<2>;

  if (x->strides[1] != 1 || x->strides[0] != x->sizes[1])
    return 1;
  *out = make (nullptr, 2, sizes, nullptr, 0, BFLOAT16, CUDA);
  launch_it (x, weights, scales, *out, (int) group);
  return cudaGetLastError ();
}

/* ---- the library ---- */

struct File {
  const uint8_t *data;
  size_t size;
};

static File
map (const char *folder, const char *name)
{
  char path[4096];
  struct stat info;
  int fd;
  File file;

  snprintf (path, sizeof path, "%s/%s", folder, name);
  fd = open (path, O_RDONLY);
  check (fd >= 0 && fstat (fd, &info) == 0, path);
  file.size = (size_t) info.st_size;
  file.data = (const uint8_t *) mmap (nullptr, file.size, PROT_READ, MAP_PRIVATE, fd, 0);
  check (file.data != MAP_FAILED, path);
  madvise ((void *) file.data, file.size, MADV_SEQUENTIAL);
  close (fd);
  return file;
}

/* The first ELF file of a processor at a multiple of 128; up to its end, or beyond. */
static void *
load_library (const File &program)
{
  char path[] = "/tmp/plain-drive-XXXXXX";
  int fd = mkstemp (path);
  size_t at = 0;
  void *library;

  while (at + 64 < program.size &&
         (memcmp (program.data + at, "\177ELF", 4) != 0 || program.data[at + 18] != 62))
    at += 128;
  check (fd >= 0 &&
             write (fd, program.data + at, program.size - at) == (ssize_t) (program.size - at),
         path);
  close (fd);
  library = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  unlink (path);
  if (library == nullptr)
    fprintf (stderr, "%s\n", dlerror ());
  check (library != nullptr, "the library");
  return library;
}

typedef int32_t (*CreateFunc) (void **, size_t, const char *, const char *);
typedef int32_t (*RunFunc) (void *, Tensor **, size_t, Tensor **, size_t, void *, void *);
typedef int32_t (*BlobFunc) (void *, const uint8_t *);
typedef int32_t (*BlobSizeFunc) (void *, uint64_t *);

struct Model {
  void *container;
  RunFunc run;
  std::vector<uint16_t> logits; /* of all rows of the last call */
  size_t width;
};

/* Values to a new tensor on the GPU. */
static Tensor *
upload (int64_t rank, const int64_t *sizes, const int64_t *values, size_t n)
{
  Tensor *t = make (nullptr, rank, sizes, nullptr, 0, INT64, CUDA);

  check (cudaMemcpyAsync (t->storage->data, values, n * sizeof *values, cudaMemcpyHostToDevice,
                          stream) == cudaSuccess,
         "upload");
  return t;
}

/* One call: ids [1, n], positions [n]; the id of the largest logit behind the last. */
static int64_t
step (Model &model, const int64_t *ids, const int64_t *positions, int64_t n, bool all_rows)
{
  const int64_t row[2] = { 1, n };
  Tensor *inputs[2] = { upload (2, row, ids, (size_t) n), upload (1, &n, positions, (size_t) n) };
  Tensor *output = nullptr;
  size_t size, skipped;
  const uint16_t *last;
  float best = -INFINITY;
  int64_t id = 0;

  check (model.run (model.container, inputs, 2, &output, 1, stream, nullptr) == 0, "run");
  model.width = (size_t) output->sizes[output->rank - 1];
  skipped = all_rows ? 0 : output->storage->size - model.width * 2;
  size = output->storage->size - skipped;
  if (model.logits.size () < size / 2)
    model.logits.resize (size / 2);
  check (cudaMemcpyAsync (model.logits.data (), (char *) address (output) + skipped, size,
                          cudaMemcpyDeviceToHost, stream) == cudaSuccess &&
             cudaStreamSynchronize (stream) == cudaSuccess,
         "results");
  aoti_torch_delete_tensor_object (output);
  last = model.logits.data () + size / 2 - model.width;
  for (size_t i = 0; i < model.width; i++) {
    uint32_t bits = (uint32_t) last[i] << 16;
    float value;

    memcpy (&value, &bits, 4);
    if (value > best) {
      best = value;
      id = (int64_t) i;
    }
  }
  return id;
}

static double
median (std::vector<double> values)
{
  std::sort (values.begin (), values.end ());
  return values[values.size () / 2];
}

static void
measure (Model &model, int64_t n_prompt, int64_t n_new, int rounds)
{
  std::vector<int64_t> ids (n_prompt), positions (n_prompt), answer;
  std::vector<double> prefills, short_prefills, decodes;
  int64_t id = 0;

  for (int round = -1; round < rounds; round++) {
    double start;

    for (int64_t i = 0; i < n_prompt; i++) {
      ids[i] = (i * 37 + 2) % 4096;
      positions[i] = i;
    }
    start = now ();
    step (model, ids.data (), positions.data (), n_prompt, true);
    if (round >= 0)
      prefills.push_back (now () - start);
    start = now ();
    id = step (model, ids.data (), positions.data (), n_prompt, false);
    if (round >= 0)
      short_prefills.push_back (now () - start);
    answer.assign (1, id);
    start = now ();
    for (int64_t i = 0; i < n_new; i++) {
      int64_t position = n_prompt + i;

      id = step (model, &id, &position, 1, true);
      answer.push_back (id);
    }
    if (round >= 0)
      decodes.push_back (now () - start);
  }
  printf ("\"prefill_tokens_per_s\": %.1f, \"prefill_last_row_tokens_per_s\": %.1f, "
          "\"decode_tokens_per_s\": %.2f, ",
          (double) n_prompt / median (prefills), (double) n_prompt / median (short_prefills),
          (double) n_new / median (decodes));
  printf ("\"tokens\": [");
  for (size_t i = 0; i < 16 && i < answer.size (); i++)
    printf ("%s%lld", i == 0 ? "" : ", ", (long long) answer[i]);
  printf ("]}\n");
}

template <typename T>
static T
find (void *library, const char *name)
{
  T symbol = (T) dlsym (library, name);

  check (symbol != nullptr, name);
  return symbol;
}

int
main (int argc, char **argv)
{
  bool keep = argc > 1 && strcmp (argv[1], "--keep") == 0;
  char **arguments = argv + 1 + keep;
  int n = argc - 1 - keep;
  File program, data;
  void *library;
  uint64_t base, size = 0;
  double start = now (), context_s, library_s, constants_s;
  Model model = {};

  check (n >= 1 && n <= 4,
         "usage: plain-drive [--keep] MODEL_DIR [PROMPT_TOKENS [NEW_TOKENS [ROUNDS]]]");
  program = map (arguments[0], "model.pte");
  data = map (arguments[0], "aoti_cuda_blob.ptd");
  check (cudaSetDevice (0) == cudaSuccess && cudaStreamCreate (&stream) == cudaSuccess, "device");
  if (keep) {
    cudaMemPool_t pool;
    uint64_t most = UINT64_MAX;

    check (cudaDeviceGetDefaultMemPool (&pool, 0) == cudaSuccess &&
               cudaMemPoolSetAttribute (pool, cudaMemPoolAttrReleaseThreshold, &most) ==
                   cudaSuccess,
           "pool");
  }
  context_s = now () - start;
  start = now ();
  library = load_library (program);
  check (find<CreateFunc> (library, "AOTInductorModelContainerCreateWithDevice") (
             &model.container, 1, "cuda", nullptr) == 0,
         "container");
  library_s = now () - start;
  find<BlobSizeFunc> (library, "AOTInductorModelContainerGetConstantsBlobSize") (model.container,
                                                                                 &size);
  memcpy (&base, data.data + 32, sizeof base); /* of the segments; there is one */
  check (base + size <= data.size, "size of the data");
  start = now ();
  check (find<BlobFunc> (library, "AOTInductorModelUpdateConstantsFromBlob") (
             model.container, data.data + base) == 0 &&
             cudaDeviceSynchronize () == cudaSuccess,
         "constants");
  constants_s = now () - start;
  model.run = find<RunFunc> (library, "AOTInductorModelContainerRun");
  printf ("{\"context_s\": %.3f, \"library_s\": %.3f, \"constants_s\": %.3f, \"constants_bytes\": "
          "%llu, "
          "\"constants_gb_per_s\": %.2f, ",
          context_s, library_s, constants_s, (unsigned long long) size,
          (double) size / constants_s / 1e9);
  measure (model, n > 1 ? atoll (arguments[1]) : 512, n > 2 ? atoll (arguments[2]) : 256,
           n > 3 ? atoi (arguments[3]) : 5);
  return 0;
}
