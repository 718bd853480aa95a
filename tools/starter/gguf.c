/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/starter/source.h"

#include <string.h>

/* The part of GGUF that a llama-shaped model in F32, Q8_0 or Q4_1 needs. */

enum { KV_U32 = 4, KV_STRING = 8, KV_ARRAY = 9, N_KV_KINDS = 13 };

static const guint8 kv_width[N_KV_KINDS] = { 1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8 };

typedef struct {
  guint64 alignment;
  guint64 heads, kv_heads;
} Metadata;

static char *
take_string (SourceReader *reader)
{
  guint64 length = source_take (reader, 8);
  const guint8 *p = source_take_bytes (reader, length);

  return p != NULL ? g_strndup ((const char *) p, (gsize) length) : NULL;
}

/* An array of strings needs a loop; other arrays are one step. Nested arrays do not occur. */
static void
skip_array (SourceReader *reader)
{
  guint64 kind = source_take (reader, 4);
  guint64 count = source_take (reader, 8);
  guint64 i;

  if (kind == KV_STRING) {
    for (i = 0; i < count && !reader->failed; i++)
      source_take_bytes (reader, source_take (reader, 8));
  } else if (kind < N_KV_KINDS && kv_width[kind] > 0 && count <= reader->size) {
    source_take_bytes (reader, count * kv_width[kind]);
  } else {
    reader->failed = TRUE;
  }
}

static void
take_value (SourceReader *reader, const char *key, Metadata *meta)
{
  guint64 kind = source_take (reader, 4);
  guint64 value;

  if (kind == KV_ARRAY) {
    skip_array (reader);
    return;
  }
  if (kind == KV_STRING) {
    source_take_bytes (reader, source_take (reader, 8));
    return;
  }
  if (kind >= N_KV_KINDS) {
    reader->failed = TRUE;
    return;
  }
  value = source_take (reader, kv_width[kind]);
  if (kind != KV_U32)
    return;
  if (g_strcmp0 (key, "general.alignment") == 0)
    meta->alignment = value;
  else if (g_strcmp0 (key, "llama.attention.head_count") == 0)
    meta->heads = value;
  else if (g_strcmp0 (key, "llama.attention.head_count_kv") == 0)
    meta->kv_heads = value;
}

static gboolean
kind_from_gguf (guint64 type, SourceKind *kind)
{
  switch (type) {
  case 0: *kind = SOURCE_F32; return TRUE;
  case 1: *kind = SOURCE_F16; return TRUE;
  case 3: *kind = SOURCE_Q4_1; return TRUE;
  case 8: *kind = SOURCE_Q8_0; return TRUE;
  default: return FALSE;
  }
}

/* Reads an entry of the tensor table; @offset: set to its offset, relative to the data. */
static SourceTensor *
take_tensor (SourceReader *reader, const Metadata *meta, guint64 *offset)
{
  g_autoptr (SourceTensor) tensor = g_new0 (SourceTensor, 1);
  guint64 rank;
  guint i;

  tensor->name = take_string (reader);
  rank = source_take (reader, 4);
  if (reader->failed || rank == 0 || rank > SOURCE_MAX_RANK)
    return NULL;
  tensor->rank = (guint) rank;
  /* GGUF lists the innermost dimension first. */
  for (i = 0; i < tensor->rank; i++)
    tensor->dims[tensor->rank - 1 - i] = (gsize) source_take (reader, 8);
  if (!kind_from_gguf (source_take (reader, 4), &tensor->kind))
    return NULL;
  *offset = source_take (reader, 8);
  if (strstr (tensor->name, "attn_q.") != NULL)
    tensor->heads = (guint) meta->heads;
  else if (strstr (tensor->name, "attn_k.") != NULL)
    tensor->heads = (guint) meta->kv_heads;
  return reader->failed ? NULL : g_steal_pointer (&tensor);
}

static gboolean
damaged (GError **error)
{
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "the GGUF file is damaged");
  return FALSE;
}

gboolean
source_read_gguf (Source *source, GError **error)
{
  SourceReader reader = { 0 };
  Metadata meta = { .alignment = 32 };
  g_autoptr (GPtrArray) tensors =
      g_ptr_array_new_with_free_func ((GDestroyNotify) source_tensor_free);
  g_autoptr (GArray) offsets = g_array_new (FALSE, FALSE, sizeof (guint64));
  guint64 n_tensors, n_values, i;

  reader.data = g_bytes_get_data (source->bytes, &reader.size);
  if (source_take (&reader, 4) != 0x46554747)
    return damaged (error);
  source_take (&reader, 4);
  n_tensors = source_take (&reader, 8);
  n_values = source_take (&reader, 8);
  for (i = 0; i < n_values && !reader.failed; i++) {
    g_autofree char *key = take_string (&reader);

    take_value (&reader, key, &meta);
  }
  for (i = 0; i < n_tensors && !reader.failed; i++) {
    guint64 offset;
    SourceTensor *tensor = take_tensor (&reader, &meta, &offset);

    if (tensor == NULL)
      return damaged (error);
    g_ptr_array_add (tensors, tensor);
    g_array_append_val (offsets, offset);
  }
  if (reader.failed || meta.alignment == 0 || meta.alignment > reader.size)
    return damaged (error);
  reader.pos = (reader.pos + meta.alignment - 1) / meta.alignment * meta.alignment;
  while (tensors->len > 0) {
    SourceTensor *tensor = g_ptr_array_steal_index (tensors, tensors->len - 1);
    guint64 offset = g_array_index (offsets, guint64, tensors->len);

    if (reader.pos > reader.size || offset > reader.size - reader.pos) {
      source_tensor_free (tensor);
      return damaged (error);
    }
    tensor->data = reader.data + reader.pos + offset;
    if (!source_add (source, tensor, reader.size - reader.pos - (gsize) offset, error))
      return FALSE;
  }
  return TRUE;
}
