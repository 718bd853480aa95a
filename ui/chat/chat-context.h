/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/chat/message.h"

G_BEGIN_DECLS

/*
 * What of a conversation the model reads. @conversation is a list of PterisMessage; @start, the id
 * of the first one read, 0 for all.
 */

/** What a job reads; it points into the messages, which must stay as they are. */
typedef struct {
  GArray *messages; /* PtMessage */
  GPtrArray *files; /* char **: the files of the messages */
} PterisChatContext;

/**
 * @system, unless it is empty, and every message that says something, up to @answer, with which the
 * model may have to go on. Thoughts are left out: they were for the answer that followed them.
 */
PterisChatContext *pteris_chat_context_new (GListModel *conversation, const char *system,
                                            PterisMessage *answer);
void pteris_chat_context_free (PterisChatContext *context);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PterisChatContext, pteris_chat_context_free)

/** Tell every message whether it is read from now on. */
void pteris_chat_context_mark (GListModel *conversation, gint64 start);

/**
 * The earliest question after @start from which on everything takes half of what the model can
 * read; the last question in any case. Returns its id, or 0: there is none.
 */
gint64 pteris_chat_context_choose_start (GListModel *conversation, gint64 start);

G_END_DECLS
