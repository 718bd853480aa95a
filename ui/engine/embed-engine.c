/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/engine/embed-engine.h"

#include <pteris/engine.h>

#define KEEP_SECONDS 60

typedef struct {
  PterisEmbedFunc func;
  gpointer user_data;
  PtEmbedReport *report; /* once it is there */
} Job;

struct _PterisEmbedEngine {
  GObject parent_instance;

  PtEngine *engine; /* NULL: nothing to do */
  GHashTable *jobs; /* id -> Job */
  guint release_source;
};

G_DEFINE_FINAL_TYPE (PterisEmbedEngine, pteris_embed_engine, G_TYPE_OBJECT)

static void
job_free (Job *job)
{
  g_clear_pointer (&job->report, pt_embed_report_unref);
  g_free (job);
}

static gboolean
release_later (gpointer user_data)
{
  PterisEmbedEngine *self = user_data;

  self->release_source = 0;
  pteris_embed_engine_release (self);
  return G_SOURCE_REMOVE;
}

static void
end (PterisEmbedEngine *self, const PtEvent *event)
{
  Job *job = NULL;

  if (!g_hash_table_steal_extended (self->jobs, &event->job, NULL, (gpointer *) &job))
    return;
  if (g_hash_table_size (self->jobs) == 0)
    self->release_source = g_timeout_add_seconds (KEEP_SECONDS, release_later, self);
  job->func (event->kind == PT_EVENT_DONE ? job->report : NULL,
             event->kind == PT_EVENT_FAILED ? event->text : NULL, job->user_data);
  job_free (job);
}

static void
on_event (const PtEvent *event, gpointer user_data)
{
  PterisEmbedEngine *self = user_data;
  Job *job = g_hash_table_lookup (self->jobs, &event->job);

  if (event->kind == PT_EVENT_REPORT && event->embedded != NULL && job != NULL &&
      job->report == NULL)
    job->report = pt_embed_report_ref (event->embedded);
  else if (event->kind == PT_EVENT_DONE || event->kind == PT_EVENT_FAILED ||
           event->kind == PT_EVENT_STOPPED)
    end (self, event);
}

guint64
pteris_embed_engine_submit (PterisEmbedEngine *self, PterisModel *model, const char *const *texts,
                            gboolean is_query, PterisEmbedFunc func, gpointer user_data)
{
  const PterisCompanions *companions = pteris_model_get_companions (model);
  const PtEngineOptions options = { .size = sizeof options, .n_threads = 1, .gives_way = TRUE };
  PtJob request = PT_JOB_INIT (PT_JOB_EMBED);
  Job *job = g_new0 (Job, 1);
  guint64 id;

  g_clear_handle_id (&self->release_source, g_source_remove);
  if (self->engine == NULL)
    self->engine = pt_engine_new_with_options (&options, NULL, on_event, self);
  request.model.path = pteris_model_get_info (model)->path;
  if (companions != NULL) {
    request.model.data = (const char *const *) companions->data;
    request.model.tokenizer = companions->tokenizer;
    request.model.family = companions->family;
  }
  request.embed.texts = texts;
  request.embed.n_queries = is_query ? G_MAXUINT : 0;
  request.embed.normalize = TRUE;
  id = pt_engine_submit (self->engine, &request);
  job->func = func;
  job->user_data = user_data;
  g_hash_table_insert (self->jobs, g_memdup2 (&id, sizeof id), job);
  return id;
}

void
pteris_embed_engine_cancel (PterisEmbedEngine *self, guint64 job)
{
  if (self->engine != NULL)
    pt_engine_cancel (self->engine, job);
}

void
pteris_embed_engine_release (PterisEmbedEngine *self)
{
  g_clear_handle_id (&self->release_source, g_source_remove);
  g_clear_pointer (&self->engine, pt_engine_free);
  g_hash_table_remove_all (self->jobs);
}

static void
pteris_embed_engine_dispose (GObject *object)
{
  pteris_embed_engine_release (PTERIS_EMBED_ENGINE (object));
  G_OBJECT_CLASS (pteris_embed_engine_parent_class)->dispose (object);
}

static void
pteris_embed_engine_finalize (GObject *object)
{
  g_hash_table_unref (PTERIS_EMBED_ENGINE (object)->jobs);
  G_OBJECT_CLASS (pteris_embed_engine_parent_class)->finalize (object);
}

static void
pteris_embed_engine_class_init (PterisEmbedEngineClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = pteris_embed_engine_dispose;
  G_OBJECT_CLASS (klass)->finalize = pteris_embed_engine_finalize;
}

static void
pteris_embed_engine_init (PterisEmbedEngine *self)
{
  self->jobs =
      g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, (GDestroyNotify) job_free);
}

PterisEmbedEngine *
pteris_embed_engine_new (void)
{
  return g_object_new (PTERIS_TYPE_EMBED_ENGINE, NULL);
}
