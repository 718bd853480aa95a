/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/chat/message.h"

G_BEGIN_DECLS

/*
 * Selects the messages of a conversation that the model reads. @conversation is a list of
 * PterisMessage; @start, the id of the first one read, 0 for all.
 */

/** The messages of a job. Borrows strings from the conversation's messages, which must not change.
 * */
typedef struct {
  GArray *messages; /* PtMessage */
  GPtrArray *files; /* char **: the files of each message */
} PterisChatContext;

/**
 * Collect @system, unless it is empty, and all messages with text up to @answer, which the model
 * may have to continue. Thoughts are left out.
 */
PterisChatContext *pteris_chat_context_new (GListModel *conversation, const char *system,
                                            PterisMessage *answer);
void pteris_chat_context_free (PterisChatContext *context);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PterisChatContext, pteris_chat_context_free)

/** Update the "place" of every message: whether the model reads it. */
void pteris_chat_context_mark (GListModel *conversation, gint64 start);

/**
 * Find the earliest question after @start such that it and the messages after it fit into half of
 * the context; else the last question. Returns its id; 0: there is none.
 */
gint64 pteris_chat_context_choose_start (GListModel *conversation, gint64 start);

G_END_DECLS
