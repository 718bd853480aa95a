/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/engine/engine-client.h"
#include "ui/models/model-list.h"
#include "ui/speech/transcript.h"
#include "ui/parts/list-object.h"

G_BEGIN_DECLS

/**
 * PterisTranscriptQueue: all transcripts, the newest first (a GListModel of PterisTranscript), and
 * the queue of those that are transcribed one after the other.
 *
 * Signals:
 *   changed (): the running one, the queue, or the remaining time finished (guint n_done, guint
 *   n_failed): the queue is finished, with the numbers since it was last empty. Not emitted if the
 *   rest is paused ready (): the history has been read
 */
#define PTERIS_TYPE_TRANSCRIPT_QUEUE (pteris_transcript_queue_get_type ())
G_DECLARE_FINAL_TYPE (PterisTranscriptQueue, pteris_transcript_queue, PTERIS, TRANSCRIPT_QUEUE,
                      PterisListObject)

PterisTranscriptQueue *pteris_transcript_queue_new (PterisEngineClient *client,
                                                    PterisLibrary *library);

/** Read the transcripts of the history, in a thread. Unfinished ones are in the queue, PAUSED. */
void pteris_transcript_queue_restore (PterisTranscriptQueue *self);

/** Queue the recording at @path. Not a new reference. */
PterisTranscript *pteris_transcript_queue_add (PterisTranscriptQueue *self, const char *path,
                                               const char *language, gboolean translate);

/** Add one that is not queued: a recording in progress. The caller runs it. */
void pteris_transcript_queue_take (PterisTranscriptQueue *self, PterisTranscript *transcript);

/** The queue in its order: waiting, running, paused, failed and stopped transcripts, and finished
 * ones until pteris_transcript_queue_clear_done(). Not a new reference. */
GListModel *pteris_transcript_queue_get_line (PterisTranscriptQueue *self);

/** Queue @transcript to start, to continue, or to be transcribed again: see
 * pteris_transcript_enqueue(). */
void pteris_transcript_queue_enqueue (PterisTranscriptQueue *self, PterisTranscript *transcript);

/** Pause @transcript, also the running one; pteris_transcript_queue_enqueue() continues it. */
void pteris_transcript_queue_pause (PterisTranscriptQueue *self, PterisTranscript *transcript);
void pteris_transcript_queue_pause_all (PterisTranscriptQueue *self);
void pteris_transcript_queue_resume_all (PterisTranscriptQueue *self);

/** TRUE: interrupt the running one and start none until it is set to FALSE, since the model is
 * needed for something else.
 */
void pteris_transcript_queue_set_hold (PterisTranscriptQueue *self, gboolean hold);

/** The process of the speech model has ended during something else: start none until one is queued
 * or resumed. */
void pteris_transcript_queue_set_lost (PterisTranscriptQueue *self);

/** Stop @transcript; its segments so far are kept. */
void pteris_transcript_queue_stop (PterisTranscriptQueue *self, PterisTranscript *transcript);

/** Move @transcript to @position in the queue. */
void pteris_transcript_queue_move (PterisTranscriptQueue *self, PterisTranscript *transcript,
                                   guint position);

/** Remove @transcript from the queue; it stays in the history. Only for finished, failed or stopped
 * ones. */
void pteris_transcript_queue_dismiss (PterisTranscriptQueue *self, PterisTranscript *transcript);
void pteris_transcript_queue_clear_done (PterisTranscriptQueue *self);

/** Delete @transcript; the history removes it at the next start. */
void pteris_transcript_queue_remove (PterisTranscriptQueue *self, PterisTranscript *transcript);

/** Undo pteris_transcript_queue_remove(). */
void pteris_transcript_queue_put_back (PterisTranscriptQueue *self, PterisTranscript *transcript);

/** Find a transcript by @id; or NULL. Not a new reference. */
PterisTranscript *pteris_transcript_queue_find (PterisTranscriptQueue *self, gint64 id);

/** Load the model at @path, which is added to the library, and go on with @transcript. */
void pteris_transcript_queue_use_model (PterisTranscriptQueue *self, PterisTranscript *transcript,
                                        const char *path);

/** The speech model that would be used now; NULL: there is none. Not a new reference. */
PterisModel *pteris_transcript_queue_get_model (PterisTranscriptQueue *self);

/** The sentence why there is no model, with the next step. Free with g_free(). */
char *pteris_transcript_queue_describe_missing (PterisTranscriptQueue *self);

/** The running transcript, or NULL. Not a new reference. */
PterisTranscript *pteris_transcript_queue_get_running (PterisTranscriptQueue *self);

/** Figures of the line. */
typedef struct {
  guint n_open; /* wait or run */
  guint n_paused;
  guint n_ended;  /* done, failed or stopped */
  guint n_failed; /* of those */
  double left;    /* remaining seconds of the queue; < 0: unknown */
} PterisQueueFigures;

void pteris_transcript_queue_get_figures (PterisTranscriptQueue *self, PterisQueueFigures *figures);

G_END_DECLS
