/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/module.h"

G_BEGIN_DECLS

/**
 * PtRealtimeModel: the methods of a Voxtral Realtime program (docs/formats/protocols.md, section
 * 6), which hears sound in frames of 80 ms and chooses one token for each. Its sizes are those of
 * the program.
 */
typedef struct _PtRealtimeModel PtRealtimeModel;

typedef struct {
  gboolean streaming;
  guint n_bands;       /* of the spectrogram */
  guint frame;         /* samples of one frame, which is one position of the decoder */
  guint delay;         /* frames by which the text lags behind the sound */
  guint64 n_positions; /* of the decoder before it must begin anew; G_MAXUINT64: no bound */
  guint max_frames;    /* offline: that are encoded at once */
  /* streaming: a step takes @left samples from before, @step new ones and @look that follow; of its
   * spectrogram the first @skip columns are left out and @chunk are used */
  guint step, left, look, skip, chunk;
  guint frames_per_step;
} PtRealtimeShape;

/** Loads the methods of @module, which must outlive the model. */
PtRealtimeModel *pt_realtime_model_new (PtModule *module, GError **error);
void pt_realtime_model_free (PtRealtimeModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtRealtimeModel, pt_realtime_model_free)

const PtRealtimeShape *pt_realtime_model_shape (const PtRealtimeModel *model);

/** Forget everything: the next sound and the next token are the first. */
void pt_realtime_model_start (PtRealtimeModel *model);

/**
 * Hear the columns of a spectrogram [n_bands, n_columns]: all of the recording offline, a multiple
 * of 8 that makes at most max_frames; the chunk of a step when streaming. @n_frames: that came of
 * it, for pt_realtime_model_step(), until the next call.
 */
gboolean pt_realtime_model_hear (PtRealtimeModel *model, const float *mel, guint n_columns,
                                 guint *n_frames, GCancellable *cancellable, GError **error);

/**
 * One position of the decoder: @previous, the token before, with frame @frame of what was heard
 * last, or with no sound when @frame is -1. @chosen: the likeliest token; @end where there is none.
 */
gboolean pt_realtime_model_step (PtRealtimeModel *model, gint32 previous, int frame, gint32 end,
                                 gint32 *chosen, double *log_probability, GCancellable *cancellable,
                                 GError **error);

/** Positions since the start. */
guint64 pt_realtime_model_position (const PtRealtimeModel *model);

G_END_DECLS
