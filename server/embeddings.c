/* SPDX-License-Identifier: BSD-3-Clause */

/* POST /v1/embeddings, and Ollama's /api/embed and /api/embeddings. */

#include <string.h>

#include "server/errand.h"
#include "server/json-fields.h"

#define MOST_TEXTS 2048

typedef enum {
  FORM_OPENAI,
  FORM_OLLAMA,     /* /api/embed */
  FORM_OLLAMA_OLD, /* /api/embeddings: one vector, not of length 1 */
} Form;

/* A request for vectors. */
typedef struct {
  PterisExchange *exchange;
  Form form;
  char *model, *user;
  char **texts;
  gboolean base64;   /* OpenAI: floats as bytes, little-endian */
  gboolean truncate; /* texts that are too long lose their end; else they are refused */
  gint64 begin;
} Vectors;

static void
vectors_free (gpointer data)
{
  Vectors *self = data;

  pteris_exchange_unref (self->exchange);
  g_free (self->model);
  g_free (self->user);
  g_strfreev (self->texts);
  g_free (self);
}

/* ---- the request ---- */

static void
read_texts (Vectors *self, PterisFields *fields, const char *name)
{
  g_autofree const char **texts = NULL;

  pteris_fields_need (fields, name);
  texts = pteris_fields_texts (fields, name, MOST_TEXTS);
  if (texts == NULL)
    return;
  if (texts[0] == NULL)
    pteris_fields_fail (fields, name, PTERIS_FAULT_VALUE, "is empty.");
  for (guint i = 0; texts[i] != NULL; i++)
    if (*texts[i] == '\0')
      pteris_fields_fail (fields, name, PTERIS_FAULT_VALUE, "has an empty text.");
  self->texts = g_strdupv ((char **) texts);
}

static void
read_openai (Vectors *self, PterisFields *fields)
{
  const char *format = pteris_fields_text (fields, "encoding_format");

  self->user = g_strdup (pteris_fields_text (fields, "user"));
  pteris_fields_refuse (fields, "dimensions", NULL,
                        "vectors have the length that the model gives.");
  self->base64 = g_strcmp0 (format, "base64") == 0;
  if (format != NULL && !self->base64 && strcmp (format, "float") != 0)
    pteris_fields_fail (fields, "encoding_format", PTERIS_FAULT_VALUE,
                        "must be “float” or “base64”.");
}

static gboolean
read_request (Vectors *self, const json_t *json, GError **error)
{
  PterisFields fields;

  pteris_fields_begin (&fields, json, NULL, error);
  if (pteris_fields_failed (&fields))
    return FALSE;
  pteris_fields_need (&fields, "model");
  self->model = g_strdup (pteris_fields_text (&fields, "model"));
  read_texts (self, &fields, self->form == FORM_OLLAMA_OLD ? "prompt" : "input");
  if (self->form == FORM_OPENAI) {
    read_openai (self, &fields);
  } else {
    self->truncate = pteris_fields_bool (&fields, "truncate", TRUE);
    pteris_fields_skip (&fields, "keep_alive");
    pteris_fields_refuse (&fields, "options", json_object (), NULL);
    pteris_fields_refuse (&fields, "dimensions", NULL,
                          "vectors have the length that the model gives.");
  }
  return pteris_fields_end (&fields);
}

/* ---- the response ---- */

static json_t *
vector_json (const Vectors *self, const PtEmbedding *embedding, guint dimension)
{
  json_t *list;

  if (self->base64) {
    g_autofree guint32 *bits = g_new (guint32, dimension);
    g_autofree char *text = NULL;

    for (guint i = 0; i < dimension; i++) {
      memcpy (&bits[i], &embedding->values[i], sizeof (guint32));
      bits[i] = GUINT32_TO_LE (bits[i]);
    }
    text = g_base64_encode ((const guchar *) bits, dimension * sizeof (guint32));
    return json_string (text);
  }
  list = json_array ();
  for (guint i = 0; i < dimension; i++)
    json_array_append_new (list, json_real ((double) embedding->values[i]));
  return list;
}

/* Whether all texts have a vector. */
static gboolean
check (const Vectors *self, const PtEmbedReport *report, GError **error)
{
  if (report->many)
    return pteris_fault_set (
        error, 400, "unsupported_model", "model",
        "“%s” gives a vector for each token, which this interface has no place "
        "for.",
        self->model);
  for (guint i = 0; i < report->n_embeddings; i++) {
    g_autofree char *field = g_strdup_printf ("input[%u]", i);

    if (report->embeddings[i].error != NULL)
      return pteris_fault_set (error, 400, PTERIS_FAULT_VALUE, field, "“%s”: %s", field,
                               report->embeddings[i].error);
    if (report->embeddings[i].truncated && !self->truncate)
      return pteris_fault_set (error, 400, "context_length_exceeded", field,
                               "“%s” is longer than the model reads. Divide it.", field);
  }
  return TRUE;
}

static json_t *
openai_json (const Vectors *self, const PtEmbedReport *report, guint tokens)
{
  json_t *list = json_array ();

  for (guint i = 0; i < report->n_embeddings; i++)
    json_array_append_new (
        list, json_pack ("{s:s, s:i, s:o}", "object", "embedding", "index", (int) i, "embedding",
                         vector_json (self, &report->embeddings[i], report->dimension)));
  return json_pack ("{s:s, s:o, s:s, s:{s:i, s:i}}", "object", "list", "data", list, "model",
                    self->model, "usage", "prompt_tokens", (int) tokens, "total_tokens",
                    (int) tokens);
}

static json_t *
ollama_json (const Vectors *self, const PtEmbedReport *report, guint tokens)
{
  json_t *list;

  if (self->form == FORM_OLLAMA_OLD)
    return json_pack ("{s:o}", "embedding",
                      vector_json (self, &report->embeddings[0], report->dimension));
  list = json_array ();
  for (guint i = 0; i < report->n_embeddings; i++)
    json_array_append_new (list, vector_json (self, &report->embeddings[i], report->dimension));
  return json_pack ("{s:s, s:o, s:I, s:I, s:i}", "model", self->model, "embeddings", list,
                    "total_duration", (json_int_t) (g_get_monotonic_time () - self->begin) * 1000,
                    "load_duration", (json_int_t) (report->load_s * 1e9), "prompt_eval_count",
                    (int) tokens);
}

static void
on_event (const PtEvent *event, gpointer data)
{
  Vectors *self = data;
  const PtEmbedReport *report = event->embedded;
  g_autoptr (GError) error = NULL;
  guint tokens = 0;

  if (event->kind != PT_EVENT_REPORT || report == NULL)
    return;
  if (!check (self, report, &error)) {
    pteris_exchange_fail (self->exchange, error);
    return;
  }
  for (guint i = 0; i < report->n_embeddings; i++)
    tokens += report->embeddings[i].n_tokens;
  pteris_exchange_record (self->exchange)->prompt_tokens = tokens;
  pteris_exchange_answer (self->exchange, 200,
                          self->form == FORM_OPENAI ? openai_json (self, report, tokens)
                                                    : ollama_json (self, report, tokens));
}

static void
begin (PterisServing *serving, PterisExchange *exchange, const PterisBody *body, Form form)
{
  Vectors *self = g_new0 (Vectors, 1);
  PtJob job = PT_JOB_INIT (PT_JOB_EMBED);
  PterisErrandNeeds needs;
  g_autoptr (GError) error = NULL;

  self->exchange = pteris_exchange_ref (exchange);
  self->form = form;
  self->begin = g_get_monotonic_time ();
  if (!read_request (self, body->json, &error)) {
    pteris_exchange_fail (exchange, error);
    vectors_free (self);
    return;
  }
  job.embed.texts = (const char *const *) self->texts;
  job.embed.normalize = form != FORM_OLLAMA_OLD;
  needs = (PterisErrandNeeds){ self->model, "embed", self->user };
  pteris_errand_begin (serving, exchange, &needs, &job, on_event, self, vectors_free);
}

void
pteris_openai_embeddings (PterisServing *serving, PterisExchange *exchange, const PterisBody *body)
{
  begin (serving, exchange, body, FORM_OPENAI);
}

void
pteris_ollama_embed (PterisServing *serving, PterisExchange *exchange, const PterisBody *body)
{
  begin (serving, exchange, body, FORM_OLLAMA);
}

void
pteris_ollama_embeddings (PterisServing *serving, PterisExchange *exchange, const PterisBody *body)
{
  begin (serving, exchange, body, FORM_OLLAMA_OLD);
}
