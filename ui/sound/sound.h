/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/*
 * Microphone and loudspeaker, as 16-bit mono samples. Implemented with GStreamer (sound-gst.c),
 * Windows' wave functions (sound-win32.c), or not at all (sound-none.c). UI thread, unless stated
 * otherwise.
 *
 * With GStreamer the environment variables PTERIS_AUDIO_SOURCE and PTERIS_AUDIO_SINK name other
 * elements, for tests: "audiotestsrc is-live=true", "fakesink sync=true".
 */

/**
 * Initialise; call it before all other functions. May take seconds the first time. FALSE: there is
 * no sound; the message of @error completes a sentence. Any thread.
 */
gboolean pteris_sound_prepare (GError **error);

/** The same in a thread. @callback gets @source and a result for pteris_sound_prepare_finish();
 * @cancellable identifies the call (g_task_get_cancellable()). */
void pteris_sound_prepare_async (gpointer source, GCancellable *cancellable,
                                 GAsyncReadyCallback callback);
gboolean pteris_sound_prepare_finish (GAsyncResult *result, GError **error);

/** PterisSoundSource: a microphone that records. */
typedef struct _PterisSoundSource PterisSoundSource;

/** Called with @n recorded samples in a thread of the source. */
typedef void PterisSoundReceive (gpointer user_data, const gint16 *samples, gsize n);

/** Start recording. Errors are reported by pteris_sound_source_check(). */
PterisSoundSource *pteris_sound_source_new (guint rate, PterisSoundReceive *receive,
                                            gpointer user_data);
/** FALSE: no more samples will come; @error says why, or is not set at the end of the source. */
gboolean pteris_sound_source_check (PterisSoundSource *self, GError **error);
/** Stop recording: no callback runs after it returns. */
void pteris_sound_source_free (PterisSoundSource *self);

/** PterisSoundSink: a loudspeaker that requests samples to play. */
typedef struct _PterisSoundSink PterisSoundSink;

/** Fill @samples with the next piece. FALSE: the end. Called in a thread of the sink. */
typedef gboolean PterisSoundFill (gpointer user_data, gint16 *samples);

/**
 * Play the samples of @fill, in pieces of @piece samples. @destroy is called with @user_data when
 * the sink is freed and its thread has ended, in either thread.
 */
PterisSoundSink *pteris_sound_sink_new (guint rate, gsize piece, PterisSoundFill *fill,
                                        gpointer user_data, GDestroyNotify destroy);
/** Seconds that have been played. */
double pteris_sound_sink_get_seconds (PterisSoundSink *self);
/** FALSE: the last piece was played, or there is an error, which @error reports. @fill is not
 * called again. */
gboolean pteris_sound_sink_check (PterisSoundSink *self, GError **error);
/** Silence, at once. */
void pteris_sound_sink_free (PterisSoundSink *self);

G_END_DECLS
