/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/tasks/speech/transcription.h"

G_BEGIN_DECLS

/**
 * PtWindow: a stretch of a recording for models that take only so much at once. What does not fit
 * is cut where it is quiet, so that no word is torn apart. One thread.
 */
typedef struct {
  float *samples;
  gsize size;       /* samples there is room for */
  gsize filled;     /* samples there are */
  guint64 position; /* of the first, among those that were read */
  gboolean at_end;  /* there is no more to read */
} PtWindow;

/** @size: samples, at least a second's worth for the cuts to make sense. */
gboolean pt_window_init (PtWindow *window, gsize size, GError **error);
void pt_window_clear (PtWindow *window);

/** Begin a recording. */
void pt_window_reset (PtWindow *window);

/** Read on until the window is full or the sound ends. */
gboolean pt_window_fill (PtWindow *window, PtSpeech *speech, GError **error);

/**
 * How many of the samples to take now: all of them when the recording ends here, else up to the
 * quietest fifth of a second in the second half, of @rate samples per second.
 */
gsize pt_window_cut (const PtWindow *window, guint rate);

/** Drop the first @n samples. */
void pt_window_advance (PtWindow *window, gsize n);

G_END_DECLS
