/* SPDX-License-Identifier: BSD-3-Clause */
#include "server/errand.h"

#include <string.h>

typedef struct {
  PterisServing *serving;
  PterisExchange *exchange;
  char *model, *user;
  const char *task;
  PtJob job;
  PterisPoolJob *pool_job; /* NULL: it has ended, or not begun */
  PtEventFunc func;
  gpointer user_data;
  GDestroyNotify destroy;
} Errand;

static void
errand_free (gpointer data)
{
  Errand *self = data;

  pteris_exchange_set_gone (self->exchange, NULL, NULL);
  self->destroy (self->user_data);
  pteris_exchange_unref (self->exchange);
  g_free (self->model);
  g_free (self->user);
  g_free (self);
}

static void
on_event (const PtEvent *event, gpointer data)
{
  Errand *self = data;
  g_autoptr (GError) error = NULL;

  switch (event->kind) {
  case PT_EVENT_STOPPED: self->pool_job = NULL; return;
  case PT_EVENT_FAILED:
    self->pool_job = NULL;
    error = pteris_fault_of_event (event);
    pteris_exchange_fail (self->exchange, error);
    return;
  case PT_EVENT_DONE: self->pool_job = NULL; break;
  default: break;
  }
  self->func (event, self->user_data);
}

static void
on_gone (gpointer data)
{
  Errand *self = data;

  if (self->pool_job != NULL)
    pteris_model_pool_cancel (self->serving->pool, self->pool_job);
}

static gboolean
can (const PtModelInfo *info, const char *task)
{
  if (strcmp (info->task, task) == 0)
    return TRUE;
  /* Models that hear can write down what they hear. */
  return strcmp (task, "transcribe") == 0 && strcmp (info->task, "chat") == 0 &&
         (info->takes & PT_MODEL_AUDIO) != 0;
}

/* "for chat" */
static const char *
purpose_of (const char *task)
{
  return strcmp (task, "chat") == 0         ? "chats"
         : strcmp (task, "transcribe") == 0 ? "transcribes"
         : strcmp (task, "embed") == 0      ? "makes vectors of texts"
                                            : "speaks";
}

static gboolean
submit (Errand *self, GError **error)
{
  const PtModelInfo *info =
      pteris_served_models_find (self->serving->models, self->model, "model", error);
  g_autofree char *client = NULL;

  if (info == NULL)
    return FALSE;
  pteris_exchange_record (self->exchange)->model = g_strdup (info->name);
  if (!can (info, self->task))
    return pteris_fault_set (error, 400, "unsupported_model", "model",
                             "“%s” is no model that %s. GET /v1/models says what models can do.",
                             info->name, purpose_of (self->task));
  client = pteris_exchange_client (self->exchange, self->user);
  self->pool_job = pteris_model_pool_submit (self->serving->pool, info, client, &self->job,
                                             on_event, self, errand_free, error);
  return self->pool_job != NULL;
}

static void
on_models (PterisServedModels *models, gpointer data)
{
  Errand *self = data;
  g_autoptr (GError) error = NULL;

  if (!pteris_exchange_is_open (self->exchange)) {
    errand_free (self);
    return;
  }
  if (submit (self, &error)) {
    pteris_exchange_set_gone (self->exchange, on_gone, self);
    return;
  }
  pteris_exchange_fail (self->exchange, error);
  errand_free (self);
}

void
pteris_errand_begin (PterisServing *serving, PterisExchange *exchange,
                     const PterisErrandNeeds *needs, const PtJob *job, PtEventFunc func,
                     gpointer user_data, GDestroyNotify destroy)
{
  Errand *self = g_new0 (Errand, 1);

  self->serving = serving;
  self->exchange = pteris_exchange_ref (exchange);
  self->model = g_strdup (needs->model);
  self->user = g_strdup (needs->user);
  self->task = needs->task;
  self->job = *job;
  self->func = func;
  self->user_data = user_data;
  self->destroy = destroy;
  pteris_served_models_ask (serving->models, on_models, self);
}
