/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/chat/message.h"

G_BEGIN_DECLS

/**
 * PterisMessageRow: one message of a conversation, updated as it grows.
 *
 * Signals:
 *   edit (const char *text): replace the user's message by this text go (int offset): show the
 *   version before (-1) or after (1)
 */
#define PTERIS_TYPE_MESSAGE_ROW (pteris_message_row_get_type ())
G_DECLARE_FINAL_TYPE (PterisMessageRow, pteris_message_row, PTERIS, MESSAGE_ROW, GtkWidget)

PterisMessageRow *pteris_message_row_new (PterisMessage *message);
PterisMessage *pteris_message_row_get_message (PterisMessageRow *self);

/** Whether this is the last message: only the last answer can be generated again. */
void pteris_message_row_set_last (PterisMessageRow *self, gboolean last);

/** Begin to edit the user's message in place. */
void pteris_message_row_begin_edit (PterisMessageRow *self);

/** Whether the message is being edited. */
gboolean pteris_message_row_is_edited (PterisMessageRow *self);

G_END_DECLS
