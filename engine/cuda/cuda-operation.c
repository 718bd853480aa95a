/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/cuda-operation.h"

#include <string.h>

/* Blocks that are compared are not larger. */
#define MAX_OUTPUT ((gsize) 16 << 20)

/* ---- memory ---- */

static gboolean
find_block (const PtCudaSurroundings *around, PtCuPointer pointer, PtCuPointer *start, gsize *size)
{
  return pointer != 0 && around->find (pointer, start, size, around->user_data);
}

/* Whether the block that contains @pointer has @n more bytes from there. */
static gboolean
has_bytes (const PtCudaSurroundings *around, PtCuPointer pointer, gint64 n)
{
  PtCuPointer start = 0;
  gsize size = 0;

  return find_block (around, pointer, &start, &size) &&
         size - (gsize) (pointer - start) >= (gsize) n;
}

/* Bytes of the block that begins at @pointer; 0: there is none. */
static gint64
block_size (const PtCudaSurroundings *around, PtCuPointer pointer)
{
  PtCuPointer start = 0;
  gsize size = 0;

  return find_block (around, pointer, &start, &size) && start == pointer && size <= G_MAXINT64
             ? (gint64) size
             : 0;
}

/* ---- attention ---- */

/* Reads the sources of keys and values: caches [heads][length][dim] of fewer heads. FALSE: they are
 * no copies, or their sizes do not fit. */
static gboolean
use_sources (PtCudaOperation *operation, const PtCudaSurroundings *around)
{
  PtCudaAttention *attention = &operation->attention;
  const PtCudaDerivation *found[2] = {
    pt_cuda_derivations_find (around->derivations, attention->keys),
    pt_cuda_derivations_find (around->derivations, attention->values)
  };
  gint64 head = attention->length * attention->dim, n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (found); i++) {
    gint64 size;

    if (found[i] == NULL || found[i]->n_sources != 1 ||
        found[i]->sources[0].pointer != found[i]->sources[0].block)
      return FALSE;
    size = (gint64) found[i]->sources[0].size;
    if (size % (head * 2) != 0 || (i > 0 && n != size / (head * 2)))
      return FALSE;
    n = size / (head * 2);
  }
  if (n < 1 || attention->heads % n != 0)
    return FALSE;
  attention->keys = found[0]->sources[0].pointer;
  attention->values = found[1]->sources[0].pointer;
  attention->kv_heads = n;
  attention->key_head = attention->value_head = head;
  attention->key_row = attention->value_row = attention->dim;
  operation->reads_sources = TRUE;
  return pt_cuda_attention_fits (attention);
}

/* ---- products ---- */

/* FALSE: something is smaller than @n outputs need, or is no constant of such a size. */
static gboolean
read_product_sizes (PtCudaRow *row, const PtCudaSurroundings *around, gint64 n)
{
  gint64 size = block_size (around, row->weights);

  if (size == 0 || size % (2 * n) != 0)
    return FALSE;
  row->n = n;
  row->k = size / (2 * n);
  return pt_cuda_row_fits (row) && has_bytes (around, row->input, row->k * 2) &&
         has_bytes (around, row->output, n * 2) &&
         (row->end == PT_CUDA_ROW_PLAIN || has_bytes (around, row->other, n * 2));
}

/* ---- RMSNorm ---- */

static gboolean
fit_norm (PtCudaNorm *norm, const PtCudaSurroundings *around)
{
  gint64 bytes = norm->n * 2;

  if (norm->token != 0) {
    norm->rows = block_size (around, norm->table) / bytes;
    if (!has_bytes (around, norm->token, 8))
      return FALSE;
  }
  for (guint i = 0; i < norm->n_inputs; i++)
    if (!has_bytes (around, norm->inputs[i], bytes))
      return FALSE;
  return pt_cuda_norm_fits (norm) && has_bytes (around, norm->weights, bytes) &&
         has_bytes (around, norm->output, bytes) &&
         (norm->sum == 0 || has_bytes (around, norm->sum, bytes));
}

/* ---- heads that are turned ---- */

/* Whether another kernel computed @partial from the input and the angles, and from nothing else. */
static gboolean
is_known_partial (const PtCudaRotary *rotary, PtCuPointer partial, const PtCudaSurroundings *around)
{
  const PtCudaDerivation *found = pt_cuda_derivations_find (around->derivations, partial);

  if (found == NULL || found->n_sources != 2)
    return FALSE;
  for (guint i = 0; i < 2; i++)
    if (found->sources[i].pointer == rotary->input &&
        found->sources[1 - i].pointer == rotary->angles)
      return TRUE;
  return FALSE;
}

static gboolean
fit_rotary (PtCudaRotary *rotary, const PtCudaSurroundings *around)
{
  gint64 bytes = rotary->heads * rotary->dim * 2, cache = block_size (around, rotary->output);

  if (rotary->layout == PT_CUDA_ROTARY_CACHE) {
    if (cache % bytes != 0 ||
        (rotary->values != 0 && block_size (around, rotary->value_output) != cache) ||
        !has_bytes (around, rotary->position, 8))
      return FALSE;
    rotary->length = cache / bytes;
  }
  return pt_cuda_rotary_fits (rotary) && has_bytes (around, rotary->input, bytes) &&
         has_bytes (around, rotary->angles, rotary->dim * 2) &&
         has_bytes (around, rotary->output, bytes) &&
         (rotary->weights == 0 || has_bytes (around, rotary->weights, rotary->dim * 2)) &&
         (rotary->values == 0 || has_bytes (around, rotary->values, bytes)) &&
         (rotary->mask == 0 || has_bytes (around, rotary->mask, rotary->length));
}

/* ---- all of them ---- */

gboolean
pt_cuda_operation_read (PtCudaOperation *self, const PtKernelPattern *pattern,
                        void *const *arguments, const guint grid[3], guint way, gint64 n_outputs,
                        const PtCudaSurroundings *around)
{
  PtCuPointer partial = 0;

  self->kind = pattern->kind;
  self->reads_sources = FALSE;
  if (way > 0 && (self->kind == PT_PATTERN_PRODUCT || self->kind == PT_PATTERN_NORM))
    return FALSE;
  switch (self->kind) {
  case PT_PATTERN_ATTENTION:
    return way < 2 &&
           pt_attention_pattern_read (&pattern->attention, arguments, grid, &self->attention) &&
           (way == 0 || use_sources (self, around));
  case PT_PATTERN_PRODUCT:
    return pt_product_pattern_read (&pattern->product, arguments, &self->row) &&
           (n_outputs == 0 || read_product_sizes (&self->row, around, n_outputs));
  case PT_PATTERN_NORM:
    return pt_norm_pattern_read (&pattern->norm, arguments, &self->norm) &&
           fit_norm (&self->norm, around);
  case PT_PATTERN_ROTARY:
    if (!pt_rotary_pattern_read (&pattern->rotary, arguments, way, &self->rotary, &partial) ||
        !fit_rotary (&self->rotary, around))
      return FALSE;
    self->reads_sources = pattern->rotary.has_partial;
    return !self->reads_sources || is_known_partial (&self->rotary, partial, around);
  case PT_PATTERN_GATE:
    return pt_gate_pattern_read (&pattern->gate, arguments, way, &self->gate) &&
           has_bytes (around, self->gate.gate, self->gate.n * 2) &&
           has_bytes (around, self->gate.input, self->gate.n * 2) &&
           has_bytes (around, self->gate.output, self->gate.n * 2);
  default: return FALSE;
  }
}

static void
add_result (GArray *results, PtCuPointer start, gsize size, PtCudaResultKind kind)
{
  const PtCudaResult result = { start, size, kind };

  g_array_append_val (results, result);
}

/* All of the block that contains @output, which holds no input. */
static gboolean
add_block (const PtCudaSurroundings *around, PtCuPointer output, const PtCuPointer *inputs, guint n,
           GArray *results)
{
  PtCuPointer block = 0;
  gsize size = 0;

  if (!find_block (around, output, &block, &size) || size > MAX_OUTPUT || size % 2 != 0)
    return FALSE;
  for (guint i = 0; i < n; i++) {
    PtCuPointer start = 0;
    gsize input_size;

    if (inputs[i] != 0 && (!find_block (around, inputs[i], &start, &input_size) || start == block))
      return FALSE;
  }
  add_result (results, block, size, PT_CUDA_RESULT_NUMBERS);
  return TRUE;
}

static gboolean
overlap (PtCuPointer a, PtCuPointer b, gsize size)
{
  return a < b + size && b < a + size;
}

/* @output is one of the inputs, or nowhere near them. */
static gboolean
add_vector (PtCuPointer output, gsize size, const PtCuPointer *inputs, guint n, GArray *results)
{
  PtCudaResultKind kind = PT_CUDA_RESULT_NUMBERS;

  for (guint i = 0; i < n; i++) {
    if (output == inputs[i])
      kind = PT_CUDA_RESULT_IN_PLACE;
    else if (overlap (output, inputs[i], size))
      return FALSE;
  }
  add_result (results, output, size, kind);
  return TRUE;
}

static gboolean
add_norm (const PtCudaNorm *norm, GArray *results)
{
  gsize size = (gsize) norm->n * 2;

  return add_vector (norm->output, size, norm->inputs, norm->n_inputs, results) &&
         (norm->sum == 0 || (!overlap (norm->sum, norm->output, size) &&
                             add_vector (norm->sum, size, norm->inputs, norm->n_inputs, results)));
}

static gboolean
add_gate (const PtCudaGate *gate, GArray *results)
{
  const PtCuPointer inputs[] = { gate->gate, gate->input };

  return add_vector (gate->output, (gsize) gate->n * 2, inputs, G_N_ELEMENTS (inputs), results);
}

/* The row of a cache that is written, of each head. */
static void
add_rows (const PtCudaRotary *rotary, PtCuPointer cache, gint64 row, GArray *results)
{
  for (gint64 head = 0; head < rotary->heads; head++)
    add_result (results, cache + (guint64) ((head * rotary->length + row) * rotary->dim) * 2,
                (gsize) rotary->dim * 2, PT_CUDA_RESULT_NUMBERS);
}

static gboolean
add_rotary (const PtCudaRotary *rotary, const PtCudaSurroundings *around, GArray *results)
{
  const PtCuPointer inputs[] = { rotary->input, rotary->weights, rotary->angles };
  const PtCudaResult position = { rotary->position, 8, PT_CUDA_RESULT_BYTES };
  g_autofree guint8 *content = NULL;
  gint64 row;

  if (rotary->layout != PT_CUDA_ROTARY_CACHE)
    return add_block (around, rotary->output, inputs, G_N_ELEMENTS (inputs), results);
  content = pt_cuda_results_read (around->context, &position, 1);
  if (content == NULL)
    return FALSE;
  memcpy (&row, content, sizeof row);
  if (row < 0 || row >= rotary->length || rotary->value_output == rotary->output)
    return FALSE;
  add_rows (rotary, rotary->output, row, results);
  if (rotary->values != 0)
    add_rows (rotary, rotary->value_output, row, results);
  if (rotary->mask != 0)
    add_result (results, rotary->mask, (gsize) rotary->length, PT_CUDA_RESULT_BYTES);
  return TRUE;
}

gboolean
pt_cuda_operation_results (const PtCudaOperation *self, const PtCudaSurroundings *around,
                           GArray *results)
{
  const PtCudaAttention *attention = &self->attention;
  const PtCudaRow *row = &self->row;
  const PtCuPointer of_attention[] = { attention->queries, attention->keys, attention->values,
                                       attention->mask };
  const PtCuPointer of_row[] = { row->input, row->weights, row->other };

  g_array_set_size (results, 0);
  switch (self->kind) {
  case PT_PATTERN_ATTENTION:
    return add_block (around, attention->output, of_attention, G_N_ELEMENTS (of_attention),
                      results);
  case PT_PATTERN_PRODUCT:
    return block_size (around, row->output) > 0 &&
           add_block (around, row->output, of_row, G_N_ELEMENTS (of_row), results);
  case PT_PATTERN_NORM: return add_norm (&self->norm, results);
  case PT_PATTERN_ROTARY: return add_rotary (&self->rotary, around, results);
  case PT_PATTERN_GATE: return add_gate (&self->gate, results);
  default: return FALSE;
  }
}

gsize
pt_cuda_operation_scratch (const PtCudaOperation *self)
{
  return self->kind == PT_PATTERN_ATTENTION ? pt_cuda_attention_scratch (&self->attention) : 0;
}

gboolean
pt_cuda_operation_launch (const PtCudaOperation *self, PtCudaContext *context, PtCuPointer scratch)
{
  switch (self->kind) {
  case PT_PATTERN_ATTENTION:
    return pt_cuda_kernel_attention (context, &self->attention, scratch, NULL);
  case PT_PATTERN_PRODUCT: return pt_cuda_kernel_row (context, &self->row, NULL);
  case PT_PATTERN_NORM: return pt_cuda_kernel_norm (context, &self->norm, NULL);
  case PT_PATTERN_ROTARY: return pt_cuda_kernel_rotary (context, &self->rotary, NULL);
  case PT_PATTERN_GATE: return pt_cuda_kernel_gate (context, &self->gate, NULL);
  default: return FALSE;
  }
}
