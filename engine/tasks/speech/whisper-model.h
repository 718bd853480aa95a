/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/tasks/speech/whisper-layout.h"

G_BEGIN_DECLS

/**
 * PtWhisperModel: the two methods of an encoder-decoder speech model, of any layout
 * (whisper-layout.h). What the encoder returns (hidden states, or keys and values) goes to the
 * decoder as it is.
 */
typedef struct _PtWhisperModel PtWhisperModel;

/**
 * @module, @decoder: must outlive the model. @decoder: the module of the decoder; NULL: @module has
 * it, too.
 */
PtWhisperModel *pt_whisper_model_new (PtModule *module, PtModule *decoder, GError **error);
void pt_whisper_model_free (PtWhisperModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtWhisperModel, pt_whisper_model_free)

const PtWhisperLayout *pt_whisper_model_layout (const PtWhisperModel *model);
/** The width of the logits. */
guint pt_whisper_model_n_ids (const PtWhisperModel *model);
/** Positions of the decoder, for prompt and text together. */
guint pt_whisper_model_n_positions (const PtWhisperModel *model);

/**
 * Read a window: @n numbers as the layout's input wants them (whisper-features.h). The decoder's
 * state is reset, because it may keep keys and values of the encoder's output
 * (docs/formats/protocols.md, section 5.1).
 */
gboolean pt_whisper_model_encode (PtWhisperModel *model, const float *values, gsize n,
                                  GCancellable *cancellable, GError **error);

/**
 * Run the decoder on @ids at positions from @position on, in as few calls as it allows, and compute
 * the logits or the id after the last id. Later positions of the KV cache are dropped.
 */
gboolean pt_whisper_model_feed (PtWhisperModel *model, const gint32 *ids, guint n, guint position,
                                GCancellable *cancellable, GError **error);

/** The logits after the last pt_whisper_model_feed(), [n_ids]; the caller may change them. */
float *pt_whisper_model_logits (PtWhisperModel *model);

/** The id that the decoder chose in the last pt_whisper_model_feed(), if it chooses ids. */
gint32 pt_whisper_model_chosen (const PtWhisperModel *model);

G_END_DECLS
