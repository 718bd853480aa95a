/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/attention-pattern.h"

#include <string.h>

/* Strides of a tensor: of the batch, the heads and the rows. */
#define N_STRIDES 3

/* Parameters of one tensor. */
typedef struct {
  guint tensor;
  guint64 strides; /* bits */
  gboolean is_write;
} Access;

typedef struct {
  const PtPtxAddresses *addresses;
  Access accesses[PT_PTX_MAX_ACCESSES];
  guint n_tensors;
  guint64 common; /* numbers in the addresses of all tensors */
} Search;

static guint64
bit (guint i)
{
  return G_GUINT64_CONSTANT (1) << i;
}

/* @bits: not 0 */
static guint
lowest (guint64 bits)
{
  guint i = 0;

  while ((bits >> i & 1) == 0)
    i++;
  return i;
}

/* The number of tensors, which come first, are one after another, and have 8 bytes each. */
static guint
count_pointers (const PtPtxAddresses *addresses)
{
  guint n = 0;

  while (n < addresses->n_parameters && addresses->sizes[n] == 8)
    n++;
  return n;
}

/* Each tensor must be accessed in one way only. */
static gboolean
read_accesses (Search *s)
{
  const PtPtxAddresses *addresses = s->addresses;
  guint n_pointers = count_pointers (addresses);
  guint64 pointers = bit (n_pointers) - 1;

  if (n_pointers < 4 || n_pointers > 5 || addresses->n_accesses > n_pointers)
    return FALSE;
  s->common = ~pointers;
  for (guint i = 0; i < addresses->n_accesses; i++) {
    guint64 tensor = addresses->accesses[i].parameters & pointers;
    guint64 numbers = addresses->accesses[i].parameters & ~pointers;
    guint index = tensor != 0 ? lowest (tensor) : 0;

    if (tensor == 0 || tensor != bit (index) || (s->n_tensors >> index & 1) != 0)
      return FALSE;
    s->n_tensors |= 1u << index;
    s->accesses[index] = (Access){ index, numbers, addresses->accesses[i].is_write };
    s->common &= numbers;
  }
  return TRUE;
}

/* The strides of @access in order; they follow @after. FALSE when there are not @n of them. */
static gboolean
read_strides (const Search *s, const Access *access, guint n, guint *after, guint8 *strides)
{
  guint64 left = access->strides & ~s->common;

  for (guint i = 0; i < n; i++) {
    if (left == 0)
      return FALSE;
    strides[i] = (guint8) lowest (left);
    if (strides[i] <= *after || s->addresses->sizes[strides[i]] != 4)
      return FALSE;
    *after = strides[i];
    left &= left - 1;
  }
  return left == 0;
}

static gboolean
read_tensor (const Search *s, guint index, guint *after, PtAttentionTensor *tensor)
{
  guint8 strides[N_STRIDES];

  if ((s->n_tensors >> index & 1) == 0 || s->accesses[index].is_write != (index == 3) ||
      !read_strides (s, &s->accesses[index], N_STRIDES, after, strides))
    return FALSE;
  tensor->tensor = (guint8) index;
  tensor->head = strides[1];
  tensor->row = strides[2];
  return TRUE;
}

/* The number of heads divides the number of the block, so all addresses depend on it. */
static gboolean
read_sizes (const Search *s, PtAttentionPattern *pattern, guint first_stride)
{
  guint64 numbers = s->common & (bit (s->addresses->n_parameters) - 1);
  guint n;

  if (numbers == 0 || (numbers & (numbers - 1)) != 0)
    return FALSE;
  pattern->heads = (guint8) lowest (numbers);
  if (pattern->heads >= first_stride || s->addresses->sizes[pattern->heads] != 4)
    return FALSE;
  n = first_stride - pattern->heads - 1;
  if (n < 1 || n > 2)
    return FALSE;
  pattern->has_n_queries = n == 2;
  pattern->n_queries = pattern->heads + 1;
  pattern->length = (guint8) (first_stride - 1);
  return TRUE;
}

/* The scale follows the strides; behind it are two addresses that Triton adds. */
static gboolean
read_scale (const Search *s, PtAttentionPattern *pattern, guint last_stride)
{
  const PtPtxAddresses *addresses = s->addresses;
  guint at = addresses->n_parameters - 3;

  if (addresses->n_parameters < last_stride + 4 || addresses->sizes[at + 1] != 8 ||
      addresses->sizes[at + 2] != 8)
    return FALSE;
  pattern->scale = (guint8) at;
  pattern->is_double = addresses->sizes[at] == 8;
  return pattern->is_double || addresses->sizes[at] == 4;
}

static gboolean
has_instructions (const char *text)
{
  return strstr (text, "mma") != NULL && strstr (text, "ex2.approx") != NULL;
}

static gboolean
find (Search *s, PtAttentionPattern *pattern)
{
  guint after = 0, last;
  guint8 strides[2];

  if (!s->addresses->is_known || !read_accesses (s) ||
      !read_tensor (s, 0, &after, &pattern->queries))
    return FALSE;
  /* The stride of the batch comes first. */
  last = lowest (s->accesses[0].strides & ~s->common);
  if (!read_sizes (s, pattern, last) || !read_tensor (s, 1, &after, &pattern->keys) ||
      !read_tensor (s, 2, &after, &pattern->values) ||
      !read_tensor (s, 3, &after, &pattern->output))
    return FALSE;
  pattern->has_mask = (s->n_tensors >> 4 & 1) != 0;
  pattern->mask = 4;
  if (pattern->has_mask &&
      (s->accesses[4].is_write || !read_strides (s, &s->accesses[4], 2, &after, strides)))
    return FALSE;
  return read_scale (s, pattern, after);
}

gboolean
pt_attention_pattern_find (const char *text, const PtPtxAddresses *addresses,
                           PtAttentionPattern *pattern)
{
  Search search = { .addresses = addresses };

  memset (pattern, 0, sizeof *pattern);
  return has_instructions (text) && find (&search, pattern);
}

/* ---- launches ---- */

static gint64
read_number (void *const *arguments, guint i)
{
  gint32 value;

  memcpy (&value, arguments[i], sizeof value);
  return value;
}

static PtCuPointer
read_pointer (void *const *arguments, guint i)
{
  PtCuPointer value;

  memcpy (&value, arguments[i], sizeof value);
  return value;
}

static double
read_scale_value (const PtAttentionPattern *pattern, void *const *arguments)
{
  double wide;
  float narrow;

  if (pattern->is_double)
    memcpy (&wide, arguments[pattern->scale], sizeof wide);
  else
    memcpy (&narrow, arguments[pattern->scale], sizeof narrow);
  return pattern->is_double ? wide : (double) narrow;
}

gboolean
pt_attention_pattern_read (const PtAttentionPattern *pattern, void *const *arguments,
                           const guint grid[3], PtCudaAttention *attention)
{
  if (pattern->has_n_queries && read_number (arguments, pattern->n_queries) != 1)
    return FALSE;
  *attention = (PtCudaAttention){
    .queries = read_pointer (arguments, pattern->queries.tensor),
    .keys = read_pointer (arguments, pattern->keys.tensor),
    .values = read_pointer (arguments, pattern->values.tensor),
    .mask = pattern->has_mask ? read_pointer (arguments, pattern->mask) : 0,
    .output = read_pointer (arguments, pattern->output.tensor),
    .heads = read_number (arguments, pattern->heads),
    .length = read_number (arguments, pattern->length),
    .dim = read_number (arguments, pattern->output.row),
    .query_head = read_number (arguments, pattern->queries.head),
    .output_head = read_number (arguments, pattern->output.head),
    .key_head = read_number (arguments, pattern->keys.head),
    .key_row = read_number (arguments, pattern->keys.row),
    .value_head = read_number (arguments, pattern->values.head),
    .value_row = read_number (arguments, pattern->values.row),
    .scale = read_scale_value (pattern, arguments),
  };
  attention->kv_heads = attention->heads;
  return grid[0] == 1 && grid[2] == 1 && grid[1] == attention->heads &&
         (attention->mask != 0 || !pattern->has_mask) && pt_cuda_attention_fits (attention);
}
