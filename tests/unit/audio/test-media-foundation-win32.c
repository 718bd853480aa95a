/* SPDX-License-Identifier: BSD-3-Clause */

/* Decoding with Media Foundation: over a scripted reader, each way to fail; then over the real one.
 */

#define COBJMACROS
#include "engine/audio/media-foundation-win32.h"

#include <string.h>
#include <pteris/audio.h>

#include <mferror.h>

#include "engine/audio/decoder.h"

/* ---- a reader that follows a script ---- */

typedef struct {
  HRESULT open, type, sample; /* what these calls return */
  gboolean no_stream, no_floats, odd_bytes, changes, silent, stalls, no_current_type;
  guint rate, n_channels;
  guint n_pieces; /* of 100 frames, before the end */
  guint fails_after;
} Script;

static Script script;
static guint n_readers; /* that live */

typedef struct {
  IMFSourceReader parent;
  gint n_refs;
  IMFSourceReaderCallback *callback;
  gboolean is_float;
  guint n_read, n_channels;
} Reader;

static HRESULT STDMETHODCALLTYPE
reader_query (IMFSourceReader *parent, REFIID id, void **object)
{
  *object = NULL;
  return E_NOINTERFACE;
}

static ULONG STDMETHODCALLTYPE
reader_ref (IMFSourceReader *parent)
{
  return (ULONG)++((Reader *) parent)->n_refs;
}

static ULONG STDMETHODCALLTYPE
reader_unref (IMFSourceReader *parent)
{
  Reader *self = (Reader *) parent;

  if (--self->n_refs > 0)
    return (ULONG) self->n_refs;
  IMFSourceReaderCallback_Release (self->callback);
  g_free (self);
  n_readers--;
  return 0;
}

static HRESULT STDMETHODCALLTYPE
reader_get_selection (IMFSourceReader *parent, DWORD stream, BOOL *selected)
{
  return E_NOTIMPL;
}

static HRESULT STDMETHODCALLTYPE
reader_set_selection (IMFSourceReader *parent, DWORD stream, BOOL selected)
{
  return script.no_stream && selected ? MF_E_INVALIDSTREAMNUMBER : S_OK;
}

static HRESULT STDMETHODCALLTYPE
reader_get_native (IMFSourceReader *parent, DWORD stream, DWORD at, IMFMediaType **type)
{
  return E_NOTIMPL;
}

static HRESULT STDMETHODCALLTYPE
reader_get_type (IMFSourceReader *parent, DWORD stream, IMFMediaType **type)
{
  Reader *self = (Reader *) parent;
  HRESULT code = MFCreateMediaType (type);

  g_assert_true (SUCCEEDED (code));
  if (script.no_current_type)
    return S_OK;
  IMFMediaType_SetGUID (*type, &MF_MT_SUBTYPE,
                        self->is_float ? &MFAudioFormat_Float : &MFAudioFormat_PCM);
  IMFMediaType_SetUINT32 (*type, &MF_MT_AUDIO_SAMPLES_PER_SECOND, script.rate);
  IMFMediaType_SetUINT32 (*type, &MF_MT_AUDIO_NUM_CHANNELS, self->n_channels);
  IMFMediaType_SetUINT32 (*type, &MF_MT_AUDIO_BITS_PER_SAMPLE, self->is_float ? 32 : 16);
  return S_OK;
}

static HRESULT STDMETHODCALLTYPE
reader_set_type (IMFSourceReader *parent, DWORD stream, DWORD *unused, IMFMediaType *type)
{
  GUID subtype;

  if (FAILED (script.type))
    return script.type;
  IMFMediaType_GetGUID (type, &MF_MT_SUBTYPE, &subtype);
  ((Reader *) parent)->is_float = IsEqualGUID (&subtype, &MFAudioFormat_Float);
  return script.no_floats && ((Reader *) parent)->is_float ? MF_E_INVALIDMEDIATYPE : S_OK;
}

static HRESULT STDMETHODCALLTYPE
reader_set_position (IMFSourceReader *parent, REFGUID format, REFPROPVARIANT place)
{
  ((Reader *) parent)->n_read = (guint) (place->hVal.QuadPart * script.rate / 10000000 / 100);
  return S_OK;
}

/* Frame i has the values i, i + 1000, ... in 1/32768. */
static IMFSample *
make_piece (Reader *self)
{
  gsize size = self->is_float ? sizeof (float) : sizeof (gint16);
  DWORD n_bytes = (DWORD) (100 * self->n_channels * size);
  IMFMediaBuffer *buffer;
  IMFSample *sample;
  BYTE *bytes;

  g_assert_true (SUCCEEDED (MFCreateMemoryBuffer (n_bytes + 1, &buffer)));
  g_assert_true (SUCCEEDED (MFCreateSample (&sample)));
  IMFMediaBuffer_Lock (buffer, &bytes, NULL, NULL);
  for (guint i = 0; i < 100 * self->n_channels; i++) {
    gint16 value =
        (gint16) (self->n_read * 100 + i / self->n_channels + i % self->n_channels * 1000);
    float number = (float) value / 32768;

    memcpy (bytes + i * size, self->is_float ? (gpointer) &number : (gpointer) &value, size);
  }
  IMFMediaBuffer_Unlock (buffer);
  IMFMediaBuffer_SetCurrentLength (buffer, n_bytes + (script.odd_bytes ? 1 : 0));
  IMFSample_AddBuffer (sample, buffer);
  IMFMediaBuffer_Release (buffer);
  return sample;
}

static HRESULT STDMETHODCALLTYPE
reader_read (IMFSourceReader *parent, DWORD stream, DWORD flags, DWORD *actual, DWORD *stream_flags,
             LONGLONG *time, IMFSample **unused)
{
  Reader *self = (Reader *) parent;
  LONGLONG place = (LONGLONG) self->n_read * 100 * 10000000 / script.rate;
  IMFSample *sample = NULL;
  DWORD news = 0;

  if (script.stalls)
    return S_OK;
  if (script.fails_after > 0 && self->n_read >= script.fails_after)
    return IMFSourceReaderCallback_OnReadSample (self->callback, script.sample, 0,
                                                 MF_SOURCE_READERF_ERROR, 0, NULL);
  if (script.changes && self->n_read == 1) {
    self->n_channels++;
    news |= MF_SOURCE_READERF_CURRENTMEDIATYPECHANGED;
  }
  if (self->n_read >= script.n_pieces)
    news |= MF_SOURCE_READERF_ENDOFSTREAM;
  else if (!script.silent)
    sample = make_piece (self);
  if (!script.silent)
    self->n_read++;
  IMFSourceReaderCallback_OnReadSample (self->callback, S_OK, 0, news, place, sample);
  if (sample != NULL)
    IMFSample_Release (sample);
  return S_OK;
}

static HRESULT STDMETHODCALLTYPE
reader_flush (IMFSourceReader *parent, DWORD stream)
{
  return S_OK;
}

static HRESULT STDMETHODCALLTYPE
reader_get_service (IMFSourceReader *parent, DWORD stream, REFGUID service, REFIID id,
                    void **object)
{
  return E_NOTIMPL;
}

static HRESULT STDMETHODCALLTYPE
reader_get_attribute (IMFSourceReader *parent, DWORD stream, REFGUID name, PROPVARIANT *value)
{
  value->vt = VT_UI8;
  value->uhVal.QuadPart = (ULONGLONG) script.n_pieces * 100 * 10000000 / script.rate;
  return S_OK;
}

static IMFSourceReaderVtbl reader_table = {
  reader_query,         reader_ref,        reader_unref,    reader_get_selection,
  reader_set_selection, reader_get_native, reader_get_type, reader_set_type,
  reader_set_position,  reader_read,       reader_flush,    reader_get_service,
  reader_get_attribute,
};

static HRESULT WINAPI
create_reader (IMFByteStream *stream, IMFAttributes *attributes, IMFSourceReader **reader)
{
  Reader *self;

  if (FAILED (script.open))
    return script.open;
  self = g_new0 (Reader, 1);
  self->parent.lpVtbl = &reader_table;
  self->n_refs = 1;
  self->n_channels = script.n_channels;
  g_assert_true (SUCCEEDED (IMFAttributes_GetUnknown (attributes, &MF_SOURCE_READER_ASYNC_CALLBACK,
                                                      &IID_IMFSourceReaderCallback,
                                                      (void **) &self->callback)));
  *reader = &self->parent;
  n_readers++;
  return S_OK;
}

static const PtMediaFoundation scripted = { MFCreateFile, MFCreateAttributes, MFCreateMediaType,
                                            create_reader };

static void
begin (void)
{
  script = (Script){ .rate = 8000, .n_channels = 2, .n_pieces = 200 };
  _pt_media_foundation_replace (&scripted);
}

static PtAudioDecoder *
open_it (GError **error)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "audio", "tone.m4a", NULL);

  return pt_mf_decoder_open (path, "tone.m4a", "an MPEG-4 file", NULL, error);
}

/* ---- what is right ---- */

static void
check_all (PtAudioDecoder *decoder, guint64 first)
{
  g_autoptr (GError) error = NULL;
  float frames[2 * 77];
  guint64 at = first;
  gssize n;

  while ((n = decoder->read (decoder, frames, 77, NULL, &error)) > 0)
    for (gssize i = 0; i < n; i++, at++) {
      g_assert_cmpfloat (frames[2 * i], ==, (float) at / 32768);
      g_assert_cmpfloat (frames[2 * i + 1], ==, (float) (at + 1000) / 32768);
    }
  g_assert_no_error (error);
  g_assert_cmpint (n, ==, 0);
  g_assert_cmpuint (at, ==, 20000);
}

static void
test_read (gconstpointer no_floats)
{
  g_autoptr (GError) error = NULL;
  PtAudioDecoder *decoder;

  begin ();
  script.no_floats = GPOINTER_TO_INT (no_floats);
  decoder = open_it (&error);
  g_assert_no_error (error);
  g_assert_cmpuint (decoder->rate, ==, 8000);
  g_assert_cmpuint (decoder->n_channels, ==, 2);
  g_assert_cmpint (decoder->n_frames, ==, 20000);
  check_all (decoder, 0);
  pt_audio_decoder_free (decoder);
  g_assert_cmpuint (n_readers, ==, 0);
}

static void
test_seek (void)
{
  static const guint64 places[] = { 8000, 8001, 8099, 12345, 19999 };

  for (guint i = 0; i < G_N_ELEMENTS (places); i++) {
    PtAudioDecoder *decoder;

    begin ();
    decoder = open_it (NULL);
    g_assert_true (decoder->seek (decoder, places[i]));
    check_all (decoder, places[i]);
    pt_audio_decoder_free (decoder);
  }
}

/* The caller decodes up to there instead. */
static void
test_seek_too_early_or_late (void)
{
  PtAudioDecoder *decoder;

  begin ();
  decoder = open_it (NULL);
  g_assert_false (decoder->seek (decoder, 10));
  g_assert_false (decoder->seek (decoder, 20000));
  check_all (decoder, 0);
  pt_audio_decoder_free (decoder);
}

static void
test_odd_bytes (void)
{
  PtAudioDecoder *decoder;

  begin ();
  script.odd_bytes = TRUE;
  decoder = open_it (NULL);
  check_all (decoder, 0);
  pt_audio_decoder_free (decoder);
}

/* ---- what is wrong ---- */

static void
expect (int code, const char *part)
{
  g_autoptr (GError) error = NULL;
  PtAudioDecoder *decoder = open_it (&error);
  float frames[2 * 100];
  gssize n = -1;

  if (decoder != NULL)
    while ((n = decoder->read (decoder, frames, 100, NULL, &error)) > 0)
      ;
  g_assert_cmpint (n, ==, -1);
  g_assert_error (error, PT_ERROR, code);
  g_assert_nonnull (strstr (error->message, part));
  g_assert_nonnull (strstr (error->message, "tone.m4a"));
  if (decoder != NULL)
    pt_audio_decoder_free (decoder);
  g_assert_cmpuint (n_readers, ==, 0);
}

static void
test_refusals (void)
{
  begin ();
  script.open = MF_E_UNSUPPORTED_BYTESTREAM_TYPE;
  expect (PT_ERROR_FORMAT, "no decoder");
  begin ();
  script.open = E_OUTOFMEMORY;
  expect (PT_ERROR_FORMAT, "0x8007000e");
  begin ();
  script.no_stream = TRUE;
  expect (PT_ERROR_FORMAT, "without audio");
  begin ();
  script.type = MF_E_TOPO_CODEC_NOT_FOUND;
  expect (PT_ERROR_FORMAT, "no decoder");
  begin ();
  script.no_current_type = TRUE;
  expect (PT_ERROR_FORMAT, "impossible");
  begin ();
  script.rate = 0;
  script.n_pieces = 0;
  script.rate = G_MAXUINT32;
  expect (PT_ERROR_FORMAT, "impossible");
  begin ();
  script.n_channels = 65;
  expect (PT_ERROR_FORMAT, "impossible");
}

static void
test_damage (void)
{
  begin ();
  script.fails_after = 160;
  script.sample = MF_E_INVALID_STREAM_DATA;
  expect (PT_ERROR_AUDIO, "2.0 seconds");
  begin ();
  script.changes = TRUE;
  expect (PT_ERROR_AUDIO, "changes");
  begin ();
  script.n_pieces = 0;
  expect (PT_ERROR_AUDIO, "empty");
  begin ();
  script.silent = TRUE;
  expect (PT_ERROR_FORMAT, "nothing is in it");
}

static gpointer
cancel (gpointer cancellable)
{
  g_cancellable_cancel (cancellable);
  return NULL;
}

/* A decoder that never answers can be stopped and left. */
static void
test_stop (void)
{
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;
  PtAudioDecoder *decoder;
  float frames[2];
  GThread *thread;

  begin ();
  script.stalls = TRUE;
  decoder = open_it (NULL);
  thread = g_thread_new ("cancel", cancel, cancellable);
  g_assert_cmpint (decoder->read (decoder, frames, 1, cancellable, &error), ==, -1);
  g_assert_error (error, PT_ERROR, PT_ERROR_CANCELLED);
  g_thread_join (thread);
  pt_audio_decoder_free (decoder);
  g_assert_cmpuint (n_readers, ==, 0);
}

static void
test_no_file (void)
{
  g_autoptr (GError) error = NULL;

  begin ();
  g_assert_null (
      pt_mf_decoder_open ("C:\\nothing\\here.mp4", "here.mp4", "an MPEG-4 file", NULL, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_FILE);
}

/* ---- the real one ---- */

/* Wine's takes GStreamer, for which not every machine has the decoders: then the sentence says so.
 */
static void
test_real (gconstpointer name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "audio", name, NULL);
  g_autoptr (GError) error = NULL;
  g_autofree float *samples = g_new (float, 16000);
  PtAudioReader *reader;
  double sum = 0;
  gssize n;

  _pt_media_foundation_replace (NULL);
  reader = pt_audio_reader_open (path, 16000, NULL, &error);
  if (reader == NULL) {
    g_assert_nonnull (strstr (error->message, name));
    g_test_skip (error->message);
    return;
  }
  n = pt_audio_reader_read (reader, samples, 16000, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (n, >, 1000);
  for (gssize i = 0; i < n; i++)
    sum += ABS (samples[i]);
  /* A tone. */
  g_assert_cmpfloat (sum / (double) n, >, 0.01);
  pt_audio_reader_free (reader);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  CoInitializeEx (NULL, COINIT_MULTITHREADED);
  MFStartup (MF_VERSION, MFSTARTUP_LITE);
  g_test_add_data_func ("/media-foundation/floats", GINT_TO_POINTER (FALSE), test_read);
  g_test_add_data_func ("/media-foundation/integers", GINT_TO_POINTER (TRUE), test_read);
  g_test_add_func ("/media-foundation/seek", test_seek);
  g_test_add_func ("/media-foundation/seek-refused", test_seek_too_early_or_late);
  g_test_add_func ("/media-foundation/odd-bytes", test_odd_bytes);
  g_test_add_func ("/media-foundation/refusals", test_refusals);
  g_test_add_func ("/media-foundation/damage", test_damage);
  g_test_add_func ("/media-foundation/stop", test_stop);
  g_test_add_func ("/media-foundation/no-file", test_no_file);
  g_test_add_data_func ("/media-foundation/real/m4a", "tone.m4a", test_real);
  g_test_add_data_func ("/media-foundation/real/webm", "tone.webm", test_real);
  return g_test_run ();
}
