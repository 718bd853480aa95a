/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/emitter.h"

#include "engine/tasks/vision/classification.h"

struct _PtChannel {
  gatomicrefcount references;
  GMainContext *context;
  PtEventFunc func;
  gpointer user_data;
  GMutex mutex;
  GQueue events;    /* PtEvent; copies, which the channel owns */
  gboolean waiting; /* a source is on its way */
  gboolean closed;  /* nobody listens any more */
};

static PtLoadedModel *
loaded_model_copy (const PtLoadedModel *loaded)
{
  PtLoadedModel *copy = g_memdup2 (loaded, sizeof *loaded);

  copy->name = g_strdup (loaded->name);
  copy->title = g_strdup (loaded->title);
  copy->task = g_strdup (loaded->task);
  copy->license = g_strdup (loaded->license);
  copy->path = g_strdup (loaded->path);
  copy->data = (const char *const *) g_strdupv ((char **) loaded->data);
  copy->tokenizer = g_strdup (loaded->tokenizer);
  copy->device = g_strdup (loaded->device);
  return copy;
}

static void
loaded_model_free (PtLoadedModel *loaded)
{
  if (loaded == NULL)
    return;
  g_free ((char *) loaded->name);
  g_free ((char *) loaded->title);
  g_free ((char *) loaded->task);
  g_free ((char *) loaded->license);
  g_free ((char *) loaded->path);
  g_strfreev ((char **) loaded->data);
  g_free ((char *) loaded->tokenizer);
  g_free ((char *) loaded->device);
  g_free (loaded);
}

/* A copy of @event. Reports are shared: they do not change once they are made. */
static PtEvent *
event_copy (const PtEvent *event)
{
  PtEvent *copy = g_memdup2 (event, sizeof *event);

  copy->text = g_strdup (event->text);
  copy->alternative = g_strdup (event->alternative);
  copy->digest = g_strdup (event->digest);
  copy->words = g_memdup2 (event->words, event->n_words * sizeof (PtWord));
  copy->tokens = g_memdup2 (event->tokens, event->n_tokens * sizeof (PtWord));
  copy->samples = g_memdup2 (event->samples, event->n_samples * sizeof (float));
  if (event->loaded != NULL)
    copy->loaded = loaded_model_copy (event->loaded);
  if (event->classification != NULL)
    copy->classification = pt_classification_copy (event->classification);
  if (event->inspect != NULL)
    copy->inspect = pt_inspect_report_ref (event->inspect);
  if (event->run != NULL)
    copy->run = pt_run_report_ref (event->run);
  if (event->bench != NULL)
    copy->bench = pt_bench_report_ref (event->bench);
  if (event->embedded != NULL)
    copy->embedded = pt_embed_report_ref (event->embedded);
  if (event->privacy != NULL)
    copy->privacy = pt_privacy_report_ref (event->privacy);
  if (event->look != NULL)
    copy->look = pt_look_result_ref (event->look);
  return copy;
}

/* Frees a copy. Its pointers are to const, because events that are delivered must not be changed.
 */
static void
event_free (gpointer data)
{
  PtEvent *event = data;

  g_free ((char *) event->text);
  g_free ((char *) event->alternative);
  g_free ((char *) event->digest);
  g_free ((PtWord *) event->words);
  g_free ((PtWord *) event->tokens);
  g_free ((float *) event->samples);
  loaded_model_free ((PtLoadedModel *) event->loaded);
  pt_classification_free ((PtClassification *) event->classification);
  pt_inspect_report_unref ((PtInspectReport *) event->inspect);
  pt_run_report_unref ((PtRunReport *) event->run);
  pt_bench_report_unref ((PtBenchReport *) event->bench);
  pt_embed_report_unref ((PtEmbedReport *) event->embedded);
  pt_privacy_report_unref ((PtPrivacyReport *) event->privacy);
  pt_look_result_unref ((PtLookResult *) event->look);
  g_free (event);
}

PtChannel *
pt_channel_new (GMainContext *context, PtEventFunc func, gpointer user_data)
{
  PtChannel *channel = g_new0 (PtChannel, 1);

  g_atomic_ref_count_init (&channel->references);
  channel->context =
      context != NULL ? g_main_context_ref (context) : g_main_context_ref_thread_default ();
  channel->func = func;
  channel->user_data = user_data;
  g_mutex_init (&channel->mutex);
  g_queue_init (&channel->events);
  return channel;
}

void
pt_channel_close (PtChannel *channel)
{
  g_mutex_lock (&channel->mutex);
  channel->closed = TRUE;
  g_mutex_unlock (&channel->mutex);
}

static PtChannel *
channel_ref (PtChannel *channel)
{
  g_atomic_ref_count_inc (&channel->references);
  return channel;
}

void
pt_channel_unref (PtChannel *channel)
{
  if (!g_atomic_ref_count_dec (&channel->references))
    return;
  g_queue_clear_full (&channel->events, event_free);
  g_main_context_unref (channel->context);
  g_mutex_clear (&channel->mutex);
  g_free (channel);
}

static PtEvent *
channel_pop (PtChannel *channel)
{
  PtEvent *event;

  g_mutex_lock (&channel->mutex);
  event = channel->closed ? NULL : g_queue_pop_head (&channel->events);
  if (event == NULL)
    channel->waiting = FALSE;
  g_mutex_unlock (&channel->mutex);
  return event;
}

/** Delivers all queued events. No lock is held during the callback. */
static gboolean
channel_dispatch (gpointer data)
{
  PtChannel *channel = data;
  PtEvent *event;

  while ((event = channel_pop (channel)) != NULL) {
    channel->func (event, channel->user_data);
    event_free (event);
  }
  return G_SOURCE_REMOVE;
}

void
pt_channel_send (PtChannel *channel, const PtEvent *event)
{
  PtEvent *copy = event_copy (event);
  gboolean attach;

  g_mutex_lock (&channel->mutex);
  g_queue_push_tail (&channel->events, copy);
  attach = !channel->waiting && !channel->closed;
  channel->waiting |= attach;
  g_mutex_unlock (&channel->mutex);

  if (attach) {
    GSource *source = g_idle_source_new ();

    g_source_set_priority (source, G_PRIORITY_DEFAULT);
    g_source_set_callback (source, channel_dispatch, channel_ref (channel),
                           (GDestroyNotify) pt_channel_unref);
    g_source_set_static_name (source, "pteris-events");
    g_source_attach (source, channel->context);
    g_source_unref (source);
  }
}

void
pt_emitter_send (const PtEmitter *emitter, const PtEvent *event)
{
  PtEvent numbered = *event;

  numbered.job = emitter->job;
  pt_channel_send (emitter->channel, &numbered);
}

void
pt_emit_progress (const PtEmitter *emitter, PtStep step, double fraction)
{
  PtEvent event = { .kind = PT_EVENT_PROGRESS, .step = step, .fraction = fraction };

  pt_emitter_send (emitter, &event);
}

void
pt_emit_text (const PtEmitter *emitter, PtEventKind kind, const char *text)
{
  PtEvent event = { .kind = kind, .text = text };

  pt_emitter_send (emitter, &event);
}

void
pt_emit_stats (const PtEmitter *emitter, const PtStats *stats)
{
  PtEvent event = { .kind = PT_EVENT_STATS, .stats = *stats };

  pt_emitter_send (emitter, &event);
}
