/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/set-error.h"
#include "engine/tasks/llm/llm-private.h"

#include <string.h>

#include "engine/base/allocate.h"

/* The temperature that models which choose tokens get instead of 0, since they divide by it. */
#define GREEDY 1e-6

/** The ids or embeddings that one call reads. */
typedef struct {
  const gint32 *ids; /* or names of embeddings */
  guint n;
  const PtLlmEmbeddings *media; /* NULL: the chunk is of tokens */
  guint first;                  /* row of @media that the chunk begins with */
} Chunk;

PtLlm *
pt_llm_new (PtModule *module, GError **error)
{
  g_autoptr (PtLlm) self = g_new0 (PtLlm, 1);

  self->now = &self->conversations[0];
  self->now->cached = g_array_new (FALSE, FALSE, sizeof (gint32));
  self->max_conversations = 1;
  self->temperature = (float) GREEDY;
  self->most_guesses = PT_LLM_LEAST_GUESSES;
  if (!pt_llm_find_methods (self, module, error))
    return NULL;
  self->end = self->context;
  self->id_buffer = pt_allocate (MAX (self->chunk + 1, self->least_tokens), sizeof (gint64), error);
  if (self->id_buffer == NULL)
    return NULL;
  self->position_buffer = pt_allocate (self->chunk, sizeof (gint64), error);
  if (self->position_buffer == NULL || !pt_llm_allocate_rows (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

void
pt_llm_free (PtLlm *self)
{
  if (self == NULL)
    return;
  for (guint i = 0; i < PT_LLM_MAX_CONVERSATIONS; i++)
    pt_llm_close_conversation (self, &self->conversations[i]);
  g_clear_pointer (&self->caches, g_array_unref);
  g_free (self->id_buffer);
  g_free (self->position_buffer);
  g_free (self->row);
  g_free (self->rows);
  g_free (self->layers);
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
  return self->now->cached->len;
}

gsize
pt_llm_width (const PtLlm *self)
{
  return self->width;
}

guint
pt_llm_vocabulary (const PtLlm *self)
{
  return pt_llm_count_rows (self->embedding != NULL ? self->embedding : self->prompt.method);
}

guint
pt_llm_chunk (const PtLlm *self)
{
  return self->chunk;
}

/* ---- reading ---- */

void
pt_llm_keep_conversations (PtLlm *self, guint n)
{
  guint most = pt_llm_can_save (self) ? PT_LLM_MAX_CONVERSATIONS : PT_LLM_MAX_ON_DEVICE;

  if (self->layout != PT_LLM_NO_CACHE)
    self->max_conversations = CLAMP (n, 1, most);
}

void
pt_llm_set_end (PtLlm *self, guint n)
{
  self->end = MIN (n, self->context);
}

void
pt_llm_set_temperature (PtLlm *self, double temperature)
{
  self->temperature = (float) MAX (temperature, GREEDY);
}

static gboolean
reset (PtLlm *self, GError **error)
{
  g_array_set_size (self->now->cached, 0);
  if (!pt_method_reset_state (self->prompt.method, error) ||
      (self->step.method != self->prompt.method &&
       !pt_method_reset_state (self->step.method, error)))
    return FALSE;
  self->now->broken = FALSE;
  return TRUE;
}

gboolean
pt_llm_rewind (PtLlm *self, const gint32 *ids, guint n, guint *kept, GError **error)
{
  guint same;

  self->is_ahead = FALSE;
  pt_llm_drop_guesses (self);
  self->end = self->context;
  *kept = 0;
  if (!pt_llm_choose_conversation (self, ids, n, error))
    return FALSE;
  same = pt_llm_count_same (self->now, ids, n);
  if (self->now->broken || (same < self->now->cached->len && !self->can_rewind))
    return reset (self, error);
  g_array_set_size (self->now->cached, same);
  *kept = same;
  return TRUE;
}

static gboolean
set_positions (PtLlm *self, const PtLlmMethod *method, guint n, guint position, GError **error)
{
  gint64 size = self->layout == PT_LLM_POSITIONS ? n + self->filled : 1;
  PtTensor tensor;

  for (guint i = 0; i < size; i++)
    pt_llm_store (self->position_buffer, method->position_type, i, (gint64) position + i);
  return pt_tensor_init (&tensor, method->position_type, 1, &size, NULL, self->position_buffer,
                         error) &&
         pt_method_set_input_tensor (method->method, pt_llm_position_input (self), &tensor, error);
}

/* Sets the input of ids. Names of embeddings are no tokens: the token that stands for embeddings is
 * used in their place. */
static gboolean
set_ids (PtLlm *self, const PtLlmMethod *method, const Chunk *chunk, GError **error)
{
  const gint64 sizes[2] = { 1, chunk->n + self->filled };
  PtTensor tensor;

  for (guint i = 0; i < chunk->n; i++)
    pt_llm_store (self->id_buffer, method->id_type, i,
                  chunk->media != NULL ? chunk->media->token : chunk->ids[i]);
  for (guint i = 0; i < self->filled; i++)
    pt_llm_store (self->id_buffer, method->id_type, chunk->n + i, 0);
  return pt_tensor_init (&tensor, method->id_type, 2, sizes, NULL, self->id_buffer, error) &&
         pt_method_set_input_tensor (method->method, 0, &tensor, error);
}

static gboolean
set_inputs (PtLlm *self, const PtLlmMethod *method, const Chunk *chunk, guint position,
            GCancellable *cancellable, GError **error)
{
  const gint64 one = 1;
  PtTensor tensor;

  if ((self->reading == PT_LLM_IDS || self->reading == PT_LLM_IDS_BESIDE_EMBEDDINGS) &&
      !set_ids (self, method, chunk, error))
    return FALSE;
  if (self->reading != PT_LLM_IDS &&
      !pt_llm_set_rows (self, method, chunk->ids, chunk->n, chunk->media, chunk->first, cancellable,
                        error))
    return FALSE;
  if (self->layout != PT_LLM_NO_CACHE && !set_positions (self, method, chunk->n, position, error))
    return FALSE;
  return !method->chooses ||
         (pt_tensor_init (&tensor, PT_DTYPE_F32, 1, &one, NULL, &self->temperature, error) &&
          pt_method_set_input_tensor (method->method, 2, &tensor, error));
}

/* Runs @method. If device memory is short, the state of other conversations is freed. */
static gboolean
execute (PtLlm *self, PtMethod *method, GCancellable *cancellable, GError **error)
{
  g_autoptr (GError) reason = NULL;

  if (pt_method_execute (method, cancellable, &reason))
    return TRUE;
  if (g_error_matches (reason, PT_ERROR, PT_ERROR_MEMORY) && pt_llm_forget_others (self))
    return pt_method_execute (method, cancellable, error);
  g_propagate_error (error, g_steal_pointer (&reason));
  return FALSE;
}

/** Reads @chunk in one call. Without a cache, @chunk has all ids so far. */
static gboolean
read_chunk (PtLlm *self, const Chunk *chunk, guint position, GCancellable *cancellable,
            GError **error)
{
  const PtLlmMethod *method = chunk->n > 1 ? &self->prompt : &self->step;

  self->last = method;
  self->filled = pt_llm_fills_up (self) ? self->fixed - chunk->n : 0;
  if (!set_inputs (self, method, chunk, position, cancellable, error))
    return FALSE;
  if (!execute (self, method->method, cancellable, error)) {
    /* Some layers may have taken the ids in. Cache cells behind the position do not matter; other
     * state is lost. */
    self->now->broken = !self->can_rewind;
    return FALSE;
  }
  return TRUE;
}

static gboolean
too_long (const PtLlm *self, guint n, GError **error)
{
  return pt_fail (error, PT_ERROR_CONTEXT_FULL,
                  "The model's context holds %u tokens, and this is %u too many.", self->context,
                  self->now->cached->len + n - self->context);
}

/* Whether @ids is the id that the device reads already. If not, its step is overwritten. */
static gboolean
take_step_ahead (PtLlm *self, const gint32 *ids, guint n)
{
  gboolean is_this = self->is_ahead && n == 1 && ids[0] == self->ahead_id;

  self->is_ahead = FALSE;
  if (is_this)
    g_array_append_vals (self->now->cached, ids, 1);
  return is_this;
}

static gboolean
stopped (GCancellable *cancellable, GError **error)
{
  if (!g_cancellable_is_cancelled (cancellable))
    return FALSE;
  pt_fail (error, PT_ERROR_CANCELLED, "Stopped.");
  return TRUE;
}

static gboolean
read_everything (PtLlm *self, const gint32 *ids, guint n, GCancellable *cancellable, GError **error)
{
  guint before = self->now->cached->len;
  Chunk all;

  g_array_append_vals (self->now->cached, ids, n);
  all = (Chunk){ (const gint32 *) (gconstpointer) self->now->cached->data, before + n, NULL, 0 };
  if (read_chunk (self, &all, 0, cancellable, error))
    return TRUE;
  g_array_set_size (self->now->cached, before);
  return FALSE;
}

static gboolean
read_chunks (PtLlm *self, const Chunk *all, GCancellable *cancellable, GError **error)
{
  for (guint done = 0; done < all->n;) {
    guint count = MIN (all->n - done, self->chunk);
    Chunk chunk = { all->ids + done, count, all->media, done };

    if (count < self->least)
      chunk.n = 1;
    if (stopped (cancellable, error) ||
        !read_chunk (self, &chunk, self->now->cached->len, cancellable, error))
      return FALSE;
    g_array_append_vals (self->now->cached, chunk.ids, chunk.n);
    done += chunk.n;
  }
  return TRUE;
}

/* Reads @id and guesses behind it. */
static gboolean
read_and_guess (PtLlm *self, gint32 id, GCancellable *cancellable, GError **error)
{
  gint32 ids[PT_LLM_MAX_GUESSES + 1];
  Chunk chunk = { ids, pt_llm_guess (self, id, ids), NULL, 0 };
  gboolean ok;

  pt_method_set_one_by_one (self->prompt.method, chunk.n > 1);
  ok = read_chunk (self, &chunk, self->now->cached->len, cancellable, error);
  pt_method_set_one_by_one (self->prompt.method, FALSE);
  if (!ok)
    return FALSE;
  g_array_append_val (self->now->cached, id);
  self->n_guessed = chunk.n - 1;
  memcpy (self->guessed, ids + 1, self->n_guessed * sizeof *ids);
  return TRUE;
}

gboolean
pt_llm_read (PtLlm *self, const gint32 *ids, guint n, GCancellable *cancellable, GError **error)
{
  const Chunk all = { ids, n, NULL, 0 };

  if (n > self->context - self->now->cached->len)
    return too_long (self, n, error);
  if (stopped (cancellable, error))
    return FALSE;
  if (take_step_ahead (self, ids, n) || pt_llm_take_guess (self, ids, n))
    return TRUE;
  if (self->layout == PT_LLM_NO_CACHE)
    return read_everything (self, ids, n, cancellable, error);
  if (n == 1 && self->guesses)
    return read_and_guess (self, ids[0], cancellable, error);
  return read_chunks (self, &all, cancellable, error);
}

gsize
pt_llm_embedding_width (const PtLlm *self)
{
  return self->row_width;
}

gboolean
pt_llm_read_embeddings (PtLlm *self, const PtLlmEmbeddings *embeddings, GCancellable *cancellable,
                        GError **error)
{
  const Chunk all = { embeddings->names, embeddings->n, embeddings, 0 };

  if (self->row_width == 0)
    return pt_fail (error, PT_ERROR_UNSUPPORTED, "The model supports text only.");
  if (embeddings->width != self->row_width)
    return pt_fail (
        error, PT_ERROR_UNSUPPORTED,
        "The parts of the model do not belong together: one gives embeddings of %" G_GSIZE_FORMAT
        " numbers, and the other reads %" G_GSIZE_FORMAT ".",
        embeddings->width, self->row_width);
  if (embeddings->n > self->context - self->now->cached->len)
    return too_long (self, embeddings->n, error);
  self->is_ahead = FALSE;
  pt_llm_drop_guesses (self);
  return !stopped (cancellable, error) && read_chunks (self, &all, cancellable, error);
}

const guint8 *
pt_llm_last_row (const PtLlm *self, const PtTensor **tensor)
{
  gsize behind = self->filled + self->n_guessed - self->n_right;

  *tensor = pt_method_output (self->last->method, 0)->as_tensor;
  return (const guint8 *) (*tensor)->data + ((*tensor)->numel / self->width - 1 - behind) *
                                                self->width * pt_dtype_size ((*tensor)->dtype);
}

gboolean
pt_llm_wait (PtLlm *self, GError **error)
{
  const PtTensor *tensor = pt_method_output (self->last->method, 0)->as_tensor;
  const PtDevice *device = pt_device_find (tensor->device_type);

  return device == NULL || device->synchronize == NULL ||
         device->synchronize (tensor->device_index, error);
}
