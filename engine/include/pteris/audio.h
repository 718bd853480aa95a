/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <pteris/error.h>

G_BEGIN_DECLS

/*
 * Recordings: their samples, and their waveform.
 */

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
 * libsndfile reads WAV, FLAC, Ogg Vorbis, Opus, MP3, AIFF and more. If built with it, GStreamer
 * reads what it has plug-ins for on this machine: M4A, MP4, Matroska, WebM, WMA, AAC, AMR and more.
 * Any sample rate is resampled; channels are averaged. Holds one block in memory, however long the
 * file is. Samples are about in [-1, 1]; NaN and infinity become 0. Any thread, but only one at a
 * time may use a reader.
 */
typedef struct _PtAudioReader PtAudioReader;

/**
 * @path: UTF-8 (the file name encoding of GLib).
 * @rate: samples per second to deliver, e.g. 16000; 0: the rate of the recording.
 * @cancellable: checked while the file is opened; or NULL. Free with pt_audio_reader_free(). NULL
 * with PT_ERROR_FILE, PT_ERROR_FORMAT (not a recording), PT_ERROR_AUDIO (a damaged one) or
 * PT_ERROR_CANCELLED. Blocking; opening an MP3 scans the whole file.
 */
PT_API PtAudioReader *pt_audio_reader_open (const char *path, guint rate, GCancellable *cancellable,
                                            GError **error);
/** The same, starting at @start seconds. Beyond the end of the recording there are no samples. */
PT_API PtAudioReader *pt_audio_reader_open_at (const char *path, double start, guint rate,
                                               GCancellable *cancellable, GError **error);
/**
 * The same for a recording that is still being written: a WAV file, or "-" for the standard input.
 * Reading waits for new samples until @finish is cancelled or the standard input ends.
 * @raw: samples without a header: 16 bits, signed, little-endian, mono, 16 kHz.
 */
PT_API PtAudioReader *pt_audio_reader_follow (const char *path, double start, guint rate,
                                              gboolean raw, GCancellable *finish,
                                              GCancellable *cancellable, GError **error);
/** Close the recording. NULL: does nothing. Any thread. */
PT_API void pt_audio_reader_free (PtAudioReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtAudioReader, pt_audio_reader_free)

/**
 * Fill @samples with the next @n samples. Returns the number of samples, fewer than @n only at the
 * end, or -1 with PT_ERROR_AUDIO (the recording is damaged here), PT_ERROR_FILE or
 * PT_ERROR_CANCELLED. Blocking; @cancellable: or NULL.
 */
PT_API gssize pt_audio_reader_read (PtAudioReader *reader, float *samples, gsize n,
                                    GCancellable *cancellable, GError **error);

/** The sample rate of the samples that pt_audio_reader_read() returns. */
PT_API guint pt_audio_reader_rate (const PtAudioReader *reader);

/** Duration of the whole recording in seconds; -1: unknown before it is read to its end. */
PT_API double pt_audio_reader_duration (const PtAudioReader *reader);

/*
 * The waveform of a recording, for drawing.
 */

/** Peaks per second at first, and the most peaks of a waveform: when there are more, pairs are
 * merged. */
#define PT_WAVEFORM_RATE 50
/** Most peaks of a waveform. */
#define PT_WAVEFORM_MAX (1 << 19)

/** The waveform of a recording. */
typedef struct {
  double duration; /* seconds */
  guint n;         /* peaks; each covers @duration / @n seconds */
  guint8 *peaks;   /* the largest magnitude in each of these periods; 255: full scale */
} PtWaveform;

/**
 * Compute the waveform of the recording at @path, in any format of pt_audio_reader_open(). Decodes
 * the whole file: blocking; any thread. Free with pt_waveform_free(); NULL with an error as of
 * pt_audio_reader_read(). A damaged one is read up to the damage. @cancellable: or NULL.
 */
PT_API PtWaveform *pt_waveform_read (const char *path, GCancellable *cancellable, GError **error);
/** Free @waveform and its peaks. Any thread. */
PT_API void pt_waveform_free (PtWaveform *waveform);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtWaveform, pt_waveform_free)

G_END_DECLS
