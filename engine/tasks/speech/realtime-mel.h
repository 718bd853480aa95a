/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/module.h"

G_BEGIN_DECLS

/**
 * PtRealtimeMel: makes spectrograms for Voxtral Realtime (docs/formats/protocols.md, section 6.3).
 * There are two ways: the model's makers use a fixed range of loudness; ExecuTorch's runner uses
 * the range that the sound has, which amplifies silence.
 */
typedef struct _PtRealtimeMel PtRealtimeMel;

/**
 * @preprocessor: the program that belongs to the model, or NULL. With it the range is the sound's;
 * it must outlive this. For windows up to a few seconds (@streaming) its numbers are computed by
 * our own front end, which makes the same faster.
 * @max_columns: that will ever be asked for.
 */
PtRealtimeMel *pt_realtime_mel_new (guint n_bands, guint max_columns, gboolean streaming,
                                    PtModule *preprocessor, GError **error);
void pt_realtime_mel_free (PtRealtimeMel *mel);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtRealtimeMel, pt_realtime_mel_free)

/** Samples that it takes at once. */
gsize pt_realtime_mel_limit (const PtRealtimeMel *mel);

/**
 * The spectrogram [n_bands, n_columns] of @n samples: one column for each 160, or more, of silence
 * that the preprocessor puts behind them. Owned by @mel, until the next call.
 */
const float *pt_realtime_mel_compute (PtRealtimeMel *mel, const float *samples, gsize n,
                                      guint *n_columns, GCancellable *cancellable, GError **error);

/** Of the last spectrogram the columns @first .. @first + @n, [n_bands, n]; until the next call. */
const float *pt_realtime_mel_cut (PtRealtimeMel *mel, guint first, guint n);

G_END_DECLS
