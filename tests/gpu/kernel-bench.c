/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Times of our kernels on the GPU. Each is put many times into a CUDA graph, as in the decoding
 * step of a model, and takes its weights from another place each time, so that no cache has them.
 */

#include <stdlib.h>
#include <string.h>
#include <pteris/sampling.h>

#include "engine/cuda/graph-edges.h"
#include "tests/gpu/gpu.h"
#include "tests/gpu/reference.h"

#define POOL_BYTES ((gsize) 32 << 20)
#define ROTATED_BYTES ((gsize) 1 << 30) /* several times the second cache */
#define MOST_COPIES 256
#define REPEATS 7

typedef void Enqueue (gconstpointer data, guint copy);

static double copy_rate; /* bytes a second, read and written */

static void
check (PtCuResult code, const char *what)
{
  GError *error = NULL;

  gpu_check (pt_cuda_context_check (gpu, code, what, &error), error);
}

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

/* Seconds of one of @n pieces of work, the median; @exec: all of them as a graph, or NULL. */
static double
time_work (Enqueue *enqueue, gconstpointer data, guint n, PtCuGraphExec exec)
{
  const PtCuda *cu = gpu->cu;
  double seconds[REPEATS];
  PtCuEvent begin, end;

  check (cu->cuEventCreate (&begin, 0), "An event");
  check (cu->cuEventCreate (&end, 0), "An event");
  /* The first time is for nothing. */
  for (guint i = 0; i <= REPEATS; i++) {
    float ms = 0;

    check (cu->cuEventRecord (begin, gpu->stream), "An event");
    if (exec != NULL)
      check (cu->cuGraphLaunch (exec, gpu->stream), "Launching");
    for (guint j = 0; exec == NULL && j < n; j++)
      enqueue (data, j);
    check (cu->cuEventRecord (end, gpu->stream), "An event");
    check (cu->cuEventSynchronize (end), "Running");
    check (cu->cuEventElapsedTime (&ms, begin, end), "Timing");
    if (i > 0)
      seconds[i - 1] = (double) ms * 1e-3 / n;
  }
  check (cu->cuEventDestroy (begin), "Freeing");
  check (cu->cuEventDestroy (end), "Freeing");
  qsort (seconds, REPEATS, sizeof *seconds, compare_doubles);
  return seconds[REPEATS / 2];
}

static const PtPtxEffects *
find_effects (PtCuFunction function, gpointer user_data)
{
  return pt_cuda_kernels_effects (gpu, function);
}

static gboolean
find_memory (PtCuPointer pointer, PtCuPointer *start, gsize *size, gpointer user_data)
{
  return gpu->cu->cuMemGetAddressRange (start, size, pointer) == PT_CU_SUCCESS;
}

static gboolean
starts_early (PtCuFunction function, gpointer user_data)
{
  return pt_cuda_kernels_start_early (gpu, function);
}

static gboolean
combine (const PtCuKernelNode *first, const PtCuKernelNode *second, PtCudaKernelChange *both,
         gpointer user_data)
{
  return pt_cuda_kernels_combine (gpu, first, second, both);
}

static guint
find_weights (const PtCuKernelNode *node, PtCuPointer *addresses, gpointer user_data)
{
  return pt_cuda_kernels_weights (gpu, node, addresses);
}

static void
read_early (const PtCuKernelNode *node, PtCudaKernelChange *changed, gpointer user_data)
{
  pt_cuda_kernels_read_early (gpu, node, changed);
}

/* As in the graphs of models. All write the same results, so they run one after the other. */
static void
let_start_early (PtCuGraph graph)
{
  const char *text = g_getenv ("PTERIS_CUDA_GRAPH_EDGES");
  g_auto (GStrv) list = g_strsplit (text != NULL ? text : "", ",", -1);
  const char *const *settings = (const char *const *) list;
  gboolean is_late = g_strv_contains (settings, "late");
  const PtCudaMemoryView view = { .effects = find_effects,
                                  .find = find_memory,
                                  .starts_early = starts_early,
                                  .combine = g_strv_contains (settings, "apart") ? NULL : combine,
                                  .weights = is_late ? NULL : find_weights,
                                  .read_early = is_late ? NULL : read_early };
  PtCudaGraphEdges result;

  if (!g_strv_contains (settings, "ends") &&
      !pt_cuda_replace_edges (gpu->cu, graph, &view, &result))
    g_print ("(a chain) ");
}

static double
time_graph (Enqueue *enqueue, gconstpointer data, guint n)
{
  const PtCuda *cu = gpu->cu;
  PtCuGraph graph;
  PtCuGraphExec exec;
  double seconds;

  enqueue (data, 0);
  check (cu->cuStreamSynchronize (gpu->stream), "Warming up");
  check (cu->cuStreamBeginCapture (gpu->stream, PT_CU_STREAM_CAPTURE_RELAXED), "Capturing");
  for (guint i = 0; i < n; i++)
    enqueue (data, i);
  check (cu->cuStreamEndCapture (gpu->stream, &graph), "Capturing");
  let_start_early (graph);
  check (cu->cuGraphInstantiateWithFlags (&exec, graph, 0), "Instantiating");
  seconds = time_work (enqueue, data, n, exec);
  check (cu->cuGraphExecDestroy (exec), "Freeing");
  check (cu->cuGraphDestroy (graph), "Freeing");
  return seconds;
}

static guint
copies_of (gsize bytes)
{
  return (guint) CLAMP (ROTATED_BYTES / MAX (bytes, 1), 2, MOST_COPIES);
}

/* Random bytes, or random bf16 between -1 and 1; the same ones again and again. */
static PtCuPointer
random_memory (gsize size, gboolean is_bf16)
{
  static guint16 *pools[2];
  GError *error = NULL;
  PtCuPointer pointer = pt_cuda_context_allocate (gpu, size, &error);
  guint64 state = 1;

  gpu_check (pointer != 0, error);
  if (pools[is_bf16] == NULL) {
    pools[is_bf16] = g_malloc (POOL_BYTES);
    for (gsize i = 0; i < POOL_BYTES / 2; i++)
      pools[is_bf16][i] = is_bf16 ? reference_to_bf16 ((double) reference_uniform (&state))
                                  : (guint16) reference_random (&state);
  }
  check (gpu->cu->cuMemcpyHtoD (pointer, pools[is_bf16], MIN (POOL_BYTES, size)), "Copying");
  for (gsize at = POOL_BYTES; at < size; at += POOL_BYTES)
    check (gpu->cu->cuMemcpyDtoDAsync (pointer + at, pointer, MIN (POOL_BYTES, size - at),
                                       gpu->stream),
           "Copying");
  return pointer;
}

/* ---- The rate of a copy ---- */

typedef struct {
  PtCuPointer to, from;
  gsize size;
} CopyWork;

static void
enqueue_copy (gconstpointer data, guint copy)
{
  const CopyWork *work = data;

  check (gpu->cu->cuMemcpyDtoDAsync (work->to, work->from, work->size, gpu->stream), "Copying");
}

static void
bench_copy (void)
{
  CopyWork work = { .size = (gsize) 2 << 30 };

  work.from = random_memory (work.size, FALSE);
  work.to = random_memory (work.size, FALSE);
  /* Not in a graph, where another copy engine is used, which is much slower. */
  copy_rate = 2 * (double) work.size / time_work (enqueue_copy, &work, 4, NULL);
  g_print ("%s: a copy on the device moves %.0f GB/s (read and written)\n", gpu->name,
           copy_rate * 1e-9);
  pt_cuda_context_free (gpu, work.from);
  pt_cuda_context_free (gpu, work.to);
}

static void
report (const char *name, double seconds, double bytes, double operations)
{
  g_print ("%-44s %9.2f us %7.0f GB/s %5.1f %% of copy %7.1f TFLOP/s\n", name, seconds * 1e6,
           bytes / seconds * 1e-9, bytes / seconds / copy_rate * 100, operations / seconds * 1e-12);
}

/* ---- Matrix products ---- */

typedef struct {
  PtCudaInt4 product;
  gsize weights_size, scales_size;
  PtCuPointer scratch;
} Int4Work;

static void
enqueue_int4 (gconstpointer data, guint copy)
{
  const Int4Work *work = data;
  PtCudaInt4 product = work->product;
  GError *error = NULL;

  product.weights += copy * work->weights_size;
  product.scales += copy * work->scales_size;
  gpu_check (pt_cuda_kernel_int4 (gpu, &product, work->scratch, &error), error);
}

static void
bench_int4 (gint64 m, gint64 n, gint64 k, gint64 inner, gint64 group)
{
  Int4Work work = { .product = { .m = m, .n = n, .k = k, .inner = inner, .group = group },
                    .weights_size = (gsize) (n * k / 2),
                    .scales_size = (gsize) (n * k / group * 4) };
  gsize bytes = work.weights_size + work.scales_size, input = (gsize) (m * k * 2);
  gsize output = (gsize) (m * n * 2), scratch = pt_cuda_int4_scratch (gpu, m, n, k);
  guint n_copies = copies_of (bytes);
  g_autofree char *name = NULL;
  double seconds;

  work.product.input = random_memory (input, TRUE);
  work.product.weights = random_memory (work.weights_size * n_copies, FALSE);
  work.product.scales = random_memory (work.scales_size * n_copies, TRUE);
  work.product.output = random_memory (output, TRUE);
  work.scratch = random_memory (MAX (scratch, 16), TRUE);
  seconds = time_graph (enqueue_int4, &work, n_copies);
  name = g_strdup_printf ("int4 m %d n %d k %d inner %d group %d", (int) m, (int) n, (int) k,
                          (int) inner, (int) group);
  report (name, seconds, (double) (bytes + input + output),
          2.0 * (double) m * (double) n * (double) k);
  pt_cuda_context_free (gpu, work.product.input);
  pt_cuda_context_free (gpu, work.product.weights);
  pt_cuda_context_free (gpu, work.product.scales);
  pt_cuda_context_free (gpu, work.product.output);
  pt_cuda_context_free (gpu, work.scratch);
}

static void
bench_all_int4 (void)
{
  static const gint64 shapes[][2] = {
    { 2048, 2048 }, { 512, 2048 },   { 8192, 2048 },  { 2048, 8192 },  { 128256, 2048 },
    { 3072, 3072 }, { 4096, 4096 },  { 14336, 4096 }, { 4096, 14336 }, { 1024, 8192 },
    { 8192, 8192 }, { 28672, 8192 }, { 8192, 28672 },
  };
  static const gint64 rows[] = { 2, 4, 8, 16 };
  static const gint64 many[] = { 32, 64, 128, 512, 2048 };

  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    bench_int4 (1, shapes[i][0], shapes[i][1], 8, 128);
  for (gint64 inner = 2; inner <= 8; inner *= 2)
    for (gint64 group = 32; group <= 256; group *= 2)
      if (inner != 8 || group != 128)
        bench_int4 (1, 8192, 8192, inner, group);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++) {
    bench_int4 (rows[i], 8192, 2048, 8, 128);
    bench_int4 (rows[i], 2048, 8192, 8, 128);
    bench_int4 (rows[i], 8192, 28672, 8, 128);
  }
  for (guint i = 0; i < G_N_ELEMENTS (many); i++) {
    bench_int4 (many[i], 2048, 2048, 8, 128);
    bench_int4 (many[i], 8192, 2048, 8, 128);
    bench_int4 (many[i], 2048, 8192, 8, 128);
    bench_int4 (many[i], 8192, 8192, 8, 128);
  }
}

typedef struct {
  PtCudaPlain product;
  gsize low_size, high_size, groups_size, steps_size;
} PlainWork;

static void
enqueue_plain (gconstpointer data, guint copy)
{
  const PlainWork *work = data;
  PtCudaPlain product = work->product;
  GError *error = NULL;

  product.low += copy * work->low_size;
  product.high += copy * work->high_size;
  product.scale += copy * work->groups_size;
  product.zero += copy * work->groups_size;
  product.scale_step += copy * work->steps_size;
  product.zero_step += copy * work->steps_size;
  gpu_check (pt_cuda_kernel_plain (gpu, &product, &error), error);
}

static void
bench_plain (PtCudaPlainKind kind, gint64 m, gint64 n, gint64 k)
{
  static const char *const names[] = { "int4 (1.3)", "int4", "int5", "int6", "int8" };
  gboolean is_int6 = kind == PT_CUDA_PLAIN_INT6, is_int8 = kind == PT_CUDA_PLAIN_INT8;
  gboolean is_wide = kind == PT_CUDA_PLAIN_INT4_FLOAT || is_int8;
  gint64 group = is_int6 ? 16 : 32;
  gsize weights = (gsize) (n * k);
  PlainWork work = {
    .product = { .kind = kind, .m = m, .n = n, .k = k, .group = group },
    .low_size = is_int8 ? weights : weights / 2,
    .high_size = kind == PT_CUDA_PLAIN_INT5 ? weights / 8
                 : is_int6                  ? weights / 4
                                            : 0,
    .groups_size = weights / (gsize) group * (is_wide ? 2 : 1),
    .steps_size = is_wide ? 0 : weights / 256 * 2,
  };
  gsize bytes = work.low_size + work.high_size + 2 * (work.groups_size + work.steps_size);
  gsize input = (gsize) (m * k * 2), output = (gsize) (m * n * 2);
  guint n_copies = copies_of (bytes);
  g_autofree char *name =
      g_strdup_printf ("plain %s m %d n %d k %d", names[kind], (int) m, (int) n, (int) k);
  PtCuPointer *addresses[] = {
    &work.product.low,  &work.product.high,       &work.product.scale,
    &work.product.zero, &work.product.scale_step, &work.product.zero_step
  };
  gsize sizes[] = { work.low_size,    work.high_size,  work.groups_size,
                    work.groups_size, work.steps_size, work.steps_size };

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    *addresses[i] = random_memory (MAX (sizes[i], 16) * n_copies, i > 1);
  work.product.input = random_memory (input, TRUE);
  work.product.output = random_memory (output, TRUE);
  if (is_int6)
    bytes -= work.groups_size + work.steps_size;
  report (name, time_graph (enqueue_plain, &work, n_copies), (double) (bytes + input + output),
          2.0 * (double) m * (double) n * (double) k);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    pt_cuda_context_free (gpu, *addresses[i]);
  pt_cuda_context_free (gpu, work.product.input);
  pt_cuda_context_free (gpu, work.product.output);
}

static void
bench_all_plain (void)
{
  static const gint64 rows[] = { 1, 2, 4, 8 };

  for (gint kind = PT_CUDA_PLAIN_INT4_FLOAT; kind <= PT_CUDA_PLAIN_INT8; kind++) {
    bench_plain ((PtCudaPlainKind) kind, 1, 2048, 2048);
    bench_plain ((PtCudaPlainKind) kind, 1, 21504, 5376);
    bench_plain ((PtCudaPlainKind) kind, 1, 5376, 21504);
  }
  for (guint i = 1; i < G_N_ELEMENTS (rows); i++) {
    bench_plain (PT_CUDA_PLAIN_INT4, rows[i], 21504, 5376);
    bench_plain (PT_CUDA_PLAIN_INT6, rows[i], 21504, 5376);
    bench_plain (PT_CUDA_PLAIN_INT8, rows[i], 21504, 5376);
  }
}

typedef struct {
  PtCudaRow row, gate; /* gate.n: 0: none */
  gsize weights_size;  /* of each */
} RowWork;

static void
enqueue_row (gconstpointer data, guint copy)
{
  const RowWork *work = data;
  PtCudaRow row = work->row, gate = work->gate;
  GError *error = NULL;

  row.weights += copy * work->weights_size;
  gate.weights += copy * work->weights_size;
  gpu_check (gate.n == 0 || pt_cuda_kernel_row (gpu, &gate, &error), error);
  gpu_check (pt_cuda_kernel_row (gpu, &row, &error), error);
}

/* @is_pair: behind a gate of the same size, which a graph computes in the same launch */
static void
bench_row (gint64 n, gint64 k, gboolean is_pair)
{
  RowWork work = { .row = { .n = n, .k = k }, .weights_size = (gsize) (n * k * 2) };
  gsize bytes = work.weights_size * (is_pair ? 2 : 1);
  guint n_copies = copies_of (bytes);
  g_autofree char *name =
      g_strdup_printf ("bf16 row n %s%d k %d", is_pair ? "2 x " : "", (int) n, (int) k);

  work.row.input = random_memory ((gsize) k * 2, TRUE);
  work.row.weights = random_memory (work.weights_size * n_copies, TRUE);
  work.row.output = random_memory ((gsize) n * 2, TRUE);
  if (is_pair) {
    work.gate = work.row;
    work.gate.weights = random_memory (work.weights_size * n_copies, TRUE);
    work.gate.output = work.row.other = random_memory ((gsize) n * 2, TRUE);
    work.row.end = PT_CUDA_ROW_SILU;
  }
  report (name, time_graph (enqueue_row, &work, n_copies), (double) (bytes + (gsize) (n + k) * 2),
          2.0 * (double) n * (double) k * (is_pair ? 2 : 1));
  pt_cuda_context_free (gpu, work.row.input);
  pt_cuda_context_free (gpu, work.row.weights);
  pt_cuda_context_free (gpu, work.row.output);
  pt_cuda_context_free (gpu, work.gate.weights);
  pt_cuda_context_free (gpu, work.gate.output);
}

static void
bench_all_rows (void)
{
  static const gint64 shapes[][2] = {
    { 512, 2048 },  { 2048, 2048 },  { 8192, 2048 },  { 2048, 8192 }, { 128256, 2048 },
    { 1024, 1024 }, { 2048, 1024 },  { 3072, 1024 },  { 1024, 3072 }, { 151936, 1024 },
    { 4096, 4096 }, { 14336, 4096 }, { 4096, 14336 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    bench_row (shapes[i][0], shapes[i][1], FALSE);
  bench_row (8192, 2048, TRUE);
  bench_row (3072, 1024, TRUE);
}

/* ---- Small kernels between products ---- */

enum { MOST_INPUTS = 3 };

typedef struct {
  PtCudaNorm norm;
  PtCudaRotary rotary;
} SmallWork;

static void
enqueue_norm (gconstpointer data, guint copy)
{
  const SmallWork *work = data;
  GError *error = NULL;

  gpu_check (pt_cuda_kernel_norm (gpu, &work->norm, &error), error);
}

static void
bench_norm (gint64 n)
{
  SmallWork work = { .norm = { .n_inputs = MOST_INPUTS, .n = n, .epsilon = 1e-5 } };
  g_autofree char *name = g_strdup_printf ("rmsnorm of %d vectors of %d", MOST_INPUTS, (int) n);
  PtCuPointer all = random_memory ((gsize) n * 2 * (MOST_INPUTS + 2), TRUE);

  for (guint i = 0; i < MOST_INPUTS; i++)
    work.norm.inputs[i] = all + (guint64) n * 2 * i;
  work.norm.weights = all + (guint64) n * 2 * MOST_INPUTS;
  work.norm.output = work.norm.weights + (guint64) n * 2;
  report (name, time_graph (enqueue_norm, &work, 64), (double) n * 2 * (MOST_INPUTS + 2), 0);
  pt_cuda_context_free (gpu, all);
}

static void
enqueue_rotary (gconstpointer data, guint copy)
{
  const SmallWork *work = data;
  GError *error = NULL;

  gpu_check (pt_cuda_kernel_rotary (gpu, &work->rotary, &error), error);
}

static void
bench_rotary (gint64 heads, gint64 dim)
{
  gsize bytes = (gsize) (heads * dim) * 2;
  SmallWork work = { .rotary = { .heads = heads, .dim = dim } };
  g_autofree char *name = g_strdup_printf ("rotary positions %d x %d", (int) heads, (int) dim);

  work.rotary.input = random_memory (bytes, TRUE);
  work.rotary.angles = random_memory ((gsize) dim * 2, TRUE);
  work.rotary.output = random_memory (bytes, TRUE);
  report (name, time_graph (enqueue_rotary, &work, 64), (double) bytes * 2, 0);
  pt_cuda_context_free (gpu, work.rotary.input);
  pt_cuda_context_free (gpu, work.rotary.angles);
  pt_cuda_context_free (gpu, work.rotary.output);
}

static void
bench_all_small (void)
{
  bench_norm (1024);
  bench_norm (2048);
  bench_norm (4096);
  bench_norm (8192);
  bench_rotary (32, 64);
  bench_rotary (32, 128);
}

/* ---- Attention ---- */

enum { HEADS = 32, KV_HEADS = 8 };

typedef struct {
  PtCudaAttention attention;
  PtCuPointer scratch;
  gsize cache_size; /* of keys, and of values */
} AttentionWork;

static void
enqueue_attention (gconstpointer data, guint copy)
{
  const AttentionWork *work = data;
  PtCudaAttention attention = work->attention;
  GError *error = NULL;

  attention.keys += copy * work->cache_size;
  attention.values += copy * work->cache_size;
  gpu_check (pt_cuda_kernel_attention (gpu, &attention, work->scratch, &error), error);
}

static void
bench_attention (gint64 dim, gint64 length)
{
  gint64 head = dim * length;
  AttentionWork work = { .attention = { .heads = HEADS,
                                        .kv_heads = KV_HEADS,
                                        .length = length,
                                        .dim = dim,
                                        .query_head = dim,
                                        .output_head = dim,
                                        .key_head = head,
                                        .key_row = dim,
                                        .value_head = head,
                                        .value_row = dim,
                                        .scale = 0.125 },
                         .cache_size = (gsize) (KV_HEADS * head * 2) };
  guint n_copies = copies_of (2 * work.cache_size);
  gsize scratch = pt_cuda_attention_scratch (&work.attention);
  g_autofree char *name = g_strdup_printf ("attention dim %d length %d", (int) dim, (int) length);
  GError *error = NULL;

  work.attention.queries = random_memory ((gsize) (HEADS * dim * 2), TRUE);
  work.attention.output = random_memory ((gsize) (HEADS * dim * 2), TRUE);
  work.attention.keys = random_memory (work.cache_size * n_copies, TRUE);
  work.attention.values = random_memory (work.cache_size * n_copies, TRUE);
  work.scratch = random_memory (scratch, FALSE);
  gpu_check (pt_cuda_kernel_fill (gpu, work.scratch, scratch, 1, 0, &error), error);
  report (name, time_graph (enqueue_attention, &work, n_copies), 2 * (double) work.cache_size,
          4.0 * HEADS * (double) head);
  pt_cuda_context_free (gpu, work.attention.queries);
  pt_cuda_context_free (gpu, work.attention.output);
  pt_cuda_context_free (gpu, work.attention.keys);
  pt_cuda_context_free (gpu, work.attention.values);
  pt_cuda_context_free (gpu, work.scratch);
}

static void
bench_all_attention (void)
{
  static const gint64 lengths[] = { 512, 1024, 8192, 32768 };

  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++) {
    bench_attention (64, lengths[i]);
    bench_attention (128, lengths[i]);
  }
}

/* ---- The others ---- */

typedef struct {
  PtCudaSort sort;
  PtCudaSample sample;
  PtCuPointer scratch;
  gint64 sizes[2], from_strides[2], to_strides[2];
  PtCuPointer to, from;
} OtherWork;

static void
enqueue_sort (gconstpointer data, guint copy)
{
  const OtherWork *work = data;
  GError *error = NULL;

  gpu_check (pt_cuda_kernel_sort (gpu, &work->sort, work->scratch, &error), error);
}

static void
bench_sort (PtDType dtype, gint64 outer, gint64 length)
{
  gsize n = (gsize) (outer * length), size = pt_dtype_size (dtype);
  OtherWork work = { .sort = { .outer = outer, .length = length, .inner = 1, .dtype = dtype } };
  g_autofree char *name =
      g_strdup_printf ("sort %s %d x %d", pt_dtype_name (dtype), (int) outer, (int) length);

  work.sort.input = random_memory (n * size, FALSE);
  work.sort.values = random_memory (n * size, FALSE);
  work.sort.indices = random_memory (n * 8, FALSE);
  work.scratch = random_memory (MAX (pt_cuda_sort_scratch (&work.sort), 16), FALSE);
  report (name, time_graph (enqueue_sort, &work, 4), (double) (n * (2 * size + 8)), 0);
  pt_cuda_context_free (gpu, work.sort.input);
  pt_cuda_context_free (gpu, work.sort.values);
  pt_cuda_context_free (gpu, work.sort.indices);
  pt_cuda_context_free (gpu, work.scratch);
}

static void
enqueue_sample (gconstpointer data, guint copy)
{
  const OtherWork *work = data;
  GError *error = NULL;

  gpu_check (pt_cuda_kernel_sample (gpu, &work->sample, work->scratch, &error), error);
}

static void
bench_sample (PtDType dtype, gint64 n, double temperature, double top_p, gboolean is_usual)
{
  const PtSampling usual = pt_sampling_usual ();
  gsize size = pt_dtype_size (dtype), scratch = pt_cuda_sample_scratch (n);
  OtherWork work = { .sample = {
                         .dtype = dtype, .n = n, .temperature = temperature, .top_p = top_p } };
  g_autofree char *name =
      g_strdup_printf ("sample %s %d temperature %g top_p %g%s", pt_dtype_name (dtype), (int) n,
                       temperature, top_p, is_usual ? " top_k min_p penalty" : "");
  GError *error = NULL;

  if (is_usual) {
    work.sample.top_k = (guint) usual.top_k;
    work.sample.min_p = usual.min_p;
    work.sample.repetition_penalty = usual.repetition_penalty;
    work.sample.n_said = (guint) usual.repetition_window;
    work.sample.said = random_memory (work.sample.n_said * 8, FALSE);
  }

  work.sample.logits = random_memory ((gsize) n * size, TRUE);
  work.sample.random = random_memory (16, FALSE);
  work.sample.id = random_memory (16, FALSE);
  work.scratch = random_memory (scratch, FALSE);
  gpu_check (pt_cuda_kernel_fill (gpu, work.scratch, scratch, 1, 0, &error), error);
  report (name, time_graph (enqueue_sample, &work, 32), (double) ((gsize) n * size), 0);
  pt_cuda_context_free (gpu, work.sample.logits);
  pt_cuda_context_free (gpu, work.sample.random);
  pt_cuda_context_free (gpu, work.sample.id);
  if (is_usual)
    pt_cuda_context_free (gpu, work.sample.said);
  pt_cuda_context_free (gpu, work.scratch);
}

static void
enqueue_strided (gconstpointer data, guint copy)
{
  const OtherWork *work = data;
  GError *error = NULL;

  gpu_check (pt_cuda_kernel_copy (gpu, work->to, work->to_strides, work->from, work->from_strides,
                                  work->sizes, 2, 2, &error),
             error);
}

static void
bench_strided (const char *name, gint64 rows, gint64 columns, gboolean is_transposed)
{
  gsize bytes = (gsize) (rows * columns * 2);
  OtherWork work = { .sizes = { rows, columns },
                     .from_strides = { columns * 2, 1 },
                     .to_strides = { is_transposed ? 1 : columns, is_transposed ? rows : 1 } };

  work.from = random_memory (bytes * 2, TRUE);
  work.to = random_memory (bytes, TRUE);
  report (name, time_graph (enqueue_strided, &work, 8), 2 * (double) bytes, 0);
  pt_cuda_context_free (gpu, work.from);
  pt_cuda_context_free (gpu, work.to);
}

static void
enqueue_least (gconstpointer data, guint copy)
{
  const OtherWork *work = data;
  GError *error = NULL;

  gpu_check (pt_cuda_kernel_fill (gpu, work->to, 1, 8, 0, &error), error);
}

static void
bench_least (void)
{
  OtherWork work = { .to = random_memory (16, FALSE) };

  report ("the least kernel", time_graph (enqueue_least, &work, 64), 8, 0);
  pt_cuda_context_free (gpu, work.to);
}

static void
bench_all_samples (void)
{
  bench_sample (PT_DTYPE_BF16, 128256, 0, 0, FALSE);
  bench_sample (PT_DTYPE_F32, 128256, 0, 0, FALSE);
  bench_sample (PT_DTYPE_BF16, 128256, 0.8, 0, FALSE);
  bench_sample (PT_DTYPE_BF16, 128256, 0.8, 0.95, FALSE);
  bench_sample (PT_DTYPE_BF16, 128256, 0.8, 0.95, TRUE);
}

static void
bench_all_sorts (void)
{
  bench_sort (PT_DTYPE_F32, 1, 1000000);
  bench_sort (PT_DTYPE_I64, 1, 1000000);
  bench_sort (PT_DTYPE_BF16, 1, 1000000);
  bench_sort (PT_DTYPE_F32, 100000, 64);
  bench_sort (PT_DTYPE_F32, 1, 2048);
}

static void
bench_all_copies (void)
{
  bench_strided ("copy of rows, bf16", 8192, 4096, FALSE);
  bench_strided ("transpose, bf16", 8192, 4096, TRUE);
}

void
bench_all (const char *only)
{
  static const struct {
    const char *name;
    void (*run) (void);
  } groups[] = {
    { "least", bench_least },        { "small", bench_all_small },
    { "row", bench_all_rows },       { "attention", bench_all_attention },
    { "int4", bench_all_int4 },      { "plain", bench_all_plain },
    { "sample", bench_all_samples }, { "sort", bench_all_sorts },
    { "copy", bench_all_copies },
  };

  bench_copy ();
  for (guint i = 0; i < G_N_ELEMENTS (groups); i++)
    if (only == NULL || strcmp (only, groups[i].name) == 0)
      groups[i].run ();
}
