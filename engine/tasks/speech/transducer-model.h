/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/module.h"

G_BEGIN_DECLS

/**
 * PtTransducerModel: the methods of a transducer (docs/formats/protocols.md, section 7): Parakeet
 * TDT, which predicts a duration with each token, or a plain RNN-T. The sizes are read from the
 * program.
 */
typedef struct _PtTransducerModel PtTransducerModel;

typedef struct {
  guint rate;      /* samples per second */
  gsize n_samples; /* the most samples of a call */
  guint frame;     /* samples of an encoded frame: 80 ms */
  gint64 blank;    /* the id that is no token */
  gboolean has_durations;
} PtTransducerShape;

/** Loads the methods of @module, which must outlive the model. */
PtTransducerModel *pt_transducer_model_new (PtModule *module, GError **error);
void pt_transducer_model_free (PtTransducerModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtTransducerModel, pt_transducer_model_free)

const PtTransducerShape *pt_transducer_model_shape (const PtTransducerModel *model);

/** Encode @n samples to @n_frames frames. Resets the decoder. */
gboolean pt_transducer_model_hear (PtTransducerModel *model, const float *samples, gsize n,
                                   guint *n_frames, GCancellable *cancellable, GError **error);

/** Run the decoder on token @id; first on the blank. */
gboolean pt_transducer_model_say (PtTransducerModel *model, gint64 id, GCancellable *cancellable,
                                  GError **error);

/** Choose the likeliest id in frame @frame, and its duration in frames; 0 without durations. */
gboolean pt_transducer_model_choose (PtTransducerModel *model, guint frame, gint64 *id,
                                     guint *duration, GCancellable *cancellable, GError **error);

G_END_DECLS
