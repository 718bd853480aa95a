/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <glib.h>

#include "engine/kernels/attention.h"
#include "engine/kernels/cpu.h"
#include "engine/kernels/gemm.h"
#include "engine/kernels/vector.h"

/*
 * Measures the kernels on the shapes of the starter models. There are as many weights as in a
 * model, so that a decode step reads them from memory. Takes some seconds; not a test.
 *
 *     bench-kernels [THREADS [llama|attention]]
 *
 * llama: only products of a Llama of 1.2 B shape. attention: only one query behind many keys.
 */

typedef struct {
  const char *name;
  gsize n, k, count; /* in a layer */
  double time;
} Matrix;

typedef struct {
  const char *name;
  gsize n_layers, n_matrices;
  Matrix *matrices;
} Model;

static Matrix smollm2_matrices[] = {
  { "q o 576x576", 576, 576, 2, 0 },
  { "k v 192x576", 192, 576, 2, 0 },
  { "gate up 1536x576", 1536, 576, 2, 0 },
  { "down 576x1536", 576, 1536, 1, 0 },
};
static Matrix smollm2_head_matrices[] = { { "lm_head 49152x576", 49152, 576, 1, 0 } };
static Matrix whisper_matrices[] = {
  { "512x512", 512, 512, 4, 0 },
  { "2048x512", 2048, 512, 1, 0 },
  { "512x2048", 512, 2048, 1, 0 },
};

static Matrix llama_matrices[] = {
  { "q o 2048x2048", 2048, 2048, 2, 0 },
  { "k v 512x2048", 512, 2048, 2, 0 },
  { "gate up 8192x2048", 8192, 2048, 2, 0 },
  { "down 2048x8192", 2048, 8192, 1, 0 },
};

/* 8 of 16 layers: more than caches hold. */
static Model llama = { "Llama 1B layers", 8, 4, llama_matrices };
static Model smollm2 = { "SmolLM2 layers", 30, 4, smollm2_matrices };
static Model smollm2_head = { "SmolLM2 head", 1, 1, smollm2_head_matrices };
static Model whisper = { "Whisper base encoder", 6, 3, whisper_matrices };

#define WEIGHT_BYTES (248 * 1024 * 1024)
#define MAX_K 8192
#define MAX_M 1500
#define MAX_N 49152

typedef enum { WEIGHTS_8_BIT, WEIGHTS_4_BIT, WEIGHTS_BF16, N_WEIGHTS } Weights;

static const struct {
  const char *name;
  double bytes; /* of a weight, with the scales of groups */
} weight_types[N_WEIGHTS] = { { "8 bit", 1 }, { "4 bit", 0.5625 }, { "bf16", 2 } };

static PtPool *pool;
static gint8 *weights;
static float *scales, *x, *c;
static gint32 *sums;
static PtQuantizedRows rows;

static double
seconds (void)
{
  return (double) g_get_monotonic_time () * 1e-6;
}

static void
multiply (const Matrix *matrix, gsize m, gsize offset, Weights type)
{
  PtWeightsQc8 w8 = { weights + offset, scales, sums };
  PtWeightsQ4 w4 = { (const guint8 *) weights + offset / 2, (const guint16 *) scales, NULL, 32 };

  if (type == WEIGHTS_BF16)
    pt_gemm_typed (pool, m, matrix->n, matrix->k, x, matrix->k, PT_FLOAT_BF16,
                   (const guint16 *) weights + offset, matrix->k, TRUE, NULL, c, matrix->n);
  else if (type == WEIGHTS_4_BIT)
    pt_gemm_qd8_q4 (pool, m, matrix->n, matrix->k, &rows, &w4, NULL, c, matrix->n);
  else
    pt_gemm_qd8_qc8 (pool, m, matrix->n, matrix->k, &rows, &w8, NULL, c, matrix->n);
}

/* One pass over all layers, in the order of the model. */
static void
run_model (const Model *model, gsize m, Weights type)
{
  gsize offset = 0;

  for (gsize layer = 0; layer < model->n_layers; layer++)
    for (gsize i = 0; i < model->n_matrices; i++) {
      Matrix *matrix = &model->matrices[i];
      double start = seconds ();

      for (gsize j = 0; j < matrix->count; j++) {
        gsize size = matrix->n * matrix->k;

        if ((double) (offset + size) * weight_types[type].bytes > WEIGHT_BYTES)
          offset = 0;
        multiply (matrix, m, offset, type);
        offset += size;
      }
      matrix->time += seconds () - start;
    }
}

static void
bench_model (const Model *model, gsize m, Weights type)
{
  const double bytes = weight_types[type].bytes;
  const guint repeats = m == 1 ? 10 : 2;
  double total = 0, total_work = 0;

  run_model (model, m, type);
  for (gsize i = 0; i < model->n_matrices; i++)
    model->matrices[i].time = 0;
  for (guint repeat = 0; repeat < repeats; repeat++)
    run_model (model, m, type);
  g_print ("%s, %s, %zu rows\n", model->name, weight_types[type].name, m);
  for (gsize i = 0; i < model->n_matrices; i++) {
    const Matrix *matrix = &model->matrices[i];
    double time = matrix->time / repeats / (double) (model->n_layers * matrix->count);
    double work = (double) matrix->n * (double) matrix->k;

    g_print ("  %-20s %9.1f us each  %7.1f GB/s  %8.1f Gop/s\n", matrix->name, time * 1e6,
             work * bytes / time * 1e-9, 2 * work * (double) m / time * 1e-9);
    total += time * (double) (model->n_layers * matrix->count);
    total_work += work * (double) (model->n_layers * matrix->count);
  }
  g_print ("  all %.2f ms, %.1f GB/s, %.1f Gop/s\n", total * 1e3, total_work * bytes / total * 1e-9,
           2 * total_work * (double) m / total * 1e-9);
}

static void
read_words (gpointer data, gsize begin, gsize end, guint worker)
{
  const guint64 *words = data;
  guint64 totals[8] = { 0 };
  volatile guint64 result;

  for (gsize i = begin * 8; i < end * 8; i += 8)
    for (gsize j = 0; j < 8; j++)
      totals[j] += words[i + j];
  result =
      totals[0] + totals[1] + totals[2] + totals[3] + totals[4] + totals[5] + totals[6] + totals[7];
  (void) result;
}

/* What the memory gives: a loop that only reads. */
static void
bench_reading (void)
{
  const gsize n_lines = WEIGHT_BYTES / 64;
  double time = 1e9;

  for (guint repeat = 0; repeat < 10; repeat++) {
    PtStream stream = { weights, 64 };
    double start = seconds ();

    pt_pool_run_shares (pool, n_lines, 1024, &stream, read_words, weights);
    time = MIN (time, seconds () - start);
  }
  g_print ("reading %.1f GB/s\n", WEIGHT_BYTES / time * 1e-9);
}

static void
bench_f32 (gsize m, gsize n, gsize k, gboolean transposed)
{
  double time = 1e9;

  for (guint repeat = 0; repeat < 5; repeat++) {
    double start = seconds ();

    pt_gemm_f32 (pool, m, n, k, x, k, (const float *) weights, transposed ? k : n, transposed, NULL,
                 c, n);
    time = MIN (time, seconds () - start);
  }
  g_print ("f32 %zux%zux%zu%s  %.1f us  %.1f Gflop/s\n", m, n, k, transposed ? " transposed" : "",
           time * 1e6, 2 * (double) m * (double) n * (double) k / time * 1e-9);
}

static void
bench_attention (gsize heads, gsize kv_heads, gsize n_queries, gsize n_keys, gboolean causal)
{
  enum { DIM = 64 };
  float *kv = (float *) weights;
  double time = 1e9;
  PtAttention a = { .q = x,
                    .k.data = kv,
                    .v.data = kv + n_keys * kv_heads * DIM,
                    .out = c,
                    .batch = 1,
                    .heads = heads,
                    .kv_heads = kv_heads,
                    .n_queries = n_queries,
                    .n_keys = n_keys,
                    .head_dim = DIM,
                    .value_dim = DIM,
                    .q_head_stride = DIM,
                    .q_row_stride = heads * DIM,
                    .k.head_stride = DIM,
                    .k.row_stride = kv_heads * DIM,
                    .v.head_stride = DIM,
                    .v.row_stride = kv_heads * DIM,
                    .out_head_stride = DIM,
                    .out_row_stride = heads * DIM,
                    .scale = 0.125f,
                    .causal = causal,
                    .start_pos = n_keys - n_queries };

  for (guint repeat = 0; repeat < 5; repeat++) {
    double start = seconds ();

    pt_attention_f32 (pool, &a);
    time = MIN (time, seconds () - start);
  }
  g_print ("attention %zu/%zu heads, %zu queries, %zu keys%s  %.1f us  %.1f Gflop/s\n", heads,
           kv_heads, n_queries, n_keys, causal ? ", causal" : "", time * 1e6,
           4 * (double) heads * (double) n_queries * (double) n_keys * DIM / time * 1e-9 *
               (causal && n_queries > 1 ? 0.5 : 1.0));
}

/* ---- one query behind many keys ---- */

#define DEEP_HEADS 9
#define DEEP_KV_HEADS 3
#define DEEP_DIM 64
#define DEEP_ROUNDS 9

/* Numbers that no sum of them makes infinite: floats and 16-bit floats of 0.5 to 1, any bytes. */
static void
fill_rows (PtRowType type)
{
  const guint32 keep = type == PT_ROWS_F32 ? 0x7fffff : type == PT_ROWS_F16 ? 0x3ff03ff : ~0u;
  const guint32 exponents = type == PT_ROWS_F32 ? 0x3f000000 : 0x38003800;
  guint32 state = 1, *words = (guint32 *) (gpointer) weights;

  for (gsize i = 0; i < WEIGHT_BYTES / sizeof *words; i++) {
    state = state * 1664525u + 1013904223u;
    words[i] = type == PT_ROWS_I8 ? state ^ state >> 16 : (state >> 4 & keep) | exponents;
  }
}

static PtAttentionRows
deep_rows (PtRowType type, gconstpointer data)
{
  static const gint8 zero;

  return (PtAttentionRows){ .data = data,
                            .type = type,
                            .head_stride = DEEP_DIM,
                            .row_stride = DEEP_KV_HEADS * DEEP_DIM,
                            .zeros = { .data = &zero },
                            .scales = { .data = scales } };
}

/* With one thread the time of the processor, in which other programs do not count. */
static double
deep_seconds (void)
{
  return pt_pool_n_workers (pool) == 1 ? (double) clock () / CLOCKS_PER_SEC : seconds ();
}

/* One query in each of as many layers as fill the memory. Returns the number of bytes. */
static gsize
attend_deep (PtRowType type, gsize n_keys)
{
  gsize size = n_keys * DEEP_KV_HEADS * DEEP_DIM *
               (type == PT_ROWS_F32   ? 4
                : type == PT_ROWS_F16 ? 2
                                      : 1);
  gsize n_layers = WEIGHT_BYTES / size / 2;

  for (gsize layer = 0; layer < n_layers; layer++) {
    PtAttention a = { .q = x,
                      .k = deep_rows (type, weights + 2 * layer * size),
                      .v = deep_rows (type, weights + (2 * layer + 1) * size),
                      .out = c,
                      .batch = 1,
                      .heads = DEEP_HEADS,
                      .kv_heads = DEEP_KV_HEADS,
                      .n_queries = 1,
                      .n_keys = n_keys,
                      .head_dim = DEEP_DIM,
                      .value_dim = DEEP_DIM,
                      .q_head_stride = DEEP_DIM,
                      .q_row_stride = DEEP_HEADS * DEEP_DIM,
                      .out_head_stride = DEEP_DIM,
                      .out_row_stride = DEEP_HEADS * DEEP_DIM,
                      .scale = 0.125f,
                      .causal = TRUE,
                      .start_pos = n_keys - 1 };

    pt_attention_f32 (pool, &a);
  }
  return 2 * n_layers * size;
}

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  double left = *(const double *) a, right = *(const double *) b;

  return (left > right) - (left < right);
}

/* Attention and the loop that only reads take turns; figures are medians, and the ratio's ends. */
static void
bench_deep (const char *name, PtRowType type, gsize n_keys)
{
  double read[DEEP_ROUNDS], attend[DEEP_ROUNDS], ratios[DEEP_ROUNDS];

  fill_rows (type);
  for (guint round = 0; round < DEEP_ROUNDS; round++) {
    PtStream stream = { weights, 64 };
    double start = deep_seconds (), middle, bytes;

    pt_pool_run_shares (pool, WEIGHT_BYTES / 64, 1024, &stream, read_words, weights);
    middle = deep_seconds ();
    bytes = (double) attend_deep (type, n_keys) * 1e-9;
    attend[round] = bytes / (deep_seconds () - middle);
    read[round] = WEIGHT_BYTES * 1e-9 / (middle - start);
    ratios[round] = attend[round] / read[round];
  }
  qsort (read, DEEP_ROUNDS, sizeof *read, compare_doubles);
  qsort (attend, DEEP_ROUNDS, sizeof *attend, compare_doubles);
  qsort (ratios, DEEP_ROUNDS, sizeof *ratios, compare_doubles);
  g_print ("attention %-6s %5zu keys  %5.1f GB/s of %5.1f  ratio %.2f (%.2f to %.2f)\n", name,
           n_keys, attend[DEEP_ROUNDS / 2], read[DEEP_ROUNDS / 2], ratios[DEEP_ROUNDS / 2],
           ratios[0], ratios[DEEP_ROUNDS - 1]);
}

static void
bench_deep_attention (void)
{
  for (gsize n_keys = 8192; n_keys <= 32768; n_keys *= 4) {
    bench_deep ("fp32", PT_ROWS_F32, n_keys);
    bench_deep ("fp16", PT_ROWS_F16, n_keys);
    bench_deep ("8 bit", PT_ROWS_I8, n_keys);
  }
}

/* ---- small things ---- */

static void
bench_unary (const char *name, PtUnary op)
{
  enum { N = 16384 };
  double time = 1e9;

  for (guint repeat = 0; repeat < 20; repeat++) {
    double start = seconds ();

    pt_vector_unary (op, N, x, c);
    time = MIN (time, seconds () - start);
  }
  g_print ("%s %.2f ns per element\n", name, time * 1e9 / N);
}

static void
bench_rest (void)
{
  double start = seconds (), time;
  PtQuantizedRows out = { (gint8 *) c, 576, rows.scale, rows.zero };

  for (guint i = 0; i < 1000; i++)
    pt_vector_softmax (1500, x, c);
  g_print ("softmax of 1500 %.2f us\n", (seconds () - start) * 1e3);
  start = seconds ();
  for (guint i = 0; i < 1000; i++)
    pt_vector_layer_norm (576, x, scales, scales, 1e-5f, c, NULL, NULL);
  g_print ("layer norm of 576 %.2f us\n", (seconds () - start) * 1e3);
  start = seconds ();
  for (guint i = 0; i < 1000; i++)
    pt_quantize_rows (pool, 1, 576, x, 576, &out);
  g_print ("quantize 1x576 %.2f us\n", (seconds () - start) * 1e3);
  time = seconds ();
  pt_quantize_rows (pool, 256, 576, x, 576, &out);
  g_print ("quantize 256x576 %.1f us\n", (seconds () - time) * 1e6);
}

static void
nothing (gpointer data, gsize begin, gsize end, guint worker)
{
}

static void
bench_pool (void)
{
  double start = seconds ();

  for (guint i = 0; i < 20000; i++)
    pt_pool_run (pool, 2, 1, nothing, NULL);
  g_print ("pool: %u workers, empty loop %.2f us\n", pt_pool_n_workers (pool),
           (seconds () - start) / 20000 * 1e6);
}

static void
make_data (void)
{
  guint32 state = 1;

  weights = g_malloc (WEIGHT_BYTES);
  scales = g_new (float, WEIGHT_BYTES / 64);
  sums = g_new0 (gint32, MAX_N);
  x = g_new (float, MAX_M *MAX_K);
  c = g_new (float, 256 * MAX_N);
  rows = (PtQuantizedRows){ g_malloc (MAX_M * MAX_K), MAX_K, g_new (float, MAX_M),
                            g_new0 (gint32, MAX_M) };
  for (gsize i = 0; i < WEIGHT_BYTES; i += 4) {
    float value;

    state = state * 1664525u + 1013904223u;
    value = (float) (state >> 8) * 0x1p-24f;
    memcpy (weights + i, &value, sizeof value);
  }
  for (gsize i = 0; i < WEIGHT_BYTES / 64; i++)
    scales[i] = 0.01f;
  for (gsize i = 0; i < MAX_M * MAX_K; i++)
    x[i] = (float) (i % 100) * 0.01f;
  for (gsize i = 0; i < MAX_M; i++)
    rows.scale[i] = 1.0f;
  memset (rows.q, 3, MAX_M * MAX_K);
  memset (c, 0, 256 * (gsize) MAX_N * sizeof *c);
}

int
main (int argc, char **argv)
{
  pool = pt_pool_new (argc > 1 ? (guint) g_ascii_strtoull (argv[1], NULL, 10) : 0);
  make_data ();
  g_print ("%s, %s\n", pt_cpu_name (), pt_cpu_level_name (pt_cpu_level ()));
  bench_pool ();
  if (argc > 2 && strcmp (argv[2], "attention") == 0) {
    bench_deep_attention ();
    return 0;
  }
  bench_reading ();
  for (gsize m = 1; m <= 512; m += 511)
    for (Weights type = WEIGHTS_4_BIT; type < N_WEIGHTS; type++)
      bench_model (&llama, m, type);
  if (argc > 2 && strcmp (argv[2], "llama") == 0)
    return 0;
  for (Weights type = 0; type < N_WEIGHTS; type++)
    for (gsize m = 1; m <= 256; m += 255) {
      bench_model (&smollm2, m, type);
      bench_model (&smollm2_head, m, type);
    }
  bench_model (&whisper, 1500, WEIGHTS_8_BIT);
  bench_f32 (1500, 64, 1500, FALSE);
  bench_f32 (1500, 1500, 64, TRUE);
  bench_f32 (1500, 512, 1536, TRUE);
  bench_f32 (1, 576, 576, TRUE);
  bench_attention (9, 3, 1, 512, TRUE);
  bench_attention (9, 3, 1, 2000, TRUE);
  bench_attention (9, 3, 256, 256, TRUE);
  bench_attention (8, 8, 1500, 1500, FALSE);
  bench_unary ("exp", PT_UNARY_EXP);
  bench_unary ("tanh", PT_UNARY_TANH);
  bench_unary ("sigmoid", PT_UNARY_SIGMOID);
  bench_unary ("gelu", PT_UNARY_GELU);
  bench_unary ("sin", PT_UNARY_SIN);
  bench_unary ("log", PT_UNARY_LOG);
  bench_rest ();
  pt_pool_free (pool);
  return 0;
}
