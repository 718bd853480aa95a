/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <pteris/error.h>

G_BEGIN_DECLS

/**
 * PtAudioDecoder: decodes a recording to frames of floats. libsndfile is tried first, then
 * GStreamer for other formats, on Windows Media Foundation. One thread at a time.
 */
typedef struct _PtAudioDecoder PtAudioDecoder;

struct _PtAudioDecoder {
  /** Decode up to @n frames, channels interleaved, to @frames. Returns their number; 0: the end; -1
   * with an error. */
  gssize (*read) (PtAudioDecoder *self, float *frames, gsize n, GCancellable *cancellable,
                  GError **error);
  /** Seek to @frame exactly, before the first read. FALSE: not possible; the position is unchanged.
   * */
  gboolean (*seek) (PtAudioDecoder *self, guint64 frame);
  void (*free) (PtAudioDecoder *self);

  guint rate;
  guint n_channels;
  gint64 n_frames; /* -1: unknown before the end is read */
};

static inline void
pt_audio_decoder_free (PtAudioDecoder *decoder)
{
  if (decoder != NULL)
    decoder->free (decoder);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtAudioDecoder, pt_audio_decoder_free)

/**
 * Open with libsndfile. PT_ERROR_FORMAT: not one of its formats; @guess is then set to the format's
 * name ("a Matroska or WebM file", static), or is NULL for something unknown. @name: for messages.
 */
PtAudioDecoder *pt_sndfile_decoder_open (const char *path, const char *name, const char **guess,
                                         GCancellable *cancellable, GError **error);

/**
 * Open a recording that is still being written: a WAV file, until @finish is cancelled and all of
 * it is read, or the standard input if @path is "-", until it ends. A read returns the samples that
 * are available and waits if there are none. @raw: no header; 16-bit little-endian samples, 16 kHz,
 * mono.
 * @finish: or NULL. The decoder keeps a reference.
 */
PtAudioDecoder *pt_live_decoder_open (const char *path, const char *name, gboolean raw,
                                      GCancellable *finish, GCancellable *cancellable,
                                      GError **error);

/**
 * Open with GStreamer: one channel of @rate samples per second. GStreamer is initialised by the
 * first call. Only demuxers, parsers and audio decoders are used: no plug-in that draws, writes or
 * uses the network, whatever the file asks for. Memory is bounded; a decoder that stalls is stopped
 * with an error.
 */
PtAudioDecoder *pt_gst_decoder_open (const char *path, const char *name, const char *guess,
                                     guint rate, GCancellable *cancellable, GError **error);

/**
 * Open with Windows' Media Foundation: the rate and the channels of the file. Memory is bounded; a
 * decoder that stalls is left with an error.
 */
PtAudioDecoder *pt_mf_decoder_open (const char *path, const char *name, const char *guess,
                                    GCancellable *cancellable, GError **error);

G_END_DECLS
