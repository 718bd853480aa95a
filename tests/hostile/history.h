/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tests/hostile/hostile.h"
#include "ui/chat/conversation.h"

G_BEGIN_DECLS

/* A home folder of the test's own with a history in it. */

/** Before the first test is added. */
void hostile_history_start (int *argc, char ***argv);
/** Runs the tests, removes the folder. Returns the exit status. */
int hostile_history_end (void);

/** The history file, or with @suffix one beside it. Free with g_free(). */
char *hostile_history_path (const char *suffix);

/** Removes everything from the history's folder. */
void hostile_history_remove (void);

/** Fail unless there is a result, or an error that a user may see. @what is for the report. */
void hostile_check_result (gpointer result, GError **error, const char *what);

/** Read all of @chat, and what is shown of it. */
void hostile_use_conversation (PterisConversation *chat, const char *what);

G_END_DECLS
