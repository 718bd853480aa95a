/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/set-error.h"
#include "engine/runtime/method-private.h"

#include <string.h>

#include "engine/program/checked.h"

gboolean
pt_buffer_allocate (PtBuffer *buffer, PtDeviceType type, gint8 index, gsize size, GError **error)
{
  const PtDevice *device = pt_device_find (type);

  memset (buffer, 0, sizeof *buffer);
  if (type == PT_DEVICE_CPU) {
    if (!pt_pages_map (&buffer->pages, size, error))
      return FALSE;
    buffer->data = buffer->pages.data;
  } else if (device == NULL) {
    return pt_fail (error, PT_ERROR_MISSING_BACKEND,
                    "The program needs memory on the device %s:%d, which this computer lacks "
                    "(ExecuTorch error 0x20).",
                    pt_device_name (type), index);
  } else if (size > 0) {
    buffer->data = device->allocate (index, size, error);
    if (buffer->data == NULL)
      return FALSE;
  }
  buffer->device_type = type;
  buffer->device_index = index;
  buffer->size = size;
  return TRUE;
}

void
pt_buffer_free (PtBuffer *buffer)
{
  if (buffer->is_borrowed)
    return;
  if (buffer->device_type == PT_DEVICE_CPU)
    pt_pages_unmap (&buffer->pages);
  else if (buffer->data != NULL)
    pt_device_find (buffer->device_type)->free (buffer->device_index, buffer->data);
  memset (buffer, 0, sizeof *buffer);
}

gboolean
pt_buffer_clear (PtBuffer *buffer, GError **error)
{
  if (buffer->device_type == PT_DEVICE_CPU)
    pt_pages_clear (&buffer->pages);
  else if (buffer->data != NULL)
    return pt_device_find (buffer->device_type)
        ->clear (buffer->device_index, buffer->data, buffer->size, error);
  return TRUE;
}

guint64
pt_planned_limit (const PtMethodOptions *options)
{
  guint64 limit = options->max_planned_bytes;

  if (limit == 0)
    limit = pt_physical_memory ();
  return limit != 0 ? limit : G_MAXUINT64;
}

/* Counts @size towards @total, or fails. */
static gboolean
count_planned (guint64 size, guint64 limit, guint64 *total, GError **error)
{
  if (size > limit || *total > limit - size || size > G_MAXSSIZE)
    return pt_fail (error, PT_ERROR_MEMORY,
                    "The program needs %.1f GB or more of working memory; the limit is %.1f GB "
                    "(ExecuTorch error 0x21).",
                    (double) *total / 1e9 + (double) size / 1e9, (double) limit / 1e9);
  *total += size;
  return TRUE;
}

gboolean
pt_method_allocate_buffers (PtMethod *method, guint64 limit, const PtSharedState *shared,
                            GError **error)
{
  const PtPlan *plan = method->plan;
  guint64 total = 0;
  guint i;

  for (i = 1; i < plan->n_buffers; i++)
    if (!count_planned (plan->buffers[i].size, limit, &total, error))
      return FALSE;
  for (i = 1; i < plan->n_buffers; i++) {
    const PtBufferSpec *spec = &plan->buffers[i];

    if (shared != NULL && i < PT_N_SHARED_BUFFERS) {
      method->buffers[i] = shared->buffers[i];
      method->buffers[i].is_borrowed = TRUE;
    } else if (!pt_buffer_allocate (&method->buffers[i], spec->device_type,
                                    spec->device_type != PT_DEVICE_CPU ? method->device : 0,
                                    (gsize) spec->size, error)) {
      return FALSE;
    }
  }
  return TRUE;
}

gboolean
pt_shared_state_allocate (PtSharedState *shared, const PtProgram *program, guint64 limit,
                          GError **error)
{
  guint64 sizes[PT_N_SHARED_BUFFERS] = { 0 }, total = 0;
  guint p, i;

  for (p = 0; p < pt_program_n_plans (program); p++) {
    const PtPlan *plan = pt_program_plan (program, p);

    for (i = 1; i < MIN (plan->n_buffers, PT_N_SHARED_BUFFERS); i++) {
      sizes[i] = MAX (sizes[i], plan->buffers[i].size);
      if (plan->buffers[i].device_type != PT_DEVICE_CPU)
        return pt_fail (error, PT_ERROR_UNSUPPORTED,
                        "Methods cannot share state in the memory of a device "
                        "(ExecuTorch error 0x10).");
    }
  }
  for (i = 1; i < PT_N_SHARED_BUFFERS; i++)
    if (!count_planned (sizes[i], limit, &total, error) ||
        !pt_buffer_allocate (&shared->buffers[i], PT_DEVICE_CPU, 0, (gsize) sizes[i], error))
      return FALSE;
  return TRUE;
}

void
pt_shared_state_clear (PtSharedState *shared)
{
  guint i;

  for (i = 1; i < PT_N_SHARED_BUFFERS; i++)
    pt_buffer_free (&shared->buffers[i]);
}

gboolean
pt_copy_to_tensor (PtTensor *tensor, gconstpointer from, gsize size, GError **error)
{
  const PtDevice *device = pt_device_find (tensor->device_type);

  if (size == 0)
    return TRUE;
  if (tensor->is_constant || tensor->data == NULL || size > tensor->capacity)
    return pt_fail (error, PT_ERROR_STATE,
                    "A tensor has no memory to copy %" G_GSIZE_FORMAT " bytes to.", size);
  if (tensor->device_type == PT_DEVICE_CPU)
    memmove (tensor->data, from, size);
  else if (device != NULL)
    return device->copy_to_device (tensor->device_index, tensor->data, from, size, error);
  return TRUE;
}

static gboolean
layout_agrees (const PtDataEntry *entry, const PtTensorSpec *spec)
{
  guint i;

  if (!entry->has_layout || entry->dtype != (int) spec->dtype || entry->rank != spec->rank)
    return FALSE;
  for (i = 0; i < spec->rank; i++)
    if (entry->sizes[i] != spec->sizes[i] || entry->dim_order[i] != spec->dim_order[i])
      return FALSE;
  return entry->size >= spec->nbytes;
}

const guint8 *
pt_external_bytes (const PtDataMap *data, const PtTensorSpec *spec, GError **error)
{
  const PtDataEntry *entry = pt_data_map_find (data, spec->name, spec->name_length);

  if (data == NULL) {
    pt_fail (error, PT_ERROR_MISSING_FILE,
             "The weights are not in the program but in a data file (.ptd), which is missing "
             "(ExecuTorch error 0x2).");
    return NULL;
  }
  if (entry == NULL) {
    pt_fail (error, PT_ERROR_DATA,
             "The tensor \"%s\" is in none of the data files; they probably belong to another "
             "model (ExecuTorch error 0x20).",
             spec->name);
    return NULL;
  }
  if (!layout_agrees (entry, spec)) {
    pt_fail (error, PT_ERROR_DATA,
             "The tensor \"%s\" has another type or shape in the data file than in the program; "
             "they probably belong to different models (ExecuTorch error 0x24).",
             spec->name);
    return NULL;
  }
  return entry->data;
}

gboolean
pt_method_fill_initial_state (PtMethod *method, GError **error)
{
  guint i;

  for (i = 0; i < method->plan->n_values; i++) {
    const PtValueSpec *value = &method->plan->values[i];
    const guint8 *bytes;

    if (value->kind != PT_VALUE_TENSOR)
      continue;
    bytes = value->as_tensor->data;
    if (value->as_tensor->storage == PT_STORAGE_EXTERNAL_PLANNED)
      bytes = pt_external_bytes (method->data, value->as_tensor, error);
    else if (value->as_tensor->storage != PT_STORAGE_PLANNED || bytes == NULL)
      continue;
    if (bytes == NULL || !pt_copy_to_tensor (method->initial_values[i].as_tensor, bytes,
                                             value->as_tensor->nbytes, error))
      return FALSE;
  }
  return TRUE;
}
