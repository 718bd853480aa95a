/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "common.cuh"

/*
 * Code that both products with tile-packed int4 weights share (docs/formats/cuda.md, section 9.2).
 *
 * A tile is 8 columns of the result. A word holds 8 weights of one column, out of 32 consecutive k:
 * the weights of a lane for two products of 16 k, in the order of the tensor cores' B fragment. A
 * chunk is 128 k of a tile: 512 contiguous bytes for any number of inner tiles. In shared memory
 * the 4 words of a lane are contiguous.
 */

#ifdef HAS_BF16

enum { CHUNK_WORDS = PT_INT4_CHUNK / 32 };

/**
 * Start to copy one lane's 4 words of the chunk at @from to @to. Words beyond the remaining @left k
 * become zeros.
 *
 * @INNER: @inner if known at compile time, else 0
 */
template <int INNER>
DEVICE void
copy_words (uint32_t *to, const uint32_t *from, int lane, int inner, int left)
{
  int words = (INNER > 0 ? INNER : inner) / 2;

  if (words == 4) {
    copy_async_16 (to, from + lane * 4, true);
    return;
  }
  for (int i = 0; i < CHUNK_WORDS; i += words) {
    bool is_valid = i * 32 < left;
    const uint32_t *piece = is_valid ? from + i * LANES + lane * words : from;

    if (words == 2)
      copy_async_8 (to + i, piece, is_valid);
    else
      copy_async_4 (to + i, piece, is_valid);
  }
}

/**
 * Convert the four pairs of @word to bf16, exactly: w + 128, and w + 16 for all but the first. The
 * bits of a weight become part of the mantissa; the leading 1 of the mantissa is the bias.
 */
DEVICE void
unpack (uint32_t pairs[4], uint32_t word)
{
  pairs[0] = and_or<0x000f000fu, 0x43004300u> (word);
  pairs[1] = and_or<0x00780078u, 0x41804180u> (word >> 1);
  pairs[2] = and_or<0x00780078u, 0x41804180u> (word >> 5);
  pairs[3] = and_or<0x00780078u, 0x41804180u> (word >> 9);
}

/** Convert pair @i of @word: bf16 (q * scale + zero), rounded once. */
DEVICE uint32_t
dequantise (uint32_t word, int i, uint32_t scale, uint32_t zero)
{
  /* Computes 128 + w, then w - 8; both are exact. */
  uint32_t biased = and_or<0x000f000fu, 0x43004300u> (word >> (4 * i));
  uint32_t q = bf16x2_fma (biased, 0x3f803f80u, 0xc308c308u);

  return bf16x2_fma (q, scale, zero);
}

/** Return a scale and a zero as the two equal halves that dequantise() takes. */
DEVICE void
split_scale (uint32_t both, uint32_t *scale, uint32_t *zero)
{
  *scale = __byte_perm (both, 0, 0x1010);
  *zero = __byte_perm (both, 0, 0x3232);
}

#endif
