/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

#include "engine/engine.h"

G_BEGIN_DECLS

/**
 * PterisTranscript: a recording and what was said in it, from waiting in the queue to the finished
 * text. Everything is written to the history as it happens.
 *
 * Signals:
 *   changed (): state, progress, figures (the segments are a list of their own)
 */
#define PTERIS_TYPE_TRANSCRIPT (pteris_transcript_get_type ())
G_DECLARE_FINAL_TYPE (PterisTranscript, pteris_transcript, PTERIS, TRANSCRIPT, GObject)

typedef enum {
  PTERIS_TRANSCRIPT_QUEUED,
  PTERIS_TRANSCRIPT_RUNNING,
  PTERIS_TRANSCRIPT_DONE,
  PTERIS_TRANSCRIPT_STOPPED, /* by the user, or by the end of the program */
  PTERIS_TRANSCRIPT_FAILED,
} PterisTranscriptState;

/** @path: of the recording. @language: a code or NULL to detect it. */
PterisTranscript *pteris_transcript_new (const char *path, const char *language,
                                         gboolean translate);

/** Make it what was kept of it (ui/transcript-store.h); one without an end is STOPPED. */
void pteris_transcript_restore (PterisTranscript *self, gint64 id, PterisTranscriptState state,
                                const char *reason, PtError code, const char *error,
                                const PtStats *stats);

/** Its row in the history. */
gint64 pteris_transcript_get_id (PterisTranscript *self);
const PtStats *pteris_transcript_get_stats (PterisTranscript *self);

/** Why it ended, or NULL. */
const char *pteris_transcript_get_reason (PterisTranscript *self);

const char *pteris_transcript_get_path (PterisTranscript *self);

/** The file's name, for people. */
const char *pteris_transcript_get_name (PterisTranscript *self);
const char *pteris_transcript_get_language (PterisTranscript *self);
gboolean pteris_transcript_get_translate (PterisTranscript *self);

/** Take other choices for the next attempt. */
void pteris_transcript_set_choices (PterisTranscript *self, const char *language,
                                    gboolean translate);

PterisTranscriptState pteris_transcript_get_state (PterisTranscript *self);

/** Of PterisSegment; not a new reference. */
GListModel *pteris_transcript_get_segments (PterisTranscript *self);

/** 0..1. */
double pteris_transcript_get_fraction (PterisTranscript *self);

/** One line on how it stands: "42 % · 30 s left", "English · 11 s in 1.2 s". Free with g_free(). */
char *pteris_transcript_describe (PterisTranscript *self);

/** The sentence when FAILED, or NULL. */
const char *pteris_transcript_get_error (PterisTranscript *self, PtError *code);

/** Forget what was found and be QUEUED: from now on it comes back at the next start. */
void pteris_transcript_reset (PterisTranscript *self);

/** Take an event of its job. */
void pteris_transcript_handle (PterisTranscript *self, const PtEvent *event);
void pteris_transcript_fail (PterisTranscript *self, PtError code, const char *sentence);

/** RUNNING from now on: @status says what is done first ("Loading Whisper base"). */
void pteris_transcript_start (PterisTranscript *self, const char *status);

/** Stop one that has not begun. */
void pteris_transcript_stop (PterisTranscript *self);

/** It will not come back at the next start. */
void pteris_transcript_forget (PterisTranscript *self);

/** All of it in @format. Free with g_free(). */
char *pteris_transcript_format (PterisTranscript *self, PtSubtitleFormat format);

/** Write it to @file: whole or not at all. */
void pteris_transcript_export_async (PterisTranscript *self, GFile *file, PtSubtitleFormat format,
                                     GAsyncReadyCallback callback, gpointer user_data);
gboolean pteris_transcript_export_finish (PterisTranscript *self, GAsyncResult *result,
                                          GError **error);

G_END_DECLS
