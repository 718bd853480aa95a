/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/cuda/context.h"
#include "engine/cuda/ptx.h"
#include "engine/program/dtype.h"

G_BEGIN_DECLS

/*
 * Our own kernels (kernels/ *.cu): operators that model libraries leave to the runtime
 * (docs/formats/cuda.md, section 9), copies, and sampling. libpteris contains them as a fat binary,
 * which is loaded as one module for each device.
 *
 * Each function checks its arguments and launches kernels on the context's stream, without waiting
 * or allocating. For a kernel that needs scratch memory, the _scratch() function returns the size
 * (0: none, the address is ignored); later work on the same stream may reuse that memory at once.
 * After pt_cuda_kernels_prepare() all functions may be captured into a CUDA graph. A size of 0 is
 * valid and does nothing.
 *
 * Addresses are aligned to 16 bytes unless the comment says otherwise. Results must not overlap
 * inputs. Engine thread.
 */

/**
 * Load the kernels onto @context's device, unless they are loaded already. This may take 10 ms, or
 * seconds on a GPU that is newer than this build. The functions below call it, too.
 *
 * Returns: FALSE with PT_ERROR_MISSING_OPERATOR when this build has no kernels
 */
gboolean pt_cuda_kernels_prepare (PtCudaContext *context, GError **error);

/** The memory effects of @function, or NULL when it is not one of these kernels. */
const PtPtxEffects *pt_cuda_kernels_effects (PtCudaContext *context, PtCuFunction function);

/**
 * Whether @function, one of these kernels, may start in a graph before the kernels that it depends
 * on have ended: it waits for them before it touches memory.
 */
gboolean pt_cuda_kernels_start_early (PtCudaContext *context, PtCuFunction function);

/** A launch in a graph that is to be changed. */
typedef struct {
  PtCuKernelNode node;
  guint64 argument[64]; /* that node.arguments[0] points to */
  void *pointers[1];
} PtCudaKernelChange;

/**
 * One launch for what two launches of these kernels in a graph do: products with the same input, of
 * which the second multiplies by SiLU of the results of the first. FALSE: they are others.
 */
gboolean pt_cuda_kernels_combine (PtCudaContext *context, const PtCuKernelNode *first,
                                  const PtCuKernelNode *second, PtCudaKernelChange *both);

#define PT_CUDA_MOST_WEIGHTS 2

/**
 * The weights of a launch of a product that starts early: it may read them before it waits, if
 * nothing writes to them in the graph, and is then faster.
 *
 * @addresses: [PT_CUDA_MOST_WEIGHTS]
 *
 * Returns: their number; 0: it is no such product
 */
guint pt_cuda_kernels_weights (PtCudaContext *context, const PtCuKernelNode *node,
                               PtCuPointer *addresses);
/** The same launch, which reads its weights early. Only for what has weights. */
void pt_cuda_kernels_read_early (PtCudaContext *context, const PtCuKernelNode *node,
                                 PtCudaKernelChange *changed);

/** For tests: load @image from now on in place of the kernels of this build. NULL: none. */
void pt_cuda_kernels_use_image (gconstpointer image);

/* ---- Matrix products ---- */

/**
 * _weight_int4pack_mm (docs/formats/cuda.md, section 9.2). Needs compute capability 8.0.
 *
 * @input: bf16 [m][k]
 * @weights: int32 [n / 8][k / (16 inner)][32][inner / 2], inner 2, 4 or 8
 * @scales: bf16 [k / group][n][2], group 32, 64, 128 or 256: scale, zero
 * @output: bf16 [m][n]
 */
typedef struct {
  PtCuPointer input, weights, scales, output;
  gint64 m, n, k;
  gint64 inner, group;
} PtCudaInt4;

gsize pt_cuda_int4_scratch (PtCudaContext *context, gint64 m, gint64 n, gint64 k);
gboolean pt_cuda_kernel_int4 (PtCudaContext *context, const PtCudaInt4 *product,
                              PtCuPointer scratch, GError **error);

typedef enum {
  PT_CUDA_PLAIN_INT4_FLOAT, /* int4_plain_mm of ExecuTorch 1.3: scale and zero bf16 [k / group][n]
                             */
  PT_CUDA_PLAIN_INT4,       /* int4_plain_mm of ExecuTorch 1.4 and later */
  PT_CUDA_PLAIN_INT5,
  PT_CUDA_PLAIN_INT6,
  PT_CUDA_PLAIN_INT8,
} PtCudaPlainKind;

/**
 * int4_plain_mm to int8_plain_mm (docs/formats/cuda.md, sections 9.3 and 9.4), of any number of
 * rows; best for up to 8.
 *
 * @input: bf16 [m][k]
 * @low: the weights [n][k / 2], of int8 [n][k]
 * @high: further bits: of int5 [n][k / 8], of int6 [n][k / 4]
 * @scale, @zero: [n][k / group], bytes, of int8 scale bf16; int6 has no zero. Any alignment
 * @scale_step, @zero_step: f16 [n][k / 256]; PT_CUDA_PLAIN_INT4_FLOAT and int8 have none. Aligned
 *   to 2
 * @output: bf16 [m][n]
 */
typedef struct {
  PtCudaPlainKind kind;
  PtCuPointer input, low, high, scale, scale_step, zero, zero_step, output;
  gint64 m, n, k;
  gint64 group; /* a power of two, at least 8; of int5 and int8 at least 32 */
} PtCudaPlain;

gboolean pt_cuda_kernel_plain (PtCudaContext *context, const PtCudaPlain *product, GError **error);

/** What is done with the sums of a product. */
typedef enum {
  PT_CUDA_ROW_PLAIN, /* nothing */
  PT_CUDA_ROW_ADD,   /* other[i] is added */
  PT_CUDA_ROW_SILU   /* times other[i] / (1 + exp (-other[i])) */
} PtCudaRowEnd;

/**
 * One row times a matrix: output[i] = sum of input[j] * weights[i][j], and what @end says. All of
 * it in f32, rounded once.
 *
 * @input: bf16 [k]
 * @weights: bf16 [n][k]
 * @other: bf16 [n], aligned to 2; 0 with PT_CUDA_ROW_PLAIN
 * @output: bf16 [n], aligned to 2
 * @k: a multiple of 8
 */
typedef struct {
  PtCudaRowEnd end;
  PtCuPointer input, weights, other, output;
  gint64 n, k;
} PtCudaRow;

/** Whether the kernel can compute this. */
gboolean pt_cuda_row_fits (const PtCudaRow *row);
gboolean pt_cuda_kernel_row (PtCudaContext *context, const PtCudaRow *row, GError **error);

/* ---- Small kernels between products ---- */

/** Vectors that are added at most. */
#define PT_CUDA_NORM_INPUTS 6

/**
 * RMSNorm of a sum: x = table[token] + inputs[0] + inputs[1] ..., rounded to bf16 after each
 * addition; output[i] = weights[i] * (x[i] / sqrt (mean of x * x + epsilon)).
 *
 * @token: i64, the row of @table; negative ones count from the end; 0: neither is used. The
 *   results of a token that is not in the table are not numbers
 * @table: bf16 [rows][n]
 * @inputs: bf16 [n]; at least one, unless there is a token
 * @sum: x, bf16 [n], or 0. It and @output may be an input, too
 * @output: bf16 [n]
 * @n: a multiple of 8, up to 16384
 */
typedef struct {
  PtCuPointer token, table;
  PtCuPointer inputs[PT_CUDA_NORM_INPUTS];
  guint n_inputs;
  PtCuPointer weights, sum, output;
  gint64 rows, n;
  double epsilon;
} PtCudaNorm;

gboolean pt_cuda_norm_fits (const PtCudaNorm *norm);
gboolean pt_cuda_kernel_norm (PtCudaContext *context, const PtCudaNorm *norm, GError **error);

/**
 * output[i] = input[i] * silu (gate[i]), with silu rounded to bf16.
 *
 * @gate, @input, @output: bf16 [n]; the output may be one of the inputs
 * @n: a multiple of 8
 */
typedef struct {
  PtCuPointer gate, input, output;
  gint64 n;
} PtCudaGate;

gboolean pt_cuda_gate_fits (const PtCudaGate *gate);
gboolean pt_cuda_kernel_gate (PtCudaContext *context, const PtCudaGate *gate, GError **error);

/** Where the results of PtCudaRotary are. */
typedef enum {
  PT_CUDA_ROTARY_HEADS,   /* [heads][dim] */
  PT_CUDA_ROTARY_NUMBERS, /* [dim][heads] */
  PT_CUDA_ROTARY_CACHE,   /* row @position of [heads][length][dim] */
} PtCudaRotaryLayout;

/**
 * Each head turned by angles: with c = cos and s = sin of angles[i] and h = dim / 2, output[i] =
 * x[i] c - x[i + h] s and output[i + h] = x[i + h] c + x[i] s. Rounded to bf16: c, s and all
 * products and sums. Before that, RMSNorm of the head if there are @weights.
 *
 * @input: bf16 [heads][dim]; addresses are aligned to their elements
 * @weights: bf16 [dim], or 0
 * @angles: f32 [dim / 2]
 * @position: i64, with PT_CUDA_ROTARY_CACHE and with a mask; else 0. Nothing is written to a cache
 *   that does not have it
 * @output: bf16, @layout
 * @values, @value_output: bf16 [heads][dim] that are copied, and where to, as @output; or both 0
 * @mask: bool [length], whether the index is not larger than the position; or 0
 * @dim: even, up to 256
 * @is_part: only what is multiplied by s; not with PT_CUDA_ROTARY_CACHE
 */
typedef struct {
  PtCudaRotaryLayout layout;
  gboolean is_part;
  PtCuPointer input, weights, angles, position, output, values, value_output, mask;
  gint64 heads, dim, length;
  double epsilon;
} PtCudaRotary;

gboolean pt_cuda_rotary_fits (const PtCudaRotary *rotary);
gboolean pt_cuda_kernel_rotary (PtCudaContext *context, const PtCudaRotary *rotary, GError **error);

/* ---- Attention ---- */

/**
 * softmax (scale Q K^T) V of one query for each head. Strides are in elements.
 *
 * @queries: bf16, heads query_head apart, each [dim]; @output likewise. Aligned to 2
 * @keys, @values: bf16, heads of a group key_head apart, keys key_row apart, each [dim]; the
 *   strides are multiples of 8
 * @mask: bool [length], FALSE: the key does not count; 0: all count. Without any key the result is
 *   0. Any alignment
 * @heads: a multiple of @kv_heads; dim 64 or 128
 */
typedef struct {
  PtCuPointer queries, keys, values, mask, output;
  gint64 heads, kv_heads, length, dim;
  gint64 query_head, output_head, key_head, key_row, value_head, value_row;
  double scale;
} PtCudaAttention;

/** Whether the kernel can compute this. */
gboolean pt_cuda_attention_fits (const PtCudaAttention *attention);
/** Bytes of @scratch. They must be zero before the first use, and must not be changed between uses.
 */
gsize pt_cuda_attention_scratch (const PtCudaAttention *attention);
gboolean pt_cuda_kernel_attention (PtCudaContext *context, const PtCudaAttention *attention,
                                   PtCuPointer scratch, GError **error);

/* ---- Sorting ---- */

/**
 * sort_stable (docs/formats/cuda.md, section 9.5): slices of a contiguous tensor
 * [outer][length][inner], each along length. Not-a-number is the largest. Addresses are aligned to
 * the element.
 *
 * @dtype: i64, i32, f32, f16 or bf16
 * @values: like @input; @indices: i64, positions in the slice
 */
typedef struct {
  PtCuPointer input, values, indices;
  gint64 outer, length, inner;
  PtDType dtype;
  gboolean descending;
} PtCudaSort;

/** 0 also for arguments that pt_cuda_kernel_sort() refuses. */
gsize pt_cuda_sort_scratch (const PtCudaSort *sort);
gboolean pt_cuda_kernel_sort (PtCudaContext *context, const PtCudaSort *sort, PtCuPointer scratch,
                              GError **error);

/* ---- Random numbers ---- */

/**
 * Random numbers (docs/formats/cuda.md, section 9.6) come from a state on the device, so that each
 * replay of a graph produces new ones. Equal seeds give equal numbers.
 */
#define PT_CUDA_RANDOM_STATE_SIZE 24

/** Initialise @state: PT_CUDA_RANDOM_STATE_SIZE bytes on the device, for the functions below. */
gboolean pt_cuda_kernel_random_seed (PtCudaContext *context, PtCuPointer state, guint64 seed,
                                     GError **error);

/** @n numbers in [0, 1) of @dtype, f32 or bf16 (where rounding may give 1). */
gboolean pt_cuda_kernel_rand (PtCudaContext *context, PtCuPointer state, PtCuPointer output,
                              PtDType dtype, gint64 n, GError **error);

/**
 * @n random integers, i64, from @low to @high - 1; the range may contain all integers but the last.
 */
gboolean pt_cuda_kernel_randint (PtCudaContext *context, PtCuPointer state, PtCuPointer output,
                                 gint64 n, gint64 low, gint64 high, GError **error);

/* ---- Memory ---- */

/**
 * Copy a tensor to another layout. Strides are in elements and not negative; 0 repeats an element
 * of
 * @from. Addresses are aligned to the element.
 *
 * @rank: dimensions, at most 16, of which 8 may be left when those that go together are one
 * @element: bytes, 1, 2, 4 or 8
 */
gboolean pt_cuda_kernel_copy (PtCudaContext *context, PtCuPointer to, const gint64 *to_strides,
                              PtCuPointer from, const gint64 *from_strides, const gint64 *sizes,
                              guint rank, gsize element, GError **error);

/** Fill @n elements of 1, 2, 4 or 8 bytes with the low bytes of @value. */
gboolean pt_cuda_kernel_fill (PtCudaContext *context, PtCuPointer to, gsize n, gsize element,
                              guint64 value, GError **error);

/* ---- Sampling ---- */

/**
 * Choose a token from logits like pt_sampler_sample(), up to the rounding of exponentials.
 *
 * @logits: f32, f16 or bf16 [n], aligned to the element
 * @temperature: 0 takes the first maximum
 * @top_k: 0: all tokens
 * @top_p: off outside (0, 1)
 * @min_p: 0: all tokens
 * @penalties, @said, @n_said: as in PtDeviceSampling; @said is an address that the GPU can read
 * @random: a PtRandom, which is advanced when a number is drawn; or 0, and @coin is the address of
 * an f32 in [0, 1). Both are ignored when the temperature is 0
 * @id: address of the token, i32; -1 when no logit is a number
 * @wide_id: address of the token as i64, the input of the next step; 0 in place of -1
 * @position: address of an i64, which is increased by 1
 *
 * @id, @wide_id and @position may each be 0: no such result.
 */
typedef struct {
  PtCuPointer logits;
  PtDType dtype;
  gint64 n;
  double temperature, top_p;
  guint top_k;
  double min_p;
  double repetition_penalty, presence_penalty, frequency_penalty;
  PtCuPointer said;
  guint n_said;
  PtCuPointer random, coin;
  PtCuPointer id, wide_id, position;
} PtCudaSample;

/**
 * Bytes of @scratch. They must be zero before the first use, and must not be changed between uses.
 */
gsize pt_cuda_sample_scratch (gint64 n);
gboolean pt_cuda_kernel_sample (PtCudaContext *context, const PtCudaSample *sample,
                                PtCuPointer scratch, GError **error);

G_END_DECLS
