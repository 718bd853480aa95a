/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/set-error.h"
#include "engine/xnnpack/xnn-payload-private.h"

#include <math.h>
#include <string.h>

#include "engine/base/allocate.h"
#include "engine/program/checked.h"

/* Far above the number in any real graph; limits the planning time of hostile ones. */
#define MAX_VALUES 65536

#define FLAG_INPUT 1u
#define FLAG_OUTPUT 2u

/* ---- Constants (docs/formats/xnnpack.md, section 4.3) ---- */

static gboolean
find_named (PtXnnReader *reader, const char *key, gsize length, const guint8 **data, gsize *size,
            GError **error)
{
  *data = pt_delegate_find_data (reader->context, key, length, size);
  if (*data != NULL)
    return TRUE;
  if (reader->context->data == NULL)
    return pt_fail (error, PT_ERROR_MISSING_FILE,
                    "The weights \"%.60s\" are not in the program. Its data file (.ptd) is needed "
                    "beside it.",
                    key);
  return pt_fail (error, PT_ERROR_DATA,
                  "The weights \"%.60s\" are neither in the program nor in the data file. The data "
                  "file (.ptd) seems to belong to another model. (ExecuTorch error 0x24)",
                  key);
}

static gboolean
find_constant (PtXnnReader *reader, guint32 index, const guint8 **data, gsize *size, GError **error)
{
  PtFbVec entries = pt_fb_vec (reader->root, reader->has_header ? PT_XNN_GRAPH_CONSTANT_DATA
                                                                : PT_XNN_GRAPH_CONSTANT_BUFFER);
  guint64 offset, bytes;
  const char *key;
  gsize length;
  PtFbRef entry;

  if (index >= entries.count)
    return pt_xnn_damaged (error, "it uses constant %u of %u", index, entries.count);
  entry = pt_fb_vec_table (entries, index);
  if (!reader->has_header) {
    PtFbVec storage = pt_fb_vec (entry, PT_XNN_BUFFER_STORAGE);

    *data = storage.items;
    *size = storage.count;
    return TRUE;
  }
  key = pt_fb_string (entry, PT_XNN_CONSTANT_NAMED_KEY, &length);
  if (key != NULL)
    return find_named (reader, key, length, data, size, error);
  offset = pt_fb_u64 (entry, PT_XNN_CONSTANT_OFFSET, 0);
  bytes = pt_fb_u64 (entry, PT_XNN_CONSTANT_SIZE, 0);
  if (!pt_range_fits (offset, bytes, reader->region_size))
    return pt_xnn_damaged (error, "constant %u lies outside its constant region", index);
  *data = reader->region + offset;
  *size = (gsize) bytes;
  return TRUE;
}

/* Kernels read whole elements, so a constant that is not aligned to its element is copied. */
static gboolean
align_constant (PtXnnReader *reader, const guint8 **data, gsize size, gsize alignment,
                GError **error)
{
  guint8 *copy;

  if (alignment <= 1 || (guintptr) *data % alignment == 0)
    return TRUE;
  copy = pt_xnn_graph_alloc (reader->graph, size, 1, error);
  if (copy == NULL)
    return FALSE;
  memcpy (copy, *data, size);
  *data = copy;
  return TRUE;
}

/* Finds constant @index, which must have at least @count elements of @width bytes. */
static gboolean
find_array (PtXnnReader *reader, guint32 index, gsize count, gsize width, gconstpointer *out,
            GError **error)
{
  const guint8 *data;
  gsize size, need;

  if (!find_constant (reader, index, &data, &size, error))
    return FALSE;
  if (!pt_mul_size (count, width, &need) || need > size)
    return pt_xnn_damaged (error, "constant %u is too small: %" G_GSIZE_FORMAT " bytes", index,
                           size);
  if (!align_constant (reader, &data, need, width, error))
    return FALSE;
  *out = data;
  return TRUE;
}

/* ---- Dims ---- */

static gboolean
read_dims (PtXnnValue *value, PtFbRef tensor, GError **error)
{
  PtFbVec dims = pt_fb_vec (tensor, PT_XNN_TENSOR_DIMS);

  if (dims.count > PT_XNN_MAX_RANK ||
      dims.count != pt_fb_u32 (tensor, PT_XNN_TENSOR_NUM_DIMS, dims.count))
    return pt_xnn_damaged (error, "value %u has %u dimensions", value->id, dims.count);
  value->declared.rank = dims.count;
  for (guint32 i = 0; i < dims.count; i++)
    value->declared.dims[i] = pt_fb_vec_u32 (dims, i);
  return TRUE;
}

static gboolean
constant_nbytes (const PtXnnValue *value, gsize *nbytes)
{
  gsize n = pt_xnn_type_size (value->type);
  const PtXnnShape *shape = &value->declared;

  if (value->type == PT_XNN_QC4 || value->type == PT_XNN_QB4)
    return shape->rank == 2 && shape->dims[0] > 0 && shape->dims[1] > 0 &&
           pt_mul_size (shape->dims[0], (shape->dims[1] + 1) / 2, nbytes);
  if (n == 0)
    return FALSE;
  for (guint i = 0; i < shape->rank; i++)
    if (shape->dims[i] == 0 || !pt_mul_size (n, shape->dims[i], &n))
      return FALSE;
  *nbytes = n;
  return TRUE;
}

static gboolean
read_constant (PtXnnReader *reader, PtXnnValue *value, guint32 index, GError **error)
{
  gconstpointer data;
  gsize nbytes;

  if (!constant_nbytes (value, &nbytes))
    return pt_xnn_damaged (error, "constant value %u (%s) has impossible dimensions", value->id,
                           pt_xnn_type_name (value->type));
  if (!find_array (reader, index, nbytes / MAX (pt_xnn_type_size (value->type), 1),
                   MAX (pt_xnn_type_size (value->type), 1), &data, error))
    return FALSE;
  value->constant = data;
  value->constant_size = nbytes;
  value->data = (gpointer) data;
  return pt_xnn_value_set_shape (value, value->declared.rank, value->declared.dims, error);
}

/* ---- Quantisation (docs/formats/xnnpack.md, section 4.2) ---- */

static gboolean
read_per_tensor (PtXnnValue *value, PtFbRef params, GError **error)
{
  gint32 lo = value->type == PT_XNN_QU8 ? 0 : -128;
  gint32 hi = lo + 255;

  value->scale = pt_fb_f32 (params, PT_XNN_PER_TENSOR_SCALE, 0.0f);
  value->zero_point = pt_fb_i32 (params, PT_XNN_PER_TENSOR_ZERO_POINT, 0);
  if (!(value->scale > 0.0f) || !isfinite (value->scale))
    return pt_xnn_damaged (error, "value %u has a scale that is not a positive number", value->id);
  if (value->type == PT_XNN_QI32 ? value->zero_point != 0
                                 : value->zero_point < lo || value->zero_point > hi)
    return pt_xnn_damaged (error, "value %u has zero point %d", value->id, value->zero_point);
  return TRUE;
}

/* Scales in the tables are copied, because they may be misaligned there. */
static gboolean
copy_scales (PtXnnReader *reader, PtXnnValue *value, PtFbVec vec, const float **out, GError **error)
{
  float *scales;

  if (vec.count != value->n_scales)
    return pt_xnn_damaged (error, "value %u has %u scales instead of %" G_GSIZE_FORMAT, value->id,
                           vec.count, value->n_scales);
  scales = pt_xnn_graph_alloc (reader->graph, vec.count, sizeof *scales, error);
  if (scales == NULL)
    return FALSE;
  for (guint32 i = 0; i < vec.count; i++)
    scales[i] = pt_fb_vec_f32 (vec, i);
  *out = scales;
  return TRUE;
}

static gboolean
read_per_channel (PtXnnReader *reader, PtXnnValue *value, PtFbRef params, GError **error)
{
  gint32 dim = pt_fb_i32 (params, PT_XNN_PER_CHANNEL_DIM, 0);
  guint32 buffer = pt_fb_u32 (params, PT_XNN_PER_CHANNEL_BUFFER, 0);
  guint32 count = pt_fb_u32 (params, PT_XNN_PER_CHANNEL_COUNT, 0);
  gconstpointer data;

  if (!pt_index_fits (dim, value->declared.rank))
    return pt_xnn_damaged (error, "value %u has scales along dimension %d", value->id, dim);
  value->channel_dim = (guint) dim;
  value->n_scales = value->declared.dims[dim];
  if (buffer == 0)
    return copy_scales (reader, value, pt_fb_vec (params, PT_XNN_PER_CHANNEL_SCALE),
                        &value->channel_scales, error);
  if (count != value->n_scales)
    return pt_xnn_damaged (error, "value %u has %u scales instead of %" G_GSIZE_FORMAT, value->id,
                           count, value->n_scales);
  if (!find_array (reader, buffer, count, sizeof (float), &data, error))
    return FALSE;
  value->channel_scales = data;
  return TRUE;
}

/* Rounds inline float scales to bfloat16 in the same way as upstream. */
static gboolean
convert_group_scales (PtXnnReader *reader, PtXnnValue *value, PtFbVec vec, GError **error)
{
  const float *scales = NULL;
  guint16 *out;

  if (!copy_scales (reader, value, vec, &scales, error))
    return FALSE;
  out = pt_xnn_graph_alloc (reader->graph, value->n_scales, sizeof *out, error);
  if (out == NULL)
    return FALSE;
  for (gsize i = 0; i < value->n_scales; i++) {
    float scaled = scales[i] * 1.00389105f;
    guint32 bits;

    memcpy (&bits, &scaled, sizeof bits);
    out[i] = (guint16) (bits >> 16);
  }
  value->group_scales = out;
  return TRUE;
}

static gboolean
read_per_group (PtXnnReader *reader, PtXnnValue *value, PtFbRef params, GError **error)
{
  gint32 group = pt_fb_i32 (params, PT_XNN_PER_GROUP_SIZE, 0);
  guint32 buffer = pt_fb_u32 (params, PT_XNN_PER_GROUP_BUFFER, 0);
  const PtXnnShape *shape = &value->declared;
  gconstpointer data;

  if (shape->rank != 2 || pt_fb_i32 (params, PT_XNN_PER_GROUP_DIM, 0) != 0 || group <= 0 ||
      group % 32 != 0 || shape->dims[1] == 0 || shape->dims[1] % (gsize) group != 0)
    return pt_xnn_damaged (error, "value %u has groups of %d that do not fit it", value->id, group);
  value->group = (gsize) group;
  if (!pt_mul_size (shape->dims[0], shape->dims[1] / value->group, &value->n_scales))
    return pt_xnn_damaged (error, "value %u is too large", value->id);
  if (buffer == 0)
    return convert_group_scales (reader, value, pt_fb_vec (params, PT_XNN_PER_GROUP_SCALE), error);
  if (pt_fb_u32 (params, PT_XNN_PER_GROUP_COUNT, 0) != value->n_scales)
    return pt_xnn_damaged (error, "value %u has the wrong number of scales", value->id);
  if (!find_array (reader, buffer, value->n_scales, sizeof (guint16), &data, error))
    return FALSE;
  value->group_scales = data;
  return TRUE;
}

static gboolean
read_per_token (PtXnnValue *value, PtFbRef params, GError **error)
{
  gint32 n = pt_fb_i32 (params, PT_XNN_PER_TOKEN_NONBATCH, 0);

  if (n < 1 || (guint) n > PT_XNN_MAX_RANK)
    return pt_xnn_damaged (error, "value %u is quantised over %d dimensions", value->id, n);
  value->n_nonbatch = (guint) n;
  return TRUE;
}

static guint8
wanted_quantization (PtXnnType type)
{
  switch (type) {
  case PT_XNN_QI8:
  case PT_XNN_QU8:
  case PT_XNN_QI32: return PT_XNN_QUANT_TENSOR;
  case PT_XNN_QC8:
  case PT_XNN_QC32:
  case PT_XNN_QC4: return PT_XNN_QUANT_CHANNEL;
  case PT_XNN_QD8: return PT_XNN_QUANT_TOKEN;
  case PT_XNN_QB4: return PT_XNN_QUANT_GROUP;
  default: return 0;
  }
}

static gboolean
read_quantization (PtXnnReader *reader, PtXnnValue *value, guint8 kind, PtFbRef params,
                   GError **error)
{
  guint8 wanted = wanted_quantization (value->type);

  if (wanted == 0)
    return TRUE;
  if (kind != wanted || !pt_fb_present (params))
    return pt_xnn_damaged (error, "value %u (%s) lacks its quantisation parameters", value->id,
                           pt_xnn_type_name (value->type));
  switch (wanted) {
  case PT_XNN_QUANT_TENSOR: return read_per_tensor (value, params, error);
  case PT_XNN_QUANT_CHANNEL: return read_per_channel (reader, value, params, error);
  case PT_XNN_QUANT_TOKEN: return read_per_token (value, params, error);
  default: return read_per_group (reader, value, params, error);
  }
}

/* ---- Values ---- */

static gboolean
can_be_argument (PtXnnType type)
{
  return type == PT_XNN_F32 || type == PT_XNN_F16 || type == PT_XNN_BF16 || type == PT_XNN_QI8 ||
         type == PT_XNN_QU8 || type == PT_XNN_I32;
}

static gboolean
read_external (PtXnnReader *reader, PtXnnValue *value, PtFbRef tensor, GError **error)
{
  guint32 flags = pt_fb_u32 (tensor, PT_XNN_TENSOR_FLAGS, 0);
  guint32 external = pt_fb_u32 (tensor, PT_XNN_TENSOR_EXTERNAL, 0);
  PtXnnGraph *graph = reader->graph;

  if (flags == 0)
    return TRUE;
  if (flags != FLAG_INPUT && flags != FLAG_OUTPUT)
    return pt_xnn_damaged (error, "value %u has the flags 0x%x", value->id, flags);
  if (external >= graph->n_externs)
    return pt_xnn_damaged (error, "value %u is argument %u of %u", value->id, external,
                           graph->n_externs);
  if (graph->externals[external] != PT_XNN_NONE)
    return pt_xnn_damaged (error, "argument %u has two values", external);
  if (value->constant != NULL || !can_be_argument (value->type))
    return pt_xnn_damaged (error, "value %u (%s) cannot be an argument", value->id,
                           pt_xnn_type_name (value->type));
  graph->externals[external] = (guint32) (value - graph->values);
  value->external = external;
  value->is_input = flags == FLAG_INPUT;
  value->is_output = flags == FLAG_OUTPUT;
  return TRUE;
}

static gboolean
read_value (PtXnnReader *reader, PtXnnValue *value, PtFbRef xvalue, GError **error)
{
  guint8 kind = pt_fb_u8 (xvalue, PT_XNN_UNION_TYPE, 0);
  PtFbRef tensor, params = { NULL, 0 };
  guint8 quantization = 0;
  guint32 constant;
  gint16 type;

  if (kind != PT_XNN_VALUE_TENSOR && kind != PT_XNN_VALUE_QUANTIZED)
    return pt_xnn_damaged (error, "a value is of the unknown kind %u", kind);
  tensor = pt_fb_table (xvalue, PT_XNN_UNION_TABLE);
  if (kind == PT_XNN_VALUE_QUANTIZED && pt_fb_present (tensor)) {
    PtFbRef quantized = tensor;

    tensor = pt_fb_table (quantized, PT_XNN_QUANTIZED_TENSOR);
    quantization = pt_fb_u8 (quantized, PT_XNN_QUANTIZED_TYPE, 0);
    if (quantization <= PT_XNN_QUANT_GROUP)
      params = pt_fb_table (quantized, PT_XNN_QUANTIZED_PARAMS);
  }
  if (!pt_fb_present (tensor))
    return pt_xnn_damaged (error, "a value has no content");
  value->id = pt_fb_u32 (tensor, PT_XNN_TENSOR_ID, 0);
  type = pt_fb_i16 (tensor, PT_XNN_TENSOR_TYPE, 0);
  if (type <= PT_XNN_INVALID || type >= PT_XNN_N_TYPES)
    return pt_xnn_damaged (error, "value %u is of the unknown type %d", value->id, type);
  value->type = (PtXnnType) type;
  constant = pt_fb_u32 (tensor, PT_XNN_TENSOR_CONSTANT, 0);
  return read_dims (value, tensor, error) &&
         read_quantization (reader, value, quantization, params, error) &&
         (constant == 0 || read_constant (reader, value, constant, error)) &&
         read_external (reader, value, tensor, error);
}

/*
 * Very old files quantise an argument without a Convert node. Nodes then read a quantised twin of
 * the argument (docs/formats/xnnpack.md, section 4.1).
 */
static gboolean
needs_twin (PtFbRef xvalue, const PtXnnValue *value)
{
  return value->is_input && value->type == PT_XNN_F32 &&
         pt_fb_u8 (xvalue, PT_XNN_UNION_TYPE, 0) == PT_XNN_VALUE_TENSOR &&
         pt_fb_i16 (pt_fb_table (xvalue, PT_XNN_UNION_TABLE), PT_XNN_TENSOR_DQ_TYPE, 0) ==
             PT_XNN_QI8;
}

static void
add_twin (PtXnnReader *reader, guint32 index)
{
  PtXnnGraph *graph = reader->graph;
  PtXnnValue *twin = &graph->values[graph->n_values];

  *twin = (PtXnnValue){ .id = graph->values[index].id, .type = PT_XNN_QD8, .n_nonbatch = 1 };
  twin->declared = graph->values[index].declared;
  reader->replaced_by[index] = graph->n_values;
  reader->replaced_by[graph->n_values] = graph->n_values;
  graph->n_values++;
}

gboolean
pt_xnn_read_values (PtXnnReader *reader, GError **error)
{
  PtXnnGraph *graph = reader->graph;
  PtFbVec xvalues = pt_fb_vec (reader->root, PT_XNN_GRAPH_VALUES);
  gsize room = 2 * (gsize) xvalues.count + 1; /* number of values, twins included */

  if (xvalues.count > MAX_VALUES)
    return pt_xnn_damaged (error, "it has %u values", xvalues.count);
  graph->values = pt_allocate (room, sizeof (PtXnnValue), error);
  if (graph->values == NULL)
    return FALSE;
  reader->replaced_by = pt_allocate (room, sizeof (guint32), error);
  if (reader->replaced_by == NULL)
    return FALSE;
  for (guint32 i = 0; i < xvalues.count; i++) {
    PtXnnValue *value = &graph->values[i];

    graph->n_values = i + 1;
    if (!read_value (reader, value, pt_fb_vec_table (xvalues, i), error))
      return FALSE;
    if (value->id == PT_XNN_NONE ||
        !g_hash_table_insert (reader->index_of_id, GUINT_TO_POINTER (value->id),
                              GUINT_TO_POINTER (i)))
      return pt_xnn_damaged (error, "two values have the id %u", value->id);
    reader->replaced_by[i] = i;
  }
  for (guint32 i = 0; i < xvalues.count; i++)
    if (needs_twin (pt_fb_vec_table (xvalues, i), &graph->values[i]))
      add_twin (reader, i);
  return TRUE;
}
