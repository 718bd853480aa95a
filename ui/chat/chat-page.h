/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <adwaita.h>

#include "ui/chat/chat-session.h"
#include "ui/chat/presets.h"
#include "ui/models/starter.h"

G_BEGIN_DECLS

/**
 * PterisChatPage: the conversation and the composer. It follows the answer while the reader is at
 * the end and stays put otherwise.
 */
#define PTERIS_TYPE_CHAT_PAGE (pteris_chat_page_get_type ())
G_DECLARE_FINAL_TYPE (PterisChatPage, pteris_chat_page, PTERIS, CHAT_PAGE, GtkWidget)

void pteris_chat_page_bind (PterisChatPage *self, PterisChatSession *session,
                            PterisLibrary *library, PterisStarter *starter, PterisPresets *presets);

/** Is @file, which is no model, for the message that is being written? */
gboolean pteris_chat_page_takes (PterisChatPage *self, GFile *file);
/** Attach it, or say in place why not. */
void pteris_chat_page_attach (PterisChatPage *self, GFile *file);

/** Put the cursor where one writes. */
void pteris_chat_page_focus (PterisChatPage *self);

/** Show @toast (taken) over the conversation. */
void pteris_chat_page_add_toast (PterisChatPage *self, AdwToast *toast);

/** Begin to write with the key that @keys hears of. Returns whether it was taken. */
gboolean pteris_chat_page_type (PterisChatPage *self, GtkEventControllerKey *keys);

G_END_DECLS
