/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <pteris/job.h>

#include "ui/speech/segment.h"

G_BEGIN_DECLS

/**
 * PterisTranscript: a recording and its transcript, from the queue to the edited text. All changes
 * are written to the history at once.
 *
 * Signals:
 *   changed (): state, progress, statistics, title, undo (the segments are a separate list)
 */
#define PTERIS_TYPE_TRANSCRIPT (pteris_transcript_get_type ())
G_DECLARE_FINAL_TYPE (PterisTranscript, pteris_transcript, PTERIS, TRANSCRIPT, GObject)

typedef enum {
  PTERIS_TRANSCRIPT_QUEUED,
  PTERIS_TRANSCRIPT_RUNNING,
  PTERIS_TRANSCRIPT_DONE,
  PTERIS_TRANSCRIPT_STOPPED, /* by the user, for good */
  PTERIS_TRANSCRIPT_FAILED,
  PTERIS_TRANSCRIPT_PAUSED, /* by the user, or by the end of the program; can be continued */
} PterisTranscriptState;

/** @path: of the recording. @language: a code or NULL to detect it. */
PterisTranscript *pteris_transcript_new (const char *path, const char *language,
                                         gboolean translate);

/** The members of a transcript in the history, without its segments (ui/speech/transcript-store.h).
 * Strings are borrowed.
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

/** Make a transcript from the history: its segments are not read yet, and an unfinished one is
 * PAUSED. */
PterisTranscript *pteris_transcript_restore (const PterisTranscriptRecord *record);
void pteris_transcript_get_record (PterisTranscript *self, PterisTranscriptRecord *record);

/** Read the segments of a restored transcript in a thread; does nothing if they are loaded. */
void pteris_transcript_load (PterisTranscript *self);
gboolean pteris_transcript_is_loaded (PterisTranscript *self);

/** The id of its row in the history, and its creation time in microseconds since 1970. */
gint64 pteris_transcript_get_id (PterisTranscript *self);
const PtStats *pteris_transcript_get_stats (PterisTranscript *self);

/** Why it ended, or NULL. */
PtReason pteris_transcript_get_reason (PterisTranscript *self);

const char *pteris_transcript_get_path (PterisTranscript *self);

/** The title: at first the name of the file. */
const char *pteris_transcript_get_title (PterisTranscript *self);
void pteris_transcript_set_title (PterisTranscript *self, const char *title);

/** The requested language; NULL: detect it. */
const char *pteris_transcript_get_language (PterisTranscript *self);
gboolean pteris_transcript_get_translate (PterisTranscript *self);

/** The title of the model that wrote it; or NULL. */
const char *pteris_transcript_get_model (PterisTranscript *self);

/** Its place in the queue: the lowest is first. */
gint64 pteris_transcript_get_rank (PterisTranscript *self);
void pteris_transcript_set_rank (PterisTranscript *self, gint64 rank);

/** Size of the recording in bytes, if known; for estimates. */
goffset pteris_transcript_get_size (PterisTranscript *self);
void pteris_transcript_set_size (PterisTranscript *self, goffset size);

/** Set the options of the next transcription. */
void pteris_transcript_set_choices (PterisTranscript *self, const char *language,
                                    gboolean translate);

PterisTranscriptState pteris_transcript_get_state (PterisTranscript *self);

/** Whether the recording is in progress, so that it cannot be played. */
gboolean pteris_transcript_is_live (PterisTranscript *self);
void pteris_transcript_set_live (PterisTranscript *self, gboolean live);

/** QUEUED, RUNNING or PAUSED. */
gboolean pteris_transcript_is_open (PterisTranscript *self);

/** Whether it is transcribed again; its segments are still those of the first version. */
gboolean pteris_transcript_is_redo (PterisTranscript *self);

/** The segments (PterisSegment) in order; not a new reference. */
GListModel *pteris_transcript_get_segments (PterisTranscript *self);

/** Seconds of the recording that are transcribed. */
double pteris_transcript_get_until (PterisTranscript *self);

/** 0..1. */
double pteris_transcript_get_fraction (PterisTranscript *self);

/** Remaining seconds of work; < 0: unknown. */
double pteris_transcript_get_left (PterisTranscript *self);

/** The state in one line: "42 % · 30 s left", "English · 11 s in 1.2 s". Free with g_free(). */
char *pteris_transcript_describe (PterisTranscript *self);

/** The sentence of the last error; or NULL. The text of an earlier DONE is kept. */
const char *pteris_transcript_get_error (PterisTranscript *self, PtError *code);

/** PAUSED because the model's process has ended: the path of a file for a bug report, and of the
 * same model's program that needs no GPU; or NULL. */
const char *pteris_transcript_get_report (PterisTranscript *self, const char **alternative);

/* ---- the work ---- */

/**
 * Set it to QUEUED. A PAUSED one is continued; a STOPPED or FAILED one starts again; a DONE one is
 * transcribed again, and its present text is kept until then.
 */
void pteris_transcript_enqueue (PterisTranscript *self);

/** Set it to RUNNING. @status: the first step ("Loading Whisper base"). */
void pteris_transcript_start (PterisTranscript *self, const char *model, const char *status);

/** Handle an event of its job. For STOPPED call pteris_transcript_stop(). */
void pteris_transcript_handle (PterisTranscript *self, const PtEvent *event);
void pteris_transcript_fail (PterisTranscript *self, PtError code, const char *sentence);

/** Set it to PAUSED; the caller must cancel its job. */
void pteris_transcript_pause (PterisTranscript *self);

/** Set it to PAUSED because something is missing, which @sentence names. */
void pteris_transcript_hold (PterisTranscript *self, PtError code, const char *sentence);

/** Set it to STOPPED; its segments are kept, except an unfinished second version. */
void pteris_transcript_stop (PterisTranscript *self);

/** Hide it, and delete it at the next start; FALSE: undo that. */
void pteris_transcript_set_deleted (PterisTranscript *self, gboolean deleted);

/**
 * For a recording in progress: replace the last segment, which may be incomplete, by @segments.
 * @until: start of the next transcription in seconds.
 */
void pteris_transcript_revise (PterisTranscript *self, guint n_final, GPtrArray *segments,
                               double until);

/* ---- editing ---- */

/** Replace @n_removed segments at @position by the @n segments of @added. One step of undo. */
void pteris_transcript_splice (PterisTranscript *self, guint position, guint n_removed,
                               PterisSegment *const *added, guint n);

gboolean pteris_transcript_can_undo (PterisTranscript *self);
gboolean pteris_transcript_can_redo (PterisTranscript *self);
void pteris_transcript_undo (PterisTranscript *self);
void pteris_transcript_redo (PterisTranscript *self);

/* ---- out of here ---- */

/** The whole transcript in @format. Free with g_free(). */
char *pteris_transcript_format (PterisTranscript *self, PtSubtitleFormat format);

/** The same with @texts in place of those of the segments, in the same order; NULL: their own. */
char *pteris_transcript_format_texts (PterisTranscript *self, const char *const *texts,
                                      PtSubtitleFormat format);

/** The transcript as running text, with a new paragraph at each pause. Free with g_free(). */
char *pteris_transcript_format_plain (PterisTranscript *self);

/** Write it to @file atomically. */
void pteris_transcript_export_async (PterisTranscript *self, GFile *file, PtSubtitleFormat format,
                                     GAsyncReadyCallback callback, gpointer user_data);
gboolean pteris_transcript_export_finish (PterisTranscript *self, GAsyncResult *result,
                                          GError **error);

G_END_DECLS
