/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <pteris/error.h>

G_BEGIN_DECLS

/**
 * PtAudioDecoder: what makes frames of floats from a recording. There are two kinds: libsndfile,
 * which is tried first, and GStreamer for what that does not know. One thread at a time.
 */
typedef struct _PtAudioDecoder PtAudioDecoder;

struct _PtAudioDecoder {
  /** Fill @frames, channels interleaved, with up to @n of them. 0: the end; -1 with an error. */
  gssize (*read) (PtAudioDecoder *self, float *frames, gsize n, GCancellable *cancellable,
                  GError **error);
  /** Go on at @frame, exactly. FALSE: this one cannot, and is where it was. Only before the first
   * read. */
  gboolean (*seek) (PtAudioDecoder *self, guint64 frame);
  void (*free) (PtAudioDecoder *self);

  guint rate;
  guint n_channels;
  gint64 n_frames; /* -1: only reading will tell */
};

static inline void
pt_audio_decoder_free (PtAudioDecoder *decoder)
{
  if (decoder != NULL)
    decoder->free (decoder);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtAudioDecoder, pt_audio_decoder_free)

/**
 * With libsndfile. Fails with PT_ERROR_FORMAT for what is not one of its formats: @guess then says
 * what it is ("a Matroska or WebM file", static), or is NULL for something unknown. @name: for
 * messages.
 */
PtAudioDecoder *pt_sndfile_decoder_open (const char *path, const char *name, const char **guess,
                                         GCancellable *cancellable, GError **error);

/**
 * Samples as they come: of a WAV file that still grows, until @finish is set and all of it is read,
 * or of the standard input where @path is "-", until that ends. A read gives what there is, and
 * waits while there is nothing.
 *
 * @raw: there is no header, but 16-bit samples of 16 kHz mono, the lower byte first.
 * @finish: or NULL. The decoder keeps a reference.
 */
PtAudioDecoder *pt_live_decoder_open (const char *path, const char *name, gboolean raw,
                                      GCancellable *finish, GCancellable *cancellable,
                                      GError **error);

/**
 * With GStreamer: one channel of @rate samples per second. It is started here and never before.
 *
 * Only demuxers, parsers and audio decoders take part: nothing that draws, writes or reaches for
 * the network, whatever the file asks for. Memory is bounded, and a decoder that gives nothing for
 * a while is given up.
 */
PtAudioDecoder *pt_gst_decoder_open (const char *path, const char *name, const char *guess,
                                     guint rate, GCancellable *cancellable, GError **error);

G_END_DECLS
