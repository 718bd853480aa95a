/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/llm.h"

#include <string.h>

#include "engine/allocate.h"
#include "engine/runtime/device.h"

#define MAX_CONTEXT (1 << 24)
/* Inputs on a device are aligned for it. */
#define NEXT_POSITION 256

typedef enum {
  LAYOUT_NO_CACHE,       /* ids [1, n]: the whole history in every call */
  LAYOUT_START_POSITION, /* ids [1, n], position [1] of the first */
  LAYOUT_POSITIONS,      /* ids [1, n], positions [n] */
} Layout;

struct _PtLlm {
  PtMethod *method;
  Layout layout;
  guint chunk;   /* ids in one call */
  guint context; /* ids in all */
  gsize width;
  /* The cache is addressed by position, so that going back is only a smaller position. Ring
   * caches and recurrent state can only be continued or begun anew. */
  gboolean can_rewind;
  gboolean broken; /* state that cannot be continued */
  GArray *cached;  /* gint32: what is in the cache */
  PtDType id_type, position_type;
  gpointer id_buffer, position_buffer; /* for chunk elements of 8 bytes */
  gpointer row;                        /* logits that were fetched from a device */
  gboolean on_host;                    /* the device cannot choose */

  /* The next step of a device, started before the host knows which id it reads. */
  const PtDevice *device; /* whose memory @next is */
  int device_index;
  guint8 *next;         /* an id and, NEXT_POSITION bytes behind it, its position */
  gint64 next_position; /* what is there now */
  gboolean is_ahead;    /* the step that reads @ahead_id has been started */
  gint32 ahead_id;
};

/* --- what the method is like --- */

static gboolean
unlike_a_text_model (PtModule *module, GError **error)
{
  return pt_fail (error, PT_ERROR_UNSUPPORTED,
                  "“%s” is not a text model that Pteris can chat with: “forward” must take token "
                  "ids [1, n], perhaps with positions, and give logits.",
                  pt_program_path (pt_module_program (module)));
}

static gboolean
has_operator (const PtPlan *plan, const char *name)
{
  for (guint i = 0; i < plan->n_operators; i++)
    if (strcmp (plan->operators[i], name) == 0)
      return TRUE;
  return FALSE;
}

/**
 * State that is no plain KV cache (section 3.6): rings have a window and are written by computed
 * indices; recurrent layers copy their state back, which a cache of the custom operators never
 * needs.
 */
static gboolean
finds_cache_by_position (PtModule *module, const PtMethod *method)
{
  const PtPlan *plan = pt_method_plan (method);
  static const char *const recurrent[] = { "conv", "recurrent", "ssm", "linear_attn" };
  gint64 window;

  for (guint i = 0; i < G_N_ELEMENTS (recurrent); i++)
    if (pt_method_has_state (method, recurrent[i]))
      return FALSE;
  if (pt_module_constant_int (module, "sliding_window", &window) ||
      has_operator (plan, "llama::update_cache_with_indices.out") ||
      has_operator (plan, "aten::convolution.out"))
    return FALSE;
  return !has_operator (plan, "aten::copy_") || !has_operator (plan, "llama::update_cache.out");
}

static const PtTensorSpec *
tensor_spec (const PtValueSpec *value)
{
  return value->kind == PT_VALUE_TENSOR ? value->as_tensor : NULL;
}

static gboolean
is_index (const PtTensorSpec *tensor, guint rank)
{
  return tensor != NULL && tensor->rank == rank && tensor->numel > 0 &&
         (tensor->dtype == PT_DTYPE_I64 || tensor->dtype == PT_DTYPE_I32);
}

static gboolean
read_inputs (PtLlm *self, GError **error)
{
  const PtTensorSpec *ids = tensor_spec (pt_method_input_spec (self->method, 0));
  const PtTensorSpec *positions = NULL;

  self->chunk = (guint) ids->sizes[1];
  self->id_type = self->position_type = ids->dtype;
  self->layout = LAYOUT_NO_CACHE;
  if (pt_method_n_inputs (self->method) == 2) {
    positions = tensor_spec (pt_method_input_spec (self->method, 1));
    self->position_type = positions->dtype;
    self->layout = positions->sizes[0] > 1 ? LAYOUT_POSITIONS : LAYOUT_START_POSITION;
    if (positions->sizes[0] > 1)
      self->chunk = MIN (self->chunk, (guint) positions->sizes[0]);
  }
  if (ids->sizes[1] > 1 && ids->dynamism == PT_DYNAMISM_STATIC)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "The model takes exactly %d tokens in a call, which is not supported yet: "
                    "export it with dynamic shapes.",
                    ids->sizes[1]);
  return TRUE;
}

static gboolean
check_signature (PtLlm *self, PtModule *module, GError **error)
{
  const PtMethod *method = self->method;
  const PtTensorSpec *ids, *logits;

  if (pt_method_n_inputs (method) < 1 || pt_method_n_inputs (method) > 2 ||
      pt_method_n_outputs (method) != 1)
    return unlike_a_text_model (module, error);
  ids = tensor_spec (pt_method_input_spec (method, 0));
  logits = tensor_spec (pt_method_output_spec (method, 0));
  if (!is_index (ids, 2) || ids->sizes[0] != 1 ||
      (pt_method_n_inputs (method) == 2 &&
       !is_index (tensor_spec (pt_method_input_spec (method, 1)), 1)))
    return unlike_a_text_model (module, error);
  if (logits == NULL || (logits->rank != 2 && logits->rank != 3) || logits->numel == 0 ||
      (logits->dtype != PT_DTYPE_F32 && logits->dtype != PT_DTYPE_F16 &&
       logits->dtype != PT_DTYPE_BF16))
    return unlike_a_text_model (module, error);
  self->width = (gsize) logits->sizes[logits->rank - 1];
  return read_inputs (self, error);
}

/** Limits from the metadata; declared shapes are what counts for one call (section 17, 2). */
static void
read_limits (PtLlm *self, PtModule *module)
{
  gint64 sequence = 0, context = 0, chunk = 0;

  pt_module_constant_int (module, "get_max_seq_len", &sequence);
  pt_module_constant_int (module, "get_max_context_len", &context);
  pt_module_constant_int (module, "get_max_prefill_chunk", &chunk);
  if (context <= 0)
    context = sequence > 0 ? sequence : self->chunk;
  if (self->layout == LAYOUT_NO_CACHE)
    context = MIN (context, self->chunk);
  self->context = (guint) CLAMP (context, 1, MAX_CONTEXT);
  if (sequence > 0)
    self->chunk = (guint) MIN (self->chunk, sequence);
  if (chunk > 0)
    self->chunk = (guint) MIN (self->chunk, chunk);
  self->chunk = MIN (self->chunk, self->context);
}

PtLlm *
pt_llm_new (PtModule *module, GError **error)
{
  g_autoptr (PtLlm) self = g_new0 (PtLlm, 1);

  self->cached = g_array_new (FALSE, FALSE, sizeof (gint32));
  self->method = pt_module_method (module, "forward", error);
  if (self->method == NULL || !check_signature (self, module, error))
    return NULL;
  read_limits (self, module);
  self->can_rewind =
      self->layout == LAYOUT_NO_CACHE || finds_cache_by_position (module, self->method);
  self->id_buffer = pt_allocate (self->chunk, sizeof (gint64), error);
  if (self->id_buffer == NULL)
    return NULL;
  self->position_buffer = pt_allocate (self->chunk, sizeof (gint64), error);
  if (self->position_buffer == NULL)
    return NULL;
  /* Only the last row of the logits is looked at: 2,047 rows of SmolLM2 are 402 MB. */
  if (self->chunk > 1)
    pt_method_set_last_row_only (self->method, 0, TRUE);
  /* Nor need logits that a GPU computes leave it. */
  pt_method_keep_output_on_device (self->method, 0, TRUE);
  return g_steal_pointer (&self);
}

void
pt_llm_free (PtLlm *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->cached);
  g_free (self->id_buffer);
  g_free (self->position_buffer);
  g_free (self->row);
  if (self->next != NULL)
    self->device->free (self->device_index, self->next);
  g_free (self);
}

guint
pt_llm_context (const PtLlm *self)
{
  return self->context;
}

guint
pt_llm_position (const PtLlm *self)
{
  return self->cached->len;
}

gsize
pt_llm_width (const PtLlm *self)
{
  return self->width;
}

guint
pt_llm_chunk (const PtLlm *self)
{
  return self->chunk;
}

/* --- reading --- */

gboolean
pt_llm_rewind (PtLlm *self, const gint32 *ids, guint n, guint *kept, GError **error)
{
  const gint32 *cached = (const gint32 *) (gconstpointer) self->cached->data;
  guint same = 0;

  self->is_ahead = FALSE;
  while (same < self->cached->len && same + 1 < n && cached[same] == ids[same])
    same++;
  *kept = 0;
  if (self->broken || (same < self->cached->len && !self->can_rewind)) {
    g_array_set_size (self->cached, 0);
    if (!pt_method_reset_state (self->method, error))
      return FALSE;
    self->broken = FALSE;
    return TRUE;
  }
  g_array_set_size (self->cached, same);
  *kept = same;
  return TRUE;
}

static void
store (gpointer buffer, PtDType type, guint i, gint64 value)
{
  if (type == PT_DTYPE_I64)
    ((gint64 *) buffer)[i] = value;
  else
    ((gint32 *) buffer)[i] = (gint32) value;
}

static gboolean
set_inputs (PtLlm *self, const gint32 *ids, guint n, guint position, GError **error)
{
  gint64 sizes[2] = { 1, n };
  guint n_positions = self->layout == LAYOUT_POSITIONS ? n : 1;
  PtTensor tensor;

  for (guint i = 0; i < n; i++)
    store (self->id_buffer, self->id_type, i, ids[i]);
  if (!pt_tensor_init (&tensor, self->id_type, 2, sizes, NULL, self->id_buffer, error) ||
      !pt_method_set_input_tensor (self->method, 0, &tensor, error))
    return FALSE;
  if (self->layout == LAYOUT_NO_CACHE)
    return TRUE;
  for (guint i = 0; i < n_positions; i++)
    store (self->position_buffer, self->position_type, i, (gint64) position + i);
  sizes[0] = n_positions;
  return pt_tensor_init (&tensor, self->position_type, 1, sizes, NULL, self->position_buffer,
                         error) &&
         pt_method_set_input_tensor (self->method, 1, &tensor, error);
}

/** One call. Without a cache, @ids is everything. */
static gboolean
read_chunk (PtLlm *self, const gint32 *ids, guint n, guint position, GCancellable *cancellable,
            GError **error)
{
  if (!set_inputs (self, ids, n, position, error))
    return FALSE;
  if (!pt_method_execute (self->method, cancellable, error)) {
    /* Half of the layers may have taken the ids in. Cells behind the position do not matter;
     * other state is lost. */
    self->broken = !self->can_rewind;
    return FALSE;
  }
  return TRUE;
}

static gboolean
too_long (const PtLlm *self, guint n, GError **error)
{
  return pt_fail (error, PT_ERROR_CONTEXT_FULL,
                  "The model holds %u tokens, and this is %u too many.", self->context,
                  self->cached->len + n - self->context);
}

/* What the device reads already need not be read. Another id takes the place of that one. */
static gboolean
take_step_ahead (PtLlm *self, const gint32 *ids, guint n)
{
  gboolean is_this = self->is_ahead && n == 1 && ids[0] == self->ahead_id;

  self->is_ahead = FALSE;
  if (is_this)
    g_array_append_vals (self->cached, ids, 1);
  return is_this;
}

gboolean
pt_llm_read (PtLlm *self, const gint32 *ids, guint n, GCancellable *cancellable, GError **error)
{
  guint before = self->cached->len;

  if (n > self->context - before)
    return too_long (self, n, error);
  if (g_cancellable_is_cancelled (cancellable))
    return pt_fail (error, PT_ERROR_CANCELLED, "Stopped.");
  if (take_step_ahead (self, ids, n))
    return TRUE;
  if (self->layout == LAYOUT_NO_CACHE) {
    g_array_append_vals (self->cached, ids, n);
    if (read_chunk (self, (const gint32 *) (gconstpointer) self->cached->data, self->cached->len, 0,
                    cancellable, error))
      return TRUE;
    g_array_set_size (self->cached, before);
    return FALSE;
  }
  for (guint done = 0; done < n;) {
    guint count = MIN (n - done, self->chunk);

    if (g_cancellable_is_cancelled (cancellable))
      return pt_fail (error, PT_ERROR_CANCELLED, "Stopped.");
    if (!read_chunk (self, ids + done, count, self->cached->len, cancellable, error))
      return FALSE;
    g_array_append_vals (self->cached, ids + done, count);
    done += count;
  }
  return TRUE;
}

/* The last row, wherever it is. */
static const guint8 *
last_row (const PtLlm *self, const PtTensor **tensor)
{
  *tensor = pt_method_output (self->method, 0)->as_tensor;
  return (const guint8 *) (*tensor)->data +
         ((*tensor)->numel / self->width - 1) * self->width * pt_dtype_size ((*tensor)->dtype);
}

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

gboolean
pt_llm_wait (PtLlm *self, GError **error)
{
  const PtTensor *tensor = pt_method_output (self->method, 0)->as_tensor;
  const PtDevice *device = pt_device_find (tensor->device_type);

  return device == NULL || device->synchronize == NULL ||
         device->synchronize (tensor->device_index, error);
}

gconstpointer
pt_llm_logits (PtLlm *self, PtDType *dtype, GError **error)
{
  const PtTensor *tensor;
  const guint8 *row = last_row (self, &tensor);

  *dtype = tensor->dtype;
  return tensor->device_type == PT_DEVICE_CPU ? row : fetch_row (self, tensor, row, error);
}

/* --- ahead of the host --- */

/*
 * A cache that is addressed by position forgives a step that nobody asked for: what it wrote is
 * written again before anything reads it.
 */
static gboolean
may_go_ahead (const PtLlm *self)
{
  return self->can_rewind && self->layout != LAYOUT_NO_CACHE && self->id_type == PT_DTYPE_I64 &&
         self->position_type == PT_DTYPE_I64 && self->cached->len < self->context &&
         pt_method_takes_device_input (self->method, 0) &&
         pt_method_takes_device_input (self->method, 1);
}

/* Memory for the next step, and there the position of the last one, which sampling increases. */
static gboolean
prepare_next (PtLlm *self, const PtDevice *device, int index)
{
  gint64 position = (gint64) self->cached->len - 1;

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
  return pt_method_set_input_tensor (self->method, i, &tensor, NULL);
}

/* What cannot be started now is tried again, and complains, when it is asked for. */
static gboolean
step_ahead (PtLlm *self)
{
  return set_next_input (self, 0, 2, self->next) &&
         set_next_input (self, 1, 1, self->next + NEXT_POSITION) &&
         pt_method_execute (self->method, NULL, NULL);
}

/* --- choosing --- */

/* FALSE without an error when the device cannot. */
static gboolean
sample_on_device (PtLlm *self, PtSampler *sampler, gsize width, gint32 *id, GError **error)
{
  PtDeviceSampling how = { pt_sampler_temperature (sampler), pt_sampler_top_p (sampler), 0 };
  const PtTensor *tensor;
  const guint8 *row = last_row (self, &tensor);
  const PtDevice *device = pt_device_find (tensor->device_type);
  int index = tensor->device_index;
  GError *reason = NULL;
  gboolean goes_ahead;

  if (self->on_host || device == NULL || device->sample == NULL)
    return FALSE;
  if (how.temperature > 0)
    how.coin = (double) pt_sampler_coin (sampler);
  goes_ahead = may_go_ahead (self) && prepare_next (self, device, index);
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

gboolean
pt_llm_sample (PtLlm *self, PtSampler *sampler, gsize width, gint32 *id, GError **error)
{
  GError *reason = NULL;
  gconstpointer logits;
  PtDType dtype;

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
