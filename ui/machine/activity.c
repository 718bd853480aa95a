/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/machine/activity.h"

/* No graph shows more. */
#define MEMORY_US (10 * G_TIME_SPAN_MINUTE)

struct _PterisActivity {
  GObject parent_instance;

  PterisEngines *engines;
  GArray *spans;
  PtStats chat, transcription;
  gboolean has_chat, has_transcription;
};

G_DEFINE_FINAL_TYPE (PterisActivity, pteris_activity, G_TYPE_OBJECT)

enum { SIGNAL_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
forget_old (PterisActivity *self, gint64 now)
{
  guint n = 0;

  while (n < self->spans->len && g_array_index (self->spans, PterisSpan, n).end != 0 &&
         g_array_index (self->spans, PterisSpan, n).end < now - MEMORY_US)
    n++;
  if (n > 0)
    g_array_remove_range (self->spans, 0, n);
}

/* The open span of @kind; NULL: there is none. */
static PterisSpan *
find_open (PterisActivity *self, PtJobKind kind)
{
  for (guint i = self->spans->len; i > 0; i--) {
    PterisSpan *span = &g_array_index (self->spans, PterisSpan, i - 1);

    if (span->kind == kind && span->end == 0)
      return span;
  }
  return NULL;
}

/* Whether an engine runs a job of @kind. */
static gboolean
is_running (PterisActivity *self, PtJobKind kind)
{
  for (guint i = 0; i < PTERIS_N_ENGINES; i++) {
    PtJobKind running = PT_JOB_UNLOAD;

    if (pteris_engine_client_get_jobs (pteris_engines_get (self->engines, i), &running) > 0 &&
        running == kind)
      return TRUE;
  }
  return FALSE;
}

static void
update_spans (PterisActivity *self, PtJobKind kind)
{
  gint64 now = g_get_monotonic_time ();
  PterisSpan *open = find_open (self, kind);
  gboolean working = is_running (self, kind);

  if (open != NULL && !working)
    open->end = now;
  if (open == NULL && working) {
    PterisSpan span = { kind, now, 0 };

    forget_old (self, now);
    g_array_append_val (self->spans, span);
  }
}

static void
on_jobs (PterisActivity *self)
{
  update_spans (self, PT_JOB_CHAT);
  update_spans (self, PT_JOB_TRANSCRIBE);
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

static void
on_stats (PterisActivity *self, guint kind, const PtStats *stats)
{
  if (kind == PT_JOB_CHAT) {
    self->chat = *stats;
    self->has_chat = TRUE;
  } else if (kind == PT_JOB_TRANSCRIBE) {
    self->transcription = *stats;
    self->has_transcription = TRUE;
  }
}

static void
on_engines_changed (PterisActivity *self)
{
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

GArray *
pteris_activity_get_spans (PterisActivity *self)
{
  return self->spans;
}

PterisEngines *
pteris_activity_get_engines (PterisActivity *self)
{
  return self->engines;
}

const PtStats *
pteris_activity_get_stats (PterisActivity *self, PtJobKind kind)
{
  if (kind == PT_JOB_CHAT)
    return self->has_chat ? &self->chat : NULL;
  return kind == PT_JOB_TRANSCRIBE && self->has_transcription ? &self->transcription : NULL;
}

static void
pteris_activity_dispose (GObject *object)
{
  g_clear_object (&PTERIS_ACTIVITY (object)->engines);
  G_OBJECT_CLASS (pteris_activity_parent_class)->dispose (object);
}

static void
pteris_activity_finalize (GObject *object)
{
  g_array_unref (PTERIS_ACTIVITY (object)->spans);
  G_OBJECT_CLASS (pteris_activity_parent_class)->finalize (object);
}

static void
pteris_activity_class_init (PterisActivityClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = pteris_activity_dispose;
  object_class->finalize = pteris_activity_finalize;
  signals[SIGNAL_CHANGED] = g_signal_new ("changed", PTERIS_TYPE_ACTIVITY, G_SIGNAL_RUN_LAST, 0,
                                          NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
pteris_activity_init (PterisActivity *self)
{
  self->spans = g_array_new (FALSE, FALSE, sizeof (PterisSpan));
}

PterisActivity *
pteris_activity_new (PterisEngines *engines)
{
  PterisActivity *self = g_object_new (PTERIS_TYPE_ACTIVITY, NULL);

  self->engines = g_object_ref (engines);
  for (guint i = 0; i < PTERIS_N_ENGINES; i++) {
    PterisEngineClient *client = pteris_engines_get (engines, i);

    g_signal_connect_object (client, "jobs", G_CALLBACK (on_jobs), self, G_CONNECT_SWAPPED);
    g_signal_connect_object (client, "stats", G_CALLBACK (on_stats), self, G_CONNECT_SWAPPED);
  }
  g_signal_connect_object (engines, "changed", G_CALLBACK (on_engines_changed), self,
                           G_CONNECT_SWAPPED);
  return self;
}
