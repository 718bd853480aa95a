/* SPDX-License-Identifier: BSD-3-Clause */

/* Input and output of sound with the wave functions of Windows, each line in a thread of its own.
 */

#include "ui/sound/sound.h"

#include <windows.h>

#include <mmsystem.h>

#include <gio/gio.h>

/* Size of a microphone's block, in fractions of a second. */
#define PARTS 20
#define N_HEARD 8
/* Blocks queued in the system: 100 ms for pieces of 20 ms, which is the delay of a stop.
 */
#define N_SAID 5
/* Interval of a thread's checks, in milliseconds. */
#define TICK_MS 50
/* Longer than the system needs to play its queue. */
#define PATIENCE_MS 2000

gboolean
pteris_sound_prepare (GError **error)
{
  return TRUE;
}

static WAVEFORMATEX
make_format (guint rate)
{
  return (WAVEFORMATEX){ .wFormatTag = WAVE_FORMAT_PCM,
                         .nChannels = 1,
                         .nSamplesPerSec = rate,
                         .nAvgBytesPerSec = rate * 2,
                         .nBlockAlign = 2,
                         .wBitsPerSample = 16 };
}

/* Makes an error from the system's message. */
static GError *
make_error (MMRESULT code, MMRESULT (WINAPI *describe) (MMRESULT, wchar_t *, UINT))
{
  wchar_t wide[MAXERRORLENGTH] = L"";
  g_autofree char *text = NULL;

  if (code == MMSYSERR_NOERROR)
    return NULL;
  describe (code, wide, MAXERRORLENGTH);
  text = g_utf16_to_utf8 ((const gunichar2 *) wide, -1, NULL, NULL, NULL);
  return g_error_new_literal (G_IO_ERROR, G_IO_ERROR_FAILED, text != NULL ? text : "");
}

static gboolean
is_done (const WAVEHDR *block)
{
  const volatile DWORD *flags = &block->dwFlags;

  return (*flags & WHDR_DONE) != 0;
}

/* ---- a line: a thread and its users ---- */

typedef struct {
  HANDLE event; /* a block is done, or the line was freed */

  GMutex lock; /* over the rest */
  gboolean is_unwanted, is_over;
  GError *failure;
} Line;

static void
begin_line (Line *line)
{
  g_mutex_init (&line->lock);
  line->event = CreateEventW (NULL, FALSE, FALSE, NULL);
}

static void
clear_line (Line *line)
{
  CloseHandle (line->event);
  g_mutex_clear (&line->lock);
  g_clear_error (&line->failure);
}

static gboolean
is_wanted (Line *line)
{
  gboolean wanted;

  g_mutex_lock (&line->lock);
  wanted = !line->is_unwanted;
  g_mutex_unlock (&line->lock);
  return wanted;
}

static void
let_go (Line *line)
{
  g_mutex_lock (&line->lock);
  line->is_unwanted = TRUE;
  g_mutex_unlock (&line->lock);
  SetEvent (line->event);
}

/* The last call of a thread. @failure: or NULL; taken. */
static void
end_line (Line *line, GError *failure)
{
  g_mutex_lock (&line->lock);
  line->is_over = TRUE;
  line->failure = failure;
  g_mutex_unlock (&line->lock);
}

static gboolean
check_line (Line *line, GError **error)
{
  gboolean is_over;

  g_mutex_lock (&line->lock);
  is_over = line->is_over;
  if (line->failure != NULL)
    g_propagate_error (error, g_error_copy (line->failure));
  g_mutex_unlock (&line->lock);
  return !is_over;
}

/* ---- the microphone ---- */

struct _PterisSoundSource {
  Line line;
  GThread *thread;
  guint rate;
  PterisSoundReceive *receive;
  gpointer user_data;
};

/* Records block by block, in the order in which the system returns them. */
static MMRESULT
listen_to (PterisSoundSource *self, HWAVEIN device, WAVEHDR *blocks)
{
  MMRESULT code = waveInStart (device);

  for (guint i = 0; code == MMSYSERR_NOERROR;) {
    WAVEHDR *block = &blocks[i % N_HEARD];

    if (!is_done (block)) {
      if (!is_wanted (&self->line))
        break;
      WaitForSingleObject (self->line.event, TICK_MS);
      continue;
    }
    self->receive (self->user_data, (const gint16 *) (gpointer) block->lpData,
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
  PterisSoundSource *self = data;
  const WAVEFORMATEX format = make_format (self->rate);
  gsize part = self->rate / PARTS;
  g_autofree gint16 *samples = g_new (gint16, N_HEARD * part);
  WAVEHDR blocks[N_HEARD] = { 0 };
  HWAVEIN device;
  MMRESULT code =
      waveInOpen (&device, WAVE_MAPPER, &format, (DWORD_PTR) self->line.event, 0, CALLBACK_EVENT);

  if (code == MMSYSERR_NOERROR) {
    for (guint i = 0; i < N_HEARD; i++) {
      blocks[i].lpData = (char *) (samples + i * part);
      blocks[i].dwBufferLength = (DWORD) (part * sizeof *samples);
      waveInPrepareHeader (device, &blocks[i], sizeof blocks[i]);
      waveInAddBuffer (device, &blocks[i], sizeof blocks[i]);
    }
    code = listen_to (self, device, blocks);
    waveInReset (device);
    for (guint i = 0; i < N_HEARD; i++)
      waveInUnprepareHeader (device, &blocks[i], sizeof blocks[i]);
    waveInClose (device);
  }
  end_line (&self->line, make_error (code, waveInGetErrorTextW));
  return NULL;
}

PterisSoundSource *
pteris_sound_source_new (guint rate, PterisSoundReceive *receive, gpointer user_data)
{
  PterisSoundSource *self = g_new0 (PterisSoundSource, 1);

  begin_line (&self->line);
  self->rate = rate;
  self->receive = receive;
  self->user_data = user_data;
  self->thread = g_thread_new ("microphone", hear, self);
  return self;
}

gboolean
pteris_sound_source_check (PterisSoundSource *self, GError **error)
{
  return check_line (&self->line, error);
}

/* The thread ends within the time of a block. */
void
pteris_sound_source_free (PterisSoundSource *self)
{
  let_go (&self->line);
  g_thread_join (self->thread);
  clear_line (&self->line);
  g_free (self);
}

/* ---- the sink ---- */

/* Shared with its thread, for which nobody waits. */
struct _PterisSoundSink {
  Line line;
  guint rate;
  gsize piece;
  PterisSoundFill *fill;
  gpointer user_data;
  GDestroyNotify destroy;
  double seconds; /* line.lock */
};

static void
sink_clear (gpointer data)
{
  PterisSoundSink *self = data;

  self->destroy (self->user_data);
  clear_line (&self->line);
}

/* The position that is being played. */
static void
note_place (PterisSoundSink *self, HWAVEOUT device)
{
  MMTIME time = { .wType = TIME_SAMPLES };

  if (waveOutGetPosition (device, &time, sizeof time) != MMSYSERR_NOERROR ||
      time.wType != TIME_SAMPLES)
    return;
  g_mutex_lock (&self->line.lock);
  self->seconds = (double) time.u.sample / self->rate;
  g_mutex_unlock (&self->line.lock);
}

/* Waits until @block was played. FALSE: the sink was freed, or the system has stopped. */
static gboolean
wait_for (PterisSoundSink *self, HWAVEOUT device, const WAVEHDR *block)
{
  gint64 end = g_get_monotonic_time () + PATIENCE_MS * G_TIME_SPAN_MILLISECOND;

  while (!is_done (block)) {
    if (!is_wanted (&self->line) || g_get_monotonic_time () > end)
      return FALSE;
    WaitForSingleObject (self->line.event, TICK_MS);
    note_place (self, device);
  }
  return is_wanted (&self->line);
}

static MMRESULT
speak_through (PterisSoundSink *self, HWAVEOUT device, WAVEHDR *blocks)
{
  MMRESULT code = MMSYSERR_NOERROR;
  guint i;

  for (i = 0; code == MMSYSERR_NOERROR; i++) {
    WAVEHDR *block = &blocks[i % N_SAID];

    if (!wait_for (self, device, block) ||
        !self->fill (self->user_data, (gint16 *) (gpointer) block->lpData))
      break;
    block->dwFlags &= ~(DWORD) WHDR_DONE;
    code = waveOutWrite (device, block, sizeof *block);
  }
  for (guint j = 0; code == MMSYSERR_NOERROR && j < N_SAID; j++)
    wait_for (self, device, &blocks[(i + j) % N_SAID]);
  return code;
}

static gpointer
speak (gpointer data)
{
  PterisSoundSink *self = data;
  const WAVEFORMATEX format = make_format (self->rate);
  g_autofree gint16 *samples = g_new (gint16, N_SAID * self->piece);
  WAVEHDR blocks[N_SAID] = { 0 };
  HWAVEOUT device;
  MMRESULT code =
      waveOutOpen (&device, WAVE_MAPPER, &format, (DWORD_PTR) self->line.event, 0, CALLBACK_EVENT);

  if (code == MMSYSERR_NOERROR) {
    for (guint i = 0; i < N_SAID; i++) {
      blocks[i].lpData = (char *) (samples + i * self->piece);
      blocks[i].dwBufferLength = (DWORD) (self->piece * sizeof *samples);
      waveOutPrepareHeader (device, &blocks[i], sizeof blocks[i]);
      blocks[i].dwFlags |= WHDR_DONE;
    }
    code = speak_through (self, device, blocks);
    waveOutReset (device);
    for (guint i = 0; i < N_SAID; i++)
      waveOutUnprepareHeader (device, &blocks[i], sizeof blocks[i]);
    waveOutClose (device);
  }
  end_line (&self->line, make_error (code, waveOutGetErrorTextW));
  g_atomic_rc_box_release_full (self, sink_clear);
  return NULL;
}

PterisSoundSink *
pteris_sound_sink_new (guint rate, gsize piece, PterisSoundFill *fill, gpointer user_data,
                       GDestroyNotify destroy)
{
  PterisSoundSink *self = g_atomic_rc_box_new0 (PterisSoundSink);

  begin_line (&self->line);
  self->rate = rate;
  self->piece = piece;
  self->fill = fill;
  self->user_data = user_data;
  self->destroy = destroy;
  g_thread_unref (g_thread_new ("loudspeaker", speak, g_atomic_rc_box_acquire (self)));
  return self;
}

double
pteris_sound_sink_get_seconds (PterisSoundSink *self)
{
  double seconds;

  g_mutex_lock (&self->line.lock);
  seconds = self->seconds;
  g_mutex_unlock (&self->line.lock);
  return seconds;
}

gboolean
pteris_sound_sink_check (PterisSoundSink *self, GError **error)
{
  return check_line (&self->line, error);
}

void
pteris_sound_sink_free (PterisSoundSink *self)
{
  let_go (&self->line);
  g_atomic_rc_box_release_full (self, sink_clear);
}
