/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/product-pattern.h"

#include <string.h>

/* Tensors of a product: input, weights and output, and perhaps another one in front of the output.
 */
enum { LEAST_TENSORS = 3, MOST_TENSORS = 4 };
/* Addresses behind all others. */
#define N_ADDED 2

/* Number of tensors; 0: the parameters are others. */
static guint
count_tensors (const PtPtxAddresses *addresses, gboolean *has_rows)
{
  guint n = 0, total = addresses->n_parameters;

  while (n < total && addresses->sizes[n] == 8)
    n++;
  *has_rows = n < total;
  if (n == total)
    n = n > N_ADDED ? n - N_ADDED : 0;
  else if (addresses->sizes[n] != 4 || total != n + 1 + N_ADDED || addresses->sizes[n + 1] != 8 ||
           addresses->sizes[n + 2] != 8)
    n = 0;
  return n >= LEAST_TENSORS && n <= MOST_TENSORS ? n : 0;
}

/* Each tensor but the last is read and nothing else, and the last is only written. */
static gboolean
has_roles (const PtPtxAddresses *addresses, guint n_tensors)
{
  guint64 all = (G_GUINT64_CONSTANT (1) << n_tensors) - 1, seen = 0;

  for (guint i = 0; i < addresses->n_accesses; i++) {
    guint64 tensor = addresses->accesses[i].parameters & all;
    gboolean is_output = tensor == G_GUINT64_CONSTANT (1) << (n_tensors - 1);

    if (tensor == 0 || (tensor & (tensor - 1)) != 0 || addresses->accesses[i].is_write != is_output)
      return FALSE;
    seen |= tensor;
  }
  return seen == all;
}

gboolean
pt_product_pattern_find (const char *text, const PtPtxAddresses *addresses,
                         PtProductPattern *pattern)
{
  guint n;

  memset (pattern, 0, sizeof *pattern);
  if (!addresses->is_known || strstr (text, "mma") == NULL || strstr (text, ".bf16.bf16") == NULL)
    return FALSE;
  n = count_tensors (addresses, &pattern->has_rows);
  if (n == MOST_TENSORS)
    pattern->end = strstr (text, "ex2.approx") != NULL ? PT_CUDA_ROW_SILU : PT_CUDA_ROW_ADD;
  return n > 0 && has_roles (addresses, n);
}

gboolean
pt_product_pattern_read (const PtProductPattern *pattern, void *const *arguments, PtCudaRow *row)
{
  guint n = pattern->end == PT_CUDA_ROW_PLAIN ? LEAST_TENSORS : MOST_TENSORS;
  gint32 n_rows = 1;

  *row = (PtCudaRow){ .end = pattern->end };
  if (pattern->has_rows)
    memcpy (&n_rows, arguments[n], sizeof n_rows);
  memcpy (&row->input, arguments[0], sizeof row->input);
  memcpy (&row->weights, arguments[1], sizeof row->weights);
  if (n == MOST_TENSORS)
    memcpy (&row->other, arguments[2], sizeof row->other);
  memcpy (&row->output, arguments[n - 1], sizeof row->output);
  return n_rows == 1 && (n == LEAST_TENSORS || row->other != 0);
}
