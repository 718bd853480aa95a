/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/program/checked.h"
#include "engine/vulkan/vk-payload-private.h"
#include "engine/vulkan/vk-schema.h"

/* Far above the number in any real graph; limits the planning time of hostile ones. */
#define MAX_VALUES 131072
/* The limit of one tensor in bytes. */
#define MAX_BYTES ((gsize) 1 << 40)

gpointer
pt_vk_reader_allocate (PtVkReader *reader, gsize count, gsize size, GError **error)
{
  gpointer memory;

  /* Tables of a hostile file share vectors; in a real one every item has bytes of its own. */
  reader->n_items += count;
  if (reader->n_items > reader->flatbuffer_size) {
    pt_vk_damaged (error, "its lists have more items than it has bytes");
    return NULL;
  }
  memory = pt_allocate (count, size, error);
  return memory != NULL ? pt_heap_take (reader->graph->heap, memory) : NULL;
}

/* ---- Constants (docs/formats/vulkan.md, section 5) ---- */

static gboolean
find_named (PtVkReader *reader, const char *key, gsize length, const guint8 **data, gsize *size,
            GError **error)
{
  *data = pt_delegate_find_data (reader->context, key, length, size);
  if (*data != NULL)
    return TRUE;
  if (reader->context->data == NULL)
    return pt_fail (error, PT_ERROR_MISSING_FILE,
                    "The weights \"%.64s\" are not in the program. Its data file (.ptd) is needed "
                    "beside it.",
                    key);
  return pt_fail (error, PT_ERROR_DATA,
                  "The weights \"%.64s\" are neither in the program nor in the data file. The "
                  "data file belongs to another program.",
                  key);
}

static gboolean
find_constant (PtVkReader *reader, guint32 id, const guint8 **data, gsize *size, GError **error)
{
  PtFbRef bytes = pt_fb_vec_table (reader->constants, id);
  gsize length = 0;
  const char *key = pt_fb_string (bytes, PT_VK_BYTES_NAMED_KEY, &length);
  guint64 offset = pt_fb_u64 (bytes, PT_VK_BYTES_OFFSET, 0);
  guint64 n = pt_fb_u64 (bytes, PT_VK_BYTES_LENGTH, 0);

  if (key != NULL && length > 0)
    return find_named (reader, key, length, data, size, error);
  if (offset == G_MAXUINT64 && n == 0)
    offset = 0;
  if (!pt_range_fits (offset, n, reader->region_size))
    return pt_vk_damaged (error, "constant %u lies outside the payload", id);
  *data = reader->region + offset;
  *size = (gsize) n;
  return TRUE;
}

static gboolean
read_constant (PtVkReader *reader, PtVkValue *value, gint32 id, GError **error)
{
  gsize size, needed = value->numel * pt_dtype_size (value->declared);

  if (id == -1)
    return TRUE;
  if (!pt_index_fits (id, reader->constants.count))
    return pt_vk_damaged (error, "a tensor is constant %d of %u", id, reader->constants.count);
  if (!find_constant (reader, (guint32) id, &value->constant, &size, error))
    return FALSE;
  if (size < needed)
    return pt_vk_damaged (
        error, "a constant has %" G_GSIZE_FORMAT " bytes, and its tensor has %" G_GSIZE_FORMAT,
        size, needed);
  value->is_written = TRUE;
  reader->graph->constant_bytes += needed;
  return TRUE;
}

/* ---- Tensors ---- */

/* By the numbers of the payload. */
static const gint8 DTYPES[] = { PT_DTYPE_BOOL, PT_DTYPE_U8,  PT_DTYPE_I8,  PT_DTYPE_I32,
                                PT_DTYPE_F16,  PT_DTYPE_F32, PT_DTYPE_F64, PT_DTYPE_I64 };

static gboolean
read_dims (PtVkValue *value, PtFbRef tensor, GError **error)
{
  PtFbVec dims = pt_fb_vec (tensor, PT_VK_TENSOR_DIMS);
  gsize bytes = MAX (pt_dtype_size (value->declared), pt_dtype_size (value->stored));

  if (dims.count > PT_VK_MAX_RANK)
    return pt_vk_damaged (error, "a tensor has %u dimensions", dims.count);
  value->bound.rank = dims.count;
  value->numel = 1;
  for (guint i = 0; i < dims.count; i++) {
    value->bound.sizes[i] = pt_fb_vec_u32 (dims, i);
    if (!pt_mul_size (value->numel, (gsize) value->bound.sizes[i], &value->numel))
      return pt_vk_damaged (error, "a tensor has too many elements");
  }
  value->shape = value->bound;
  if (!pt_mul_size (value->numel, bytes, &bytes) || bytes > MAX_BYTES)
    return pt_vk_damaged (error, "a tensor has too many elements");
  return TRUE;
}

static gboolean
read_tensor (PtVkReader *reader, PtVkValue *value, PtFbRef tensor, GError **error)
{
  gint8 datatype = pt_fb_i8 (tensor, PT_VK_TENSOR_DATATYPE, 0);
  guint8 storage = pt_fb_u8 (tensor, PT_VK_TENSOR_STORAGE, 255);
  guint8 layout = pt_fb_u8 (tensor, PT_VK_TENSOR_LAYOUT, 255);

  if (datatype < 0 || (gsize) datatype >= G_N_ELEMENTS (DTYPES))
    return pt_vk_damaged (error, "a tensor has the unknown type %d", datatype);
  if ((storage > 2 && storage != 255) || (layout > 9 && layout != 255))
    return pt_vk_damaged (error, "a tensor has an unknown layout");
  value->declared = DTYPES[datatype];
  value->stored = pt_vk_stored_dtype (value->declared);
  return read_dims (value, tensor, error) &&
         read_constant (reader, value, pt_fb_i32 (tensor, PT_VK_TENSOR_CONSTANT_ID, 0), error);
}

/* ---- Lists ---- */

static gboolean
read_items (PtVkReader *reader, PtVkValue *value, PtFbRef table, GError **error)
{
  PtFbVec items = pt_fb_vec (table, PT_VK_CONTENT);
  guint32 *out = pt_vk_reader_allocate (reader, items.count, sizeof *out, error);

  if (out == NULL)
    return FALSE;
  for (guint32 i = 0; i < items.count; i++) {
    gint32 item = pt_fb_vec_i32 (items, i);

    if (!pt_index_fits (item, reader->graph->n_values))
      return pt_vk_damaged (error, "a list has value %d of %u", item, reader->graph->n_values);
    out[i] = (guint32) item;
  }
  value->items = out;
  value->count = items.count;
  return TRUE;
}

static gboolean
read_ints (PtVkReader *reader, PtVkValue *value, PtFbRef table, GError **error)
{
  PtFbVec items = pt_fb_vec (table, PT_VK_CONTENT);
  gint64 *out = pt_vk_reader_allocate (reader, items.count, sizeof *out, error);

  if (out == NULL)
    return FALSE;
  for (guint32 i = 0; i < items.count; i++)
    out[i] = pt_fb_vec_i64 (items, i);
  value->ints = out;
  value->count = items.count;
  return TRUE;
}

static gboolean
read_doubles (PtVkReader *reader, PtVkValue *value, PtFbRef table, GError **error)
{
  PtFbVec items = pt_fb_vec (table, PT_VK_CONTENT);
  double *out = pt_vk_reader_allocate (reader, items.count, sizeof *out, error);

  if (out == NULL)
    return FALSE;
  for (guint32 i = 0; i < items.count; i++)
    out[i] = pt_fb_vec_f64 (items, i);
  value->doubles = out;
  value->count = items.count;
  return TRUE;
}

static gboolean
read_bools (PtVkReader *reader, PtVkValue *value, PtFbRef table, GError **error)
{
  PtFbVec items = pt_fb_vec (table, PT_VK_CONTENT);
  guint8 *out = pt_vk_reader_allocate (reader, items.count, 1, error);

  if (out == NULL)
    return FALSE;
  for (guint32 i = 0; i < items.count; i++)
    out[i] = pt_fb_vec_u8 (items, i) != 0;
  value->bools = out;
  value->count = items.count;
  return TRUE;
}

static gboolean
read_value (PtVkReader *reader, PtVkValue *value, PtFbRef xvalue, GError **error)
{
  guint8 kind = pt_fb_u8 (xvalue, PT_VK_VALUE_TYPE, 0);
  gsize length = 0;
  PtFbRef table;

  if (kind < PT_VK_NULL || kind >= PT_VK_N_KINDS)
    return pt_vk_damaged (error, "a value is of the unknown kind %u", kind);
  table = pt_fb_table (xvalue, PT_VK_VALUE_TABLE);
  if (!pt_fb_present (table))
    return pt_vk_damaged (error, "a value has no content");
  value->kind = (PtVkKind) kind;
  switch (value->kind) {
  case PT_VK_INT: value->as_int = pt_fb_i64 (table, PT_VK_CONTENT, 0); break;
  case PT_VK_DOUBLE: value->as_double = pt_fb_f64 (table, PT_VK_CONTENT, 0); break;
  case PT_VK_BOOL: value->as_int = pt_fb_u8 (table, PT_VK_CONTENT, 0) != 0; break;
  case PT_VK_SYMINT: value->as_int = pt_fb_i32 (table, PT_VK_CONTENT, 0); break;
  case PT_VK_TENSOR: return read_tensor (reader, value, table, error);
  case PT_VK_INTS: return read_ints (reader, value, table, error);
  case PT_VK_DOUBLES: return read_doubles (reader, value, table, error);
  case PT_VK_BOOLS: return read_bools (reader, value, table, error);
  case PT_VK_VALUES: return read_items (reader, value, table, error);
  case PT_VK_STRING:
    value->text = pt_fb_string (table, PT_VK_CONTENT, &length);
    value->count = (guint) length;
    break;
  default: break;
  }
  return TRUE;
}

gboolean
pt_vk_read_values (PtVkReader *reader, GError **error)
{
  PtVkGraph *graph = reader->graph;
  PtFbVec values = pt_fb_vec (reader->root, PT_VK_GRAPH_VALUES);

  if (values.count > MAX_VALUES)
    return pt_vk_damaged (error, "it has %u values", values.count);
  graph->n_values = values.count;
  graph->values = pt_vk_reader_allocate (reader, values.count, sizeof (PtVkValue), error);
  if (graph->values == NULL)
    return FALSE;
  for (guint32 i = 0; i < values.count; i++) {
    graph->values[i].source = i;
    if (!read_value (reader, &graph->values[i], pt_fb_vec_table (values, i), error))
      return FALSE;
  }
  for (guint32 i = 0; i < values.count; i++)
    for (guint32 k = 0; graph->values[i].kind == PT_VK_VALUES && k < graph->values[i].count; k++)
      if (graph->values[graph->values[i].items[k]].kind == PT_VK_VALUES)
        return pt_vk_damaged (error, "a list contains a list");
  return TRUE;
}
