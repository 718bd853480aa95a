/* SPDX-License-Identifier: BSD-3-Clause */

/* POST /v1/audio/transcriptions and /v1/audio/translations. */

#include <math.h>
#include <string.h>

#include "engine/base/json.h"
#include "server/data-files.h"
#include "server/errand.h"
#include "server/form.h"
#include "server/json-fields.h"

typedef enum {
  FORMAT_JSON,
  FORMAT_TEXT,
  FORMAT_SRT,
  FORMAT_VTT,
  FORMAT_VERBOSE,
  N_FORMATS,
} Format;

static const char *const FORMATS[N_FORMATS] = { "json", "text", "srt", "vtt", "verbose_json" };

/* A recording that is being transcribed. */
typedef struct {
  PterisExchange *exchange;
  PterisDataFiles *files;
  char *model, *language;
  const char *path; /* belongs to @files */
  gboolean translate, stream;
  Format format;
  gboolean words, segment_times; /* of verbose_json */
  GArray *segments;              /* PtSegment; texts and words are ours */
  GString *text;
  PtStats stats;
} Transcript;

static void
transcript_free (gpointer data)
{
  Transcript *self = data;

  pteris_exchange_unref (self->exchange);
  pteris_data_files_free (self->files);
  g_free (self->model);
  g_free (self->language);
  g_array_unref (self->segments);
  g_string_free (self->text, TRUE);
  g_free (self);
}

/* ---- the request ---- */

static void
read_format (Transcript *self, PterisFields *fields)
{
  const char *name = pteris_fields_text (fields, "response_format");
  guint i = 0;

  if (name == NULL)
    return;
  while (i < N_FORMATS && strcmp (FORMATS[i], name) != 0)
    i++;
  if (i == N_FORMATS)
    pteris_fields_fail (fields, "response_format", PTERIS_FAULT_VALUE,
                        "must be “json”, “text”, “srt”, “vtt” or “verbose_json”.");
  else
    self->format = (Format) i;
}

static void
read_granularities (Transcript *self, PterisFields *fields)
{
  g_autofree const char **names = pteris_fields_texts (fields, "timestamp_granularities", 2);

  self->segment_times = names == NULL;
  for (guint i = 0; names != NULL && names[i] != NULL; i++) {
    if (strcmp (names[i], "word") == 0)
      self->words = TRUE;
    else if (strcmp (names[i], "segment") == 0)
      self->segment_times = TRUE;
    else
      pteris_fields_fail (fields, "timestamp_granularities", PTERIS_FAULT_VALUE,
                          "must have “word” and “segment” only.");
  }
  if (names != NULL && self->format != FORMAT_VERBOSE)
    pteris_fields_fail (fields, "timestamp_granularities", PTERIS_FAULT_VALUE,
                        "needs “response_format”: “verbose_json”.");
}

static gboolean
read_members (Transcript *self, const json_t *json, GError **error)
{
  PterisFields fields;

  pteris_fields_begin (&fields, json, NULL, error);
  pteris_fields_need (&fields, "model");
  self->model = g_strdup (pteris_fields_text (&fields, "model"));
  read_format (self, &fields);
  pteris_fields_refuse (&fields, "prompt", json_string (""), NULL);
  pteris_fields_refuse (&fields, "temperature", json_integer (0),
                        "the model raises it by itself where it has to.");
  if (!self->translate) {
    self->language = g_strdup (pteris_fields_text (&fields, "language"));
    read_granularities (self, &fields);
    self->stream = pteris_fields_bool (&fields, "stream", FALSE);
    pteris_fields_refuse (&fields, "chunking_strategy", json_string ("auto"), NULL);
    if (self->stream && self->format != FORMAT_JSON && self->format != FORMAT_TEXT)
      pteris_fields_fail (&fields, "stream", PTERIS_FAULT_VALUE,
                          "needs “response_format”: “json” or “text”.");
  } else {
    self->segment_times = TRUE;
  }
  return pteris_fields_end (&fields);
}

static gboolean
read_request (Transcript *self, const PterisBody *body, GError **error)
{
  static const PterisFormKind kinds[] = {
    { "temperature", PTERIS_FORM_NUMBER },
    { "stream", PTERIS_FORM_BOOL },
    { NULL },
  };
  g_auto (PterisForm) form = { 0 };
  gconstpointer data;
  gsize size;

  if (!pteris_form_read (
          &form, soup_server_message_get_request_headers (pteris_exchange_message (self->exchange)),
          body->bytes, "file", kinds, error) ||
      !read_members (self, form.members, error))
    return FALSE;
  data = g_bytes_get_data (form.file, &size);
  if (size == 0)
    return pteris_fault_set (error, 400, PTERIS_FAULT_VALUE, "file", "“file” is empty.");
  self->path = pteris_data_files_add (self->files, data, size, form.file_extension, error);
  return self->path != NULL;
}

/* ---- the response ---- */

static void
take_segment (Transcript *self, const PtEvent *event)
{
  PtSegment segment = pt_segment_from_event (event);
  g_autofree char *delta = g_strconcat (self->text->len > 0 ? " " : "", event->text, NULL);

  g_string_append (self->text, delta);
  g_array_append_val (self->segments, segment);
  if (!self->stream)
    return;
  pteris_exchange_begin (self->exchange);
  pteris_exchange_send (self->exchange, "transcript.text.delta",
                        json_pack ("{s:s, s:s}", "type", "transcript.text.delta", "delta", delta));
}

/* Mean of the logarithms; 0: unknown. */
static double
mean_logprob (const PtSegment *segment)
{
  const PtWord *tokens = segment->n_tokens > 0 ? segment->tokens : segment->words;
  guint n = segment->n_tokens > 0 ? segment->n_tokens : segment->n_words;
  double sum = 0;

  for (guint i = 0; i < n; i++)
    sum += log (MAX ((double) tokens[i].probability, 1e-9));
  return n > 0 ? sum / n : 0;
}

static json_t *
segments_json (const Transcript *self)
{
  json_t *list = json_array ();

  for (guint i = 0; i < self->segments->len; i++) {
    const PtSegment *segment = &g_array_index (self->segments, PtSegment, i);
    json_t *json =
        json_pack ("{s:i, s:f, s:f, s:o, s:f, s:f}", "id", (int) i, "start", segment->start, "end",
                   segment->end, "text", pt_json_text (segment->text), "avg_logprob",
                   mean_logprob (segment), "temperature", 0.0);

    if (segment->speaker > 0)
      json_object_set_new (json, "speaker", json_integer (segment->speaker));
    json_array_append_new (list, json);
  }
  return list;
}

/* Models that do not say when words are spoken give them the times of their segment, as
 * “pteris transcribe --timestamps word” does. */
static json_t *
words_json (const Transcript *self)
{
  json_t *list = json_array ();

  for (guint i = 0; i < self->segments->len; i++) {
    const PtSegment *segment = &g_array_index (self->segments, PtSegment, i);

    for (guint j = 0; j < segment->n_words; j++) {
      const PtWord *word = &segment->words[j];
      gboolean timed = word->to > 0;
      g_autofree char *text = g_strndup (segment->text + word->start, word->length);

      json_array_append_new (list,
                             json_pack ("{s:o, s:f, s:f}", "word", pt_json_text (g_strstrip (text)),
                                        "start", timed ? word->from : segment->start, "end",
                                        timed ? word->to : segment->end));
    }
  }
  return list;
}

static void
answer_verbose (const Transcript *self)
{
  json_t *json;

  json = json_pack ("{s:s, s:s, s:f, s:s}", "task", self->translate ? "translate" : "transcribe",
                    "language",
                    *self->stats.language != '\0' ? self->stats.language
                    : self->language != NULL      ? self->language
                                                  : "",
                    "duration", self->stats.audio_total_s, "text", self->text->str);
  if (self->segment_times)
    json_object_set_new (json, "segments", segments_json (self));
  if (self->words)
    json_object_set_new (json, "words", words_json (self));
  json_object_set_new (
      json, "usage",
      json_pack ("{s:s, s:f}", "type", "duration", "seconds", self->stats.audio_total_s));
  pteris_exchange_answer (self->exchange, 200, json);
}

static void
answer_text (const Transcript *self, const char *type, char *text)
{
  g_autoptr (GBytes) bytes = g_bytes_new_take (text, strlen (text));

  pteris_exchange_answer_bytes (self->exchange, type, bytes);
}

static void
end (Transcript *self)
{
  const PtSegment *segments = (const PtSegment *) (gconstpointer) self->segments->data;
  guint n = self->segments->len;
  json_t *usage =
      json_pack ("{s:s, s:f}", "type", "duration", "seconds", self->stats.audio_total_s);

  if (self->stream) {
    pteris_exchange_begin (self->exchange);
    pteris_exchange_send (self->exchange, "transcript.text.done",
                          json_pack ("{s:s, s:s, s:O}", "type", "transcript.text.done", "text",
                                     self->text->str, "usage", usage));
    pteris_exchange_end (self->exchange, FALSE);
  } else if (self->format == FORMAT_VERBOSE) {
    answer_verbose (self);
  } else if (self->format == FORMAT_JSON) {
    pteris_exchange_answer (self->exchange, 200,
                            json_pack ("{s:s, s:O}", "text", self->text->str, "usage", usage));
  } else if (self->format == FORMAT_TEXT) {
    answer_text (self, "text/plain; charset=utf-8", g_strconcat (self->text->str, "\n", NULL));
  } else {
    gboolean srt = self->format == FORMAT_SRT;

    answer_text (self, srt ? "application/x-subrip; charset=utf-8" : "text/vtt; charset=utf-8",
                 pt_format_segments (segments, n, srt ? PT_SUBTITLE_SRT : PT_SUBTITLE_VTT));
  }
  json_decref (usage);
}

static void
on_event (const PtEvent *event, gpointer data)
{
  Transcript *self = data;

  switch (event->kind) {
  case PT_EVENT_SEGMENT: take_segment (self, event); break;
  case PT_EVENT_STATS: self->stats = event->stats; break;
  case PT_EVENT_DONE: end (self); break;
  default: break;
  }
}

static void
begin (PterisServing *serving, PterisExchange *exchange, const PterisBody *body, gboolean translate)
{
  Transcript *self = g_new0 (Transcript, 1);
  PtJob job = PT_JOB_INIT (PT_JOB_TRANSCRIBE);
  PterisErrandNeeds needs;
  g_autoptr (GError) error = NULL;

  self->exchange = pteris_exchange_ref (exchange);
  self->files = pteris_data_files_new ();
  self->translate = translate;
  self->segments = g_array_new (FALSE, FALSE, sizeof (PtSegment));
  g_array_set_clear_func (self->segments, (GDestroyNotify) pt_segment_clear);
  self->text = g_string_new (NULL);
  if (!read_request (self, body, &error)) {
    pteris_exchange_fail (exchange, error);
    transcript_free (self);
    return;
  }
  job.speech.audio = self->path;
  job.speech.language = self->language;
  job.speech.translate = translate;
  needs = (PterisErrandNeeds){ self->model, "transcribe", NULL };
  pteris_errand_begin (serving, exchange, &needs, &job, on_event, self, transcript_free);
}

void
pteris_openai_transcriptions (PterisServing *serving, PterisExchange *exchange,
                              const PterisBody *body)
{
  begin (serving, exchange, body, FALSE);
}

void
pteris_openai_translations (PterisServing *serving, PterisExchange *exchange,
                            const PterisBody *body)
{
  begin (serving, exchange, body, TRUE);
}
