/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

/**
 * PterisRecorder: what the microphone (ui/sound/sound.h) hears, as a file that grows
 * (ui/sound/wav-file.h). UI thread.
 *
 * Signals:
 *   changed (): state, time, level, error; ten times a second while recording
 */
#define PTERIS_TYPE_RECORDER (pteris_recorder_get_type ())
G_DECLARE_FINAL_TYPE (PterisRecorder, pteris_recorder, PTERIS, RECORDER, GObject)

typedef enum {
  PTERIS_RECORDER_IDLE, /* never begun, stopped, or failed */
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

/** Have the file's header say how long it is; the seconds that can be read. */
double pteris_recorder_sync (PterisRecorder *self);

/** The loudest of the last tenth of a second, 0..1 as one hears it. */
double pteris_recorder_get_level (PterisRecorder *self);

/** Not one sound has been heard since the beginning, though it records: a microphone that is muted
 * or is none. */
gboolean pteris_recorder_is_silent (PterisRecorder *self);
/** Why it does not record, a sentence; or NULL. What was recorded before is kept. */
const char *pteris_recorder_get_error (PterisRecorder *self);

G_END_DECLS
