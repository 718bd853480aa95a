/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/machine/activity.h"

/* No graph shows more. */
#define MEMORY_US (10 * G_TIME_SPAN_MINUTE)

struct _PterisActivity {
  GObject parent_instance;

  PterisEngineClient *client;
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

static void
on_jobs (PterisActivity *self)
{
  gint64 now = g_get_monotonic_time ();
  PtJobKind kind = PT_JOB_UNLOAD;
  PterisSpan *open = NULL;
  gboolean working;

  pteris_engine_client_get_jobs (self->client, &kind);
  working = kind == PT_JOB_CHAT || kind == PT_JOB_TRANSCRIBE;
  if (self->spans->len > 0)
    open = &g_array_index (self->spans, PterisSpan, self->spans->len - 1);
  if (open != NULL && open->end == 0 && (!working || open->kind != kind))
    open->end = now;
  if (working && (open == NULL || open->end != 0)) {
    PterisSpan span = { kind, now, 0 };

    forget_old (self, now);
    g_array_append_val (self->spans, span);
  }
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
on_client_changed (PterisActivity *self)
{
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

GArray *
pteris_activity_get_spans (PterisActivity *self)
{
  return self->spans;
}

PterisEngineClient *
pteris_activity_get_client (PterisActivity *self)
{
  return self->client;
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
  g_clear_object (&PTERIS_ACTIVITY (object)->client);
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
pteris_activity_new (PterisEngineClient *client)
{
  PterisActivity *self = g_object_new (PTERIS_TYPE_ACTIVITY, NULL);

  self->client = g_object_ref (client);
  g_signal_connect_object (client, "jobs", G_CALLBACK (on_jobs), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (client, "stats", G_CALLBACK (on_stats), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (client, "changed", G_CALLBACK (on_client_changed), self,
                           G_CONNECT_SWAPPED);
  return self;
}
