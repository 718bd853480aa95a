/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/rotary-pattern.h"

#include <string.h>

#include "engine/cuda/pattern-text.h"

/* 2 / pi, with which a float is divided by a right angle before its sine is computed. */
#define TWO_BY_PI "0f3F22F983"

/* Bits of a way. */
enum { SWAPS_NUMBERS = 1, OTHER_RESULTS = 2, IS_PART = 4 };

static guint
count (guint64 bits)
{
  guint n = 0;

  for (; bits != 0; bits &= bits - 1)
    n++;
  return n;
}

/* All that are read are in front of those that are written, and none is both. */
static gboolean
are_in_order (const PtPatternTensors *tensors)
{
  guint64 read = (G_GUINT64_CONSTANT (1) << count (tensors->read)) - 1;
  guint64 all = (G_GUINT64_CONSTANT (1) << tensors->n) - 1;

  return tensors->read == read && tensors->written == (all & ~read);
}

static gboolean
read_roles (const PtPatternTensors *tensors, PtRotaryPattern *pattern)
{
  guint n_read = count (tensors->read), n_written = count (tensors->written);
  guint n_caches = count (tensors->indirect), first = n_read;
  guint n_known = 2 + pattern->has_weights;

  pattern->is_cache = n_caches > 0;
  pattern->has_values = n_caches == 2;
  if (!pattern->is_cache) {
    pattern->has_partial = n_read == n_known + 1;
    return n_written == 1 && n_read == n_known + pattern->has_partial;
  }
  /* The caches come first, then the mask. */
  if (n_caches > 2 || tensors->indirect != (((G_GUINT64_CONSTANT (1) << n_caches) - 1) << first))
    return FALSE;
  pattern->has_mask = n_written == n_caches + 1;
  return n_written == n_caches + pattern->has_mask && n_read == n_known + 1 + pattern->has_values;
}

gboolean
pt_rotary_pattern_find (const char *text, const PtPtxAddresses *addresses, PtRotaryPattern *pattern)
{
  PtPatternTensors tensors;
  guint first;

  memset (pattern, 0, sizeof *pattern);
  if (strstr (text, TWO_BY_PI) == NULL || strstr (text, "mma.sync") != NULL ||
      !pt_pattern_tensors (addresses, &tensors, &pattern->has_length) || !are_in_order (&tensors))
    return FALSE;
  pattern->has_weights = strstr (text, "rsqrt.approx") != NULL;
  first = tensors.n + pattern->has_length;
  pattern->numbers = (guint8) first;
  return read_roles (&tensors, pattern) && pt_pattern_count_numbers (addresses, first) == 2 &&
         (!pattern->has_weights || pt_pattern_epsilon (text, &pattern->epsilon));
}

static void
read_caches (const PtRotaryPattern *pattern, void *const *arguments, guint at, guint way,
             PtCudaRotary *rotary)
{
  rotary->layout = PT_CUDA_ROTARY_CACHE;
  rotary->position = pt_pattern_pointer (arguments, at++);
  if (pattern->has_values)
    rotary->values = pt_pattern_pointer (arguments, at++);
  rotary->output = pt_pattern_pointer (arguments, at++);
  if (pattern->has_values)
    rotary->value_output = pt_pattern_pointer (arguments, at++);
  if (pattern->has_mask)
    rotary->mask = pt_pattern_pointer (arguments, at);
  if ((way & OTHER_RESULTS) != 0) {
    PtCuPointer other = rotary->output;

    rotary->output = rotary->value_output;
    rotary->value_output = other;
  }
}

static gboolean
may_be_part (const PtRotaryPattern *pattern)
{
  return !pattern->is_cache && !pattern->has_partial && !pattern->has_weights;
}

gboolean
pt_rotary_pattern_read (const PtRotaryPattern *pattern, void *const *arguments, guint way,
                        PtCudaRotary *rotary, PtCuPointer *partial)
{
  guint at = 0;
  gboolean swaps = (way & SWAPS_NUMBERS) != 0;

  *rotary = (PtCudaRotary){ .epsilon = pattern->epsilon };
  *partial = 0;
  if (way >= PT_ROTARY_WAYS || ((way & IS_PART) != 0 && !may_be_part (pattern)) ||
      (pattern->is_cache && !pattern->has_values && (way & OTHER_RESULTS) != 0) ||
      (pattern->has_length && pt_pattern_pointer (arguments, pattern->numbers - 1) != 1))
    return FALSE;
  rotary->input = pt_pattern_pointer (arguments, at++);
  if (pattern->has_weights)
    rotary->weights = pt_pattern_pointer (arguments, at++);
  rotary->angles = pt_pattern_pointer (arguments, at++);
  if (pattern->has_partial)
    *partial = pt_pattern_pointer (arguments, at++);
  if (pattern->is_cache) {
    read_caches (pattern, arguments, at, way, rotary);
  } else {
    rotary->layout = (way & OTHER_RESULTS) != 0 ? PT_CUDA_ROTARY_NUMBERS : PT_CUDA_ROTARY_HEADS;
    rotary->output = pt_pattern_pointer (arguments, at);
    rotary->is_part = (way & IS_PART) != 0;
  }
  rotary->heads = pt_pattern_number (arguments, pattern->numbers + swaps);
  rotary->dim = pt_pattern_number (arguments, pattern->numbers + !swaps);
  return rotary->heads > 0 && rotary->dim > 0;
}
