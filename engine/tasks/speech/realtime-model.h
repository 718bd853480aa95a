/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/module.h"

G_BEGIN_DECLS

/**
 * PtRealtimeModel: the methods of a Voxtral Realtime program (docs/formats/protocols.md, section
 * 6), which encodes frames of 80 ms and chooses one token for each. The sizes are read from the
 * program.
 */
typedef struct _PtRealtimeModel PtRealtimeModel;

typedef struct {
  gboolean streaming;
  guint n_bands;       /* of the spectrogram */
  guint frame;         /* samples of a frame, which is one position of the decoder */
  guint delay;         /* frames by which the text lags behind the sound */
  guint64 n_positions; /* positions of the decoder until it must be reset; G_MAXUINT64: unlimited */
  guint max_frames;    /* offline: the most frames that are encoded in one call */
  /* streaming: a step takes @left earlier samples, @step new ones and @look that follow; of its mel
     spectrogram the first @skip columns are dropped and the next @chunk are used */
  guint step, left, look, skip, chunk;
  guint frames_per_step;
} PtRealtimeShape;

/** Loads the methods of @module, which must outlive the model. */
PtRealtimeModel *pt_realtime_model_new (PtModule *module, GError **error);
void pt_realtime_model_free (PtRealtimeModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtRealtimeModel, pt_realtime_model_free)

const PtRealtimeShape *pt_realtime_model_shape (const PtRealtimeModel *model);

/** Reset the state: the next frame and the next token are the first. */
void pt_realtime_model_start (PtRealtimeModel *model);

/**
 * Encode a mel spectrogram [n_bands, n_columns]. Offline: a whole window; n_columns is a multiple
 * of 8 that makes at most max_frames. Streaming: the chunk of a step. @n_frames: set to the number
 * of frames, which pt_realtime_model_step() reads until the next call.
 */
gboolean pt_realtime_model_hear (PtRealtimeModel *model, const float *mel, guint n_columns,
                                 guint *n_frames, GCancellable *cancellable, GError **error);

/**
 * Decode one position from @previous, the last token, and frame @frame of the last encoding; -1: no
 * sound. @chosen: set to the likeliest token, or to @end if there is none.
 */
gboolean pt_realtime_model_step (PtRealtimeModel *model, gint32 previous, int frame, gint32 end,
                                 gint32 *chosen, double *log_probability, GCancellable *cancellable,
                                 GError **error);

/** Number of positions since the reset. */
guint64 pt_realtime_model_position (const PtRealtimeModel *model);

G_END_DECLS
