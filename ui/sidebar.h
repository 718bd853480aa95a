/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/chat-list.h"
#include "ui/engine-client.h"
#include "ui/library.h"
#include "ui/starter.h"

G_BEGIN_DECLS

/** PterisSidebar: the pages, the conversations and the library of models. Its rows do
 * "win.show-page" and "win.pick-model". */
#define PTERIS_TYPE_SIDEBAR (pteris_sidebar_get_type ())
G_DECLARE_FINAL_TYPE (PterisSidebar, pteris_sidebar, PTERIS, SIDEBAR, GtkWidget)

void pteris_sidebar_bind (PterisSidebar *self, PterisEngineClient *client, PterisLibrary *library,
                          PterisStarter *starter, PterisChatHistory *history);

PterisChatList *pteris_sidebar_get_chats (PterisSidebar *self);

/** Show a row for every page of @stack that has a title. */
void pteris_sidebar_set_stack (PterisSidebar *self, GtkStack *stack);

/** Put the keyboard's focus on the library. */
void pteris_sidebar_focus_models (PterisSidebar *self);

G_END_DECLS
