/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/gate-pattern.h"

#include <string.h>

#include "engine/cuda/pattern-text.h"

gboolean
pt_gate_pattern_find (const char *text, const PtPtxAddresses *addresses, PtGatePattern *pattern)
{
  PtPatternTensors tensors;
  gboolean has_length;
  guint n = 0;

  memset (pattern, 0, sizeof *pattern);
  if (strstr (text, "ex2.approx") == NULL || strstr (text, "mma.sync") != NULL ||
      strstr (text, "rsqrt.approx") != NULL ||
      !pt_pattern_tensors (addresses, &tensors, &has_length) || has_length ||
      tensors.indirect != 0 || (tensors.written & (tensors.written - 1)) != 0 ||
      tensors.written == 0 || pt_pattern_count_numbers (addresses, tensors.n) != 1)
    return FALSE;
  for (guint i = 0; i < tensors.n; i++) {
    if ((tensors.written >> i & 1) != 0)
      pattern->output = (guint8) i;
    if ((tensors.read >> i & 1) == 0)
      continue;
    if (n == G_N_ELEMENTS (pattern->inputs))
      return FALSE;
    pattern->inputs[n++] = (guint8) i;
  }
  pattern->number = (guint8) tensors.n;
  return n == G_N_ELEMENTS (pattern->inputs);
}

gboolean
pt_gate_pattern_read (const PtGatePattern *pattern, void *const *arguments, guint way,
                      PtCudaGate *gate)
{
  if (way >= PT_GATE_WAYS)
    return FALSE;
  gate->gate = pt_pattern_pointer (arguments, pattern->inputs[way]);
  gate->input = pt_pattern_pointer (arguments, pattern->inputs[1 - way]);
  gate->output = pt_pattern_pointer (arguments, pattern->output);
  gate->n = pt_pattern_number (arguments, pattern->number);
  return pt_cuda_gate_fits (gate);
}
