/* SPDX-License-Identifier: BSD-3-Clause */

/* Encodes recordings for Gemma 4 of react-native-executorch (docs/formats/protocols.md, section
 * 4.7): samples in blocks, and how many of them count. */

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/runtime/operator.h"
#include "engine/tasks/llm/media-private.h"

/* Samples of a block: 0.48 s. */
#define BLOCK 7680

typedef struct {
  PtMediaEncoder base;
  PtMethod *method;
  guint most;     /* most blocks in one call */
  gboolean fixed; /* embeddings of each call */
} BlockEncoder;

static gboolean
unlike_gemma (PtModule *module, const char *why, GError **error)
{
  return pt_fail (error, PT_ERROR_UNSUPPORTED,
                  "“audio_encoder” of “%s” is not supported: %s. It must take samples [1, 7680 k] "
                  "and their number or mask, and give embeddings [1, m, width].",
                  pt_program_path (pt_module_program (module)), why);
}

static const PtTensorSpec *
spec_of (const PtValueSpec *value)
{
  return value != NULL ? pt_media_tensor (value) : NULL;
}

/* Whether @count is the number of samples, or a mask of them. */
static gboolean
is_count (const PtTensorSpec *count, const PtTensorSpec *samples)
{
  if (count == NULL)
    return FALSE;
  if (count->dtype == PT_DTYPE_BOOL)
    return count->rank == 2 && count->sizes[0] == 1 && count->sizes[1] == samples->sizes[1];
  return count->rank <= 1 && count->numel == 1 &&
         (count->dtype == PT_DTYPE_I64 || count->dtype == PT_DTYPE_I32);
}

static gboolean
read_shapes (BlockEncoder *self, PtModule *module, GError **error)
{
  const PtTensorSpec *samples = spec_of (pt_method_input_spec (self->method, 0));
  const PtTensorSpec *count = spec_of (pt_method_input_spec (self->method, 1)), *rows;

  if (pt_method_n_outputs (self->method) == 0)
    return unlike_gemma (module, "it returns nothing", error);
  rows = spec_of (pt_method_output_spec (self->method, 0));
  if (samples == NULL || samples->rank != 2 || samples->sizes[0] != 1 ||
      !pt_media_is_float (samples))
    return unlike_gemma (module, "its first input is no row of samples", error);
  if (!is_count (count, samples))
    return unlike_gemma (module, "its second input is no number of samples", error);
  if (rows == NULL || rows->rank < 2 || rows->numel == 0 || !pt_media_is_float (rows))
    return unlike_gemma (module, "its output is no list of embeddings", error);
  if (samples->sizes[1] < BLOCK)
    return unlike_gemma (module, "it takes less than one block of samples", error);
  self->most = (guint) samples->sizes[1] / BLOCK;
  self->fixed = samples->dynamism == PT_DYNAMISM_STATIC;
  if (self->fixed && samples->sizes[1] % BLOCK != 0)
    return unlike_gemma (module, "it takes no whole number of blocks", error);
  self->base.dtype = rows->dtype;
  self->base.width = (gsize) rows->sizes[rows->rank - 1];
  return TRUE;
}

/* ---- encoding ---- */

static gboolean
set_count (BlockEncoder *self, guint n_valid, guint n, gpointer room, GError **error)
{
  const PtTensorSpec *spec = spec_of (pt_method_input_spec (self->method, 1));
  const gint64 sizes[2] = { 1, spec->dtype == PT_DTYPE_BOOL ? n : 1 };
  PtTensor tensor;

  if (spec->dtype == PT_DTYPE_BOOL) {
    memset (room, 0, n);
    memset (room, 1, n_valid);
  } else if (spec->dtype == PT_DTYPE_I64) {
    *(gint64 *) room = n_valid;
  } else {
    *(gint32 *) room = (gint32) n_valid;
  }
  return pt_tensor_init (&tensor, spec->dtype, spec->rank, spec->rank == 1 ? sizes + 1 : sizes,
                         NULL, room, error) &&
         pt_method_set_input_tensor (self->method, 1, &tensor, error);
}

/* Copies the embeddings to a new block. */
static gpointer
take_rows (const BlockEncoder *self, guint *n, GError **error)
{
  const PtTensor *rows = pt_in_tensor (pt_method_output (self->method, 0), "the embeddings", error);
  gpointer copy;

  if (rows == NULL)
    return NULL;
  if (rows->dtype != self->base.dtype || rows->numel % self->base.width != 0 || rows->numel == 0 ||
      !pt_tensor_is_contiguous (rows)) {
    pt_fail (error, PT_ERROR_DELEGATE, "“audio_encoder” of the model returned no embeddings.");
    return NULL;
  }
  *n = (guint) (rows->numel / self->base.width);
  copy = pt_allocate (*n, self->base.width * pt_dtype_size (rows->dtype), error);
  if (copy != NULL)
    memcpy (copy, rows->data, pt_tensor_nbytes (rows));
  return copy;
}

static gpointer
run (BlockEncoder *self, GArray *samples, guint *n, GCancellable *cancellable, GError **error)
{
  guint n_valid = samples->len;
  guint blocks = self->fixed ? self->most : (n_valid + BLOCK - 1) / BLOCK;
  guint length = blocks * BLOCK;
  const gint64 sizes[2] = { 1, length };
  g_autofree gpointer input = pt_allocate (length, sizeof (float), error);
  g_autofree gpointer count = pt_allocate (length, sizeof (gint64), error);

  if (input == NULL || count == NULL)
    return NULL;
  g_array_set_size (samples, length);
  memset (&g_array_index (samples, float, n_valid), 0, (length - n_valid) * sizeof (float));
  if (!pt_media_set_input (self->method, 0, 2, sizes, (const float *) (gpointer) samples->data,
                           input, error) ||
      !set_count (self, n_valid, length, count, error) ||
      !pt_method_execute (self->method, cancellable, error))
    return NULL;
  return take_rows (self, n, error);
}

/* Only the encoder knows how many embeddings a recording has. */
static gboolean
look (PtMediaEncoder *base, const char *path, guint most, PtMediaFacts *facts,
      GCancellable *cancellable, GError **error)
{
  BlockEncoder *self = (BlockEncoder *) base;
  g_autoptr (GArray) samples = pt_media_read_samples (path, (guint64) self->most * BLOCK,
                                                      &facts->digest, cancellable, error);
  g_autofree char *name = g_filename_display_basename (path);

  if (samples == NULL)
    return FALSE;
  facts->rows = run (self, samples, &facts->n, cancellable, error);
  if (facts->rows == NULL)
    return FALSE;
  if (facts->n <= most)
    return TRUE;
  g_clear_pointer (&facts->rows, g_free);
  return pt_fail (error, PT_ERROR_CONTEXT_FULL,
                  "“%s” needs %u tokens, and the model's context holds %u.", name, facts->n, most);
}

static gboolean
encode (PtMediaEncoder *base, const char *path, guint n, gpointer rows, GCancellable *cancellable,
        GError **error)
{
  PtMediaFacts facts = { 0 };
  gboolean ok = look (base, path, G_MAXUINT, &facts, cancellable, error);

  if (ok && facts.n != n)
    ok = pt_fail (error, PT_ERROR_STATE, "A recording has just changed. Try again.");
  if (ok)
    memcpy (rows, facts.rows, n * base->width * pt_dtype_size (base->dtype));
  g_free (facts.rows);
  return ok;
}

static void
block_encoder_free (PtMediaEncoder *base)
{
  g_free (base);
}

PtMediaEncoder *
pt_block_encoder_new (PtModule *module, GError **error)
{
  g_autofree BlockEncoder *self = g_new0 (BlockEncoder, 1);

  self->base = (PtMediaEncoder){
    .kind = PT_MODEL_AUDIO, .look = look, .encode = encode, .free = block_encoder_free
  };
  self->method = pt_module_method (module, "audio_encoder", error);
  if (self->method == NULL || !read_shapes (self, module, error))
    return NULL;
  return &((BlockEncoder *) g_steal_pointer (&self))->base;
}
