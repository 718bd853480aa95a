/* SPDX-License-Identifier: BSD-3-Clause */

/* The player on Windows: recordings that the engine reads, and the wave functions of the system. */

#include "ui/player.h"

#include <windows.h>

#include <mmsystem.h>

#include "engine/audio/reader.h"
#include "ui/i18n.h"
#include "ui/stretch.h"

#define RATE 44100
/* What is with the system at once: 100 ms, which is what a pause waits for at most. */
#define N_BLOCKS 5
/* How often the place is looked at while playing. */
#define TICK_MS 50
/* Longer than the system needs for what it has. */
#define PATIENCE_MS 2000

/*
 * One way from a place to the end, in a thread of its own. A pause ends it, and so do another
 * place and another speed: then there is another one.
 */
typedef struct {
  char *path;
  double start, speed;
  GCancellable *cancellable; /* the player wants no more of it */

  GMutex lock; /* over the rest */
  double position, duration;
  gboolean is_done;
  char *error;
} Run;

struct _PterisPlayer {
  GObject parent_instance;

  char *path;
  Run *run; /* NULL: it does not play */
  guint tick;
  double position, duration, speed;
  char *error;
};

G_DEFINE_FINAL_TYPE (PterisPlayer, pteris_player, G_TYPE_OBJECT)

enum { SIGNAL_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
changed (PterisPlayer *self)
{
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

/* ---- a run ---- */

static void
run_clear (gpointer data)
{
  Run *run = data;

  g_free (run->path);
  g_object_unref (run->cancellable);
  g_mutex_clear (&run->lock);
  g_free (run->error);
}

static void
run_unref (Run *run)
{
  g_atomic_rc_box_release_full (run, run_clear);
}

/* Sound on its way out. */
typedef struct {
  Run *run;
  PtAudioReader *reader;
  PterisStretch *stretch;
  GError *failure; /* of reading */
  HWAVEOUT device;
  HANDLE event; /* a block was played */
  WAVEHDR blocks[N_BLOCKS];
  guint64 n_played; /* samples given to the system */
} Output;

static gsize
read_samples (gpointer user_data, float *samples, gsize n)
{
  Output *output = user_data;
  gssize got = output->failure == NULL
                   ? pt_audio_reader_read (output->reader, samples, n, output->run->cancellable,
                                           &output->failure)
                   : 0;

  return (gsize) MAX (got, 0);
}

/* What the system says about itself. */
static void
set_wave_error (GError **error, MMRESULT code)
{
  wchar_t wide[MAXERRORLENGTH] = L"";
  g_autofree char *text = NULL;

  waveOutGetErrorTextW (code, wide, MAXERRORLENGTH);
  text = g_utf16_to_utf8 ((const gunichar2 *) wide, -1, NULL, NULL, NULL);
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "%s", text != NULL ? text : "");
}

static gboolean
open_output (Output *output, GError **error)
{
  const WAVEFORMATEX format = { .wFormatTag = WAVE_FORMAT_PCM,
                                .nChannels = 1,
                                .nSamplesPerSec = RATE,
                                .nAvgBytesPerSec = RATE * 2,
                                .nBlockAlign = 2,
                                .wBitsPerSample = 16 };
  Run *run = output->run;
  MMRESULT code;
  gsize piece;

  output->reader = pt_audio_reader_open_at (run->path, run->start, RATE, run->cancellable, error);
  if (output->reader == NULL)
    return FALSE;
  g_mutex_lock (&run->lock);
  run->duration = pt_audio_reader_duration (output->reader);
  g_mutex_unlock (&run->lock);
  output->stretch = pteris_stretch_new (RATE, run->speed, read_samples, output);
  output->event = CreateEventW (NULL, FALSE, FALSE, NULL);
  code = waveOutOpen (&output->device, WAVE_MAPPER, &format, (DWORD_PTR) output->event, 0,
                      CALLBACK_EVENT);
  if (code != MMSYSERR_NOERROR) {
    output->device = NULL;
    set_wave_error (error, code);
    return FALSE;
  }
  piece = pteris_stretch_piece (output->stretch);
  for (guint i = 0; i < N_BLOCKS; i++) {
    WAVEHDR *block = &output->blocks[i];

    block->lpData = g_malloc (piece * sizeof (gint16));
    block->dwBufferLength = (DWORD) (piece * sizeof (gint16));
    waveOutPrepareHeader (output->device, block, sizeof *block);
    block->dwFlags |= WHDR_DONE;
  }
  return TRUE;
}

static void
close_output (Output *output)
{
  if (output->device != NULL) {
    waveOutReset (output->device);
    for (guint i = 0; i < N_BLOCKS; i++)
      waveOutUnprepareHeader (output->device, &output->blocks[i], sizeof output->blocks[i]);
    waveOutClose (output->device);
  }
  for (guint i = 0; i < N_BLOCKS; i++)
    g_free (output->blocks[i].lpData);
  if (output->event != NULL)
    CloseHandle (output->event);
  g_clear_pointer (&output->stretch, pteris_stretch_free);
  g_clear_pointer (&output->reader, pt_audio_reader_free);
  g_clear_error (&output->failure);
}

/* Where one hears it now. */
static void
note_position (Output *output)
{
  MMTIME time = { .wType = TIME_SAMPLES };
  Run *run = output->run;

  if (waveOutGetPosition (output->device, &time, sizeof time) != MMSYSERR_NOERROR ||
      time.wType != TIME_SAMPLES)
    return;
  g_mutex_lock (&run->lock);
  run->position = run->start + time.u.sample * run->speed / RATE;
  g_mutex_unlock (&run->lock);
}

/* Until @block is played. FALSE: nobody wants it any more, or the system has stopped. */
static gboolean
wait_for (Output *output, const WAVEHDR *block)
{
  const volatile DWORD *flags = &block->dwFlags;
  gint64 end = g_get_monotonic_time () + PATIENCE_MS * G_TIME_SPAN_MILLISECOND;

  while ((*flags & WHDR_DONE) == 0) {
    if (g_cancellable_is_cancelled (output->run->cancellable) || g_get_monotonic_time () > end)
      return FALSE;
    WaitForSingleObject (output->event, TICK_MS);
    note_position (output);
  }
  return !g_cancellable_is_cancelled (output->run->cancellable);
}

static gboolean
play_block (Output *output, WAVEHDR *block, GError **error)
{
  gint16 *samples = (gint16 *) (gpointer) block->lpData;
  gsize piece = pteris_stretch_piece (output->stretch);
  g_autofree float *floats = g_new (float, piece);
  MMRESULT code;

  if (!pteris_stretch_next (output->stretch, floats)) {
    if (output->failure != NULL)
      g_propagate_error (error, g_steal_pointer (&output->failure));
    return FALSE;
  }
  for (gsize i = 0; i < piece; i++)
    samples[i] = (gint16) (CLAMP (floats[i], -1, 1) * 32767);
  block->dwFlags &= ~(DWORD) WHDR_DONE;
  code = waveOutWrite (output->device, block, sizeof *block);
  if (code != MMSYSERR_NOERROR)
    set_wave_error (error, code);
  return code == MMSYSERR_NOERROR;
}

static gpointer
play (gpointer data)
{
  Run *run = data;
  Output output = { .run = run };
  g_autoptr (GError) error = NULL;

  if (open_output (&output, &error)) {
    for (guint i = 0; wait_for (&output, &output.blocks[i % N_BLOCKS]); i++)
      if (!play_block (&output, &output.blocks[i % N_BLOCKS], &error))
        break;
    for (guint i = 0; error == NULL && i < N_BLOCKS; i++)
      wait_for (&output, &output.blocks[i]);
  }
  close_output (&output);
  g_mutex_lock (&run->lock);
  run->is_done = TRUE;
  run->error = error != NULL ? g_strdup (error->message) : NULL;
  g_mutex_unlock (&run->lock);
  run_unref (run);
  return NULL;
}

/* ---- the player's side of it ---- */

static void
end_run (PterisPlayer *self)
{
  g_clear_handle_id (&self->tick, g_source_remove);
  if (self->run != NULL)
    g_cancellable_cancel (self->run->cancellable);
  g_clear_pointer (&self->run, run_unref);
}

static void
fail (PterisPlayer *self, const char *why)
{
  end_run (self);
  g_free (self->error);
  self->error = g_strdup_printf (_ ("The recording cannot be played: %s"), why);
}

static gboolean
on_tick (gpointer user_data)
{
  PterisPlayer *self = user_data;
  g_autofree char *error = NULL;
  gboolean is_done;

  g_mutex_lock (&self->run->lock);
  self->position = self->run->position;
  if (self->run->duration >= 0)
    self->duration = self->run->duration;
  is_done = self->run->is_done;
  error = g_strdup (self->run->error);
  g_mutex_unlock (&self->run->lock);
  if (is_done) {
    self->tick = 0;
    self->position = self->duration >= 0 ? self->duration : self->position;
    end_run (self);
  }
  if (error != NULL)
    fail (self, error);
  changed (self);
  return is_done ? G_SOURCE_REMOVE : G_SOURCE_CONTINUE;
}

static void
begin_run (PterisPlayer *self)
{
  Run *run = g_atomic_rc_box_new0 (Run);

  end_run (self);
  run->path = g_strdup (self->path);
  run->start = run->position = self->position;
  run->speed = self->speed;
  run->duration = -1;
  run->cancellable = g_cancellable_new ();
  g_mutex_init (&run->lock);
  self->run = run;
  self->tick = g_timeout_add (TICK_MS, on_tick, self);
  g_thread_unref (g_thread_new ("player", play, g_atomic_rc_box_acquire (run)));
}

/* ---- what others do with it ---- */

void
pteris_player_set_path (PterisPlayer *self, const char *path)
{
  char *copy = g_strdup (path);

  end_run (self);
  g_free (self->path);
  self->path = copy;
  self->position = 0;
  self->duration = -1;
  g_clear_pointer (&self->error, g_free);
  changed (self);
}

void
pteris_player_play (PterisPlayer *self)
{
  if (self->path == NULL || self->run != NULL)
    return;
  g_clear_pointer (&self->error, g_free);
  /* Who plays at the end wants to hear it again. */
  if (self->duration > 0 && self->position >= self->duration - 0.1)
    self->position = 0;
  if (g_file_test (self->path, G_FILE_TEST_EXISTS))
    begin_run (self);
  else
    fail (self, _ ("its file is not there any more."));
  changed (self);
}

void
pteris_player_pause (PterisPlayer *self)
{
  if (self->run == NULL)
    return;
  end_run (self);
  changed (self);
}

gboolean
pteris_player_is_playing (PterisPlayer *self)
{
  return self->run != NULL;
}

void
pteris_player_seek (PterisPlayer *self, double seconds)
{
  self->position = MAX (seconds, 0);
  if (self->run != NULL)
    begin_run (self);
  changed (self);
}

double
pteris_player_get_position (PterisPlayer *self)
{
  return self->position;
}

double
pteris_player_get_duration (PterisPlayer *self)
{
  return self->duration;
}

void
pteris_player_set_speed (PterisPlayer *self, double speed)
{
  self->speed = CLAMP (speed, 0.5, 2);
  if (self->run != NULL)
    begin_run (self);
  changed (self);
}

double
pteris_player_get_speed (PterisPlayer *self)
{
  return self->speed;
}

const char *
pteris_player_get_error (PterisPlayer *self)
{
  return self->error;
}

/* ---- the object ---- */

static void
pteris_player_finalize (GObject *object)
{
  PterisPlayer *self = PTERIS_PLAYER (object);

  end_run (self);
  g_free (self->path);
  g_free (self->error);
  G_OBJECT_CLASS (pteris_player_parent_class)->finalize (object);
}

static void
pteris_player_class_init (PterisPlayerClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = pteris_player_finalize;
  signals[SIGNAL_CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                          0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
pteris_player_init (PterisPlayer *self)
{
  self->duration = -1;
  self->speed = 1;
}

PterisPlayer *
pteris_player_new (void)
{
  return g_object_new (PTERIS_TYPE_PLAYER, NULL);
}
