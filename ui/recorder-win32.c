/* SPDX-License-Identifier: BSD-3-Clause */

/* The recorder on Windows, with the wave functions of the system. */

#include "ui/recorder.h"

#include <windows.h>

#include <mmsystem.h>

#include "ui/i18n.h"
#include "ui/sound-level.h"
#include "ui/wav-file.h"

/* All of speech, in files that are not large: 170 MB an hour. */
#define RATE 24000
#define TICK_MS 100
#define N_BLOCKS 8
#define BLOCK_SAMPLES (RATE / 20)

struct _PterisRecorder {
  GObject parent_instance;

  PterisRecorderState state;
  GThread *thread; /* listens; NULL: nobody does */
  HANDLE event;    /* a block is full, or nobody listens any more */
  guint tick;
  char *error;
  double level;

  GMutex lock; /* over what the thread uses */
  gboolean wanted;
  PterisWavFile *file;
  int peak;
  double seconds;
  char *failure;
};

G_DEFINE_FINAL_TYPE (PterisRecorder, pteris_recorder, G_TYPE_OBJECT)

enum { SIGNAL_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
changed (PterisRecorder *self)
{
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

/* ---- the thread ---- */

/* What the system says about itself. */
static char *
wave_error (MMRESULT code)
{
  wchar_t wide[MAXERRORLENGTH] = L"";
  g_autofree char *text = NULL;

  waveInGetErrorTextW (code, wide, MAXERRORLENGTH);
  text = g_utf16_to_utf8 ((const gunichar2 *) wide, -1, NULL, NULL, NULL);
  return g_strdup_printf (_ ("No microphone can be used: %s"), text != NULL ? text : "");
}

static gboolean
is_wanted (PterisRecorder *self)
{
  gboolean wanted;

  g_mutex_lock (&self->lock);
  wanted = self->wanted;
  g_mutex_unlock (&self->lock);
  return wanted;
}

static void
take_samples (PterisRecorder *self, const gint16 *samples, gsize n)
{
  g_autoptr (GError) error = NULL;

  g_mutex_lock (&self->lock);
  for (gsize i = 0; i < n; i++)
    self->peak = MAX (self->peak, ABS ((int) samples[i]));
  if (self->file != NULL && self->failure == NULL) {
    if (!pteris_wav_append (self->file, samples, n, &error))
      self->failure = g_strdup (error->message);
    self->seconds = pteris_wav_seconds (self->file);
  }
  g_mutex_unlock (&self->lock);
}

/* Block by block, in the order in which they are given back. */
static MMRESULT
listen_to (PterisRecorder *self, HWAVEIN device, WAVEHDR *blocks)
{
  MMRESULT code = waveInStart (device);

  for (guint i = 0; code == MMSYSERR_NOERROR;) {
    WAVEHDR *block = &blocks[i % N_BLOCKS];
    const volatile DWORD *flags = &block->dwFlags;

    if ((*flags & WHDR_DONE) == 0) {
      if (!is_wanted (self))
        break;
      WaitForSingleObject (self->event, TICK_MS);
      continue;
    }
    take_samples (self, (const gint16 *) (gpointer) block->lpData,
                  block->dwBytesRecorded / sizeof (gint16));
    block->dwFlags &= ~(DWORD) WHDR_DONE;
    code = waveInAddBuffer (device, block, sizeof *block);
    i++;
  }
  return code;
}

static gpointer
hear (gpointer data)
{
  const WAVEFORMATEX format = { .wFormatTag = WAVE_FORMAT_PCM,
                                .nChannels = 1,
                                .nSamplesPerSec = RATE,
                                .nAvgBytesPerSec = RATE * 2,
                                .nBlockAlign = 2,
                                .wBitsPerSample = 16 };
  PterisRecorder *self = data;
  g_autofree gint16 *samples = g_new (gint16, N_BLOCKS * BLOCK_SAMPLES);
  WAVEHDR blocks[N_BLOCKS] = { 0 };
  HWAVEIN device;
  MMRESULT code =
      waveInOpen (&device, WAVE_MAPPER, &format, (DWORD_PTR) self->event, 0, CALLBACK_EVENT);

  if (code == MMSYSERR_NOERROR) {
    for (guint i = 0; i < N_BLOCKS; i++) {
      blocks[i].lpData = (char *) (samples + (gsize) i * BLOCK_SAMPLES);
      blocks[i].dwBufferLength = BLOCK_SAMPLES * sizeof *samples;
      waveInPrepareHeader (device, &blocks[i], sizeof blocks[i]);
      waveInAddBuffer (device, &blocks[i], sizeof blocks[i]);
    }
    code = listen_to (self, device, blocks);
    waveInReset (device);
    for (guint i = 0; i < N_BLOCKS; i++)
      waveInUnprepareHeader (device, &blocks[i], sizeof blocks[i]);
    waveInClose (device);
  }
  if (code != MMSYSERR_NOERROR) {
    g_mutex_lock (&self->lock);
    if (self->failure == NULL)
      self->failure = wave_error (code);
    g_mutex_unlock (&self->lock);
  }
  return NULL;
}

static void
begin_listening (PterisRecorder *self)
{
  self->wanted = TRUE;
  self->thread = g_thread_new ("recorder", hear, self);
}

/* It ends within the time of a block. */
static void
end_listening (PterisRecorder *self)
{
  g_mutex_lock (&self->lock);
  self->wanted = FALSE;
  g_mutex_unlock (&self->lock);
  SetEvent (self->event);
  g_clear_pointer (&self->thread, g_thread_join);
}

/* ---- the recorder's side of it ---- */

static void
close_all (PterisRecorder *self)
{
  g_clear_handle_id (&self->tick, g_source_remove);
  end_listening (self);
  g_clear_pointer (&self->file, pteris_wav_close);
  g_clear_pointer (&self->failure, g_free);
  self->level = 0;
  self->state = PTERIS_RECORDER_IDLE;
}

static void
fail (PterisRecorder *self, char *why)
{
  close_all (self);
  g_free (self->error);
  self->error = why;
  changed (self);
}

static gboolean
on_tick (gpointer user_data)
{
  PterisRecorder *self = user_data;
  char *failure;
  int peak;

  g_mutex_lock (&self->lock);
  peak = self->peak;
  self->peak = 0;
  failure = g_strdup (self->failure);
  g_mutex_unlock (&self->lock);
  if (failure != NULL) {
    self->tick = 0;
    fail (self, failure);
    return G_SOURCE_REMOVE;
  }
  /* It falls slower than it rises, so that the eye can follow. */
  self->level = MAX (pteris_sound_level (peak), self->level * 0.75);
  if (self->state == PTERIS_RECORDER_STARTING && pteris_recorder_get_seconds (self) > 0)
    self->state = PTERIS_RECORDER_RECORDING;
  changed (self);
  return G_SOURCE_CONTINUE;
}

/* ---- what others do with it ---- */

void
pteris_recorder_start (PterisRecorder *self, const char *path)
{
  g_autoptr (GError) error = NULL;

  close_all (self);
  g_clear_pointer (&self->error, g_free);
  self->seconds = 0;
  self->file = pteris_wav_create (path, RATE, &error);
  if (self->file == NULL) {
    fail (self, g_strdup (error->message));
    return;
  }
  self->state = PTERIS_RECORDER_STARTING;
  self->tick = g_timeout_add (TICK_MS, on_tick, self);
  begin_listening (self);
  changed (self);
}

void
pteris_recorder_set_paused (PterisRecorder *self, gboolean paused)
{
  if (self->state == PTERIS_RECORDER_IDLE || paused == (self->state == PTERIS_RECORDER_PAUSED))
    return;
  if (paused)
    end_listening (self);
  else
    begin_listening (self);
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
  CloseHandle (self->event);
  g_mutex_clear (&self->lock);
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
  self->event = CreateEventW (NULL, FALSE, FALSE, NULL);
}

PterisRecorder *
pteris_recorder_new (void)
{
  return g_object_new (PTERIS_TYPE_RECORDER, NULL);
}
