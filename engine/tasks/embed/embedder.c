/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/embed/embedder.h"

#include <math.h>
#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/heap.h"
#include "engine/base/set-error.h"
#include "engine/tasks/embed/embed-prompts.h"
#include "engine/tasks/embed/text-model.h"

/* How far the length of a vector may be from 1. */
#define UNIT_TOLERANCE 1e-3
#define PUNCTUATION "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"

struct _PtEmbedder {
  PtTextModel model;
  PtEmbedPrompts prompts;
  gint32 skipped[sizeof PUNCTUATION - 1]; /* ids of punctuation marks, or -1 */
};

/* One text on its way to the model. */
typedef struct {
  GArray *ids;  /* gint32, with special tokens and padding */
  GArray *mask; /* guint8: 1 for a token, 0 for padding */
  guint first;  /* the first token behind padding in front */
  guint n;      /* tokens without padding */
  gboolean truncated;
} Input;

static void
input_clear (Input *input)
{
  g_clear_pointer (&input->ids, g_array_unref);
  g_clear_pointer (&input->mask, g_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Input, input_clear)

static gboolean
can_embed (const PtModelSet *set, GError **error)
{
  return set->family == PT_FAMILY_TEXT_EMBEDDING || set->family == PT_FAMILY_TOKEN_EMBEDDING ||
         pt_fail (error, PT_ERROR_UNSUPPORTED, "“%s” makes no vectors of texts: it is %s %s.",
                  set->name, pt_family_article (set->family), pt_family_info (set->family)->name);
}

PtEmbedder *
pt_embedder_new (PtModelSet *set, const PtJob *job, GError **error)
{
  g_autoptr (PtEmbedder) self = NULL;

  if (!can_embed (set, error))
    return NULL;
  self = g_new0 (PtEmbedder, 1);
  if (!pt_text_model_open (&self->model, set, job, error))
    return NULL;
  pt_embed_prompts_read (&self->prompts, set);
  for (guint i = 0; i < G_N_ELEMENTS (self->skipped); i++) {
    const char mark[2] = { PUNCTUATION[i], '\0' };

    self->skipped[i] = pt_tokenizer_find (self->model.tokenizer, mark);
  }
  return g_steal_pointer (&self);
}

void
pt_embedder_free (PtEmbedder *self)
{
  if (self == NULL)
    return;
  pt_text_model_clear (&self->model);
  pt_embed_prompts_clear (&self->prompts);
  g_free (self);
}

/* ---- from text to ids ---- */

/* Leaves out what is more than @most ids. */
static void
cut (Input *input, guint most, gboolean front)
{
  guint n = input->ids->len;

  input->truncated = n > most;
  if (input->truncated && front)
    g_array_remove_range (input->ids, 0, n - most);
  else if (input->truncated)
    g_array_set_size (input->ids, most);
}

static gboolean
add_special (PtEmbedder *self, Input *input, GError **error)
{
  const PtTextLength *length = pt_tokenizer_text_length (self->model.tokenizer);
  guint most = self->model.method.most, n_before, n_behind;
  const gint32 *before = pt_tokenizer_prefix (self->model.tokenizer, &n_before);
  const gint32 *behind = pt_tokenizer_suffix (self->model.tokenizer, &n_behind);

  if (length->most > 0)
    most = MIN (most, length->most);
  if (n_before + n_behind >= most)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "The model takes %u tokens, and its tokenizer alone adds %u to a text. Use the "
                    "tokenizer that belongs to the model.",
                    most, n_before + n_behind);
  cut (input, most - n_before - n_behind, length->cut_front);
  g_array_prepend_vals (input->ids, before, n_before);
  g_array_append_vals (input->ids, behind, n_behind);
  input->n = input->ids->len;
  return input->n > 0 || pt_fail (error, PT_ERROR_ARGUMENT, "The text is empty.");
}

/*
 * A call takes the padding that its shape needs, or that makes the text as long as the model's
 * longest. Shorter padding of the tokenizer's is left out: what the mask excludes changes nothing.
 */
static void
add_padding (PtEmbedder *self, Input *input)
{
  const PtTextLength *length = pt_tokenizer_text_length (self->model.tokenizer);
  guint most = self->model.method.most;
  gboolean pads = self->model.method.fixed || length->padded_to >= most;
  guint n_pads = pads ? most - input->n : 0;
  g_autofree gint32 *ids = g_new (gint32, n_pads + 1);

  for (guint i = 0; i < n_pads; i++)
    ids[i] = length->pad;
  if (length->pad_front)
    g_array_prepend_vals (input->ids, ids, n_pads);
  else
    g_array_append_vals (input->ids, ids, n_pads);
  input->first = length->pad_front ? n_pads : 0;
  g_array_set_size (input->mask, input->ids->len);
  memset (input->mask->data + input->first, 1, input->n);
}

static gboolean
read_text (PtEmbedder *self, const char *text, gboolean is_query, Input *input, GError **error)
{
  const PtTextPart parts[] = {
    { is_query ? self->prompts.query : self->prompts.document, -1, TRUE },
    { text, -1, FALSE },
  };

  input->ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  input->mask = g_array_new (FALSE, TRUE, sizeof (guint8)); /* zeros */
  if (!pt_tokenizer_encode_parts (self->model.tokenizer, parts, G_N_ELEMENTS (parts),
                                  PT_ENCODE_PLAIN, input->ids, error) ||
      !add_special (self, input, error))
    return FALSE;
  add_padding (self, input);
  return TRUE;
}

/* ---- from ids to vectors ---- */

static void
scale (float *vector, guint n)
{
  double length = sqrt (pt_embed_dot (vector, vector, n));

  for (guint i = 0; length > 0 && i < n; i++)
    vector[i] = (float) (vector[i] / length);
}

static gboolean
is_skipped (const PtEmbedder *self, gint32 id)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->skipped); i++)
    if (self->skipped[i] == id)
      return TRUE;
  return FALSE;
}

static gboolean
embed_one (PtEmbedder *self, const char *text, gboolean is_query, gboolean normalize, PtHeap *heap,
           PtEmbedding *out, GCancellable *cancellable, GError **error)
{
  PtTextMethod *method = &self->model.method;
  gint64 begin = g_get_monotonic_time ();
  g_auto (Input) input = { 0 };
  guint first, n;
  guint8 *counts;
  float *values;

  if (!read_text (self, text, is_query, &input, error) ||
      !pt_text_method_call (method, (const gint32 *) (gpointer) input.ids->data,
                            (const guint8 *) input.mask->data, input.ids->len, cancellable, error))
    return FALSE;
  first = method->per_token ? input.first : 0;
  n = method->per_token ? input.n : 1;
  values = pt_allocate ((gsize) n * method->width, sizeof (float), error);
  if (values == NULL)
    return FALSE;
  pt_heap_take (heap, values);
  memcpy (values, method->rows + (gsize) first * method->width, sizeof (float) * n * method->width);
  counts = pt_heap_new0 (heap, guint8, n);
  for (guint i = 0; i < n; i++) {
    if (normalize)
      scale (values + (gsize) i * method->width, method->width);
    counts[i] =
        !method->per_token || !is_skipped (self, g_array_index (input.ids, gint32, first + i));
  }
  *out = (PtEmbedding){ .n_tokens = input.n,
                        .truncated = input.truncated,
                        .n_vectors = n,
                        .values = values,
                        .counts = counts };
  out->elapsed_s = (double) (g_get_monotonic_time () - begin) / G_USEC_PER_SEC;
  return TRUE;
}

/* ---- the job ---- */

/* All vectors have one dimension, and are of length 1 or not. */
static gboolean
add_to_report (PtEmbedReport *report, const PtEmbedding *embedding, guint width, GError **error)
{
  if (report->dimension != 0 && report->dimension != width)
    return pt_fail (error, PT_ERROR_INTERNAL,
                    "The model gave %u numbers for this text and %u for another one.", width,
                    report->dimension);
  report->dimension = width;
  for (guint i = 0; i < embedding->n_vectors; i++) {
    const float *vector = embedding->values + (gsize) i * width;
    double length = sqrt (pt_embed_dot (vector, vector, width));

    report->normalized &= fabs (length - 1) <= UNIT_TOLERANCE;
  }
  return TRUE;
}

/* FALSE with an error only when the job was stopped. */
static gboolean
add_text (PtEmbedder *self, const PtEmbedOptions *options, guint i, PtEmbedReport *report,
          PtEmbedding *out, GCancellable *cancellable, GError **error)
{
  g_autofree char *text = g_utf8_make_valid (options->texts[i], -1);
  g_autoptr (GError) reason = NULL;

  if (embed_one (self, text, i < options->n_queries, options->normalize, report->owner, out,
                 cancellable, &reason) &&
      add_to_report (report, out, self->model.method.width, &reason))
    return TRUE;
  if (g_error_matches (reason, PT_ERROR, PT_ERROR_CANCELLED)) {
    g_propagate_error (error, g_steal_pointer (&reason));
    return FALSE;
  }
  *out = (PtEmbedding){ .error = pt_heap_text (report->owner, reason->message) };
  return TRUE;
}

static PtEmbedReport *
new_report (PtEmbedder *self, guint n, guint n_queries)
{
  PtHeap *heap = pt_heap_new ();
  PtEmbedReport *report = pt_heap_new0 (heap, PtEmbedReport, 1);

  report->owner = heap;
  report->model = pt_heap_text (heap, self->model.name);
  report->device = pt_heap_text (heap, self->model.device);
  report->load_s = self->model.load_s;
  self->model.load_s = 0;
  report->many = self->model.method.per_token;
  report->normalized = TRUE;
  report->n_queries = MIN (n_queries, n);
  report->n_embeddings = n;
  return report;
}

PtEmbedReport *
pt_embedder_run (PtEmbedder *self, const PtEmbedOptions *options, PtStepFunc progress,
                 gpointer user_data, GCancellable *cancellable, GError **error)
{
  g_autoptr (PtEmbedReport) report = NULL;
  PtEmbedding *embeddings;
  gint64 told = 0;
  guint n;

  if (!pt_text_model_count (options->texts, &n, error))
    return NULL;
  report = new_report (self, n, options->n_queries);
  report->embeddings = embeddings = pt_heap_new0 (report->owner, PtEmbedding, n);
  for (guint i = 0; i < n; i++) {
    pt_text_model_tell (progress, user_data, i + 1, n, &told);
    if (!add_text (self, options, i, report, &embeddings[i], cancellable, error))
      return NULL;
  }
  report->normalized &= report->dimension > 0;
  return g_steal_pointer (&report);
}
