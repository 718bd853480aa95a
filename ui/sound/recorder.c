/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/sound/recorder.h"

#include <gio/gio.h>
#include <glib/gstdio.h>

#include "ui/i18n.h"
#include "ui/sound/sound-choice.h"
#include "ui/sound/sound-level.h"
#include "ui/sound/wav-file.h"

/* Sample rate: enough for speech, with files of 170 MB per hour. */
#define RATE 24000
#define TICK_MS 100
/* Time without any sample after which the device counts as removed, in microseconds. */
#define PATIENCE_US (10 * G_USEC_PER_SEC)
/* Peak, of 32768, that every microphone exceeds even in a quiet room; rounding errors do not. */
#define SILENCE 2
/* Seconds of sound that are needed to detect silence. */
#define DOUBT_S 3

struct _PterisRecorder {
  GObject parent_instance;

  PterisRecorderState state;
  char *path;
  GCancellable *preparing;   /* the device is searched for */
  PterisSoundDevice *device; /* as chosen, then as found */
  char *note;                /* about the device; NULL: none */
  PterisSoundSource *source; /* NULL: nobody listens */
  guint tick;
  char *error;
  double level;

  GMutex lock; /* protects the members used by the source's thread */
  PterisWavFile *file;
  int peak;
  gboolean is_heard; /* something was, ever */
  gint64 last_us;    /* time of the latest samples */
  double seconds;
  GError *failure;
};

G_DEFINE_FINAL_TYPE (PterisRecorder, pteris_recorder, G_TYPE_OBJECT)

enum { SIGNAL_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
changed (PterisRecorder *self)
{
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

/* ---- the file ---- */

/* Runs in a thread of the source. */
static void
take_samples (gpointer user_data, const gint16 *samples, gsize n)
{
  PterisRecorder *self = user_data;

  g_mutex_lock (&self->lock);
  if (self->failure == NULL) {
    for (gsize i = 0; i < n; i++)
      self->peak = MAX (self->peak, ABS ((int) samples[i]));
    self->is_heard = self->is_heard || self->peak > SILENCE;
    self->last_us = g_get_monotonic_time ();
    pteris_wav_append (self->file, samples, n, &self->failure);
    self->seconds = pteris_wav_seconds (self->file);
  }
  g_mutex_unlock (&self->lock);
}

static void
close_file (PterisRecorder *self)
{
  if (self->file == NULL)
    return;
  g_clear_pointer (&self->file, pteris_wav_close);
  if (self->seconds <= 0)
    g_unlink (self->path);
}

static void
close_all (PterisRecorder *self)
{
  g_clear_object (&self->preparing);
  g_clear_handle_id (&self->tick, g_source_remove);
  g_clear_pointer (&self->source, pteris_sound_source_free);
  close_file (self);
  g_clear_error (&self->failure);
  self->level = 0;
  self->state = PTERIS_RECORDER_IDLE;
}

static void
fail (PterisRecorder *self, char *why)
{
  g_clear_pointer (&self->source, pteris_sound_source_free);
  /* Samples from before the microphone worked are not part of the recording. */
  if (self->state == PTERIS_RECORDER_STARTING)
    self->seconds = 0;
  close_all (self);
  g_free (self->error);
  self->error = why;
  changed (self);
}

/* The sentence of an error. @reason completes it. Free with g_free(). */
static char *
describe_failure (PterisRecorder *self, const char *reason)
{
  gboolean starts = self->state == PTERIS_RECORDER_STARTING;

  if (pteris_recorder_get_kind (self) == PTERIS_SOUND_COMPUTER)
    return starts
               /* Translators: followed by the reason, which completes the sentence. */
               ? g_strdup_printf (_ ("What the computer plays cannot be recorded: %s"), reason)
               : g_strdup_printf (_ ("What the computer plays can no longer be recorded: %s The "
                                     "audio recorded so far is kept."),
                                  reason);
  return starts ? g_strdup_printf (_ ("No microphone available: %s"), reason)
                : g_strdup_printf (_ ("The microphone is no longer available: %s The audio "
                                      "recorded so far is kept."),
                                   reason);
}

static void
fail_source (PterisRecorder *self, const char *reason)
{
  fail (self, describe_failure (self, reason));
}

/* ---- the device ---- */

static gboolean
is_stalled (PterisRecorder *self)
{
  gint64 last_us;

  g_mutex_lock (&self->lock);
  last_us = self->last_us;
  g_mutex_unlock (&self->lock);
  return g_get_monotonic_time () - last_us > PATIENCE_US;
}

/* FALSE: it is over. */
static gboolean
check (PterisRecorder *self)
{
  g_autoptr (GError) error = NULL;
  char *failure = NULL;

  g_mutex_lock (&self->lock);
  if (self->failure != NULL)
    failure = g_strdup (self->failure->message);
  g_mutex_unlock (&self->lock);
  if (failure != NULL)
    fail (self, failure);
  else if (self->source == NULL)
    return TRUE;
  else if (pteris_sound_source_check (self->source, &error)) {
    if (!is_stalled (self))
      return TRUE;
    fail_source (self, _ ("it gives no audio."));
  } else if (error != NULL)
    fail_source (self, error->message);
  else
    pteris_recorder_stop (self);
  return FALSE;
}

static gboolean
on_tick (gpointer user_data)
{
  PterisRecorder *self = user_data;
  guint tick = self->tick;
  int peak;

  self->tick = 0;
  if (!check (self))
    return G_SOURCE_REMOVE;
  self->tick = tick;
  g_mutex_lock (&self->lock);
  peak = self->peak;
  self->peak = 0;
  g_mutex_unlock (&self->lock);
  /* The level falls slower than it rises, so that it can be read. */
  self->level = MAX (pteris_sound_level (peak), self->level * 0.75);
  if (self->state == PTERIS_RECORDER_STARTING && pteris_recorder_get_seconds (self) > 0)
    self->state = PTERIS_RECORDER_RECORDING;
  changed (self);
  return G_SOURCE_CONTINUE;
}

static void
listen_to_it (PterisRecorder *self)
{
  self->last_us = g_get_monotonic_time ();
  self->source = pteris_sound_source_new (self->device, RATE, take_samples, self);
}

static void
set_device (PterisRecorder *self, PterisSoundDevice *device)
{
  g_clear_pointer (&self->device, pteris_sound_device_unref);
  self->device = device;
  g_free (self->note);
  self->note = device != NULL ? pteris_sound_choice_note (device) : NULL;
}

static void
on_found (GObject *object, GAsyncResult *result, gpointer user_data)
{
  PterisRecorder *self = PTERIS_RECORDER (object);
  g_autoptr (GError) error = NULL;
  g_autoptr (PterisSoundDevice) device = pteris_sound_find_finish (result, &error);

  /* The recorder was stopped, and may have been started again. */
  if (g_task_get_cancellable (G_TASK (result)) != self->preparing)
    return;
  if (device == NULL) {
    fail_source (self, error->message);
    return;
  }
  g_clear_object (&self->preparing);
  set_device (self, g_steal_pointer (&device));
  self->file = pteris_wav_create (self->path, RATE, &error);
  if (self->file == NULL) {
    fail (self, g_strdup (error->message));
    return;
  }
  listen_to_it (self);
  if (check (self))
    self->tick = g_timeout_add (TICK_MS, on_tick, self);
}

/* ---- public functions ---- */

void
pteris_recorder_start (PterisRecorder *self, const char *path)
{
  close_all (self);
  g_clear_pointer (&self->error, g_free);
  g_free (self->path);
  self->path = g_strdup (path);
  self->seconds = 0;
  self->is_heard = FALSE;
  self->state = PTERIS_RECORDER_STARTING;
  self->preparing = g_cancellable_new ();
  set_device (self, pteris_sound_choice_get (PTERIS_SOUND_RECORDS));
  pteris_sound_find_async (self, self->device, self->preparing, on_found);
  changed (self);
}

/* Close the microphone while paused: some systems indicate an open microphone. */
void
pteris_recorder_set_paused (PterisRecorder *self, gboolean paused)
{
  if (self->file == NULL || paused == (self->state == PTERIS_RECORDER_PAUSED))
    return;
  if (paused)
    g_clear_pointer (&self->source, pteris_sound_source_free);
  else
    listen_to_it (self);
  self->state = paused ? PTERIS_RECORDER_PAUSED : PTERIS_RECORDER_RECORDING;
  changed (self);
}

void
pteris_recorder_stop (PterisRecorder *self)
{
  if (self->state == PTERIS_RECORDER_IDLE)
    return;
  close_all (self);
  changed (self);
}

PterisRecorderState
pteris_recorder_get_state (PterisRecorder *self)
{
  return self->state;
}

double
pteris_recorder_get_seconds (PterisRecorder *self)
{
  double seconds;

  g_mutex_lock (&self->lock);
  seconds = self->seconds;
  g_mutex_unlock (&self->lock);
  return seconds;
}

double
pteris_recorder_sync (PterisRecorder *self)
{
  double seconds;

  g_mutex_lock (&self->lock);
  if (self->file != NULL)
    pteris_wav_sync (self->file);
  seconds = self->seconds;
  g_mutex_unlock (&self->lock);
  return seconds;
}

double
pteris_recorder_get_level (PterisRecorder *self)
{
  return self->level;
}

PterisSoundKind
pteris_recorder_get_kind (PterisRecorder *self)
{
  return self->device != NULL ? self->device->kind : PTERIS_SOUND_MICROPHONE;
}

const char *
pteris_recorder_get_note (PterisRecorder *self)
{
  return self->note;
}

gboolean
pteris_recorder_is_silent (PterisRecorder *self)
{
  gboolean silent;

  g_mutex_lock (&self->lock);
  silent = !self->is_heard && self->seconds >= DOUBT_S;
  g_mutex_unlock (&self->lock);
  return silent;
}

const char *
pteris_recorder_get_error (PterisRecorder *self)
{
  return self->error;
}

/* ---- the object ---- */

static void
pteris_recorder_finalize (GObject *object)
{
  PterisRecorder *self = PTERIS_RECORDER (object);

  close_all (self);
  set_device (self, NULL);
  g_mutex_clear (&self->lock);
  g_free (self->note);
  g_free (self->path);
  g_free (self->error);
  G_OBJECT_CLASS (pteris_recorder_parent_class)->finalize (object);
}

static void
pteris_recorder_class_init (PterisRecorderClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = pteris_recorder_finalize;
  signals[SIGNAL_CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                          0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
pteris_recorder_init (PterisRecorder *self)
{
  g_mutex_init (&self->lock);
}

PterisRecorder *
pteris_recorder_new (void)
{
  return g_object_new (PTERIS_TYPE_RECORDER, NULL);
}
