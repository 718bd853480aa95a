/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <pteris/job.h>

#include "ui/speech/segment.h"

G_BEGIN_DECLS

/**
 * PterisTranscript: a recording and what was said in it, from waiting in the queue to the text that
 * somebody corrects. Everything is written to the history as it happens.
 *
 * Signals:
 *   changed (): state, progress, figures, title, what can be undone (the segments are a list of
 *     their own)
 */
#define PTERIS_TYPE_TRANSCRIPT (pteris_transcript_get_type ())
G_DECLARE_FINAL_TYPE (PterisTranscript, pteris_transcript, PTERIS, TRANSCRIPT, GObject)

typedef enum {
  PTERIS_TRANSCRIPT_QUEUED,
  PTERIS_TRANSCRIPT_RUNNING,
  PTERIS_TRANSCRIPT_DONE,
  PTERIS_TRANSCRIPT_STOPPED, /* by the user, for good */
  PTERIS_TRANSCRIPT_FAILED,
  PTERIS_TRANSCRIPT_PAUSED, /* by the user, or by the end of the program: goes on where it was */
} PterisTranscriptState;

/** @path: of the recording. @language: a code or NULL to detect it. */
PterisTranscript *pteris_transcript_new (const char *path, const char *language,
                                         gboolean translate);

/** What is kept of a transcript beside its segments (ui/speech/transcript-store.h). Strings are
 * borrowed.
 */
typedef struct {
  gint64 id;
  const char *path, *title, *language, *error, *model;
  PtReason reason; /* why it ended */
  gboolean translate;
  PterisTranscriptState state;
  PtError code;
  PtStats stats;
  gint64 rank;
  double until;
  gboolean redo;
} PterisTranscriptRecord;

/** One of an earlier day: its segments are not read yet, and one without an end is PAUSED. */
PterisTranscript *pteris_transcript_restore (const PterisTranscriptRecord *record);
void pteris_transcript_get_record (PterisTranscript *self, PterisTranscriptRecord *record);

/** Read the segments of a restored one, in a thread; nothing happens when they are there. */
void pteris_transcript_load (PterisTranscript *self);
gboolean pteris_transcript_is_loaded (PterisTranscript *self);

/** Its row in the history, and when it was made: microseconds since 1970. */
gint64 pteris_transcript_get_id (PterisTranscript *self);
const PtStats *pteris_transcript_get_stats (PterisTranscript *self);

/** Why it ended, or NULL. */
PtReason pteris_transcript_get_reason (PterisTranscript *self);

const char *pteris_transcript_get_path (PterisTranscript *self);

/** What people call it: at first the name of the file. */
const char *pteris_transcript_get_title (PterisTranscript *self);
void pteris_transcript_set_title (PterisTranscript *self, const char *title);

/** The language asked for; NULL: detect it. */
const char *pteris_transcript_get_language (PterisTranscript *self);
gboolean pteris_transcript_get_translate (PterisTranscript *self);

/** Of the model that wrote it, for people; or NULL. */
const char *pteris_transcript_get_model (PterisTranscript *self);

/** Its place in the queue: smaller comes first. */
gint64 pteris_transcript_get_rank (PterisTranscript *self);
void pteris_transcript_set_rank (PterisTranscript *self, gint64 rank);

/** Bytes of the recording, as far as known; for estimates. */
goffset pteris_transcript_get_size (PterisTranscript *self);
void pteris_transcript_set_size (PterisTranscript *self, goffset size);

/** Take other choices for the next attempt. */
void pteris_transcript_set_choices (PterisTranscript *self, const char *language,
                                    gboolean translate);

PterisTranscriptState pteris_transcript_get_state (PterisTranscript *self);

/** Its recording is still going on, so that nobody can listen to it. */
gboolean pteris_transcript_is_live (PterisTranscript *self);
void pteris_transcript_set_live (PterisTranscript *self, gboolean live);

/** QUEUED, RUNNING or PAUSED. */
gboolean pteris_transcript_is_open (PterisTranscript *self);

/** Being transcribed anew, while the segments are still those of the last time. */
gboolean pteris_transcript_is_redo (PterisTranscript *self);

/** Of PterisSegment, in order; not a new reference. */
GListModel *pteris_transcript_get_segments (PterisTranscript *self);

/** Seconds of the recording that are done. */
double pteris_transcript_get_until (PterisTranscript *self);

/** 0..1. */
double pteris_transcript_get_fraction (PterisTranscript *self);

/** Seconds that it will still take; < 0 while unknown. */
double pteris_transcript_get_left (PterisTranscript *self);

/** One line on how it stands: "42 % · 30 s left", "English · 11 s in 1.2 s". Free with g_free(). */
char *pteris_transcript_describe (PterisTranscript *self);

/** Why the last attempt failed, a sentence; or NULL. A text that was DONE before is still there. */
const char *pteris_transcript_get_error (PterisTranscript *self, PtError *code);

/* ---- the work ---- */

/**
 * Be QUEUED. What is PAUSED goes on; what was STOPPED or has FAILED begins anew; what is DONE is
 * made anew beside the present text, which stays until then.
 */
void pteris_transcript_enqueue (PterisTranscript *self);

/** RUNNING from now on: @status says what is done first ("Loading Whisper base"). */
void pteris_transcript_start (PterisTranscript *self, const char *model, const char *status);

/** Take an event of its job. STOPPED is pteris_transcript_stop(). */
void pteris_transcript_handle (PterisTranscript *self, const PtEvent *event);
void pteris_transcript_fail (PterisTranscript *self, PtError code, const char *sentence);

/** PAUSED; a job of its own must be cancelled by who gave it. */
void pteris_transcript_pause (PterisTranscript *self);

/** PAUSED, because something is missing: @sentence says what. */
void pteris_transcript_hold (PterisTranscript *self, PtError code, const char *sentence);

/** Give up; what was found stays, unless it is a second version that nobody has seen. */
void pteris_transcript_stop (PterisTranscript *self);

/** It will not come back at the next start; FALSE: undo that. */
void pteris_transcript_set_deleted (PterisTranscript *self, gboolean deleted);

/**
 * For a recording that still grows: take back the segment that may not be complete, the last one,
 * and put @segments in its place. @until: from where on the next look begins.
 */
void pteris_transcript_revise (PterisTranscript *self, guint n_final, GPtrArray *segments,
                               double until);

/* ---- editing ---- */

/** Put the @n segments of @added in place of @n_removed at @position. One step of undo. */
void pteris_transcript_splice (PterisTranscript *self, guint position, guint n_removed,
                               PterisSegment *const *added, guint n);

gboolean pteris_transcript_can_undo (PterisTranscript *self);
gboolean pteris_transcript_can_redo (PterisTranscript *self);
void pteris_transcript_undo (PterisTranscript *self);
void pteris_transcript_redo (PterisTranscript *self);

/* ---- out of here ---- */

/** All of it in @format. Free with g_free(). */
char *pteris_transcript_format (PterisTranscript *self, PtSubtitleFormat format);

/** The same as running text: a new paragraph where somebody paused. Free with g_free(). */
char *pteris_transcript_format_plain (PterisTranscript *self);

/** Write it to @file: whole or not at all. */
void pteris_transcript_export_async (PterisTranscript *self, GFile *file, PtSubtitleFormat format,
                                     GAsyncReadyCallback callback, gpointer user_data);
gboolean pteris_transcript_export_finish (PterisTranscript *self, GAsyncResult *result,
                                          GError **error);

G_END_DECLS
