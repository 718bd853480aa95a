/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/emitter.h"

#include "engine/host/messages.h"

typedef struct {
  PtEvent event;
  PtHeap *heap; /* owns what @event points to, and references to its reports */
} QueuedEvent;

struct _PtChannel {
  gatomicrefcount references;
  GMainContext *context;
  PtEventFunc func;
  gpointer user_data;
  GMutex mutex;
  GQueue events;    /* QueuedEvent */
  gboolean waiting; /* a source is on its way */
  gboolean closed;  /* nobody listens any more */
};

static void
queued_event_free (gpointer data)
{
  QueuedEvent *queued = data;

  pt_heap_unref (queued->heap);
  g_free (queued);
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
  g_queue_clear_full (&channel->events, queued_event_free);
  g_main_context_unref (channel->context);
  g_mutex_clear (&channel->mutex);
  g_free (channel);
}

static QueuedEvent *
channel_pop (PtChannel *channel)
{
  QueuedEvent *queued;

  g_mutex_lock (&channel->mutex);
  queued = channel->closed ? NULL : g_queue_pop_head (&channel->events);
  if (queued == NULL)
    channel->waiting = FALSE;
  g_mutex_unlock (&channel->mutex);
  return queued;
}

/** Delivers all queued events. No lock is held during the callback. */
static gboolean
channel_dispatch (gpointer data)
{
  PtChannel *channel = data;
  QueuedEvent *queued;

  while ((queued = channel_pop (channel)) != NULL) {
    channel->func (&queued->event, channel->user_data);
    queued_event_free (queued);
  }
  return G_SOURCE_REMOVE;
}

/* @heap gives back a reference to @report, and this returns it. */
static gconstpointer
hold (PtHeap *heap, gconstpointer report, GDestroyNotify unref)
{
  pt_heap_hold (heap, (gpointer) report, unref);
  return report;
}

#define HOLD(field, name)   \
  if (event->field != NULL) \
  copy->field = hold (heap, name##_ref (event->field), (GDestroyNotify) name##_unref)

/* Reports are not copied: @heap holds a reference to each. */
static void
hold_reports (PtEvent *copy, const PtEvent *event, PtHeap *heap)
{
  HOLD (inspect, pt_inspect_report);
  HOLD (run, pt_run_report);
  HOLD (bench, pt_bench_report);
  HOLD (embedded, pt_embed_report);
  HOLD (privacy, pt_privacy_report);
  HOLD (look, pt_look_result);
}

static void
channel_push (PtChannel *channel, QueuedEvent *queued)
{
  GSource *source;
  gboolean attach;

  g_mutex_lock (&channel->mutex);
  g_queue_push_tail (&channel->events, queued);
  attach = !channel->waiting && !channel->closed;
  channel->waiting |= attach;
  g_mutex_unlock (&channel->mutex);

  if (!attach)
    return;
  source = g_idle_source_new ();
  g_source_set_priority (source, G_PRIORITY_DEFAULT);
  g_source_set_callback (source, channel_dispatch, channel_ref (channel),
                         (GDestroyNotify) pt_channel_unref);
  g_source_set_static_name (source, "pteris-events");
  g_source_attach (source, channel->context);
  g_source_unref (source);
}

void
pt_channel_send (PtChannel *channel, const PtEvent *event)
{
  QueuedEvent *queued = g_new0 (QueuedEvent, 1);
  PtEvent plain = *event;

  plain.inspect = NULL;
  plain.run = NULL;
  plain.bench = NULL;
  plain.embedded = NULL;
  plain.privacy = NULL;
  plain.look = NULL;
  queued->heap = pt_heap_new ();
  pt_fields_copy (&pt_event_fields, &plain, &queued->event, queued->heap);
  hold_reports (&queued->event, event, queued->heap);
  channel_push (channel, queued);
}

void
pt_channel_pass (PtChannel *channel, const PtEvent *event, PtHeap *heap)
{
  QueuedEvent *queued = g_new0 (QueuedEvent, 1);

  queued->event = *event;
  queued->heap = pt_heap_ref (heap);
  channel_push (channel, queued);
}

void
pt_emitter_send (const PtEmitter *emitter, const PtEvent *event)
{
  PtEvent numbered = *event;

  numbered.job = emitter->job;
  pt_shown_take (emitter->shown, &numbered);
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
