/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/engine/privacy-search.h"

#include <pteris/engine.h>

typedef struct {
  GTask *task;
  PtEngine *engine;
  guint64 job;
  gulong stop; /* handler of the cancellable; 0: there is none */
  PtPrivacyReport *report;
  GError *error;
} Search;

/* An engine is not freed in its own events. */
static gboolean
end (gpointer user_data)
{
  Search *search = user_data;

  g_cancellable_disconnect (g_task_get_cancellable (search->task), search->stop);
  pt_engine_free (search->engine);
  if (search->error != NULL)
    g_task_return_error (search->task, search->error);
  else
    g_task_return_pointer (search->task, search->report, (GDestroyNotify) pt_privacy_report_unref);
  g_object_unref (search->task);
  g_free (search);
  return G_SOURCE_REMOVE;
}

static void
on_event (const PtEvent *event, gpointer user_data)
{
  Search *search = user_data;

  if (event->kind == PT_EVENT_REPORT && event->privacy != NULL && search->report == NULL)
    search->report = pt_privacy_report_ref (event->privacy);
  if (event->kind != PT_EVENT_DONE && event->kind != PT_EVENT_FAILED &&
      event->kind != PT_EVENT_STOPPED)
    return;
  if (event->kind == PT_EVENT_FAILED)
    search->error = g_error_new_literal (PT_ERROR, (int) event->code, event->text);
  else if (event->kind == PT_EVENT_STOPPED || search->report == NULL)
    search->error = g_error_new_literal (PT_ERROR, PT_ERROR_CANCELLED, "Stopped.");
  if (search->error != NULL)
    g_clear_pointer (&search->report, pt_privacy_report_unref);
  g_idle_add (end, search);
}

static void
on_cancelled (GCancellable *cancellable, gpointer user_data)
{
  const Search *search = user_data;

  pt_engine_cancel (search->engine, search->job);
}

void
pteris_privacy_search_async (PterisModel *model, const char *const *texts,
                             GCancellable *cancellable, GAsyncReadyCallback callback,
                             gpointer user_data)
{
  const PterisCompanions *companions = pteris_model_get_companions (model);
  Search *search = g_new0 (Search, 1);
  PtJob job = PT_JOB_INIT (PT_JOB_PRIVACY);

  search->task = g_task_new (NULL, cancellable, callback, user_data);
  g_task_set_source_tag (search->task, pteris_privacy_search_async);
  g_task_set_check_cancellable (search->task, FALSE);
  search->engine = pt_engine_new_with_options (NULL, NULL, on_event, search);
  job.model.path = pteris_model_get_info (model)->path;
  if (companions != NULL) {
    job.model.data = (const char *const *) companions->data;
    job.model.tokenizer = companions->tokenizer;
    job.model.family = companions->family;
  }
  job.privacy.texts = texts;
  search->job = pt_engine_submit (search->engine, &job);
  if (cancellable != NULL)
    search->stop = g_cancellable_connect (cancellable, G_CALLBACK (on_cancelled), search, NULL);
}

PtPrivacyReport *
pteris_privacy_search_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
