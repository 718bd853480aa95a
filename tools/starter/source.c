/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/starter/source.h"

#include <string.h>

#include "engine/kernels/vector.h"

#define BLOCK 32

static gsize
block_bytes (SourceKind kind)
{
  switch (kind) {
  case SOURCE_F32: return BLOCK * 4;
  case SOURCE_F16: return BLOCK * 2;
  case SOURCE_Q8_0: return 2 + BLOCK;
  case SOURCE_Q4_1: return 4 + BLOCK / 2;
  }
  g_assert_not_reached ();
}

guint64
source_take (SourceReader *reader, gsize width)
{
  const guint8 *p = source_take_bytes (reader, width);
  guint64 value = 0;

  if (p != NULL)
    memcpy (&value, p, width);
  return GUINT64_FROM_LE (value);
}

const guint8 *
source_take_bytes (SourceReader *reader, guint64 size)
{
  const guint8 *p = reader->data + reader->pos;

  if (reader->failed || size > reader->size - reader->pos) {
    reader->failed = TRUE;
    return NULL;
  }
  reader->pos += (gsize) size;
  return p;
}

void
source_tensor_free (SourceTensor *tensor)
{
  g_free (tensor->name);
  g_free (tensor);
}

/* Bytes of the whole tensor; FALSE: the shape is invalid. */
static gboolean
tensor_bytes (SourceTensor *tensor, gsize *bytes)
{
  gsize numel = 1;
  guint i;

  tensor->row_size = 1;
  for (i = 0; i < tensor->rank; i++) {
    if (!g_size_checked_mul (&numel, numel, tensor->dims[i]))
      return FALSE;
    if (i > 0)
      tensor->row_size *= tensor->dims[i];
  }
  if (numel == 0)
    return FALSE;
  if (tensor->kind == SOURCE_F32)
    return g_size_checked_mul (bytes, numel, 4);
  if (tensor->kind == SOURCE_F16)
    return g_size_checked_mul (bytes, numel, 2);
  if (tensor->row_size % BLOCK != 0)
    return FALSE;
  return g_size_checked_mul (bytes, numel / BLOCK, block_bytes (tensor->kind));
}

gboolean
source_add (Source *source, SourceTensor *tensor, gsize available, GError **error)
{
  g_autoptr (SourceTensor) owned = tensor;
  gsize bytes;

  if (!tensor_bytes (tensor, &bytes) || bytes > available ||
      (tensor->heads > 0 && tensor->dims[0] % (2 * (gsize) tensor->heads) != 0)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "tensor %s does not fit in its file",
                 tensor->name);
    return FALSE;
  }
  g_hash_table_replace (source->tensors, owned->name, owned);
  g_steal_pointer (&owned);
  return TRUE;
}

gboolean
source_take_shape (json_t *shape, SourceTensor *tensor)
{
  json_t *dim;
  gsize i;

  if (!json_is_array (shape))
    return FALSE;
  json_array_foreach (shape, i, dim) {
    json_int_t value = json_integer_value (dim);

    if (i >= SOURCE_MAX_RANK || value <= 0 || (guint64) value > G_MAXSIZE)
      return FALSE;
    tensor->dims[i] = (gsize) value;
  }
  tensor->rank = (guint) json_array_size (shape);
  return tensor->rank > 0;
}

static Source *
new_source (GBytes *bytes)
{
  Source *source = g_new0 (Source, 1);

  source->bytes = g_bytes_ref (bytes);
  source->tensors =
      g_hash_table_new_full (g_str_hash, g_str_equal, NULL, (GDestroyNotify) source_tensor_free);
  return source;
}

Source *
source_open_raw (json_t *tensors, GBytes *bytes, GError **error)
{
  g_autoptr (Source) source = new_source (bytes);
  SourceReader reader = { 0 };
  json_t *json;
  gsize i;

  reader.data = g_bytes_get_data (bytes, &reader.size);
  json_array_foreach (tensors, i, json) {
    SourceTensor *tensor = g_new0 (SourceTensor, 1);
    gsize available = reader.size - reader.pos;

    tensor->kind = SOURCE_F32;
    tensor->name = g_strdup (json_string_value (json_object_get (json, "name")));
    tensor->data = reader.data + reader.pos;
    if (tensor->name == NULL || !source_take_shape (json_object_get (json, "shape"), tensor)) {
      source_tensor_free (tensor);
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                           "source.json names no shape of a tensor");
      return NULL;
    }
    if (!source_add (source, tensor, available, error))
      return NULL;
    source_take_bytes (&reader, (guint64) tensor->dims[0] * tensor->row_size * 4);
  }
  return g_steal_pointer (&source);
}

Source *
source_open (const char *format, GBytes *bytes, GError **error)
{
  g_autoptr (Source) source = new_source (bytes);
  gboolean ok;

  if (g_str_equal (format, "gguf")) {
    ok = source_read_gguf (source, error);
  } else if (g_str_equal (format, "ctranslate2")) {
    ok = source_read_ctranslate2 (source, error);
  } else if (g_str_equal (format, "safetensors")) {
    ok = source_read_safetensors (source, error);
  } else {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "unknown weight format %s", format);
    ok = FALSE;
  }
  return ok ? g_steal_pointer (&source) : NULL;
}

void
source_free (Source *source)
{
  g_hash_table_unref (source->tensors);
  g_bytes_unref (source->bytes);
  g_free (source);
}

const SourceTensor *
source_find (const Source *source, const char *name, GError **error)
{
  const SourceTensor *tensor = g_hash_table_lookup (source->tensors, name);

  if (tensor == NULL)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "the weights have no tensor %s", name);
  return tensor;
}

static float
read_f16 (const guint8 *p)
{
  guint16 h;

  memcpy (&h, p, 2);
  return pt_f16_to_f32 (GUINT16_FROM_LE (h));
}

static void
read_q8_0 (const guint8 *p, gsize n_blocks, float *out)
{
  gsize b;
  guint i;

  for (b = 0; b < n_blocks; b++, p += 2 + BLOCK, out += BLOCK) {
    float scale = read_f16 (p);

    for (i = 0; i < BLOCK; i++)
      out[i] = (float) (gint8) p[2 + i] * scale;
  }
}

static void
read_q4_1 (const guint8 *p, gsize n_blocks, float *out)
{
  gsize b;
  guint i;

  for (b = 0; b < n_blocks; b++, p += 4 + BLOCK / 2, out += BLOCK) {
    float scale = read_f16 (p);
    float minimum = read_f16 (p + 2);

    for (i = 0; i < BLOCK / 2; i++) {
      out[i] = (float) (p[4 + i] & 15) * scale + minimum;
      out[i + BLOCK / 2] = (float) (p[4 + i] >> 4) * scale + minimum;
    }
  }
}

/* Rotary pairs (2 i, 2 i + 1) of a head go back to the two halves of the head. */
static gsize
stored_row (const SourceTensor *tensor, gsize row)
{
  gsize head_rows, half, head, in_head;

  if (tensor->heads == 0)
    return row;
  head_rows = tensor->dims[0] / tensor->heads;
  half = head_rows / 2;
  head = row / head_rows;
  in_head = row % head_rows;
  return head * head_rows + in_head % half * 2 + in_head / half;
}

void
source_read_row (const SourceTensor *tensor, gsize row, float *out)
{
  gsize first = stored_row (tensor, row) * tensor->row_size;
  gsize n = tensor->row_size;
  gsize i;

  switch (tensor->kind) {
  case SOURCE_F32: memcpy (out, tensor->data + first * 4, n * 4); break;
  case SOURCE_F16:
    for (i = 0; i < n; i++)
      out[i] = read_f16 (tensor->data + (first + i) * 2);
    break;
  case SOURCE_Q8_0: read_q8_0 (tensor->data + first / BLOCK * (2 + BLOCK), n / BLOCK, out); break;
  case SOURCE_Q4_1:
    read_q4_1 (tensor->data + first / BLOCK * (4 + BLOCK / 2), n / BLOCK, out);
    break;
  }
}
