/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "int4.cuh"

/*
 * Few rows of activations times int4 weights, for decode. The speed depends on having many reads of
 * weights in flight, with little work for each.
 *
 * A block has p.tiles tiles and computes two of them, a strip, at a time. The chunks of all its
 * strips, in order, are divided into equal parts for its warps. Each warp has a ring of chunks in
 * shared memory, which it fills ahead across the ends of strips. Warps are independent until the
 * block adds up the partial sums of each strip. The activations of the slab stay in shared memory
 * for the life of the block.
 *
 * Weights are multiplied in biased form, w + 128 or w + 16; the 16 columns of a strip are the rows
 * of the tensor cores' product. The bias is subtracted from the sum over a group, which is then
 * scaled. With x the activations: scale * (sum of (w + bias) * x - sum of (8 + bias) * x) + zero *
 * sum of x. Upstream rounds each weight to bf16 before the product; here no weight is rounded, so
 * results are nearer to the exact ones.
 */

#ifdef HAS_BF16

/**
 * @GROUPS: groups of weights in a chunk, each with its scales: 4, 2 or 1. @INNER: as for
 * copy_words().
 */
template <int ROWS, int INNER, int GROUPS> struct Int4Rows {
  enum {
    TILES = 2,
    COLUMNS = TILES * 8,
    STAGES = PT_INT4_ROWS_STAGES,
    WORDS = TILES * LANES * CHUNK_WORDS,
    STAGE_WORDS = WORDS + GROUPS * COLUMNS,
    PARTS = ROWS > 8 ? 2 : 1, /* number of parts of 8 rows, one for each product */
    EACH = ROWS > 1 ? 2 : 1,  /* rows of a part whose results a lane has */
    SUMS = PARTS * EACH,
    AT_ONCE = ROWS > 1 ? 1 : 2, /* chunks of activations that a warp copies */
  };

  const PtInt4Arguments &p;
  int warp, lane, n_warps;
  int first_chunk, n_chunks; /* chunks of the slab */
  int first_tile, n_tiles;   /* tiles of the block */
  int strip, chunk, left;    /* the next chunk to multiply; chunks that are left */
  int ahead_strip, ahead_chunk, ahead_left; /* the next chunk to copy, and its address */
  const uint32_t *ahead_words, *ahead_scales;
  uint32_t ahead_second; /* distance from the first tile of a strip to the second */
  uint32_t *ring;        /* the ring of the warp; the lane's words in its first stage */
  uint8_t *rows;         /* [chunk][row], lines of PT_INT4_LINE bytes */
  float2 *corrections;   /* [chunk][group][ROWS]: sum of (8 + bias) * x, sum of x */
  float *areas;          /* [strip + warp][row][COLUMNS]: the partial sums of a warp for a strip */
  int2 *spans;           /* [strip]: the first and the last warp with a part of the strip */

  __device__ __forceinline__
  Int4Rows (const PtInt4Arguments &arguments, uint8_t *shared)
      : p (arguments)
  {
    int all_chunks = (p.k + PT_INT4_CHUNK - 1) / PT_INT4_CHUNK, most = (p.tiles + 1) / TILES;
    uint32_t n_units, share, begin;

    warp = warp_id ();
    lane = lane_id ();
    n_warps = (int) blockDim.x / LANES;
    first_chunk = (int) blockIdx.y * p.slab;
    n_chunks = min (p.slab, all_chunks - first_chunk);
    first_tile = (int) blockIdx.x * p.tiles;
    n_tiles = min (p.tiles, p.n / 8 - first_tile);

    ring = (uint32_t *) shared + warp * STAGES * STAGE_WORDS + lane * CHUNK_WORDS;
    rows = shared + n_warps * STAGES * STAGE_WORDS * 4;
    corrections = (float2 *) (rows + p.slab * p.m * PT_INT4_LINE);
    areas = (float *) (corrections + p.slab * GROUPS * ROWS);
    spans = (int2 *) (areas + (most + n_warps) * p.m * COLUMNS);

    n_units = (uint32_t) ((n_tiles + 1) / TILES * n_chunks);
    share = n_warps == PT_INT4_ROWS_WARPS ? n_units / PT_INT4_ROWS_WARPS
                                          : n_units / (PT_INT4_ROWS_WARPS / 2);
    n_units -= share * (uint32_t) n_warps; /* warps that have one chunk more */
    begin = (uint32_t) warp * share + (uint32_t) min (warp, (int) n_units);
    left = ahead_left = (int) share + (warp < (int) n_units ? 1 : 0);
    strip = ahead_strip =
        (int) __umulhi (2 * begin + 1, n_chunks == p.slab ? p.slab_inverse : p.last_slab_inverse);
    chunk = ahead_chunk = (int) begin - strip * n_chunks;
    begin_strip ();
  }

  /* ---- Weights ---- */

  /** Prefetch the first weights of the warp to the L2 cache: as many chunks as the ring has. */
  __device__ __forceinline__ void
  fetch_words ()
  {
    enum { LINE_WORDS = 32, CHUNK_LINES = PT_INT4_CHUNK / LINE_WORDS };
    int line = lane % (LANES / TILES), second = lane / (LANES / TILES);

    static_assert (STAGES * CHUNK_LINES == LANES / TILES, "one line for each lane");
    if (line / CHUNK_LINES < min (ahead_left, n_chunks - ahead_chunk))
      fetch (ahead_words + second * ahead_second + line * LINE_WORDS);
  }

  __device__ __forceinline__ void
  begin_strip ()
  {
    int tile = ahead_strip * TILES, column = lane % (COLUMNS / 4) * 4;
    bool is_whole = tile + 1 < n_tiles;

    /* A tile beyond the last is replaced by the first; its result is ignored. */
    ahead_second = is_whole ? (uint32_t) p.k : 0;
    ahead_words = p.weights + (uint64_t) (uint32_t) (first_tile + tile) * (uint32_t) p.k +
                  (uint32_t) ((first_chunk + ahead_chunk) * PT_INT4_CHUNK);
    ahead_scales =
        p.scales + (uint32_t) ((first_tile + tile) * 8 + (is_whole ? column : column % 8));
  }

  /** Start to copy the next chunk, if there is one, to the stage at @to. */
  __device__ __forceinline__ void
  copy_next (uint32_t *to)
  {
    int k = (first_chunk + ahead_chunk) * PT_INT4_CHUNK;

    if (ahead_left <= 0)
      return;
    copy_words<INNER> (to, ahead_words, lane, p.inner, p.k - k);
    copy_words<INNER> (to + WORDS / TILES, ahead_words + ahead_second, lane, p.inner, p.k - k);
    if (lane < GROUPS * COLUMNS / 4) {
      int of_lane = lane / (COLUMNS / 4);
      bool is_valid = INNER == 8 || k + of_lane * (PT_INT4_CHUNK / GROUPS) < p.k;
      uint32_t group = is_valid ? (uint32_t) ((k >> p.group_shift) + of_lane) : 0;

      copy_async_16_kept (to + WORDS, ahead_scales + (uint64_t) group * (uint32_t) p.n, is_valid);
    }
    ahead_words += PT_INT4_CHUNK;
    ahead_left--;
    if (++ahead_chunk == n_chunks) {
      ahead_chunk = 0;
      ahead_strip++;
      begin_strip ();
    }
  }

  /* ---- Activations ---- */

  /*
   * Each warp copies the activations of some chunks (groups of @AT_ONCE consecutive ones) and
   * computes their corrections. At a time it handles half a chunk: one line, 128 columns of a row.
   */

  /** Start to copy the activations of the whole slab. */
  __device__ __forceinline__ void
  copy_rows ()
  {
    int half = lane / 16, piece = lane % 16 * 8;

#pragma unroll 1
    for (int i = warp * AT_ONCE + (ROWS > 1 ? 0 : half); i < n_chunks; i += n_warps * AT_ONCE) {
      int k = (first_chunk + i) * PT_INT4_CHUNK + piece;

#pragma unroll 1
      for (int row = ROWS > 1 ? half : 0; row < p.m; row += 2)
        copy_async_16_kept (
            rows + (i * p.m + row) * PT_INT4_LINE + piece * 2,
            p.input + (k < p.k ? (uint32_t) row * (uint64_t) (uint32_t) p.k + k : 0), k < p.k);
    }
  }

  /**
   * Compute the corrections of chunk @i for add_group(): products with columns of 8 and of ones.
   */
  __device__ __forceinline__ void
  correct_chunk (int i)
  {
    const uint32_t ones[4] = { 0x3f803f80u, 0x3f803f80u, 0x3f803f80u, 0x3f803f80u };
    enum { WORDS_EACH = CHUNK_WORDS / GROUPS };
    float products[CHUNK_WORDS][PARTS][4];
    uint32_t eights[4];
    const uint8_t *lines[PARTS];

    unpack (eights, 0x88888888u);
    begin_lines (lines, i);
#pragma unroll
    for (int j = 0; j < CHUNK_WORDS; j++)
      multiply_word (products[j], true, lines, j, eights, ones);
#pragma unroll
    for (int g = 0; g < GROUPS; g++)
#pragma unroll
      for (int part = 0; part < PARTS; part++) {
        float2 *to = corrections + (i * GROUPS + g) * ROWS + part * 8;
        float *x = products[g * WORDS_EACH][part];

#pragma unroll
        for (int j = 1; j < WORDS_EACH; j++)
#pragma unroll
          for (int e = 0; e < 4; e++)
            x[e] += products[g * WORDS_EACH + j][part][e];
        if (ROWS == 1 && lane == 0)
          *to = make_float2 (x[0], x[2]);
        if (ROWS > 1 && lane < 4)
          *(float4 *) (to + lane * 2) = make_float4 (x[0], x[2], x[1], x[3]);
      }
  }

  __device__ __forceinline__ void
  correct_rows ()
  {
#pragma unroll 1
    for (int first = warp * AT_ONCE; first < n_chunks; first += n_warps * AT_ONCE)
#pragma unroll
      for (int i = 0; i < AT_ONCE; i++)
        /* A group that does not exist is replaced by one that exists, with the same correction. */
        correct_chunk (min (first + i, n_chunks - 1));
  }

  /** The address of the activations of chunk @i for this lane, as load_matrices() takes it. */
  __device__ __forceinline__ void
  begin_lines (const uint8_t *lines[PARTS], int i)
  {
#pragma unroll
    for (int part = 0; part < PARTS; part++) {
      /* Rows that do not exist repeat the first; their results are ignored. */
      int row = part * 8 + lane % 8 < p.m ? part * 8 + lane % 8 : 0;

      lines[part] = rows + (i * p.m + (ROWS > 1 ? row : 0)) * PT_INT4_LINE + lane / 8 * 16;
    }
  }

  /* ---- Products ---- */

  /** Multiply word @i of two tiles with the activations; add to @products, or set them. */
  __device__ __forceinline__ void
  multiply_word (float products[PARTS][4], bool begins, const uint8_t *const lines[PARTS], int i,
                 const uint32_t first[4], const uint32_t second[4])
  {
#pragma unroll
    for (int part = 0; part < PARTS; part++) {
      uint32_t x[4];

      if (begins)
        products[part][0] = products[part][1] = products[part][2] = products[part][3] = 0;
      load_matrices (x, lines[part] + i * 64);
      multiply_tile (products[part], first[0], second[0], first[1], second[1], x[0], x[1]);
      multiply_tile (products[part], first[2], second[2], first[3], second[3], x[2], x[3]);
    }
  }

  /** Scale the sums over a group and add them to the sums of the strip. */
  __device__ __forceinline__ void
  add_group (float sums[TILES][SUMS], float products[PARTS][4], const uint32_t *scales,
             const float2 *correction)
  {
    float2 taken[SUMS];

    if (ROWS > 1) {
#pragma unroll
      for (int part = 0; part < PARTS; part++) {
        float4 both = *(const float4 *) (correction + part * 8 + lane % 4 * 2);

        taken[part * EACH] = make_float2 (both.x, both.y);
        taken[part * EACH + EACH - 1] = make_float2 (both.z, both.w);
      }
    } else {
      taken[0] = *correction;
    }
#pragma unroll
    for (int t = 0; t < TILES; t++) {
      uint32_t both = scales[t * 8 + lane / 4];
      float scale = __uint_as_float (both << 16), zero = __uint_as_float (both & 0xffff0000u);

#pragma unroll
      for (int i = 0; i < SUMS; i++) {
        sums[t][i] += scale * (products[i / EACH][t * 2 + i % EACH] - taken[i].x);
        sums[t][i] += zero * taken[i].y;
      }
    }
  }

  /** Multiply the chunk whose words for this lane are at @words with its activations. */
  __device__ __forceinline__ void
  multiply (float sums[TILES][SUMS], const uint32_t *words, const uint8_t *const lines[PARTS],
            const float2 *correction)
  {
    const uint32_t *scales = words - lane * CHUNK_WORDS + WORDS;
    uint32_t w[TILES][CHUNK_WORDS];
    float products[PARTS][4];

#pragma unroll
    for (int t = 0; t < TILES; t++) {
      uint4 x = *(const uint4 *) (words + t * (WORDS / TILES));

      w[t][0] = x.x;
      w[t][1] = x.y;
      w[t][2] = x.z;
      w[t][3] = x.w;
    }
#pragma unroll
    for (int i = 0; i < CHUNK_WORDS; i++) {
      uint32_t a[TILES][4];

#pragma unroll
      for (int t = 0; t < TILES; t++)
        unpack (a[t], w[t][i]);
      multiply_word (products, i * GROUPS % CHUNK_WORDS == 0, lines, i, a[0], a[1]);
      if ((i + 1) * GROUPS % CHUNK_WORDS == 0)
        add_group (sums, products, scales + i * GROUPS / CHUNK_WORDS * COLUMNS,
                   correction + i * GROUPS / CHUNK_WORDS * ROWS);
    }
  }

  /* ---- Adding up ---- */

  /**
   * Store the partial sums of the warp for the strip; the arguments say whether the warp is the
   * first or the last one with a part of it.
   */
  __device__ __forceinline__ void
  leave (float sums[TILES][SUMS], bool is_first, bool is_last)
  {
    float *to = areas + (strip + warp) * p.m * COLUMNS + lane / 4;

#pragma unroll
    for (int i = 0; i < SUMS; i++) {
      int row = i / EACH * 8 + lane % 4 * 2 + i % EACH;

#pragma unroll
      for (int t = 0; t < TILES; t++) {
        if (row < p.m)
          to[row * COLUMNS + t * 8] = sums[t][i];
        sums[t][i] = 0;
      }
    }
    if (lane == 0 && is_first)
      spans[strip].x = warp;
    if (lane == 0 && is_last)
      spans[strip].y = warp;
  }

  /** Add up the partial sums of the warps and write them to the output. */
  __device__ __forceinline__ void
  finish ()
  {
    int width = n_tiles * 8;

#pragma unroll 1
    for (int row = 0; row < p.m; row++)
#pragma unroll 1
      for (int column = (int) threadIdx.x; column < width; column += (int) blockDim.x) {
        int of = column / COLUMNS;
        int64_t at = (int64_t) row * p.n + first_tile * 8 + column;
        const float *from = areas + (of * p.m + row) * COLUMNS + column % COLUMNS;
        int2 span = spans[of];
        float sum = 0;

#pragma unroll 4
        for (int w = span.x; w <= span.y; w++)
          sum += from[w * p.m * COLUMNS];
        if (gridDim.y > 1)
          p.partial[(int64_t) blockIdx.y * p.m * p.n + at] = sum;
        else
          p.output[at] = f32_to_bf16 (sum);
      }
  }

  __device__ __forceinline__ void
  multiply_all ()
  {
    uint32_t *free = ring + (STAGES - 1) * STAGE_WORDS, *full = ring;
    float sums[TILES][SUMS] = {};
    const uint8_t *lines[PARTS];
    const float2 *correction = corrections + chunk * GROUPS * ROWS;
    bool is_first = chunk == 0;

    begin_lines (lines, chunk);
#pragma unroll 1
    for (; left > 0; left--) {
      copy_async_wait<STAGES - 2> ();
      __syncwarp ();
      copy_next (free);
      copy_async_commit ();
      multiply (sums, full, lines, correction);
      free = full;
      full = full == ring + (STAGES - 1) * STAGE_WORDS ? ring : full + STAGE_WORDS;
      correction += GROUPS * ROWS;
#pragma unroll
      for (int part = 0; part < PARTS; part++)
        lines[part] += p.m * PT_INT4_LINE;
      if (++chunk < n_chunks && left > 1)
        continue;
      leave (sums, is_first, chunk == n_chunks);
      is_first = true;
      chunk = 0;
      strip++;
      correction = corrections;
      begin_lines (lines, 0);
    }
  }

  /** Start to copy the first chunks of weights; the ring then has room for one more. */
  __device__ __forceinline__ void
  fill_ring ()
  {
#pragma unroll
    for (int i = 0; i < STAGES - 1; i++) {
      copy_next (ring + i * STAGE_WORDS);
      copy_async_commit ();
    }
  }

  /** Weights that no earlier kernel writes come before the wait for the activations. */
  __device__ __forceinline__ void
  begin ()
  {
    if (p.is_constant) {
      fill_ring ();
      wait_for_earlier ();
      let_later_start ();
      copy_rows ();
      copy_async_commit ();
      copy_async_wait<0> ();
    } else {
      fetch_words ();
      wait_for_earlier ();
      let_later_start ();
      /* Start the copies of activations first; otherwise they would wait behind the weights. */
      copy_rows ();
      copy_async_commit ();
      fill_ring ();
      copy_async_wait<STAGES - 1> ();
    }
  }

  __device__ __forceinline__ void
  run ()
  {
    begin ();
    __syncwarp ();
    correct_rows ();
    __syncthreads ();
    multiply_all ();
    __syncthreads ();
    finish ();
  }
};

#define INT4_ROWS_BODY(rows, inner, groups)         \
  DYNAMIC_SHARED (shared);                          \
  Int4Rows<rows, inner, groups> kernel (p, shared); \
                                                    \
  kernel.run ();
#else
#define INT4_ROWS_BODY(rows, inner, groups)
#endif

/* With a second launch bound, a thread with many rows gets all registers that it needs. */
#define INT4_ROWS_KERNEL(rows, inner, groups)                                              \
  KERNEL __launch_bounds__ (PT_INT4_ROWS_WARPS *LANES, (rows) > 8 ? 1 : 0)                 \
      pt_int4_rows_##rows##_##inner##_##groups (const __grid_constant__ PtInt4Arguments p) \
  {                                                                                        \
    INT4_ROWS_BODY (rows, inner, groups)                                                   \
  }

PT_INT4_ROWS_KERNELS (INT4_ROWS_KERNEL)
