/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/tasks/speech/transcription.h"

G_BEGIN_DECLS

/**
 * PtWindow: a part of a recording for models with a limited input. Longer recordings are cut at
 * quiet places, so that no word is split. One thread.
 */
typedef struct {
  float *samples;
  gsize size;       /* capacity in samples */
  gsize filled;     /* samples there are */
  guint64 position; /* position of the first sample */
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
 * The number of samples to take: all if the recording ends here, else up to the quietest fifth of a
 * second in the last @part-th of the window: 2 for its second half. @rate: samples per second.
 */
gsize pt_window_cut (const PtWindow *window, guint rate, guint part);

/** Drop the first @n samples. */
void pt_window_advance (PtWindow *window, gsize n);

/** Whether no sample is louder than silence: about 16 of 32767 steps. */
gboolean pt_window_is_silent (const float *samples, gsize n);

G_END_DECLS
