/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/chat/message.h"

G_BEGIN_DECLS

/**
 * PterisMessageRow: one message of a conversation, as it grows.
 *
 * Signals:
 *   edit (const char *text): say this in place of the user's message
 *   go (int offset): show the version before (-1) or after (1)
 */
#define PTERIS_TYPE_MESSAGE_ROW (pteris_message_row_get_type ())
G_DECLARE_FINAL_TYPE (PterisMessageRow, pteris_message_row, PTERIS, MESSAGE_ROW, GtkWidget)

PterisMessageRow *pteris_message_row_new (PterisMessage *message);
PterisMessage *pteris_message_row_get_message (PterisMessageRow *self);

/** Whether this is the last message: only the last answer can be asked for again. */
void pteris_message_row_set_last (PterisMessageRow *self, gboolean last);

/** Let the user write the message anew, in place. */
void pteris_message_row_begin_edit (PterisMessageRow *self);

/** Whether the message is being written anew. */
gboolean pteris_message_row_is_edited (PterisMessageRow *self);

G_END_DECLS
