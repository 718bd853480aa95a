/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

/*
 * Arguments of the kernels, one struct for each, shared by the launchers (C) and the kernels (CUDA
 * C++). Addresses are device addresses: integers in C, pointers in CUDA C++.
 */

#ifdef __cplusplus
#define PT_ADDRESS(type) type *
#else
#define PT_ADDRESS(type) uint64_t
#endif

#include <stdint.h>

/* ---- Matrix products with int4 weights, tile packed (docs/formats/cuda.md, section 9.2) ---- */

enum {
  PT_INT4_CHUNK = 128, /* columns of k that are read at once */
  PT_INT4_LINE =
      2 * PT_INT4_CHUNK + 16, /* bytes of a row of a chunk, padded against bank conflicts */
  PT_INT4_ROWS_WARPS = 16,    /* maximum */
  PT_INT4_ROWS_STAGES = 4,
  PT_INT4_TILES_64_THREADS = 128,
  PT_INT4_TILES_64_BLOCKS = 3, /* blocks on a multiprocessor */
  PT_INT4_TILES_64_STAGES = 3,
  PT_INT4_TILES_128_THREADS = 256,
  PT_INT4_TILES_128_BLOCKS = 2,
  PT_INT4_TILES_128_STAGES = 2,
};

typedef struct {
  PT_ADDRESS (const uint16_t) input;   /* bf16 [m][k] */
  PT_ADDRESS (const uint32_t) weights; /* [n / 8][k / (16 inner)][32][inner / 2] */
  PT_ADDRESS (const uint32_t) scales;  /* [k / group][n]: scale, zero << 16, each bf16 */
  PT_ADDRESS (uint16_t) output;        /* bf16 [m][n] */
  PT_ADDRESS (float) partial;          /* [slabs][m][n], if there is more than one slab */
  int32_t m, n, k;
  int32_t inner;       /* 2, 4 or 8 */
  int32_t group_shift; /* a group has 1 << group_shift weights */
  int32_t slab;        /* chunks of k in a slab; in the kernel that adds slabs: number of slabs */
  /* For few rows. */
  int32_t tiles;                            /* tiles of 8 columns in a block */
  uint32_t slab_inverse, last_slab_inverse; /* 2^31 / chunks of a slab, rounded up */
  int32_t is_constant; /* no earlier kernel that still runs writes weights or scales */
} PtInt4Arguments;

/*
 * X (rows, inner, groups): up to @rows rows; @inner: 8, or 0 for any; @groups: of weights in a
 * chunk, 1 if they are larger. X (size, ...): blocks of @size rows and columns.
 */
#define PT_INT4_ROWS_KERNELS(X) \
  X (1, 8, 1)                   \
  X (1, 8, 2)                   \
  X (1, 8, 4)                   \
  X (1, 0, 1)                   \
  X (1, 0, 2)                   \
  X (1, 0, 4)                   \
  X (8, 8, 1)                   \
  X (8, 8, 2)                   \
  X (8, 8, 4)                   \
  X (8, 0, 1)                   \
  X (8, 0, 2)                   \
  X (8, 0, 4)                   \
  X (16, 8, 1)                  \
  X (16, 8, 2)                  \
  X (16, 8, 4)                  \
  X (16, 0, 1)                  \
  X (16, 0, 2)                  \
  X (16, 0, 4)

#define PT_INT4_TILES_KERNELS(X) \
  X (64, 8, 1)                   \
  X (64, 8, 2)                   \
  X (64, 8, 4)                   \
  X (64, 0, 1)                   \
  X (64, 0, 2)                   \
  X (64, 0, 4)                   \
  X (128, 8, 1)                  \
  X (128, 8, 2)                  \
  X (128, 8, 4)                  \
  X (128, 0, 1)                  \
  X (128, 0, 2)                  \
  X (128, 0, 4)

/* ---- Matrix products with plain weights (docs/formats/cuda.md, sections 9.3 and 9.4) ---- */

typedef struct {
  PT_ADDRESS (const uint16_t) input; /* bf16 [rows][k] */
  PT_ADDRESS (const uint8_t) low;    /* [n][k / 2], or [n][k] for int8 */
  PT_ADDRESS (const uint8_t) high;   /* int5: [n][k / 8], int6: [n][k / 4] */
  PT_ADDRESS (const void) scale;
  PT_ADDRESS (const uint16_t) scale_step; /* f16 [n][k / 256] */
  PT_ADDRESS (const void) zero;
  PT_ADDRESS (const uint16_t) zero_step;
  PT_ADDRESS (uint16_t) output; /* bf16 [rows][n] */
  int32_t n, k;
  int32_t rows;
  int32_t group_shift;
} PtPlainArguments;

enum { PT_PLAIN_THREADS = 256 };

/*
 * X (name, rows, columns, unroll): up to @rows rows; a warp computes @columns columns at a time,
 * and each lane reads @unroll pieces of each.
 */
#define PT_PLAIN_SIZES(X, name, kind) \
  X (name, kind, 1, 1, 4)             \
  X (name, kind, 4, 4, 1)             \
  X (name, kind, 8, 4, 1)

#define PT_PLAIN_KERNELS(X)                        \
  PT_PLAIN_SIZES (X, int4_float, PLAIN_INT4_FLOAT) \
  PT_PLAIN_SIZES (X, int4, PLAIN_INT4)             \
  PT_PLAIN_SIZES (X, int5, PLAIN_INT5)             \
  PT_PLAIN_SIZES (X, int6, PLAIN_INT6)             \
  PT_PLAIN_SIZES (X, int8, PLAIN_INT8)

/* ---- A row times a matrix of bf16 ---- */

enum { PT_ROW_THREADS = 256, PT_ROW_MOST_PARTS = 8 };
/* What is done with a sum: nothing; other[i] is added; it is multiplied by silu (other[i]). */
enum { PT_ROW_PLAIN, PT_ROW_ADD, PT_ROW_SILU };

typedef struct {
  PT_ADDRESS (const uint16_t) input;        /* bf16 [k] */
  PT_ADDRESS (const uint16_t) weights;      /* bf16 [n][k] */
  PT_ADDRESS (const uint16_t) other;        /* bf16 [n], or NULL */
  PT_ADDRESS (uint16_t) output;             /* bf16 [n] */
  PT_ADDRESS (const uint16_t) gate_weights; /* of a pair: bf16 [n][k] */
  PT_ADDRESS (uint16_t) gate_output;        /* of a pair: bf16 [n], in place of @other */
  int32_t n, k;                             /* k: a multiple of 8 */
  int32_t parts;                            /* warps that share rows: a power of two */
  int32_t end;                              /* PT_ROW_PLAIN and so on */
  int32_t is_constant;                      /* no earlier kernel that still runs writes weights */
  int32_t unused;
} PtRowArguments;

/* X (rows): of weights that a warp takes at once */
#define PT_ROW_KERNELS(X) \
  X (1)                   \
  X (2)                   \
  X (4)

/* X (rows): of weights of both products of a pair: a gate, and what is multiplied by its SiLU */
#define PT_ROW_PAIR_KERNELS(X) \
  X (2)                        \
  X (4)

/* ---- Sums and RMSNorm ---- */

enum {
  PT_NORM_THREADS = 1024, /* at most, of the one block */
  PT_NORM_UNITS = 2,      /* of 8 numbers that a thread takes */
  PT_NORM_INPUTS = 6,
};

typedef struct {
  PT_ADDRESS (const int64_t) token;                   /* the row of the table, or NULL */
  PT_ADDRESS (const uint16_t) table;                  /* bf16 [rows][n] */
  PT_ADDRESS (const uint16_t) inputs[PT_NORM_INPUTS]; /* bf16 [n], the first n_inputs of them */
  PT_ADDRESS (const uint16_t) weights;                /* bf16 [n] */
  PT_ADDRESS (uint16_t) sum;                          /* bf16 [n], or NULL */
  PT_ADDRESS (uint16_t) output;                       /* bf16 [n] */
  int64_t rows;
  int32_t n, n_inputs;
  float epsilon;
  int32_t unused;
} PtNormArguments;

/* ---- SiLU of the gate ---- */

enum { PT_GATE_THREADS = 128 };

typedef struct {
  PT_ADDRESS (const uint16_t) gate;  /* bf16 [n] */
  PT_ADDRESS (const uint16_t) input; /* bf16 [n] */
  PT_ADDRESS (uint16_t) output;      /* bf16 [n] */
  int32_t n;                         /* a multiple of 8 */
  int32_t unused;
} PtGateArguments;

/* ---- Rotary positions ---- */

enum {
  PT_ROTARY_THREADS = 32,
  PT_ROTARY_DIM = 256,  /* the largest head */
  PT_ROTARY_MASK = 512, /* positions of the mask that a block writes */
};

typedef struct {
  PT_ADDRESS (const uint16_t) input;   /* bf16 [heads][dim] */
  PT_ADDRESS (const uint16_t) weights; /* bf16 [dim]: of RMSNorm of each head; or NULL */
  PT_ADDRESS (const float) angles;     /* [dim / 2] */
  PT_ADDRESS (const int64_t) position; /* in a cache; or NULL */
  PT_ADDRESS (uint16_t) output;        /* bf16, strides below */
  PT_ADDRESS (const uint16_t) values;  /* bf16 [heads][dim], or NULL */
  PT_ADDRESS (uint16_t) value_output;  /* bf16, the same strides */
  PT_ADDRESS (uint8_t) mask;           /* [length], or NULL */
  int64_t head_stride, number_stride;  /* of the outputs; rows of a cache are dim apart */
  int32_t heads, dim, length;
  float epsilon, cosines; /* what cosines are multiplied by, 0 or 1 */
} PtRotaryArguments;

/* ---- Attention ---- */

enum {
  PT_ATTENTION_THREADS = 128,
  PT_ATTENTION_TILE = 16,   /* keys that a warp takes at once */
  PT_ATTENTION_BLOCKS = 64, /* maximum of blocks that share the keys of a head */
};

/* Strides are in elements. Rows of numbers are contiguous, and aligned to 16 bytes but in @queries.
 */
typedef struct {
  PT_ADDRESS (const uint16_t) queries; /* bf16 [kv heads * group], query_head apart */
  PT_ADDRESS (const uint16_t) keys;    /* bf16 [kv heads][length] */
  PT_ADDRESS (const uint16_t) values;
  PT_ADDRESS (const uint8_t) mask; /* [length], 0: the key does not count; or NULL */
  PT_ADDRESS (uint16_t) output;    /* bf16 [kv heads * group], output_head apart */
  PT_ADDRESS (float) partial; /* [kv heads * group][blocks][dim + 2], if there are several blocks */
  PT_ADDRESS (uint32_t) finished; /* [blocks of all heads]: 0 before and after */
  int64_t query_head, output_head, key_head, key_row, value_head, value_row;
  int32_t length;
  int32_t group;           /* queries that share keys and values */
  int32_t tiles;           /* of a warp, at most */
  int32_t mask_is_aligned; /* to 16 bytes, and so is the length */
  float scale;             /* of scores as powers of 2 */
  int32_t unused;
} PtAttentionArguments;

/* X (dim, heads): @heads of a group in a block */
#define PT_ATTENTION_KERNELS(X) \
  X (64, 1)                     \
  X (64, 2)                     \
  X (64, 4)                     \
  X (64, 8)                     \
  X (128, 1)                    \
  X (128, 2)                    \
  X (128, 4)                    \
  X (128, 8)

/* ---- Sorting (docs/formats/cuda.md, section 9.5) ---- */

enum {
  PT_SORT_BLOCK = 4096, /* length of the longest slice that one block sorts */
  PT_SORT_TILE = 4096,  /* elements in a tile of a longer slice, which one block moves in a pass */
  PT_SORT_DIGITS = 256,
  PT_SORT_THREADS = 512, /* threads of a block that sorts short slices */
  PT_SORT_SHARED = 1024, /* minimum of elements in such a block */
};

/* Element (slice, position) of a tensor lies at slice / inner * length * inner + position * inner +
 * slice % inner. */
typedef struct {
  PT_ADDRESS (const void) input;
  PT_ADDRESS (void) values;
  PT_ADDRESS (int64_t) indices;
  int64_t slices, inner;
  int32_t length;
  int32_t dtype;      /* a PtDType */
  int32_t descending; /* 0 or 1 */
  int32_t padded;     /* a power of two: elements that a slice occupies in a block */
  /* For passes over long slices: */
  PT_ADDRESS (const void) keys_in; /* [slices][length]; NULL in the first pass */
  PT_ADDRESS (const uint32_t) order_in;
  PT_ADDRESS (void) keys_out; /* NULL in the last pass */
  PT_ADDRESS (uint32_t) order_out;
  PT_ADDRESS (uint32_t) counts; /* [slices][PT_SORT_DIGITS][tiles] */
  PT_ADDRESS (uint32_t) totals; /* [slices][PT_SORT_DIGITS] */
  int32_t tiles;
  int32_t shift; /* shift of the digit of this pass */
} PtSortArguments;

/* ---- Random numbers (docs/formats/cuda.md, section 9.6) ---- */

/* Lies in device memory, so that each replay of a graph continues the sequence. */
typedef struct {
  uint64_t seed;
  uint64_t counter;
  uint32_t finished; /* blocks of the running kernel that have finished */
  uint32_t unused;
} PtRandomState;

typedef struct {
  PT_ADDRESS (PtRandomState) state;
  PT_ADDRESS (void) output;
  int64_t n;
  uint64_t low, range; /* low end of the range of integers; also the seed, when it is set */
} PtRandomArguments;

/* ---- Copies ---- */

enum { PT_COPY_RANK = 8 };

typedef struct {
  PT_ADDRESS (const void) from;
  PT_ADDRESS (void) to;
  int64_t n; /* elements */
  int64_t sizes[PT_COPY_RANK];
  int64_t from_strides[PT_COPY_RANK], to_strides[PT_COPY_RANK]; /* in elements */
  int32_t rank;
} PtCopyArguments;

typedef struct {
  PT_ADDRESS (void) to; /* aligned to the element of the pattern */
  int64_t size;         /* bytes */
  uint64_t pattern;     /* the pattern, repeated to 8 bytes */
} PtFillArguments;

/* ---- Sampling ---- */

enum {
  PT_SAMPLE_BLOCKS = 64,
  PT_SAMPLE_BINS = 1024,
  PT_SAMPLE_BITS = 10,  /* bits of a weight that one pass examines */
  PT_SAMPLE_PASSES = 3, /* 30 bits hold all floats up to 1 */
  PT_SAMPLE_COUNTS = 6, /* index of the first pass for top-k */
};

/* State that the kernels of one sample pass on; all zero before the first one. */
typedef struct {
  uint32_t finished; /* blocks of the running kernel that have finished */
  int32_t is_done;   /* the token is chosen, and the remaining kernels do nothing */
  int32_t best;      /* index of the first maximum, or -1 */
  float max;
  double coin;
  double goal;     /* the goal: the probability mass to find */
  uint64_t above;  /* mass of the tokens above the known bits, which are certainly more probable */
  uint32_t prefix; /* known upper bits of the weight that is searched for */
  uint32_t rank;   /* number of the token among those of equal weight */
  uint32_t least;  /* bits of the smallest weight that top-k keeps */
  uint32_t all;    /* top-p keeps all tokens that min-p keeps */
  uint64_t total;  /* mass of the tokens that top-k keeps */
  uint64_t partial[PT_SAMPLE_BLOCKS];
  int32_t partial_best[PT_SAMPLE_BLOCKS];
  float partial_max[PT_SAMPLE_BLOCKS];
  uint64_t first[PT_SAMPLE_BINS]; /* masses by the upper bits of the weight */
  uint64_t bins[PT_SAMPLE_BINS];  /* masses in the running pass */
} PtSampleState;

/* Tokens that penalties apply to. */
typedef struct {
  int32_t id;
  uint32_t count;
} PtSampleSaid;

typedef struct {
  PT_ADDRESS (const void) logits;
  PT_ADDRESS (PtSampleState) state;
  PT_ADDRESS (float) weights;           /* [n] */
  PT_ADDRESS (uint64_t) random;         /* a PtRandom of engine/text/sampler.h, or NULL */
  PT_ADDRESS (const float) coin;        /* used when @random is NULL */
  PT_ADDRESS (int32_t) id;              /* each address of a result may be NULL */
  PT_ADDRESS (int64_t) wide_id;         /* input of the next step; 0 where id is -1 */
  PT_ADDRESS (int64_t) position;        /* increased by 1 */
  PT_ADDRESS (const PtSampleSaid) said; /* [n_said] */
  int32_t n_said;
  int32_t n;
  int32_t dtype; /* a PtDType */
  int32_t top_k; /* 0: all tokens; else below n */
  float temperature, top_p, min_p;
  float repetition_penalty, presence_penalty, frequency_penalty;
  int32_t pass;
} PtSampleArguments;
