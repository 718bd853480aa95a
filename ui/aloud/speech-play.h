/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/sound/sound.h"

G_BEGIN_DECLS

/**
 * PterisSpeechPlay: plays sentences whose samples arrive one after the other while it plays. UI
 * thread only.
 */
typedef struct _PterisSpeechPlay PterisSpeechPlay;

/** Begin on @device (pteris_sound_find()) with silence, until there are samples. @rate: per second.
 */
PterisSpeechPlay *pteris_speech_play_new (PterisSoundDevice *device, guint rate);
/** Silence, at once. */
void pteris_speech_play_free (PterisSpeechPlay *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PterisSpeechPlay, pteris_speech_play_free)

/** Play @n samples (copied) of sentence number @sentence behind what there is. */
void pteris_speech_play_add (PterisSpeechPlay *self, guint sentence, const float *samples, gsize n);
/** No more samples will come. */
void pteris_speech_play_finish (PterisSpeechPlay *self);

/** Seconds of speech that have not been heard yet. */
double pteris_speech_play_get_ahead (PterisSpeechPlay *self);

/**
 * Call it about every 50 ms. FALSE: everything was heard, or there is an error, which @error
 * reports. @sentence: the number of the one that is heard; unchanged before the first.
 */
gboolean pteris_speech_play_check (PterisSpeechPlay *self, guint *sentence, GError **error);

G_END_DECLS
