/* SPDX-License-Identifier: BSD-3-Clause */

/* Chooses the next id from logits, on the host or on the device where the logits are. */

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/tasks/llm/llm-private.h"

/* Offset of the position behind the id in device memory: inputs must be aligned. */
#define NEXT_POSITION 256

static gconstpointer
fetch_row (PtLlm *self, const PtTensor *tensor, const guint8 *row, GError **error)
{
  const PtDevice *device = pt_device_find (tensor->device_type);

  if (self->row == NULL)
    self->row = pt_allocate (self->width, sizeof (float), error);
  if (self->row == NULL ||
      !device->copy_to_host (tensor->device_index, self->row, row,
                             self->width * pt_dtype_size (tensor->dtype), error))
    return NULL;
  return self->row;
}

gconstpointer
pt_llm_logits (PtLlm *self, PtDType *dtype, GError **error)
{
  const PtTensor *tensor;
  const guint8 *row;

  if (self->last->chooses) {
    pt_fail (error, PT_ERROR_UNSUPPORTED, "The model returns tokens instead of logits.");
    return NULL;
  }
  row = pt_llm_last_row (self, &tensor);
  *dtype = tensor->dtype;
  return tensor->device_type == PT_DEVICE_CPU ? row : fetch_row (self, tensor, row, error);
}

/* ---- a step that starts before the host knows its id ---- */

/*
 * Whether the next step may start before pt_llm_read() asks for it. The cache must be addressed by
 * position: cells that an unwanted step wrote are written again before anything reads them.
 */
static gboolean
may_go_ahead (const PtLlm *self, const PtDevice *device)
{
  return device->allocate != NULL && self->can_rewind && self->layout != PT_LLM_NO_CACHE &&
         self->reading == PT_LLM_IDS && self->step.id_type == PT_DTYPE_I64 &&
         self->step.position_type == PT_DTYPE_I64 && self->now->cached->len < self->end &&
         pt_method_takes_device_input (self->step.method, 0) &&
         pt_method_takes_device_input (self->step.method, 1);
}

/* Allocates the inputs of the next step and writes the position of the last step there, which
 * sampling increases. */
static gboolean
prepare_next (PtLlm *self, const PtDevice *device, int index)
{
  gint64 position = (gint64) self->now->cached->len - 1;

  if (self->next == NULL) {
    self->next = device->allocate (index, 2 * NEXT_POSITION, NULL);
    if (self->next == NULL)
      return FALSE;
    self->device = device;
    self->device_index = index;
    self->next_position = -1;
  }
  if (position != self->next_position &&
      !device->copy_to_device (index, self->next + NEXT_POSITION, &position, sizeof position, NULL))
    return FALSE;
  self->next_position = position;
  return TRUE;
}

static gboolean
set_next_input (PtLlm *self, guint i, guint rank, gpointer data)
{
  const gint64 sizes[2] = { 1, 1 };
  PtTensor tensor;

  if (!pt_tensor_init (&tensor, PT_DTYPE_I64, rank, sizes, NULL, data, NULL))
    return FALSE;
  tensor.device_type = self->device->type;
  tensor.device_index = (gint8) self->device_index;
  return pt_method_set_input_tensor (self->step.method, i, &tensor, NULL);
}

/* Starts the next step. If that fails, pt_llm_read() tries again and reports the error. */
static gboolean
step_ahead (PtLlm *self)
{
  if (!set_next_input (self, 0, 2, self->next) ||
      !set_next_input (self, 1, 1, self->next + NEXT_POSITION) ||
      !pt_method_execute (self->step.method, NULL, NULL))
    return FALSE;
  self->last = &self->step;
  return TRUE;
}

/* ---- choosing ---- */

static PtDeviceSampling
sampling_of (PtSampler *sampler)
{
  const PtSampling *how = pt_sampler_how (sampler);
  PtDeviceSampling sampling = {
    .temperature = how->temperature,
    .top_k = (guint) how->top_k,
    .top_p = how->top_p,
    .min_p = how->min_p,
    .repetition_penalty = how->repetition_penalty,
    .presence_penalty = how->presence_penalty,
    .frequency_penalty = how->frequency_penalty,
  };

  sampling.said = pt_sampler_said (sampler, &sampling.n_said);
  if (how->temperature > 0)
    sampling.coin = (double) pt_sampler_coin (sampler);
  return sampling;
}

/* FALSE without an error when the device cannot choose tokens. */
static gboolean
sample_on_device (PtLlm *self, PtSampler *sampler, gsize width, gint32 *id, GError **error)
{
  PtDeviceSampling how;
  const PtTensor *tensor;
  const guint8 *row = pt_llm_last_row (self, &tensor);
  const PtDevice *device = pt_device_find (tensor->device_type);
  int index = tensor->device_index;
  GError *reason = NULL;
  gboolean goes_ahead;

  if (self->on_host || self->keeps_logits || pt_sampler_needs_host (sampler) || device == NULL ||
      device->sample == NULL)
    return FALSE;
  how = sampling_of (sampler);
  goes_ahead = may_go_ahead (self, device) && prepare_next (self, device, index);
  if (!device->sample (index, &how, row, tensor->dtype, width, goes_ahead ? self->next : NULL,
                       goes_ahead ? self->next + NEXT_POSITION : NULL, &reason)) {
    self->on_host = g_error_matches (reason, PT_ERROR, PT_ERROR_UNSUPPORTED);
    if (!self->on_host)
      g_propagate_error (error, g_steal_pointer (&reason));
    g_clear_error (&reason);
    return FALSE;
  }
  self->is_ahead = goes_ahead && step_ahead (self);
  if (goes_ahead)
    self->next_position++;
  if (!device->take_sample (index, id, error)) {
    self->is_ahead = FALSE;
    return FALSE;
  }
  self->ahead_id = *id;
  return TRUE;
}

/* ---- models that choose tokens themselves ---- */

static gboolean
take_token (PtLlm *self, gint32 *id, GError **error)
{
  const PtTensor *tensor = pt_method_output (self->last->method, 0)->as_tensor;
  const PtDevice *device = pt_device_find (tensor->device_type);
  gsize size = pt_dtype_size (tensor->dtype);
  union {
    gint64 i64;
    gint32 i32;
    float f32;
  } value = { 0 };
  gint64 chosen;

  if (tensor->numel != 1)
    return pt_fail (error, PT_ERROR_DELEGATE, "The model gave %" G_GSIZE_FORMAT " tokens at once.",
                    tensor->numel);
  if (device == NULL)
    memcpy (&value, tensor->data, size);
  else if (!device->copy_to_host (tensor->device_index, &value, tensor->data, size, error))
    return FALSE;
  if (tensor->dtype == PT_DTYPE_F32)
    chosen = value.f32 >= 0 && value.f32 < (float) self->width ? (gint64) (value.f32 + 0.5f) : -1;
  else
    chosen = tensor->dtype == PT_DTYPE_I32 ? value.i32 : value.i64;
  *id = chosen >= 0 && chosen < (gint64) self->width ? (gint32) chosen : -1;
  return TRUE;
}

void
pt_llm_set_keeps_logits (PtLlm *self, gboolean keeps)
{
  self->keeps_logits = keeps;
}

gboolean
pt_llm_chooses (const PtLlm *self)
{
  return self->step.chooses || self->prompt.chooses;
}

gboolean
pt_llm_sample (PtLlm *self, PtSampler *sampler, gsize width, gint32 *id, GError **error)
{
  GError *reason = NULL;
  gconstpointer logits;
  PtDType dtype;

  if (self->last->chooses)
    return take_token (self, id, error);
  if (sample_on_device (self, sampler, width, id, &reason))
    return TRUE;
  if (reason != NULL) {
    g_propagate_error (error, reason);
    return FALSE;
  }
  logits = pt_llm_logits (self, &dtype, error);
  if (logits == NULL)
    return FALSE;
  *id = pt_sampler_sample (sampler, logits, dtype, width);
  return TRUE;
}
