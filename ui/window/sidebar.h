/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/chat/chat-history.h"
#include "ui/history/history-list.h"
#include "ui/speech/transcript-queue.h"

G_BEGIN_DECLS

/** PterisSidebar: the list of pages, and the history of the current page. Its rows activate
 * "win.show-page". */
#define PTERIS_TYPE_SIDEBAR (pteris_sidebar_get_type ())
G_DECLARE_FINAL_TYPE (PterisSidebar, pteris_sidebar, PTERIS, SIDEBAR, GtkWidget)

void pteris_sidebar_bind (PterisSidebar *self, PterisChatHistory *history,
                          PterisTranscriptQueue *queue);

/** Move the focus to the search field of the chats or transcripts. */
void pteris_sidebar_search (PterisSidebar *self);

PterisHistoryList *pteris_sidebar_get_chats (PterisSidebar *self);
PterisHistoryList *pteris_sidebar_get_transcripts (PterisSidebar *self);

/** Add a row for each page of @stack that has a title. */
void pteris_sidebar_set_stack (PterisSidebar *self, GtkStack *stack);

G_END_DECLS
