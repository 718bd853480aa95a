/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <pteris/error.h>

G_BEGIN_DECLS

/**
 * PtAudioReader: a recording as a stream of mono samples at the rate that a model wants.
 *
 *     g_autoptr (PtAudioReader) reader = pt_audio_reader_open ("talk.mp3", 16000, NULL, &error);
 *     float samples[4096];
 *     gssize n = 0;
 *
 *     if (reader != NULL)
 *       while ((n = pt_audio_reader_read (reader, samples, 4096, NULL, &error)) > 0)
 *         use (samples, n);
 *
 * Reads what libsndfile reads: WAV, FLAC, Ogg Vorbis, Opus, MP3, AIFF and more, of any rate and
 * number of channels (which are averaged); and what GStreamer's plug-ins on this machine read, if
 * built with it: M4A, MP4, Matroska, WebM, WMA, AAC, AMR and more. Holds one block in memory,
 * however long the file is.
 * Samples are in [-1, 1], more or less; what is no number becomes 0. Any thread, but only one at a
 * time uses a reader.
 */
typedef struct _PtAudioReader PtAudioReader;

/**
 * @path: UTF-8 (the file name encoding of GLib).
 * @rate: samples per second to deliver, e.g. 16000; 0: as they come.
 * @cancellable: or NULL; looked at while the file is opened.
 * Free with pt_audio_reader_free(). NULL with PT_ERROR_FILE, PT_ERROR_FORMAT (no recording),
 * PT_ERROR_AUDIO (a bad one) or PT_ERROR_CANCELLED. Blocking. An MP3 is checked in whole first; a
 * long one takes a moment.
 */
PT_API PtAudioReader *pt_audio_reader_open (const char *path, guint rate, GCancellable *cancellable,
                                            GError **error);
/** The same from @start on, in seconds; beyond the end there is just nothing to read. */
PT_API PtAudioReader *pt_audio_reader_open_at (const char *path, double start, guint rate,
                                               GCancellable *cancellable, GError **error);
/**
 * The same for a recording that still grows: reading waits for what is to come, until @finish is
 * cancelled, or the standard input ends where @path is "-". A WAV file or "-".
 * @raw: samples without a header: 16 bits, signed, little-endian, mono, 16 kHz.
 */
PT_API PtAudioReader *pt_audio_reader_follow (const char *path, double start, guint rate,
                                              gboolean raw, GCancellable *finish,
                                              GCancellable *cancellable, GError **error);
PT_API void pt_audio_reader_free (PtAudioReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtAudioReader, pt_audio_reader_free)

/**
 * Fill @samples with the next @n samples. Returns how many there were, fewer than @n at the end
 * only, or -1 with PT_ERROR_AUDIO, where the recording turns out to be damaged, PT_ERROR_FILE or
 * PT_ERROR_CANCELLED. Blocking; @cancellable: or NULL.
 */
PT_API gssize pt_audio_reader_read (PtAudioReader *reader, float *samples, gsize n,
                                    GCancellable *cancellable, GError **error);

/** Samples per second that it delivers. */
PT_API guint pt_audio_reader_rate (const PtAudioReader *reader);

/** Length in seconds of the whole, or -1 when only reading will tell. */
PT_API double pt_audio_reader_duration (const PtAudioReader *reader);

/*
 * What a recording looks like.
 */

/** Peaks in a second, at first, and so many at most: then two become one. */
#define PT_WAVEFORM_RATE 50
#define PT_WAVEFORM_MAX (1 << 19)

typedef struct {
  double duration; /* seconds */
  guint n;         /* peaks; each is of @duration / @n seconds */
  guint8 *peaks;   /* the largest magnitude in each stretch of time; 255: full scale */
} PtWaveform;

/**
 * Read the recording at @path, any that can be transcribed. Takes its decoding's time; any thread.
 * Free with pt_waveform_free(); NULL with an error as of pt_audio_reader_read(). A damaged one is
 * read up to the damage. @cancellable: or NULL.
 */
PT_API PtWaveform *pt_waveform_read (const char *path, GCancellable *cancellable, GError **error);
PT_API void pt_waveform_free (PtWaveform *waveform);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtWaveform, pt_waveform_free)

G_END_DECLS
