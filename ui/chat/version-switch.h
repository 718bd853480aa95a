/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/chat/message.h"

G_BEGIN_DECLS

/**
 * PterisVersionSwitch: "‹ 2 / 3 ›", which selects versions of a message; hidden if there is only
 * one.
 *
 * Signals:
 *   go (int offset): -1 or 1
 */
#define PTERIS_TYPE_VERSION_SWITCH (pteris_version_switch_get_type ())
G_DECLARE_FINAL_TYPE (PterisVersionSwitch, pteris_version_switch, PTERIS, VERSION_SWITCH, GtkWidget)

void pteris_version_switch_set_message (PterisVersionSwitch *self, PterisMessage *message);

G_END_DECLS
