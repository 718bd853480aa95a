/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/norm-pattern.h"

#include <string.h>

#include "engine/cuda/pattern-text.h"

static gboolean
has (guint64 bits, guint i)
{
  return (bits >> i & 1) != 0;
}

/* The last of these tensors. FALSE: there is none. */
static gboolean
find_last (guint64 bits, guint n, guint8 *last)
{
  for (guint i = n; i-- > 0;)
    if (has (bits, i)) {
      *last = (guint8) i;
      return TRUE;
    }
  return FALSE;
}

static gboolean
read_table (const PtPatternTensors *tensors, PtNormPattern *pattern)
{
  guint64 bits = tensors->indirect;

  if (bits == 0)
    return TRUE;
  pattern->has_table = TRUE;
  if ((bits & (bits - 1)) != 0 || !find_last (bits, tensors->n, &pattern->table) ||
      pattern->table == 0)
    return FALSE;
  pattern->token = pattern->table - 1;
  return !has (tensors->written, pattern->table) && !has (tensors->written, pattern->token);
}

static gboolean
read_results (const PtPatternTensors *tensors, PtNormPattern *pattern)
{
  guint64 before;

  if (!find_last (tensors->written, tensors->n, &pattern->output))
    return FALSE;
  before = tensors->written & ~(G_GUINT64_CONSTANT (1) << pattern->output);
  pattern->has_sum = find_last (before, tensors->n, &pattern->sum);
  return (before & (before - 1)) == 0;
}

static gboolean
read_inputs (const PtPatternTensors *tensors, PtNormPattern *pattern)
{
  guint64 left = tensors->read;

  if (pattern->has_table)
    left &= ~(G_GUINT64_CONSTANT (1) << pattern->table | G_GUINT64_CONSTANT (1) << pattern->token);
  if (!find_last (left & ~tensors->written, tensors->n, &pattern->weights))
    return FALSE;
  left &= ~(G_GUINT64_CONSTANT (1) << pattern->weights);
  for (guint i = 0; i < tensors->n; i++) {
    if (!has (left, i))
      continue;
    if (pattern->n_inputs == PT_CUDA_NORM_INPUTS)
      return FALSE;
    pattern->inputs[pattern->n_inputs++] = (guint8) i;
  }
  return pattern->n_inputs > 0 || pattern->has_table;
}

gboolean
pt_norm_pattern_find (const char *text, const PtPtxAddresses *addresses, PtNormPattern *pattern)
{
  PtPatternTensors tensors;
  gboolean has_length;
  guint n_numbers;

  memset (pattern, 0, sizeof *pattern);
  if (strstr (text, "rsqrt.approx") == NULL || strstr (text, "mma.sync") != NULL ||
      !pt_pattern_tensors (addresses, &tensors, &has_length) || has_length)
    return FALSE;
  n_numbers = pt_pattern_count_numbers (addresses, tensors.n);
  pattern->has_rows = n_numbers == 2;
  pattern->numbers = (guint8) tensors.n;
  return n_numbers >= 1 && n_numbers <= 2 && read_table (&tensors, pattern) &&
         read_results (&tensors, pattern) && read_inputs (&tensors, pattern) &&
         pt_pattern_epsilon (text, &pattern->epsilon);
}

gboolean
pt_norm_pattern_read (const PtNormPattern *pattern, void *const *arguments, PtCudaNorm *norm)
{
  guint at = pattern->numbers;

  *norm = (PtCudaNorm){ .epsilon = pattern->epsilon };
  if (pattern->has_rows && pt_pattern_number (arguments, at++) != 1)
    return FALSE;
  norm->n = pt_pattern_number (arguments, at);
  if (pattern->has_table) {
    norm->token = pt_pattern_pointer (arguments, pattern->token);
    norm->table = pt_pattern_pointer (arguments, pattern->table);
  }
  norm->n_inputs = pattern->n_inputs;
  for (guint i = 0; i < pattern->n_inputs; i++)
    norm->inputs[i] = pt_pattern_pointer (arguments, pattern->inputs[i]);
  norm->weights = pt_pattern_pointer (arguments, pattern->weights);
  if (pattern->has_sum)
    norm->sum = pt_pattern_pointer (arguments, pattern->sum);
  norm->output = pt_pattern_pointer (arguments, pattern->output);
  return norm->n > 0;
}
