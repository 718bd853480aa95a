/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/embed/privacy-filter.h"

#include <math.h>
#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/heap.h"
#include "engine/base/set-error.h"
#include "engine/tasks/embed/privacy-labels.h"
#include "engine/tasks/embed/text-model.h"
#include "engine/tasks/embed/viterbi.h"

/* Labels of a token: a limit of sense. */
#define MAX_LABELS 4096
/* Scores of a window, so that memory for their path is small. */
#define MAX_SCORES (1 << 26)
/* The shortest window that has an inner half. */
#define MIN_WINDOW 4
/* The padding of the published filters: <|endoftext|> of o200k. */
#define PAD_O200K 199999

struct _PtPrivacyFilter {
  PtTextModel model;
  char **labels;      /* names */
  PtLabelRole *roles; /* of each label */
  guint n_labels;
  gint32 pad;
  gint32 *ids; /* [most]: the window */
  guint8 *mask;
  guint *path;
};

/* A text and what is known of its tokens. */
typedef struct {
  const char *text;
  GArray *ids;    /* gint32 */
  gsize *ends;    /* byte of the text behind each token */
  guint *found;   /* label of each token */
  float *certain; /* probability of that label */
} Reading;

static void
reading_clear (Reading *reading)
{
  g_clear_pointer (&reading->ids, g_array_unref);
  g_free (reading->ends);
  g_free (reading->found);
  g_free (reading->certain);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Reading, reading_clear)

static gboolean
choose_labels (PtPrivacyFilter *self, const PtModelSet *set, GError **error)
{
  const PtTensorSpec *out = pt_method_output_spec (self->model.method.method, 0)->as_tensor;
  gint32 n = out->sizes[out->rank - 1];

  if (!self->model.method.per_token || n < 2 || n > MAX_LABELS ||
      self->model.method.most < MIN_WINDOW || self->model.method.most > MAX_SCORES / (guint) n)
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "This token classifier is not supported: it must return [1, n, labels] with 2 "
                    "to %d labels for at least %d tokens, and not too many of both.",
                    MAX_LABELS, MIN_WINDOW);
  self->n_labels = (guint) n;
  self->labels = pt_privacy_labels (set->folder, self->n_labels);
  self->roles = pt_label_roles ((const char *const *) self->labels, self->n_labels);
  return TRUE;
}

PtPrivacyFilter *
pt_privacy_filter_new (PtModelSet *set, const PtJob *job, GError **error)
{
  g_autoptr (PtPrivacyFilter) self = NULL;

  if (set->family != PT_FAMILY_TOKEN_CLASSIFIER) {
    pt_fail (error, PT_ERROR_UNSUPPORTED, "“%s” finds no names in texts: it is %s %s.", set->name,
             pt_family_article (set->family), pt_family_info (set->family)->name);
    return NULL;
  }
  self = g_new0 (PtPrivacyFilter, 1);
  if (!pt_text_model_open (&self->model, set, job, error) || !choose_labels (self, set, error))
    return NULL;
  self->pad = pt_tokenizer_n_ids (self->model.tokenizer) > PAD_O200K
                  ? PAD_O200K
                  : pt_tokenizer_text_length (self->model.tokenizer)->pad;
  self->ids = pt_allocate (self->model.method.most, sizeof *self->ids, error);
  self->mask = self->ids != NULL ? pt_allocate (self->model.method.most, 1, error) : NULL;
  self->path =
      self->mask != NULL ? pt_allocate (self->model.method.most, sizeof (guint), error) : NULL;
  return self->path != NULL ? g_steal_pointer (&self) : NULL;
}

void
pt_privacy_filter_free (PtPrivacyFilter *self)
{
  if (self == NULL)
    return;
  pt_text_model_clear (&self->model);
  g_strfreev (self->labels);
  g_free (self->roles);
  g_free (self->ids);
  g_free (self->mask);
  g_free (self->path);
  g_free (self);
}

/* ---- labels of tokens ---- */

/* The probability of @label by the scores of one token. */
static float
share_of (const float *scores, guint n, guint label)
{
  double most = scores[0], sum = 0;

  for (guint i = 1; i < n; i++)
    most = MAX (most, scores[i]);
  for (guint i = 0; i < n; i++)
    sum += exp (scores[i] - most);
  return (float) (exp (scores[label] - most) / sum);
}

/* Labels the window at token @begin of @n, keeping what it says of tokens @from to @to of it. */
static gboolean
run_window (PtPrivacyFilter *self, Reading *reading, guint begin, guint n, guint from, guint to,
            GCancellable *cancellable, GError **error)
{
  PtTextMethod *method = &self->model.method;
  guint length = method->fixed ? method->most : n;

  for (guint i = 0; i < length; i++) {
    self->ids[i] = i < n ? g_array_index (reading->ids, gint32, begin + i) : self->pad;
    self->mask[i] = i < n;
  }
  if (!pt_text_method_call (method, self->ids, self->mask, length, cancellable, error))
    return FALSE;
  if (method->width != self->n_labels)
    return pt_fail (error, PT_ERROR_INTERNAL, "The model gave another number of labels.");
  pt_viterbi (method->rows, n, self->roles, self->n_labels, self->path);
  for (guint i = from; i < to; i++) {
    reading->found[begin + i] = self->path[i];
    reading->certain[begin + i] =
        share_of (method->rows + (gsize) i * self->n_labels, self->n_labels, self->path[i]);
  }
  return TRUE;
}

/* Windows of S tokens begin every S / 2; the inner half of each counts, and the text's ends. */
static gboolean
run_windows (PtPrivacyFilter *self, Reading *reading, GCancellable *cancellable, GError **error)
{
  guint size = self->model.method.most, total = reading->ids->len;
  gboolean is_last = total == 0;

  for (guint begin = 0; !is_last; begin += size / 2) {
    guint n = MIN (size, total - begin);

    is_last = n == total - begin;
    if (!run_window (self, reading, begin, n, begin == 0 ? 0 : size / 4,
                     is_last ? n : size - size / 4, cancellable, error))
      return FALSE;
  }
  return TRUE;
}

/* ---- spans ---- */

/* Finds where in the text each token ends. */
static gboolean
find_ends (PtPrivacyFilter *self, Reading *reading, GError **error)
{
  gsize length = strlen (reading->text), at = 0;

  for (guint i = 0; i < reading->ids->len; i++) {
    gsize n = 0;
    const char *bytes =
        pt_tokenizer_bytes (self->model.tokenizer, g_array_index (reading->ids, gint32, i), &n);

    if (bytes == NULL || n > length - at || memcmp (reading->text + at, bytes, n) != 0)
      break;
    at += n;
    reading->ends[i] = at;
  }
  return at == length || pt_fail (error, PT_ERROR_UNSUPPORTED,
                                  "The tokens of this model's tokenizer do not add up to the text, "
                                  "so its labels have no place in the text.");
}

/* Makes @span one of whole characters without white space around it. FALSE: nothing is left. */
static gboolean
trim (const char *text, PtPrivacySpan *span)
{
  while (span->start > 0 && (text[span->start] & 0xC0) == 0x80)
    span->start--;
  while ((text[span->end] & 0xC0) == 0x80)
    span->end++;
  while (span->start < span->end && g_unichar_isspace (g_utf8_get_char (text + span->start)))
    span->start = (gsize) (g_utf8_next_char (text + span->start) - text);
  while (span->end > span->start) {
    const char *last = g_utf8_prev_char (text + span->end);

    if (!g_unichar_isspace (g_utf8_get_char (last)))
      return TRUE;
    span->end = (gsize) (last - text);
  }
  return FALSE;
}

/* Neighbouring tokens of one entity are one span, whatever part of it they are. */
static void
add_spans (PtPrivacyFilter *self, const Reading *reading, PtHeap *heap, PtPrivacyText *out)
{
  GArray *spans = g_array_new (FALSE, FALSE, sizeof (PtPrivacySpan));
  guint n = reading->ids->len, i = 0, last;

  for (; i < n; i = last) {
    guint entity = self->roles[reading->found[i]].entity;
    PtPrivacySpan span = { .start = i > 0 ? reading->ends[i - 1] : 0 };

    for (last = i; last < n && self->roles[reading->found[last]].entity == entity; last++)
      span.probability += reading->certain[last];
    span.probability /= last - i;
    span.end = reading->ends[last - 1];
    /* A character may be made of two spans' tokens: the first one has it. */
    if (spans->len > 0)
      span.start = MAX (span.start, g_array_index (spans, PtPrivacySpan, spans->len - 1).end);
    if (entity == 0 || span.start >= span.end || !trim (reading->text, &span))
      continue;
    span.label = pt_heap_text (heap, self->labels[reading->found[i]] + 2);
    g_array_append_val (spans, span);
  }
  out->spans = pt_heap_take_array (heap, spans, &out->n_spans);
}

static gboolean
read_text (PtPrivacyFilter *self, PtHeap *heap, PtPrivacyText *out, GCancellable *cancellable,
           GError **error)
{
  gint64 begin = g_get_monotonic_time ();
  g_auto (Reading)
      reading = { .text = out->text, .ids = g_array_new (FALSE, FALSE, sizeof (gint32)) };
  guint n;

  if (!pt_tokenizer_encode (self->model.tokenizer, out->text, -1, PT_ENCODE_PLAIN, reading.ids,
                            error))
    return FALSE;
  n = reading.ids->len;
  reading.ends = g_new0 (gsize, n + 1);
  reading.found = g_new0 (guint, n + 1);
  reading.certain = g_new0 (float, n + 1);
  if (!find_ends (self, &reading, error) || !run_windows (self, &reading, cancellable, error))
    return FALSE;
  add_spans (self, &reading, heap, out);
  out->n_tokens = n;
  out->elapsed_s = (double) (g_get_monotonic_time () - begin) / G_USEC_PER_SEC;
  return TRUE;
}

/* ---- the job ---- */

static PtPrivacyReport *
new_report (PtPrivacyFilter *self, guint n)
{
  PtHeap *heap = pt_heap_new ();
  PtPrivacyReport *report = pt_heap_new0 (heap, PtPrivacyReport, 1);

  report->owner = heap;
  report->model = pt_heap_text (heap, self->model.name);
  report->device = pt_heap_text (heap, self->model.device);
  report->load_s = self->model.load_s;
  self->model.load_s = 0;
  report->n_texts = n;
  return report;
}

PtPrivacyReport *
pt_privacy_filter_run (PtPrivacyFilter *self, const PtPrivacyOptions *options, PtStepFunc progress,
                       gpointer user_data, GCancellable *cancellable, GError **error)
{
  g_autoptr (PtPrivacyReport) report = NULL;
  PtPrivacyText *texts;
  gint64 told = 0;
  guint n;

  if (!pt_text_model_count (options->texts, &n, error))
    return NULL;
  report = new_report (self, n);
  report->texts = texts = pt_heap_new0 (report->owner, PtPrivacyText, n);
  for (guint i = 0; i < n; i++) {
    g_autoptr (GError) reason = NULL;

    pt_text_model_tell (progress, user_data, i + 1, n, &told);
    texts[i].text = pt_heap_text (report->owner, options->texts[i]);
    if (read_text (self, report->owner, &texts[i], cancellable, &reason))
      continue;
    if (g_error_matches (reason, PT_ERROR, PT_ERROR_CANCELLED)) {
      g_propagate_error (error, g_steal_pointer (&reason));
      return NULL;
    }
    texts[i].error = pt_heap_text (report->owner, reason->message);
  }
  return g_steal_pointer (&report);
}
