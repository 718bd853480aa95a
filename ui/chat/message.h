/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/job.h>

#include "ui/chat/attachment.h"

G_BEGIN_DECLS

/**
 * PterisMessage: one message of a conversation: of the user, or an answer.
 *
 * Signals:
 *   appended (): text was added changed (): state, status or statistics
 */
#define PTERIS_TYPE_MESSAGE (pteris_message_get_type ())
G_DECLARE_FINAL_TYPE (PterisMessage, pteris_message, PTERIS, MESSAGE, GObject)

typedef enum {
  PTERIS_MESSAGE_WAITING,   /* no text yet: loading the model, or prefill of the prompt */
  PTERIS_MESSAGE_STREAMING, /* text is coming */
  PTERIS_MESSAGE_DONE,      /* complete; see pteris_message_get_reason() */
  PTERIS_MESSAGE_STOPPED,   /* stopped by the user, or by the end of the program */
  PTERIS_MESSAGE_FAILED,    /* see pteris_message_get_error() */
} PterisMessageState;

/** Whether the model reads it. */
typedef enum {
  PTERIS_MESSAGE_READ,
  PTERIS_MESSAGE_LEFT_OUT,   /* left out: the conversation is too long */
  PTERIS_MESSAGE_FIRST_READ, /* the first one that is read; earlier ones are left out */
} PterisMessagePlace;

/** @author: the title of the answering model; NULL for a message of the user, which is DONE at
 * once. */
PterisMessage *pteris_message_new (const char *author, const char *text);

gboolean pteris_message_is_answer (PterisMessage *self);
/** The id of its row in the history, and that of the message before it (0: none). */
gint64 pteris_message_get_id (PterisMessage *self);
gint64 pteris_message_get_parent (PterisMessage *self);
void pteris_message_set_ids (PterisMessage *self, gint64 id, gint64 parent);

/** It is version @index (from 0) of @count versions that follow the same message. */
void pteris_message_set_version (PterisMessage *self, guint index, guint count);
guint pteris_message_get_version (PterisMessage *self, guint *count);

const char *pteris_message_get_author (PterisMessage *self);
const char *pteris_message_get_text (PterisMessage *self);
PterisMessageState pteris_message_get_state (PterisMessage *self);

/** The step in progress ("Loading SmolLM2"), or NULL. */
const char *pteris_message_get_status (PterisMessage *self);

/** The reason of its end; PT_REASON_NONE: not ended, or failed. */
PtReason pteris_message_get_reason (PterisMessage *self);
/** Whether the answer was cut off for any reason, so that it can be continued. */
gboolean pteris_message_may_go_on (PterisMessage *self);
const PtStats *pteris_message_get_stats (PterisMessage *self);

/** The sentence, or NULL. */
const char *pteris_message_get_error (PterisMessage *self, PtError *code);

/** The attachments (PterisAttachment); NULL if there are none. Not a new reference. */
GPtrArray *pteris_message_get_attachments (PterisMessage *self);
/** Call it before the message is shown. */
void pteris_message_set_attachments (PterisMessage *self, GPtrArray *list);

/** The path of the same model's program that needs no GPU, if that may help; or NULL. */
const char *pteris_message_get_alternative (PterisMessage *self);
void pteris_message_set_alternative (PterisMessage *self, const char *path);

/** FAILED because the model's process has ended: the path of a file for a bug report, or NULL. */
const char *pteris_message_get_report (PterisMessage *self);
void pteris_message_set_report (PterisMessage *self, const char *path);

/** Duration of the thought before the answer in seconds; 0: none, or unknown. */
double pteris_message_get_thinking_time (PterisMessage *self);
void pteris_message_set_thinking_time (PterisMessage *self, double seconds);

/** Whether it is being read aloud. */
gboolean pteris_message_is_aloud (PterisMessage *self);
void pteris_message_set_aloud (PterisMessage *self, gboolean aloud);

PterisMessagePlace pteris_message_get_place (PterisMessage *self);
void pteris_message_set_place (PterisMessage *self, PterisMessagePlace place);

/** Continue a finished answer: it is WAITING again, with its text so far. */
void pteris_message_resume (PterisMessage *self);

void pteris_message_append (PterisMessage *self, const char *text);
void pteris_message_set_author (PterisMessage *self, const char *author);
void pteris_message_set_status (PterisMessage *self, const char *status);
/** Whether the answer waits for a transcription that can be paused for it; until the next status.
 */
gboolean pteris_message_may_go_first (PterisMessage *self);
void pteris_message_set_may_go_first (PterisMessage *self);
void pteris_message_set_stats (PterisMessage *self, const PtStats *stats);
void pteris_message_finish (PterisMessage *self, PterisMessageState state, PtReason reason);
void pteris_message_fail (PterisMessage *self, PtError code, const char *sentence);

G_END_DECLS
