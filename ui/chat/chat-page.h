/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <adwaita.h>

#include "ui/chat/chat-session.h"
#include "ui/chat/presets.h"
#include "ui/models/starter.h"

G_BEGIN_DECLS

/**
 * PterisChatPage: the conversation and the composer. It scrolls with the answer while the view is
 * at the end.
 */
#define PTERIS_TYPE_CHAT_PAGE (pteris_chat_page_get_type ())
G_DECLARE_FINAL_TYPE (PterisChatPage, pteris_chat_page, PTERIS, CHAT_PAGE, GtkWidget)

void pteris_chat_page_bind (PterisChatPage *self, PterisChatSession *session,
                            PterisLibrary *library, PterisStarter *starter, PterisPresets *presets);

/** Whether @file, which is not a model, can be attached to the message in the composer. */
gboolean pteris_chat_page_takes (PterisChatPage *self, GFile *file);
/** Attach @file, or show in the page why not. */
void pteris_chat_page_attach (PterisChatPage *self, GFile *file);

/** Move the focus to the composer. */
void pteris_chat_page_focus (PterisChatPage *self);

/** Show @toast (taken) over the conversation. */
void pteris_chat_page_add_toast (PterisChatPage *self, AdwToast *toast);

/** Type the key that @keys handles into the composer. Returns whether the key was used. */
gboolean pteris_chat_page_type (PterisChatPage *self, GtkEventControllerKey *keys);

G_END_DECLS
