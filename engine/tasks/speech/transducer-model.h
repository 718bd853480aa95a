/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/module.h"

G_BEGIN_DECLS

/**
 * PtTransducerModel: the methods of a transducer (docs/formats/protocols.md, section 7): Parakeet
 * TDT, which tells how long each token lasts, or a plain RNN-T, which does not. Its sizes are those
 * of the program.
 */
typedef struct _PtTransducerModel PtTransducerModel;

typedef struct {
  guint rate;      /* samples per second */
  gsize n_samples; /* that can be heard at once */
  guint frame;     /* samples of a frame that the encoder makes: 80 ms */
  gint64 blank;    /* the id that is no token */
  gboolean has_durations;
} PtTransducerShape;

/** Loads the methods of @module, which must outlive the model. */
PtTransducerModel *pt_transducer_model_new (PtModule *module, GError **error);
void pt_transducer_model_free (PtTransducerModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtTransducerModel, pt_transducer_model_free)

const PtTransducerShape *pt_transducer_model_shape (const PtTransducerModel *model);

/** Hear @n samples: @n_frames come of it. Forgets what was said before. */
gboolean pt_transducer_model_hear (PtTransducerModel *model, const float *samples, gsize n,
                                   guint *n_frames, GCancellable *cancellable, GError **error);

/** Take @id for said; the blank at first. */
gboolean pt_transducer_model_say (PtTransducerModel *model, gint64 id, GCancellable *cancellable,
                                  GError **error);

/** The likeliest id in frame @frame, and the frames it lasts: 0 without durations. */
gboolean pt_transducer_model_choose (PtTransducerModel *model, guint frame, gint64 *id,
                                     guint *duration, GCancellable *cancellable, GError **error);

G_END_DECLS
