/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * The sound of this machine: what its microphone hears and what its loudspeaker says, as mono
 * samples of 16 bits. It is GStreamer's (sound-gst.c), Windows' own (sound-win32.c), or there is
 * none (sound-none.c). UI thread, unless said otherwise.
 *
 * With GStreamer the environment variables PTERIS_AUDIO_SOURCE and PTERIS_AUDIO_SINK name other
 * elements, for tests: "audiotestsrc is-live=true", "fakesink sync=true".
 */

/**
 * Before anything else, once at least: may take seconds the first time. FALSE: there is no sound;
 * @error says why, as the rest of a sentence. Any thread.
 */
gboolean pteris_sound_prepare (GError **error);

/** PterisSoundSource: a microphone that is listened to. */
typedef struct _PterisSoundSource PterisSoundSource;

/** What was heard: @n samples. In a thread of the source. */
typedef void PterisSoundTake (gpointer user_data, const gint16 *samples, gsize n);

/** Listen, from now on. What is wrong with it pteris_sound_source_check() says. */
PterisSoundSource *pteris_sound_source_new (guint rate, PterisSoundTake *take, gpointer user_data);
/** FALSE: nothing more will be heard, and @error says why, or nothing where the source is at its
 * end. */
gboolean pteris_sound_source_check (PterisSoundSource *self, GError **error);
/** Listen no more: nothing is given to anybody when it returns. */
void pteris_sound_source_free (PterisSoundSource *self);

/** PterisSoundSink: a loudspeaker, which asks for what it shall say. */
typedef struct _PterisSoundSink PterisSoundSink;

/** The next piece: fill @samples. FALSE: there is none any more. In a thread of the sink. */
typedef gboolean PterisSoundGive (gpointer user_data, gint16 *samples);

/**
 * Say what @give gives, in pieces of @piece samples. @destroy is called with @user_data when the
 * sink is gone and its thread has ended, in either.
 */
PterisSoundSink *pteris_sound_sink_new (guint rate, gsize piece, PterisSoundGive *give,
                                        gpointer user_data, GDestroyNotify destroy);
/** What can have been heard of it so far. */
double pteris_sound_sink_get_seconds (PterisSoundSink *self);
/** FALSE: the last piece was heard, or nothing can be heard and @error says why. Then @give has
 * been called for the last time. */
gboolean pteris_sound_sink_check (PterisSoundSink *self, GError **error);
/** Silence, at once. */
void pteris_sound_sink_free (PterisSoundSink *self);

G_END_DECLS
