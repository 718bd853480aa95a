/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/job.h>

#include "ui/chat/attachment.h"

G_BEGIN_DECLS

/**
 * PterisMessage: one message of a conversation: what the user wrote, or an answer that grows.
 *
 * Signals:
 *   appended (): there is more text
 *   changed (): anything else: state, status, figures
 */
#define PTERIS_TYPE_MESSAGE (pteris_message_get_type ())
G_DECLARE_FINAL_TYPE (PterisMessage, pteris_message, PTERIS, MESSAGE, GObject)

typedef enum {
  PTERIS_MESSAGE_WAITING,   /* no text yet: loading the model, reading the prompt */
  PTERIS_MESSAGE_STREAMING, /* text is coming */
  PTERIS_MESSAGE_DONE,      /* ended by itself; see pteris_message_get_reason() */
  PTERIS_MESSAGE_STOPPED,   /* stopped by the user, or cut off by the end of the program */
  PTERIS_MESSAGE_FAILED,    /* see pteris_message_get_error() */
} PterisMessageState;

/** Whether the model reads it. */
typedef enum {
  PTERIS_MESSAGE_READ,
  PTERIS_MESSAGE_LEFT_OUT,   /* the conversation has become too long for it */
  PTERIS_MESSAGE_FIRST_READ, /* those before are left out */
} PterisMessagePlace;

/** @author: the title of the model that answers; NULL for what the user writes, which is DONE at
 * once. */
PterisMessage *pteris_message_new (const char *author, const char *text);

gboolean pteris_message_is_answer (PterisMessage *self);
/** Its row in the history, and that of the message before it (0: none). */
gint64 pteris_message_get_id (PterisMessage *self);
gint64 pteris_message_get_parent (PterisMessage *self);
void pteris_message_set_ids (PterisMessage *self, gint64 id, gint64 parent);

/** It is the @index-th (from 0) of @count versions that follow the same message. */
void pteris_message_set_version (PterisMessage *self, guint index, guint count);
guint pteris_message_get_version (PterisMessage *self, guint *count);

const char *pteris_message_get_author (PterisMessage *self);
const char *pteris_message_get_text (PterisMessage *self);
PterisMessageState pteris_message_get_state (PterisMessage *self);

/** What is being waited for ("Loading SmolLM2"), or NULL. */
const char *pteris_message_get_status (PterisMessage *self);

/** Why it ended; PT_REASON_NONE: it has not, or it failed. */
PtReason pteris_message_get_reason (PterisMessage *self);
/** An answer that was broken off, by whatever: there may be more of it. */
gboolean pteris_message_may_go_on (PterisMessage *self);
const PtStats *pteris_message_get_stats (PterisMessage *self);

/** The sentence, or NULL. */
const char *pteris_message_get_error (PterisMessage *self, PtError *code);

/** Of PterisAttachment; NULL when there are none. Not a new reference. */
GPtrArray *pteris_message_get_attachments (PterisMessage *self);
/** Before the message is shown. */
void pteris_message_set_attachments (PterisMessage *self, GPtrArray *list);

/** A program beside the model's that needs no GPU, when that may help; or NULL. */
const char *pteris_message_get_alternative (PterisMessage *self);
void pteris_message_set_alternative (PterisMessage *self, const char *path);

/** Seconds of thought before the answer; 0: none, or not known. */
double pteris_message_get_thinking_time (PterisMessage *self);
void pteris_message_set_thinking_time (PterisMessage *self, double seconds);

PterisMessagePlace pteris_message_get_place (PterisMessage *self);
void pteris_message_set_place (PterisMessage *self, PterisMessagePlace place);

/** An answer that has ended goes on: it is WAITING again, with the text that it has. */
void pteris_message_resume (PterisMessage *self);

void pteris_message_append (PterisMessage *self, const char *text);
void pteris_message_set_author (PterisMessage *self, const char *author);
void pteris_message_set_status (PterisMessage *self, const char *status);
void pteris_message_set_stats (PterisMessage *self, const PtStats *stats);
void pteris_message_finish (PterisMessage *self, PterisMessageState state, PtReason reason);
void pteris_message_fail (PterisMessage *self, PtError code, const char *sentence);

G_END_DECLS
