/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/worker-pool.h"

G_BEGIN_DECLS

/*
 * Computes Whisper's log-mel spectrogram (docs/formats/protocols.md, sections 11.1 and 11.2): 16
 * kHz, frames of 400 samples every 160, Slaney bands, log10, the loudest 8 decades, scaled to about
 * [-1.5, 1.5].
 */

#define PT_MEL_RATE 16000
#define PT_MEL_HOP 160

/** PtMel: the tables for one number of bands. Immutable: any thread. */
typedef struct _PtMel PtMel;

/** @n_bands: 80 or 128 for Whisper; 1 .. 201. */
PtMel *pt_mel_new (guint n_bands);
void pt_mel_free (PtMel *mel);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtMel, pt_mel_free)

/**
 * The spectrogram of @samples followed by silence up to @n_padded samples.
 *
 * The samples of one call are normalised by their maximum: call it for each 30-second window, as in
 * training; 480000 samples make 3000 frames.
 *
 * @n: at most @n_padded, which is more than 200.
 * @out: [n_bands, n_padded / 160].
 */
void pt_mel_compute (const PtMel *mel, PtPool *pool, const float *samples, gsize n, gsize n_padded,
                     float *out);

/**
 * The same with a fixed range that ends at @highest, the log10 of a power; NAN: the maximum of the
 * samples.
 */
void pt_mel_compute_below (const PtMel *mel, PtPool *pool, const float *samples, gsize n,
                           gsize n_padded, float highest, float *out);

G_END_DECLS
