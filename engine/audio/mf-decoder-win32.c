/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Decodes with Media Foundation, asynchronously: its own threads decode and call back, so that a
 * decoder that stalls can be left, and a stop takes no longer than a tick.
 */

#define COBJMACROS
#include "engine/audio/decoder.h"
#include "engine/audio/media-foundation-win32.h"
#include "engine/audio/mpeg.h"
#include "engine/base/set-error.h"

#include <string.h>

#include <mferror.h>

/* Time after which a stalled decoder is left, in microseconds, and interval of checks. */
#define PATIENCE (20 * G_USEC_PER_SEC)
#define TICK (50 * G_TIME_SPAN_MILLISECOND)
/* What a decoder may say; more is damage. */
#define MAX_CHANNELS 64
#define MIN_RATE 1000
#define MAX_RATE 768000
/* Most bytes of one decoded piece, and most empty pieces in a row. */
#define MAX_PIECE (64 * 1024 * 1024)
#define MAX_EMPTY 10000
/* Media Foundation's times are in 100 ns. */
#define TIME_SECOND 10000000
/* A seek goes so far before its place, because decoders need what is before a sound. */
#define BEFORE_SECONDS 1

#define AUDIO ((DWORD) MF_SOURCE_READER_FIRST_AUDIO_STREAM)

/* ---- the callback, which lives as long as Media Foundation holds it ---- */

typedef struct {
  IMFSourceReaderCallback parent;
  gint n_refs; /* atomic */

  GMutex lock; /* over the rest */
  GCond changed;
  gboolean arrived;
  HRESULT status;
  DWORD flags;
  LONGLONG time;
  IMFSample *sample; /* or NULL */
} Callback;

static HRESULT STDMETHODCALLTYPE
callback_query (IMFSourceReaderCallback *parent, REFIID id, void **object)
{
  if (!IsEqualIID (id, &IID_IUnknown) && !IsEqualIID (id, &IID_IMFSourceReaderCallback)) {
    *object = NULL;
    return E_NOINTERFACE;
  }
  IMFSourceReaderCallback_AddRef (parent);
  *object = parent;
  return S_OK;
}

static ULONG STDMETHODCALLTYPE
callback_ref (IMFSourceReaderCallback *parent)
{
  return (ULONG) g_atomic_int_add (&((Callback *) parent)->n_refs, 1) + 1;
}

static ULONG STDMETHODCALLTYPE
callback_unref (IMFSourceReaderCallback *parent)
{
  Callback *self = (Callback *) parent;
  ULONG left = (ULONG) g_atomic_int_add (&self->n_refs, -1) - 1;

  if (left == 0) {
    if (self->sample != NULL)
      IMFSample_Release (self->sample);
    g_mutex_clear (&self->lock);
    g_cond_clear (&self->changed);
    g_free (self);
  }
  return left;
}

static HRESULT STDMETHODCALLTYPE
callback_sample (IMFSourceReaderCallback *parent, HRESULT status, DWORD stream, DWORD flags,
                 LONGLONG time, IMFSample *sample)
{
  Callback *self = (Callback *) parent;

  g_mutex_lock (&self->lock);
  if (self->sample != NULL)
    IMFSample_Release (self->sample);
  if (sample != NULL)
    IMFSample_AddRef (sample);
  self->sample = sample;
  self->status = status;
  self->flags = flags;
  self->time = time;
  self->arrived = TRUE;
  g_cond_signal (&self->changed);
  g_mutex_unlock (&self->lock);
  return S_OK;
}

static HRESULT STDMETHODCALLTYPE
callback_flush (IMFSourceReaderCallback *parent, DWORD stream)
{
  return S_OK;
}

static HRESULT STDMETHODCALLTYPE
callback_event (IMFSourceReaderCallback *parent, DWORD stream, IMFMediaEvent *event)
{
  return S_OK;
}

static Callback *
callback_new (void)
{
  static IMFSourceReaderCallbackVtbl table = { callback_query,  callback_ref,   callback_unref,
                                               callback_sample, callback_flush, callback_event };
  Callback *self = g_new0 (Callback, 1);

  self->parent.lpVtbl = &table;
  self->n_refs = 1;
  g_mutex_init (&self->lock);
  g_cond_init (&self->changed);
  return self;
}

/* ---- errors ---- */

typedef struct {
  PtAudioDecoder parent;
  char *name;        /* for messages */
  const char *guess; /* what the file is; static */
  gboolean is_cut;   /* its end is missing */
  IMFSourceReader *reader;
  Callback *callback;
  gboolean is_integer; /* 16-bit samples, else floats */
  guint8 *piece;       /* decoded bytes that are being read, of whole frames; or NULL */
  gsize n_piece, used; /* frames of it */
  guint64 n_decoded;   /* frames */
  gboolean at_end;
  gboolean is_left; /* a request is still under way: there is none after it */
} MfDecoder;

static gboolean
fail_damaged (const MfDecoder *self, const char *why, GError **error)
{
  if (self->n_decoded == 0 && self->is_cut)
    return pt_fail (
        error, PT_ERROR_AUDIO,
        "“%s” is %s whose end is missing, so that it cannot be read. Get the file again.",
        self->name, self->guess);
  if (self->n_decoded == 0)
    return pt_fail (error, PT_ERROR_FORMAT, "“%s” seems to be %s, but cannot be read: %s.",
                    self->name, self->guess, why);
  return pt_fail (error, PT_ERROR_AUDIO,
                  "The recording “%s” is damaged %.1f seconds after its beginning (%s). Get the "
                  "file again, or repair it, for example with: ffmpeg -i FILE repaired.flac",
                  self->name, (double) self->n_decoded / self->parent.rate, why);
}

static gboolean
fail_code (const MfDecoder *self, HRESULT code, GError **error)
{
  g_autofree char *why = g_strdup_printf ("Windows' error 0x%08lx", (gulong) code);

  switch (code) {
  case MF_E_INVALIDSTREAMNUMBER:
    return pt_fail (error, PT_ERROR_FORMAT, "“%s” is %s without audio.", self->name, self->guess);
  case MF_E_UNSUPPORTED_BYTESTREAM_TYPE:
  case MF_E_TOPO_CODEC_NOT_FOUND:
  case MF_E_INVALIDMEDIATYPE:
    return pt_fail (error, PT_ERROR_FORMAT,
                    "“%s” is %s, for which this Windows has no decoder (0x%08lx). Convert it, for "
                    "example with: ffmpeg -i FILE new.flac",
                    self->name, self->guess, (gulong) code);
  default: return fail_damaged (self, why, error);
  }
}

/* ---- opening ---- */

static gboolean
open_reader (MfDecoder *self, const PtMediaFoundation *media, const char *path, GError **error)
{
  g_autofree gunichar2 *wide = g_utf8_to_utf16 (path, -1, NULL, NULL, NULL);
  IMFByteStream *stream = NULL;
  IMFAttributes *attributes = NULL;
  HRESULT code = wide != NULL
                     ? media->create_file (MF_ACCESSMODE_READ, MF_OPENMODE_FAIL_IF_NOT_EXIST,
                                           MF_FILEFLAGS_NONE, (LPCWSTR) wide, &stream)
                     : E_INVALIDARG;

  if (FAILED (code))
    return pt_fail (error, PT_ERROR_FILE, "The recording “%s” cannot be opened (0x%08lx).",
                    self->name, (gulong) code);
  code = media->create_attributes (&attributes, 1);
  if (SUCCEEDED (code)) {
    IMFAttributes_SetUnknown (attributes, &MF_SOURCE_READER_ASYNC_CALLBACK,
                              (IUnknown *) self->callback);
    code = media->create_reader (stream, attributes, &self->reader);
    IMFAttributes_Release (attributes);
  }
  IMFByteStream_Release (stream);
  return SUCCEEDED (code) || fail_code (self, code, error);
}

/* Asks for samples of @subtype. */
static HRESULT
ask_for (MfDecoder *self, const PtMediaFoundation *media, const GUID *subtype)
{
  IMFMediaType *type = NULL;
  HRESULT code = media->create_type (&type);

  if (FAILED (code))
    return code;
  IMFMediaType_SetGUID (type, &MF_MT_MAJOR_TYPE, &MFMediaType_Audio);
  IMFMediaType_SetGUID (type, &MF_MT_SUBTYPE, subtype);
  code = IMFSourceReader_SetCurrentMediaType (self->reader, AUDIO, NULL, type);
  IMFMediaType_Release (type);
  return code;
}

/* What the decoder gives now. FALSE: nothing that can be used. */
static gboolean
take_type (MfDecoder *self, GError **error)
{
  IMFMediaType *type = NULL;
  UINT32 rate = 0, n_channels = 0, n_bits = 0;
  GUID subtype = { 0 };
  HRESULT code = IMFSourceReader_GetCurrentMediaType (self->reader, AUDIO, &type);

  if (FAILED (code))
    return fail_code (self, code, error);
  IMFMediaType_GetGUID (type, &MF_MT_SUBTYPE, &subtype);
  IMFMediaType_GetUINT32 (type, &MF_MT_AUDIO_SAMPLES_PER_SECOND, &rate);
  IMFMediaType_GetUINT32 (type, &MF_MT_AUDIO_NUM_CHANNELS, &n_channels);
  IMFMediaType_GetUINT32 (type, &MF_MT_AUDIO_BITS_PER_SAMPLE, &n_bits);
  IMFMediaType_Release (type);
  if (rate < MIN_RATE || rate > MAX_RATE || n_channels < 1 || n_channels > MAX_CHANNELS)
    return fail_damaged (self, "its rate or number of channels is impossible", error);
  self->is_integer = IsEqualGUID (&subtype, &MFAudioFormat_PCM) && n_bits == 16;
  if (!self->is_integer && !(IsEqualGUID (&subtype, &MFAudioFormat_Float) && n_bits == 32))
    return fail_code (self, MF_E_INVALIDMEDIATYPE, error);
  if (self->parent.rate != 0 &&
      (rate != self->parent.rate || n_channels != self->parent.n_channels))
    return fail_damaged (self, "its rate or number of channels changes", error);
  self->parent.rate = rate;
  self->parent.n_channels = n_channels;
  return TRUE;
}

static gboolean
choose_stream (MfDecoder *self, const PtMediaFoundation *media, GError **error)
{
  HRESULT code = IMFSourceReader_SetStreamSelection (self->reader,
                                                     (DWORD) MF_SOURCE_READER_ALL_STREAMS, FALSE);

  if (SUCCEEDED (code))
    code = IMFSourceReader_SetStreamSelection (self->reader, AUDIO, TRUE);
  if (SUCCEEDED (code)) {
    code = ask_for (self, media, &MFAudioFormat_Float);
    if (FAILED (code) && code != MF_E_INVALIDSTREAMNUMBER)
      code = ask_for (self, media, &MFAudioFormat_PCM);
  }
  return SUCCEEDED (code) ? take_type (self, error) : fail_code (self, code, error);
}

static void
take_duration (MfDecoder *self)
{
  PROPVARIANT value = { 0 };

  self->parent.n_frames = -1;
  if (SUCCEEDED (IMFSourceReader_GetPresentationAttribute (
          self->reader, (DWORD) MF_SOURCE_READER_MEDIASOURCE, &MF_PD_DURATION, &value)) &&
      value.vt == VT_UI8 && value.uhVal.QuadPart > 0 && value.uhVal.QuadPart < G_MAXINT64)
    self->parent.n_frames =
        (gint64) ((double) value.uhVal.QuadPart / TIME_SECOND * self->parent.rate + 0.5);
}

/* ---- reading ---- */

/* Waits for the piece that was asked for. */
static gboolean
wait_for_piece (MfDecoder *self, GCancellable *cancellable, GError **error)
{
  gint64 end = g_get_monotonic_time () + PATIENCE;
  gboolean arrived = FALSE;

  while (!arrived) {
    gint64 now = g_get_monotonic_time ();

    g_mutex_lock (&self->callback->lock);
    while (!self->callback->arrived &&
           g_cond_wait_until (&self->callback->changed, &self->callback->lock, now + TICK))
      ;
    arrived = self->callback->arrived;
    g_mutex_unlock (&self->callback->lock);
    self->is_left = !arrived;
    if (g_cancellable_is_cancelled (cancellable))
      return pt_fail (error, PT_ERROR_CANCELLED, "Stopped.");
    if (!arrived && now > end)
      return fail_damaged (self, "the decoder makes no progress", error);
  }
  return TRUE;
}

/* Copies the frames of @sample. */
static gboolean
take_sample (MfDecoder *self, IMFSample *sample, GError **error)
{
  gsize frame = (self->is_integer ? sizeof (gint16) : sizeof (float)) * self->parent.n_channels;
  IMFMediaBuffer *buffer = NULL;
  DWORD length = 0;
  BYTE *bytes = NULL;
  HRESULT code = IMFSample_ConvertToContiguousBuffer (sample, &buffer);

  if (FAILED (code))
    return fail_code (self, code, error);
  code = IMFMediaBuffer_Lock (buffer, &bytes, NULL, &length);
  if (SUCCEEDED (code) && length <= MAX_PIECE) {
    self->n_piece = length / frame;
    self->piece = g_try_malloc (MAX (self->n_piece * frame, 1));
    if (self->piece != NULL)
      memcpy (self->piece, bytes, self->n_piece * frame);
    IMFMediaBuffer_Unlock (buffer);
  }
  IMFMediaBuffer_Release (buffer);
  if (FAILED (code))
    return fail_code (self, code, error);
  if (length > MAX_PIECE)
    return fail_damaged (self, "a piece of it is impossibly long", error);
  return self->piece != NULL ||
         pt_fail (error, PT_ERROR_MEMORY, "There is no memory to read “%s”.", self->name);
}

/* Asks for a piece. *@sample: or NULL, owned. @time: of its beginning. */
static gboolean
request (MfDecoder *self, IMFSample **sample, LONGLONG *time, GCancellable *cancellable,
         GError **error)
{
  HRESULT code;
  DWORD flags;

  if (self->is_left)
    return fail_damaged (self, "the decoder makes no progress", error);
  self->callback->arrived = FALSE;
  code = IMFSourceReader_ReadSample (self->reader, AUDIO, 0, NULL, NULL, NULL, NULL);
  if (FAILED (code))
    return fail_code (self, code, error);
  if (!wait_for_piece (self, cancellable, error))
    return FALSE;
  g_mutex_lock (&self->callback->lock);
  code = self->callback->status;
  flags = self->callback->flags;
  *time = self->callback->time;
  *sample = g_steal_pointer (&self->callback->sample);
  g_mutex_unlock (&self->callback->lock);
  self->at_end = (flags & MF_SOURCE_READERF_ENDOFSTREAM) != 0;
  if (SUCCEEDED (code) && (flags & MF_SOURCE_READERF_ERROR) == 0 &&
      ((flags & MF_SOURCE_READERF_CURRENTMEDIATYPECHANGED) == 0 || take_type (self, error)))
    return TRUE;
  if (*sample != NULL)
    IMFSample_Release (*sample);
  *sample = NULL;
  if (error != NULL && *error == NULL)
    fail_code (self, FAILED (code) ? code : E_FAIL, error);
  return FALSE;
}

/* Gets the next piece. FALSE also at the end, without an error. */
static gboolean
pull (MfDecoder *self, LONGLONG *time, GCancellable *cancellable, GError **error)
{
  guint n_empty = 0;

  g_clear_pointer (&self->piece, g_free);
  self->n_piece = self->used = 0;
  while (!self->at_end && n_empty++ < MAX_EMPTY) {
    IMFSample *sample = NULL;
    gboolean good;

    if (!request (self, &sample, time, cancellable, error))
      return FALSE;
    if (sample == NULL)
      continue;
    good = take_sample (self, sample, error);
    IMFSample_Release (sample);
    if (!good || self->n_piece > 0)
      return good;
    g_clear_pointer (&self->piece, g_free);
  }
  if (!self->at_end)
    return fail_damaged (self, "nothing is in it", error);
  if (self->n_decoded == 0)
    return pt_fail (error, PT_ERROR_AUDIO, "The recording “%s” is empty: its length is zero.",
                    self->name);
  return self->is_cut && fail_damaged (self, "the end of the file is missing", error);
}

static void
copy (MfDecoder *self, float *frames, gsize n)
{
  gsize n_values = n * self->parent.n_channels, first = self->used * self->parent.n_channels;

  if (!self->is_integer) {
    memcpy (frames, self->piece + first * sizeof (float), n_values * sizeof (float));
    return;
  }
  for (gsize i = 0; i < n_values; i++) {
    gint16 value;

    memcpy (&value, self->piece + (first + i) * sizeof value, sizeof value);
    frames[i] = (float) value / 32768;
  }
}

static gssize
mf_decoder_read (PtAudioDecoder *decoder, float *frames, gsize n, GCancellable *cancellable,
                 GError **error)
{
  MfDecoder *self = (MfDecoder *) decoder;
  gsize done = 0;

  while (done < n) {
    gsize count = MIN (n - done, self->n_piece - self->used);
    g_autoptr (GError) reason = NULL;
    LONGLONG time;

    if (count > 0) {
      copy (self, frames + done * decoder->n_channels, count);
      self->used += count;
      self->n_decoded += count;
      done += count;
      continue;
    }
    /* The frames so far are returned first; the error follows in the next call. */
    if (done > 0)
      break;
    if (!pull (self, &time, cancellable, &reason)) {
      if (reason == NULL)
        return 0;
      g_propagate_error (error, g_steal_pointer (&reason));
      return -1;
    }
  }
  return (gssize) done;
}

/* ---- seeking ---- */

static gboolean
set_place (MfDecoder *self, guint64 frame)
{
  PROPVARIANT value = { .vt = VT_I8 };

  value.hVal.QuadPart = (LONGLONG) ((double) frame / self->parent.rate * TIME_SECOND);
  g_clear_pointer (&self->piece, g_free);
  self->n_piece = self->used = 0;
  self->at_end = FALSE;
  return SUCCEEDED (IMFSourceReader_SetCurrentPosition (self->reader, &GUID_NULL, &value));
}

/* Goes somewhere before @frame; how far before is told by the time of the first piece. */
static gboolean
mf_decoder_seek (PtAudioDecoder *decoder, guint64 frame)
{
  MfDecoder *self = (MfDecoder *) decoder;
  guint64 before = (guint64) decoder->rate * BEFORE_SECONDS, at;
  LONGLONG time = -1;

  if (decoder->n_frames < 0 || frame >= (guint64) decoder->n_frames || frame < before)
    return FALSE;
  self->n_decoded = frame;
  while (set_place (self, frame - before) && pull (self, &time, NULL, NULL) && time >= 0) {
    at = (guint64) ((double) time / TIME_SECOND * decoder->rate + 0.5);
    while (at + self->n_piece <= frame && pull (self, &time, NULL, NULL) && time >= 0)
      at = (guint64) ((double) time / TIME_SECOND * decoder->rate + 0.5);
    if (self->n_piece == 0 || at > frame || at + self->n_piece <= frame)
      break;
    self->used = frame - at;
    return TRUE;
  }
  set_place (self, 0);
  self->n_decoded = 0;
  return FALSE;
}

/* ---- life ---- */

static void
mf_decoder_free (PtAudioDecoder *decoder)
{
  MfDecoder *self = (MfDecoder *) decoder;

  if (self->reader != NULL)
    IMFSourceReader_Release (self->reader);
  IMFSourceReaderCallback_Release (&self->callback->parent);
  g_free (self->piece);
  g_free (self->name);
  g_free (self);
}

PtAudioDecoder *
pt_mf_decoder_open (const char *path, const char *name, const char *guess,
                    GCancellable *cancellable, GError **error)
{
  MfDecoder *self = g_new0 (MfDecoder, 1);
  g_autoptr (PtAudioDecoder) decoder = &self->parent;
  const PtMediaFoundation *media;

  self->parent.read = mf_decoder_read;
  self->parent.seek = mf_decoder_seek;
  self->parent.free = mf_decoder_free;
  self->callback = callback_new ();
  self->name = g_strdup (name);
  self->guess = guess;
  self->is_cut = strstr (guess, "MPEG-4") != NULL && pt_mpeg4_is_cut_short (path);
  media = pt_media_foundation (error);
  if (media == NULL || !open_reader (self, media, path, error) ||
      !choose_stream (self, media, error))
    return NULL;
  take_duration (self);
  return g_steal_pointer (&decoder);
}
