/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define PT_SPECTRUM_N_FFT 512
#define PT_SPECTRUM_N_BINS 256
#define PT_SPECTRUM_HOP 160

/** Frames of @n samples: those that lie in them whole. */
gsize pt_spectrum_n_frames (gsize n);

/**
 * Computes the magnitudes of a short-time Fourier transform in dB (docs/formats/protocols.md,
 * section 11.5).
 *
 * @out: [pt_spectrum_n_frames (@n), PT_SPECTRUM_N_BINS].
 */
void pt_spectrum_compute (const float *samples, gsize n, float *out);

G_END_DECLS
