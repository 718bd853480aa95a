/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/module.h"

G_BEGIN_DECLS

/**
 * PtWhisperFeatures: computes log-mel spectrograms of windows with our own code or a preprocessor
 * program (docs/formats/protocols.md, sections 5.3 and 11).
 */
typedef struct _PtWhisperFeatures PtWhisperFeatures;

/**
 * @preprocessor: a program whose forward turns a waveform into a spectrogram; must outlive this.
 * NULL: our own code, which gives the same values.
 */
PtWhisperFeatures *pt_whisper_features_new (guint n_bands, guint n_frames, PtModule *preprocessor,
                                            GError **error);
void pt_whisper_features_free (PtWhisperFeatures *features);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtWhisperFeatures, pt_whisper_features_free)

/**
 * The spectrogram [n_bands, n_frames] of one window: @n samples, then silence. Each window is
 * normalised by its own maximum, as in training. Owned by @features, until the next call.
 *
 * @n: at most 160 * n_frames, of 16 kHz.
 */
const float *pt_whisper_features_compute (PtWhisperFeatures *features, const float *samples,
                                          gsize n, GCancellable *cancellable, GError **error);

/**
 * How much the loudness of the last window varies, in dB: the difference between the 5th and 95th
 * percentile of 50 ms groups, as the mean of all bands. Noise and hum of any colour stay below 1,
 * speech is above 2, even if it is no louder than the noise.
 */
double pt_whisper_features_movement (const PtWhisperFeatures *features);

G_END_DECLS
