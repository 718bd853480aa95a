/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/engine/engine-client.h"
#include "ui/models/model-list.h"
#include "ui/speech/transcript.h"
#include "ui/parts/list-object.h"

G_BEGIN_DECLS

/**
 * PterisTranscriptQueue: every transcript there is, the newest first (a GListModel of
 * PterisTranscript), and the line of those that are worked off one after the other.
 *
 * Signals:
 *   changed (): what runs, what waits, how long it will take
 *   finished (guint n_done, guint n_failed): the line has come to its end; since it was empty, so
 *     many were done. Not when there is nothing left because of pauses
 *   ready (): what was kept has been read
 */
#define PTERIS_TYPE_TRANSCRIPT_QUEUE (pteris_transcript_queue_get_type ())
G_DECLARE_FINAL_TYPE (PterisTranscriptQueue, pteris_transcript_queue, PTERIS, TRANSCRIPT_QUEUE,
                      PterisListObject)

PterisTranscriptQueue *pteris_transcript_queue_new (PterisEngineClient *client,
                                                    PterisLibrary *library);

/** Bring back the transcripts of earlier days; reads in a thread. What was not done then is in the
 * line, PAUSED. */
void pteris_transcript_queue_restore (PterisTranscriptQueue *self);

/** Queue the recording at @path. Not a new reference. */
PterisTranscript *pteris_transcript_queue_add (PterisTranscriptQueue *self, const char *path,
                                               const char *language, gboolean translate);

/** Take one that does not wait for anything: a recording that is still going on. It runs for as
 * long as the caller says. */
void pteris_transcript_queue_take (PterisTranscriptQueue *self, PterisTranscript *transcript);

/** The line, in the order of work: what waits, runs, is paused, has failed or was stopped, and what
 * is done until pteris_transcript_queue_clear_done(). Not a new reference. */
GListModel *pteris_transcript_queue_get_line (PterisTranscriptQueue *self);

/** Have @transcript go on, begin, or be made anew: see pteris_transcript_enqueue(). */
void pteris_transcript_queue_enqueue (PterisTranscriptQueue *self, PterisTranscript *transcript);

/** Stop @transcript for now, also the one that runs; pteris_transcript_queue_enqueue() goes on
 * where it was. */
void pteris_transcript_queue_pause (PterisTranscriptQueue *self, PterisTranscript *transcript);
void pteris_transcript_queue_pause_all (PterisTranscriptQueue *self);
void pteris_transcript_queue_resume_all (PterisTranscriptQueue *self);

/** Start nothing, and interrupt what runs, until it is FALSE again: somebody else needs the model.
 */
void pteris_transcript_queue_set_hold (PterisTranscriptQueue *self, gboolean hold);

/** Give @transcript up; what was found stays. */
void pteris_transcript_queue_stop (PterisTranscriptQueue *self, PterisTranscript *transcript);

/** Move @transcript to @position in the line. */
void pteris_transcript_queue_move (PterisTranscriptQueue *self, PterisTranscript *transcript,
                                   guint position);

/** Take @transcript off the line; it stays in the history. Only what is not open. */
void pteris_transcript_queue_dismiss (PterisTranscriptQueue *self, PterisTranscript *transcript);
void pteris_transcript_queue_clear_done (PterisTranscriptQueue *self);

/** Delete @transcript; it is gone for good at the next start. */
void pteris_transcript_queue_remove (PterisTranscriptQueue *self, PterisTranscript *transcript);

/** Put back one that was removed. */
void pteris_transcript_queue_put_back (PterisTranscriptQueue *self, PterisTranscript *transcript);

/** NULL when there is none with this @id. Not a new reference. */
PterisTranscript *pteris_transcript_queue_find (PterisTranscriptQueue *self, gint64 id);

/** The speech model that would be used now; NULL when there is none. Not a new reference. */
PterisModel *pteris_transcript_queue_get_model (PterisTranscriptQueue *self);

/** Why there is none, and what to do, a sentence. Free with g_free(). */
char *pteris_transcript_queue_describe_missing (PterisTranscriptQueue *self);

/** The one being worked on, or NULL. Not a new reference. */
PterisTranscript *pteris_transcript_queue_get_running (PterisTranscriptQueue *self);

/** Figures of the line. */
typedef struct {
  guint n_open; /* wait or run */
  guint n_paused;
  guint n_ended;  /* done, failed or stopped */
  guint n_failed; /* of those */
  double left;    /* seconds that the open ones will take; < 0 while unknown */
} PterisQueueFigures;

void pteris_transcript_queue_get_figures (PterisTranscriptQueue *self, PterisQueueFigures *figures);

G_END_DECLS
