/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/chat/chat-session.h"
#include "ui/chat/presets.h"

G_BEGIN_DECLS

/**
 * PterisChatSettingsButton: a button with the name of the preset, and a popover with the system
 * prompt, the sampling and the presets. Changes apply at once.
 */
#define PTERIS_TYPE_CHAT_SETTINGS_BUTTON (pteris_chat_settings_button_get_type ())
G_DECLARE_FINAL_TYPE (PterisChatSettingsButton, pteris_chat_settings_button, PTERIS,
                      CHAT_SETTINGS_BUTTON, GtkWidget)

void pteris_chat_settings_button_bind (PterisChatSettingsButton *self, PterisChatSession *session,
                                       PterisPresets *presets);

/** Open the popover. */
void pteris_chat_settings_button_open (PterisChatSettingsButton *self);

G_END_DECLS
