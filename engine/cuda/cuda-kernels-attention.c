/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "engine/base/set-error.h"
#include "engine/cuda/cuda-kernels-private.h"

/* Keys that all warps of a block take at once. */
#define BLOCK_KEYS (PT_ATTENTION_THREADS / 32 * PT_ATTENTION_TILE)
/* Heads of a group in one block, at most. */
#define BLOCK_HEADS 8
#define LONG_CACHE 16384
#define LOG2_E 1.4426950408889634
/* Sums of all blocks; the numbers of finished blocks, which come first, are aligned to this. */
#define ALIGNMENT 256

static gint64
group_of (const PtCudaAttention *self)
{
  return self->heads / self->kv_heads;
}

/* Blocks in which the heads of a group are. */
static guint
parts_of (const PtCudaAttention *self)
{
  return (guint) ((group_of (self) + BLOCK_HEADS - 1) / BLOCK_HEADS);
}

/* Blocks that share the keys of a head. Of small heads, four fit on a multiprocessor; they cost
 * more to merge, which pays for long caches. */
static guint
blocks_of (const PtCudaContext *context, const PtCudaAttention *self)
{
  gint64 most = (self->length + BLOCK_KEYS - 1) / BLOCK_KEYS;
  gint64 on_each = self->dim == 64 && self->length > LONG_CACHE ? 4 : 2;
  gint64 wanted =
      on_each * (gint64) context->n_multiprocessors / (self->kv_heads * parts_of (self));

  return (guint) CLAMP (MIN (wanted, most), 1, PT_ATTENTION_BLOCKS);
}

static gboolean
is_stride (gint64 stride, gint64 multiple)
{
  return stride >= 0 && stride % multiple == 0 && stride <= G_MAXINT64 / G_MAXINT32;
}

gboolean
pt_cuda_attention_fits (const PtCudaAttention *self)
{
  return (self->dim == 64 || self->dim == 128) && self->kv_heads > 0 && self->heads > 0 &&
         self->heads <= 65535 && self->heads % self->kv_heads == 0 && self->length > 0 &&
         self->length <= G_MAXINT32 - 65536 && is_stride (self->query_head, 1) &&
         is_stride (self->output_head, 1) && is_stride (self->key_head, 8) &&
         is_stride (self->key_row, 8) && is_stride (self->value_head, 8) &&
         is_stride (self->value_row, 8) && isfinite (self->scale);
}

static gsize
counter_bytes (const PtCudaAttention *self)
{
  gsize size = (gsize) self->kv_heads * parts_of (self) * sizeof (guint32);

  return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

gsize
pt_cuda_attention_scratch (const PtCudaAttention *self)
{
  if (!pt_cuda_attention_fits (self))
    return 0;
  return counter_bytes (self) +
         (gsize) self->heads * PT_ATTENTION_BLOCKS * (gsize) (self->dim + 2) * sizeof (float);
}

static PtKernel
kernel_of (const PtCudaAttention *self)
{
  PtKernel kernel = self->dim == 64 ? PT_KERNEL_attention_64_1 : PT_KERNEL_attention_128_1;

  for (gint64 heads = 1; heads < MIN (group_of (self), BLOCK_HEADS); heads *= 2)
    kernel++;
  return kernel;
}

gboolean
pt_cuda_kernel_attention (PtCudaContext *context, const PtCudaAttention *self, PtCuPointer scratch,
                          GError **error)
{
  const PtCuPointer rows[] = { self->keys, self->values, scratch };
  const PtCuPointer others[] = { self->queries, self->output };
  guint blocks = blocks_of (context, self);
  PtKernelShape shape = { { blocks, (guint) self->kv_heads, parts_of (self) },
                          PT_ATTENTION_THREADS,
                          0 };
  PtAttentionArguments arguments = { 0 };

  if (!pt_cuda_attention_fits (self))
    return pt_fail (error, PT_ERROR_UNSUPPORTED, "Attention of this shape has no GPU kernel.");
  if (!pt_kernel_check_aligned ("Attention", rows, G_N_ELEMENTS (rows), 16, error) ||
      !pt_kernel_check_aligned ("Attention", others, G_N_ELEMENTS (others), 2, error))
    return FALSE;
  arguments.queries = self->queries;
  arguments.keys = self->keys;
  arguments.values = self->values;
  arguments.mask = self->mask;
  arguments.output = self->output;
  arguments.finished = scratch;
  arguments.partial = scratch + counter_bytes (self);
  arguments.query_head = self->query_head;
  arguments.output_head = self->output_head;
  arguments.key_head = self->key_head;
  arguments.key_row = self->key_row;
  arguments.value_head = self->value_head;
  arguments.value_row = self->value_row;
  arguments.length = (gint32) self->length;
  arguments.group = (gint32) group_of (self);
  arguments.tiles =
      (gint32) ((self->length + blocks * BLOCK_KEYS - 1) / ((gint64) blocks * BLOCK_KEYS));
  arguments.mask_is_aligned = self->mask % 16 == 0 && self->length % 16 == 0;
  arguments.scale = (float) (self->scale * LOG2_E);
  return pt_kernel_launch (context, kernel_of (self), &shape, &arguments, error);
}
