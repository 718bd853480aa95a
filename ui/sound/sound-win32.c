/* SPDX-License-Identifier: BSD-3-Clause */

/* Input and output of sound with WASAPI, each line in a thread of its own. */

#include "ui/sound/sound.h"

#include <string.h>

#include "ui/i18n.h"
#include "ui/sound/sound-wasapi.h"

/* Interval of a thread's checks, in milliseconds. Windows wakes it every 10 ms, but not for a
 * device that is gone, nor for an output that plays nothing. */
#define TICK_MS 50
/* Longer than the system needs to play its buffer, in microseconds. */
#define PATIENCE_US (2 * G_USEC_PER_SEC)
/* While nothing is played, Windows gives no sound of an output: after so long, in microseconds,
 * there is silence in its place. */
#define GAP_US (G_USEC_PER_SEC / 5)

gboolean
pteris_sound_prepare (GError **error)
{
  return TRUE;
}

/* ---- a line: a thread and its users ---- */

typedef struct {
  PterisSoundDevice *device;
  HANDLE event; /* there is sound or room for it, or the line was freed */

  GMutex lock; /* over the rest */
  gboolean is_unwanted, is_over;
  GError *failure;
} Line;

static void
begin_line (Line *line, PterisSoundDevice *device)
{
  line->device = pteris_sound_device_ref (device);
  g_mutex_init (&line->lock);
  line->event = CreateEventW (NULL, FALSE, FALSE, NULL);
}

static void
clear_line (Line *line)
{
  pteris_sound_device_unref (line->device);
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

/* The last call of a thread. */
static void
end_line (Line *line, HRESULT result)
{
  GError *failure = pteris_wasapi_explain (result, line->device->kind);

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

/* ---- recording ---- */

struct _PterisSoundSource {
  Line line;
  GThread *thread;
  guint rate;
  PterisSoundReceive *receive;
  gpointer user_data;
  gint64 last_us; /* of its thread: until when there was sound */
};

static void
receive_silence (PterisSoundSource *self, gsize n)
{
  static const gint16 SILENCE[1024];

  for (gsize i = 0; i < n; i += MIN (n - i, G_N_ELEMENTS (SILENCE)))
    self->receive (self->user_data, SILENCE, MIN (n - i, G_N_ELEMENTS (SILENCE)));
}

/* Takes all that was recorded since the last time. */
static HRESULT
take_packets (PterisSoundSource *self, IAudioCaptureClient *capture)
{
  UINT32 n = 0;
  HRESULT result = IAudioCaptureClient_GetNextPacketSize (capture, &n);

  while (SUCCEEDED (result) && n > 0) {
    BYTE *bytes;
    DWORD flags;

    result = IAudioCaptureClient_GetBuffer (capture, &bytes, &n, &flags, NULL, NULL);
    if (FAILED (result) || result == AUDCLNT_S_BUFFER_EMPTY)
      break;
    if ((flags & AUDCLNT_BUFFERFLAGS_SILENT) != 0)
      receive_silence (self, n);
    else
      self->receive (self->user_data, (const gint16 *) (gpointer) bytes, n);
    self->last_us = g_get_monotonic_time ();
    result = IAudioCaptureClient_ReleaseBuffer (capture, n);
    if (SUCCEEDED (result))
      result = IAudioCaptureClient_GetNextPacketSize (capture, &n);
  }
  return result;
}

static void
fill_gap (PterisSoundSource *self)
{
  gint64 gap_us = g_get_monotonic_time () - self->last_us;

  if (self->line.device->kind != PTERIS_SOUND_COMPUTER || gap_us < GAP_US)
    return;
  receive_silence (self, (gsize) (gap_us * self->rate / G_USEC_PER_SEC));
  self->last_us += gap_us;
}

static HRESULT
listen_to (PterisSoundSource *self, IAudioClient *client)
{
  IAudioCaptureClient *capture;
  HRESULT result = IAudioClient_GetService (client, &IID_IAudioCaptureClient, (void **) &capture);

  if (FAILED (result))
    return result;
  result = IAudioClient_Start (client);
  self->last_us = g_get_monotonic_time ();
  while (SUCCEEDED (result) && is_wanted (&self->line)) {
    WaitForSingleObject (self->line.event, TICK_MS);
    result = take_packets (self, capture);
    if (SUCCEEDED (result))
      fill_gap (self);
  }
  IAudioClient_Stop (client);
  IAudioCaptureClient_Release (capture);
  return result;
}

static gpointer
hear (gpointer data)
{
  PterisSoundSource *self = data;
  Line *line = &self->line;
  gboolean entered = pteris_wasapi_enter ();
  IAudioClient *client;
  HRESULT result =
      pteris_wasapi_open (line->device->kind, line->device->id, self->rate, line->event, &client);

  if (SUCCEEDED (result)) {
    result = listen_to (self, client);
    IAudioClient_Release (client);
  }
  end_line (line, result);
  pteris_wasapi_leave (entered);
  return NULL;
}

PterisSoundSource *
pteris_sound_source_new (PterisSoundDevice *device, guint rate, PterisSoundReceive *receive,
                         gpointer user_data)
{
  PterisSoundSource *self = g_new0 (PterisSoundSource, 1);

  begin_line (&self->line, device);
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

/* The thread ends within the time of a check. */
void
pteris_sound_source_free (PterisSoundSource *self)
{
  let_go (&self->line);
  g_thread_join (self->thread);
  clear_line (&self->line);
  g_free (self);
}

/* ---- playing ---- */

/* Shared with its thread, for which nobody waits. */
struct _PterisSoundSink {
  Line line;
  guint rate;
  gsize piece;
  PterisSoundFill *fill;
  gpointer user_data;
  GDestroyNotify destroy;
  double seconds; /* line.lock, as the following */
  gint64 at_us;   /* when that was played */
  double given;   /* seconds that the system got */
};

/* What the thread of a sink uses. */
typedef struct {
  PterisSoundSink *sink;
  IAudioClient *client;
  IAudioRenderClient *render;
  IAudioClock *clock;
  UINT64 frequency; /* units per second of the clock */
  UINT64 position;  /* of the clock */
  UINT32 size;      /* samples in the system's buffer */
  gint16 *piece;
  gsize n_used; /* samples of the piece that were given */
  gboolean is_last;
} Output;

static void
sink_clear (gpointer data)
{
  PterisSoundSink *self = data;

  self->destroy (self->user_data);
  clear_line (&self->line);
}

/* The position that is being played. FALSE: it is still the same. */
static gboolean
note_place (Output *output)
{
  PterisSoundSink *self = output->sink;
  UINT64 position;

  if (output->frequency == 0 || FAILED (IAudioClock_GetPosition (output->clock, &position, NULL)) ||
      position == output->position)
    return FALSE;
  output->position = position;
  g_mutex_lock (&self->line.lock);
  self->seconds = (double) position / (double) output->frequency;
  self->at_us = g_get_monotonic_time ();
  g_mutex_unlock (&self->line.lock);
  return TRUE;
}

static void
note_given (PterisSoundSink *self, UINT32 n)
{
  g_mutex_lock (&self->line.lock);
  self->given += (double) n / self->rate;
  g_mutex_unlock (&self->line.lock);
}

/* Copies up to @n samples, and asks for more pieces where needed. Returns how many. */
static UINT32
copy_samples (Output *output, gint16 *samples, UINT32 n)
{
  PterisSoundSink *self = output->sink;
  UINT32 done = 0;

  while (done < n) {
    UINT32 part;

    if (output->n_used == self->piece) {
      if (output->is_last || !self->fill (self->user_data, output->piece)) {
        output->is_last = TRUE;
        break;
      }
      output->n_used = 0;
    }
    part = (UINT32) MIN (n - done, self->piece - output->n_used);
    memcpy (samples + done, output->piece + output->n_used, part * sizeof *samples);
    output->n_used += part;
    done += part;
  }
  return done;
}

/* Fills the free part of the system's buffer. @queued: samples that it has not played yet. */
static HRESULT
fill_buffer (Output *output, UINT32 *queued)
{
  HRESULT result = IAudioClient_GetCurrentPadding (output->client, queued);
  UINT32 n = output->size - MIN (*queued, output->size);
  BYTE *bytes;

  if (FAILED (result) || n == 0 || output->is_last)
    return result;
  result = IAudioRenderClient_GetBuffer (output->render, n, &bytes);
  if (FAILED (result))
    return result;
  n = copy_samples (output, (gint16 *) (gpointer) bytes, n);
  note_given (output->sink, n);
  *queued += n;
  return IAudioRenderClient_ReleaseBuffer (output->render, n, 0);
}

static HRESULT
play_through (Output *output)
{
  Line *line = &output->sink->line;
  gint64 moved_us;
  UINT32 queued = 0;
  HRESULT result = fill_buffer (output, &queued);

  if (SUCCEEDED (result))
    result = IAudioClient_Start (output->client);
  moved_us = g_get_monotonic_time ();
  while (SUCCEEDED (result) && is_wanted (line) && (!output->is_last || queued > 0)) {
    WaitForSingleObject (line->event, TICK_MS);
    if (note_place (output))
      moved_us = g_get_monotonic_time ();
    result = fill_buffer (output, &queued);
    if (SUCCEEDED (result) && g_get_monotonic_time () - moved_us > PATIENCE_US)
      result = HRESULT_FROM_WIN32 (ERROR_TIMEOUT);
  }
  note_place (output);
  IAudioClient_Stop (output->client);
  return result;
}

static HRESULT
get_services (Output *output)
{
  HRESULT result = IAudioClient_GetBufferSize (output->client, &output->size);

  if (SUCCEEDED (result))
    result = IAudioClient_GetService (output->client, &IID_IAudioRenderClient,
                                      (void **) &output->render);
  if (SUCCEEDED (result))
    result = IAudioClient_GetService (output->client, &IID_IAudioClock, (void **) &output->clock);
  if (SUCCEEDED (result))
    result = IAudioClock_GetFrequency (output->clock, &output->frequency);
  return result;
}

static HRESULT
play_on (PterisSoundSink *self, IAudioClient *client)
{
  g_autofree gint16 *piece = g_new (gint16, self->piece);
  Output output = { .sink = self, .client = client, .piece = piece, .n_used = self->piece };
  HRESULT result = get_services (&output);

  if (SUCCEEDED (result))
    result = play_through (&output);
  if (output.clock != NULL)
    IAudioClock_Release (output.clock);
  if (output.render != NULL)
    IAudioRenderClient_Release (output.render);
  return result;
}

static gpointer
speak (gpointer data)
{
  PterisSoundSink *self = data;
  Line *line = &self->line;
  gboolean entered = pteris_wasapi_enter ();
  IAudioClient *client;
  HRESULT result =
      pteris_wasapi_open (line->device->kind, line->device->id, self->rate, line->event, &client);

  if (SUCCEEDED (result)) {
    result = play_on (self, client);
    IAudioClient_Release (client);
  }
  end_line (line, result);
  pteris_wasapi_leave (entered);
  g_atomic_rc_box_release_full (self, sink_clear);
  return NULL;
}

PterisSoundSink *
pteris_sound_sink_new (PterisSoundDevice *device, guint rate, gsize piece, PterisSoundFill *fill,
                       gpointer user_data, GDestroyNotify destroy)
{
  PterisSoundSink *self = g_atomic_rc_box_new0 (PterisSoundSink);

  begin_line (&self->line, device);
  self->rate = rate;
  self->piece = piece;
  self->fill = fill;
  self->user_data = user_data;
  self->destroy = destroy;
  g_thread_unref (g_thread_new ("loudspeaker", speak, g_atomic_rc_box_acquire (self)));
  return self;
}

/* Goes on between the thread's checks, which a slow fill may delay. */
double
pteris_sound_sink_get_seconds (PterisSoundSink *self)
{
  double seconds;

  g_mutex_lock (&self->line.lock);
  seconds = self->seconds;
  if (self->at_us > 0)
    seconds += (double) (g_get_monotonic_time () - self->at_us) / G_USEC_PER_SEC;
  seconds = MIN (seconds, self->given);
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
