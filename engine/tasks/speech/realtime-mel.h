/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/module.h"

G_BEGIN_DECLS

/**
 * PtRealtimeMel: makes spectrograms for Voxtral Realtime (docs/formats/protocols.md, section 6.3).
 * The original model uses a fixed range of loudness; ExecuTorch's runner normalises by the maximum
 * of the sound, which amplifies silence.
 */
typedef struct _PtRealtimeMel PtRealtimeMel;

/**
 * @preprocessor: the model's preprocessor program, which must outlive this, or NULL. With it the
 * sound's maximum is used. For short windows (@streaming) our own code computes the same values
 * faster. @max_columns: the most columns of a call.
 */
PtRealtimeMel *pt_realtime_mel_new (guint n_bands, guint max_columns, gboolean streaming,
                                    PtModule *preprocessor, GError **error);
void pt_realtime_mel_free (PtRealtimeMel *mel);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtRealtimeMel, pt_realtime_mel_free)

/** The most samples of a call. */
gsize pt_realtime_mel_limit (const PtRealtimeMel *mel);

/**
 * The mel spectrogram [n_bands, n_columns] of @n samples: one column for each 160 samples, and more
 * for silence that the preprocessor appends. Owned by @mel, until the next call.
 */
const float *pt_realtime_mel_compute (PtRealtimeMel *mel, const float *samples, gsize n,
                                      guint *n_columns, GCancellable *cancellable, GError **error);

/** The columns @first .. @first + @n of the last spectrogram, [n_bands, n]; valid until the next
 * call. */
const float *pt_realtime_mel_cut (PtRealtimeMel *mel, guint first, guint n);

G_END_DECLS
