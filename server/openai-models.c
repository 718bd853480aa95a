/* SPDX-License-Identifier: BSD-3-Clause */

/* GET /v1/models and /v1/models/NAME. */

#include <string.h>

#include "server/serving.h"

/* Of a request that waits for the list. */
typedef struct {
  PterisServing *serving;
  PterisExchange *exchange;
  char *name; /* NULL: all */
} Wanted;

static json_t *
model_json (const PtModelInfo *info)
{
  static const struct {
    const char *task, *route;
  } routes[] = {
    { "chat", "chat" },
    { "transcribe", "audio.transcriptions" },
    { "speak", "audio.speech" },
    { "embed", "embeddings" },
  };
  const char *ability = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (routes); i++)
    if (strcmp (routes[i].task, info->task) == 0)
      ability = routes[i].route;
  return json_pack ("{s:s, s:s, s:I, s:s, s:s, s:[s*]}", "id", info->name, "object", "model",
                    "created", (json_int_t) pteris_model_changed (info), "owned_by", "pteris",
                    "title", info->title, "capabilities", ability);
}

static void
answer (PterisServedModels *models, gpointer data)
{
  Wanted *self = data;
  g_autoptr (GError) error = NULL;
  const GPtrArray *list = pteris_served_models_list (models);
  const PtModelInfo *info;
  json_t *all;

  if (self->name != NULL) {
    info = pteris_served_models_find (models, self->name, "model", &error);
    if (info != NULL)
      pteris_exchange_answer (self->exchange, 200, model_json (info));
    else
      pteris_exchange_fail (self->exchange, error);
  } else {
    all = json_array ();
    for (guint i = 0; i < list->len; i++)
      json_array_append_new (all, model_json (list->pdata[i]));
    pteris_exchange_answer (self->exchange, 200,
                            json_pack ("{s:s, s:o}", "object", "list", "data", all));
  }
  pteris_exchange_unref (self->exchange);
  g_free (self->name);
  g_free (self);
}

static void
begin (PterisServing *serving, PterisExchange *exchange, const char *name)
{
  Wanted *self = g_new0 (Wanted, 1);

  self->serving = serving;
  self->exchange = pteris_exchange_ref (exchange);
  self->name = g_strdup (name);
  pteris_served_models_ask (serving->models, answer, self);
}

void
pteris_openai_models (PterisServing *serving, PterisExchange *exchange, const PterisBody *body)
{
  begin (serving, exchange, NULL);
}

void
pteris_openai_model (PterisServing *serving, PterisExchange *exchange, const PterisBody *body)
{
  begin (serving, exchange, body->parameter);
}
