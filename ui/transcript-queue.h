/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/engine-client.h"
#include "ui/library.h"
#include "ui/transcript.h"

G_BEGIN_DECLS

/**
 * PterisTranscriptQueue: the recordings of the transcription page, worked off one after the other;
 * a GListModel of PterisTranscript, oldest first.
 */
#define PTERIS_TYPE_TRANSCRIPT_QUEUE (pteris_transcript_queue_get_type ())
G_DECLARE_FINAL_TYPE (PterisTranscriptQueue, pteris_transcript_queue, PTERIS, TRANSCRIPT_QUEUE,
                      GObject)

PterisTranscriptQueue *pteris_transcript_queue_new (PterisEngineClient *client,
                                                    PterisLibrary *library);

/** Bring back the transcripts of earlier days; reads in a thread. */
void pteris_transcript_queue_restore (PterisTranscriptQueue *self);

/** Queue the recording at @path. Not a new reference. */
PterisTranscript *pteris_transcript_queue_add (PterisTranscriptQueue *self, const char *path,
                                               const char *language, gboolean translate);

/** Stop @transcript, or take it out of the line; what was found stays. */
void pteris_transcript_queue_stop (PterisTranscriptQueue *self, PterisTranscript *transcript);

/** Transcribe @transcript again from the beginning. */
void pteris_transcript_queue_retry (PterisTranscriptQueue *self, PterisTranscript *transcript);

/** Stop @transcript and take it off the list. It stays in the history: see
 * pteris_transcript_forget(). */
void pteris_transcript_queue_remove (PterisTranscriptQueue *self, PterisTranscript *transcript);

/** Put back one that was removed. */
void pteris_transcript_queue_put_back (PterisTranscriptQueue *self, PterisTranscript *transcript);

/** The speech model that would be used now; NULL when there is none. Not a new reference. */
PterisModel *pteris_transcript_queue_get_model (PterisTranscriptQueue *self);

/** The one being worked on, or NULL. Not a new reference. */
PterisTranscript *pteris_transcript_queue_get_running (PterisTranscriptQueue *self);

G_END_DECLS
