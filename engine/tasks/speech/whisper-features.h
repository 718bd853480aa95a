/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/tasks/speech/whisper-layout.h"

G_BEGIN_DECLS

/**
 * PtWhisperFeatures: computes the input of the encoder from the samples of a window: a log-mel
 * spectrogram (with our own code or a preprocessor program), magnitudes, or the padded samples
 * (docs/formats/protocols.md, sections 5.3, 5.8 and 11).
 */
typedef struct _PtWhisperFeatures PtWhisperFeatures;

/**
 * @preprocessor: a program whose forward turns a waveform into a spectrogram; must outlive this.
 * Only used for encoders of spectrograms. NULL: our own code, which gives the same values.
 */
PtWhisperFeatures *pt_whisper_features_new (const PtWhisperInput *input, PtModule *preprocessor,
                                            GError **error);
void pt_whisper_features_free (PtWhisperFeatures *features);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtWhisperFeatures, pt_whisper_features_free)

/**
 * The input for one window: @n samples, then silence if the encoder needs more. A spectrogram
 * [n_bands, n_frames] is normalised by its own maximum, as in training. Owned by @features, until
 * the next call.
 *
 * @n: at most input->n_samples, of 16 kHz.
 * @n_values: numbers that are returned.
 */
const float *pt_whisper_features_compute (PtWhisperFeatures *features, const float *samples,
                                          gsize n, gsize *n_values, GCancellable *cancellable,
                                          GError **error);

/**
 * How much the loudness of the last window varies, in dB: the difference between the 5th and 95th
 * percentile of 50 ms groups, as the mean of all bands. Noise and hum of any colour stay below 1,
 * speech is above 2, even if it is no louder than the noise.
 */
double pt_whisper_features_movement (const PtWhisperFeatures *features);

G_END_DECLS
