/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/chat.h>

G_BEGIN_DECLS

/** How many conversations stay open on a GPU. */
#define PTERIS_MARKS_MOST 4

/**
 * The conversations that were answered last at one place. They are known by digests of how they
 * begin, so that no text is kept. Start from zeros.
 */
typedef struct {
  guint64 digests[PTERIS_MARKS_MOST]; /* the latest first */
  guint n;
} PterisConversationMarks;

/** A digest of the messages of @chat up to the first that is none of the system: it stays the same
 * while a conversation goes on, and when its end is changed. Never 0. */
guint64 pteris_marks_of_chat (const PtChatOptions *chat);

/** Whether the conversation with @digest is one of @self. 0: FALSE. */
gboolean pteris_marks_know (const PterisConversationMarks *self, guint64 digest);

/** It is the latest one now. 0: does nothing. */
void pteris_marks_add (PterisConversationMarks *self, guint64 digest);

/** It goes on elsewhere. */
void pteris_marks_remove (PterisConversationMarks *self, guint64 digest);

G_END_DECLS
