/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/program/program-private.h"

#include <string.h>

#include "engine/program/checked.h"
#include "engine/program/schema.h"
#include "engine/program/tensor-shape.h"

enum { LOCATION_SEGMENT = 0, LOCATION_EXTERNAL = 1 };

/* ---- Type, shape, device ---- */

static gboolean
resolve_dynamism (PtResolver *r, PtFbRef table, guint index, PtTensorSpec *tensor, GError **error)
{
  gint8 dynamism = pt_fb_i8 (table, SLOT_TENSOR_DYNAMISM, 0);

  if (dynamism == 2)
    return pt_resolver_refuse (r, error, "value %u is a tensor without an upper bound", index);
  if (dynamism != PT_DYNAMISM_STATIC && dynamism != PT_DYNAMISM_BOUND)
    return pt_resolver_fail (r, error, "value %u is a tensor of unknown dynamism %d", index,
                             dynamism);
  tensor->dynamism = (PtDynamism) dynamism;
  return TRUE;
}

static gboolean
resolve_shape (PtResolver *r, PtFbRef table, guint index, PtTensorSpec *tensor, GError **error)
{
  gint8 dtype = pt_fb_i8 (table, SLOT_TENSOR_DTYPE, 0);
  PtFbVec sizes = pt_fb_vec (table, SLOT_TENSOR_SIZES);
  PtFbVec dim_order = pt_fb_vec (table, SLOT_TENSOR_DIM_ORDER);
  const char *wrong = pt_shape_check (dtype, sizes, dim_order, &tensor->numel, &tensor->nbytes);

  if (wrong != NULL)
    return pt_resolver_fail (r, error, "value %u is a tensor that %s", index, wrong);
  tensor->dtype = (PtDType) dtype;
  tensor->rank = (guint8) sizes.count;
  for (guint i = 0; i < sizes.count; i++) {
    tensor->sizes[i] = pt_fb_vec_i32 (sizes, i);
    tensor->dim_order[i] = pt_fb_vec_u8 (dim_order, i);
  }
  return TRUE;
}

static gboolean
resolve_device (PtResolver *r, PtFbRef extra, guint index, PtTensorSpec *tensor, GError **error)
{
  gint8 type = pt_fb_i8 (extra, SLOT_EXTRA_DEVICE_TYPE, 0);

  if (type != PT_DEVICE_CPU && type != PT_DEVICE_CUDA)
    return pt_resolver_refuse (r, error, "value %u is a tensor on a device of unknown type %d",
                               index, type);
  tensor->device_type = (PtDeviceType) type;
  tensor->device_index = pt_fb_i8 (extra, SLOT_EXTRA_DEVICE_INDEX, 0);
  tensor->name = pt_fb_string (extra, SLOT_EXTRA_NAME, &tensor->name_length);
  return TRUE;
}

/* ---- Place of the bytes (docs/formats/program.md, section 10.3) ---- */

static gboolean
resolve_allocation (PtResolver *r, PtFbRef allocation, const PtPlan *plan, guint index,
                    PtTensorSpec *tensor, GError **error)
{
  guint32 memory = pt_fb_u32 (allocation, SLOT_ALLOCATION_MEMORY, 0);
  guint64 offset = (guint64) pt_fb_u32 (allocation, SLOT_ALLOCATION_HIGH, 0) << 32 |
                   pt_fb_u32 (allocation, SLOT_ALLOCATION_LOW, 0);

  if (memory == 0 || memory >= plan->n_buffers)
    return pt_resolver_fail (r, error, "value %u is a tensor in buffer %u, which does not exist",
                             index, memory);
  if (!pt_range_fits (offset, tensor->nbytes, plan->buffers[memory].size))
    return pt_resolver_fail (r, error, "value %u is a tensor that does not fit buffer %u", index,
                             memory);
  if (offset % pt_shape_alignment (tensor->dtype) != 0)
    return pt_resolver_fail (r, error, "value %u is a tensor at a misaligned place", index);
  tensor->memory_id = memory;
  tensor->memory_offset = offset;
  return TRUE;
}

/* Finds the bytes of @tensor, which begin at the offset @offsets[@at] in @segment. */
static gboolean
find_bytes (PtResolver *r, PtFbVec offsets, const PtProgramSegment *segment, guint32 at,
            guint index, PtTensorSpec *tensor, GError **error)
{
  guint64 offset;

  if (at >= offsets.count)
    return pt_resolver_fail (r, error, "the bytes of value %u are entry %u of %u", index, at,
                             offsets.count);
  offset = pt_fb_vec_u64 (offsets, at);
  if (tensor->nbytes == 0)
    return TRUE;
  if (!pt_range_fits (offset, tensor->nbytes, segment->size))
    return pt_resolver_fail (r, error, "the bytes of value %u lie outside their segment", index);
  tensor->data = segment->data + offset;
  return TRUE;
}

static gboolean
find_inline_bytes (PtResolver *r, guint32 at, guint index, PtTensorSpec *tensor, GError **error)
{
  PtFbVec storage;

  if (at >= r->inline_constants.count)
    return pt_resolver_fail (r, error, "the bytes of value %u are entry %u of %u", index, at,
                             r->inline_constants.count);
  if (tensor->nbytes == 0)
    return TRUE;
  storage = pt_fb_vec (pt_fb_vec_table (r->inline_constants, at), 0);
  /* Old files pad the storage, so it may be longer than the tensor. */
  if (tensor->nbytes > storage.count)
    return pt_resolver_fail (r, error, "the bytes of value %u are too few", index);
  tensor->data = storage.items;
  return TRUE;
}

static gboolean
resolve_constant (PtResolver *r, guint32 at, guint index, PtTensorSpec *tensor, GError **error)
{
  gboolean ok = r->constants_inline
                    ? find_inline_bytes (r, at, index, tensor, error)
                    : find_bytes (r, r->constant_offsets, &r->constants, at, index, tensor, error);

  if (!ok)
    return FALSE;
  if (GPOINTER_TO_SIZE (tensor->data) % pt_shape_alignment (tensor->dtype) != 0)
    return pt_resolver_fail (r, error, "the bytes of value %u are misaligned", index);
  tensor->storage = PT_STORAGE_CONSTANT;
  return TRUE;
}

static gboolean
resolve_external (PtResolver *r, guint index, gboolean planned, PtTensorSpec *tensor,
                  GError **error)
{
  if (tensor->name == NULL || tensor->name_length == 0)
    return pt_resolver_fail (r, error, "value %u lies in a data file under no name", index);
  tensor->storage = planned ? PT_STORAGE_EXTERNAL_PLANNED : PT_STORAGE_EXTERNAL_CONSTANT;
  r->program->needs_data = TRUE;
  return TRUE;
}

static gboolean
resolve_storage (PtResolver *r, PtFbRef table, guint index, gboolean planned, gint8 location,
                 PtTensorSpec *tensor, GError **error)
{
  guint32 at = pt_fb_u32 (table, SLOT_TENSOR_BUFFER, 0);

  if (location == LOCATION_EXTERNAL)
    return resolve_external (r, index, planned, tensor, error);
  if (location != LOCATION_SEGMENT)
    return pt_resolver_fail (r, error, "value %u is a tensor in an unknown place", index);
  tensor->storage = planned ? PT_STORAGE_PLANNED : PT_STORAGE_NONE;
  if (at == 0)
    return TRUE;
  if (planned)
    return find_bytes (r, r->mutable_offsets, &r->mutables, at, index, tensor, error);
  return resolve_constant (r, at, index, tensor, error);
}

gboolean
pt_resolve_tensor (PtResolver *r, PtFbRef table, const PtPlan *plan, guint index,
                   PtTensorSpec *tensor, GError **error)
{
  PtFbRef allocation = pt_fb_table (table, SLOT_TENSOR_ALLOCATION);
  PtFbRef extra = pt_fb_table (table, SLOT_TENSOR_EXTRA);
  gboolean planned = pt_fb_present (allocation);

  if (pt_fb_i32 (table, SLOT_TENSOR_STORAGE_OFFSET, 0) != 0)
    return pt_resolver_refuse (r, error, "value %u is a tensor with a storage offset", index);
  return resolve_dynamism (r, table, index, tensor, error) &&
         resolve_shape (r, table, index, tensor, error) &&
         resolve_device (r, extra, index, tensor, error) &&
         (!planned || resolve_allocation (r, allocation, plan, index, tensor, error)) &&
         resolve_storage (r, table, index, planned, pt_fb_i8 (extra, SLOT_EXTRA_LOCATION, 0),
                          tensor, error);
}
