/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * PterisQuestionEditor: the editor of a sent message. Enter sends, Escape cancels.
 *
 * Signals:
 *   send (const char *text)
 *   cancel ()
 */
#define PTERIS_TYPE_QUESTION_EDITOR (pteris_question_editor_get_type ())
G_DECLARE_FINAL_TYPE (PterisQuestionEditor, pteris_question_editor, PTERIS, QUESTION_EDITOR,
                      GtkWidget)

PterisQuestionEditor *pteris_question_editor_new (const char *text);

G_END_DECLS
