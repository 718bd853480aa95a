/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib-object.h>

#include "ui/sound/sound.h"

G_BEGIN_DECLS

/**
 * PterisRecorder: records the device that the user has chosen (ui/sound/sound-choice.h) to a WAV
 * file (ui/sound/wav-file.h). UI thread.
 *
 * Signals:
 *   changed (): state, time, level, error; ten times a second while recording
 */
#define PTERIS_TYPE_RECORDER (pteris_recorder_get_type ())
G_DECLARE_FINAL_TYPE (PterisRecorder, pteris_recorder, PTERIS, RECORDER, GObject)

typedef enum {
  PTERIS_RECORDER_IDLE, /* not started, stopped, or failed */
  PTERIS_RECORDER_STARTING,
  PTERIS_RECORDER_RECORDING,
  PTERIS_RECORDER_PAUSED,
} PterisRecorderState;

PterisRecorder *pteris_recorder_new (void);

/** Begin a file at @path. */
void pteris_recorder_start (PterisRecorder *self, const char *path);
void pteris_recorder_set_paused (PterisRecorder *self, gboolean paused);
void pteris_recorder_stop (PterisRecorder *self);

PterisRecorderState pteris_recorder_get_state (PterisRecorder *self);

/** Of sound in the file. */
double pteris_recorder_get_seconds (PterisRecorder *self);

/** Write the current length to the file's header. Returns the seconds that can be read. */
double pteris_recorder_sync (PterisRecorder *self);

/** The peak of the last tenth of a second on a perceptual scale, 0..1. */
double pteris_recorder_get_level (PterisRecorder *self);

/** What it records: a microphone, or what the computer plays. */
PterisSoundKind pteris_recorder_get_kind (PterisRecorder *self);
/** What is said of the device: the chosen one is not connected. NULL: nothing. */
const char *pteris_recorder_get_note (PterisRecorder *self);

/** Whether there were only silent samples since the start: the microphone is muted or missing, or
 * the computer plays nothing. */
gboolean pteris_recorder_is_silent (PterisRecorder *self);
/** The sentence of the error; or NULL. The recording up to the error is kept. */
const char *pteris_recorder_get_error (PterisRecorder *self);

G_END_DECLS
