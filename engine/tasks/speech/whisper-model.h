/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/module.h"

G_BEGIN_DECLS

/**
 * PtWhisperModel: the two methods of an encoder-decoder speech model (docs/formats/protocols.md,
 * section 5.1).
 *
 * The encoder's output (hidden states, or keys and values) is passed to the decoder unchanged, and
 * the decoder takes as many ids in a call as it declares.
 */
typedef struct _PtWhisperModel PtWhisperModel;

/** Loads "encoder" and "text_decoder" of @module, which must outlive the model. */
PtWhisperModel *pt_whisper_model_new (PtModule *module, GError **error);
void pt_whisper_model_free (PtWhisperModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtWhisperModel, pt_whisper_model_free)

guint pt_whisper_model_n_bands (const PtWhisperModel *model);
/** Frames of 10 ms in a window: 3000. */
guint pt_whisper_model_n_frames (const PtWhisperModel *model);
/** The width of the logits. */
guint pt_whisper_model_n_ids (const PtWhisperModel *model);
/** Positions of the decoder, for prompt and text together. */
guint pt_whisper_model_n_positions (const PtWhisperModel *model);

/**
 * Encode a window: @features are [n_bands, n_frames]. The decoder's state is reset, because it may
 * keep keys and values of the encoder's output (docs/formats/protocols.md, section 5.1).
 */
gboolean pt_whisper_model_encode (PtWhisperModel *model, const float *features,
                                  GCancellable *cancellable, GError **error);

/**
 * Run the decoder on @ids at positions from @position on, in as few calls as it allows, and compute
 * the logits after the last id. Later positions of the KV cache are dropped.
 */
gboolean pt_whisper_model_feed (PtWhisperModel *model, const gint32 *ids, guint n, guint position,
                                GCancellable *cancellable, GError **error);

/** The logits after the last pt_whisper_model_feed(), [n_ids]; the caller may change them. */
float *pt_whisper_model_logits (PtWhisperModel *model);

G_END_DECLS
