/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/chat/message.h"

G_BEGIN_DECLS

/**
 * PterisQuestionView: a message of the user, which can be edited.
 *
 * Signals:
 *   edit (const char *text): replace the message by this text go (int offset): show the version
 *   before (-1) or after (1)
 */
#define PTERIS_TYPE_QUESTION_VIEW (pteris_question_view_get_type ())
G_DECLARE_FINAL_TYPE (PterisQuestionView, pteris_question_view, PTERIS, QUESTION_VIEW, GtkWidget)

void pteris_question_view_set_message (PterisQuestionView *self, PterisMessage *message);

/** Begin to edit it in place. */
void pteris_question_view_begin_edit (PterisQuestionView *self);

gboolean pteris_question_view_is_edited (PterisQuestionView *self);

G_END_DECLS
