/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>
#include <pteris/error.h>

G_BEGIN_DECLS

/**
 * PterisErrorCard: an error: its sentence, the next step as a button, and the text of a bug report
 * under "Details".
 */
#define PTERIS_TYPE_ERROR_CARD (pteris_error_card_get_type ())
G_DECLARE_FINAL_TYPE (PterisErrorCard, pteris_error_card, PTERIS, ERROR_CARD, GtkWidget)

/**
 * @retry: the action that tries again, e.g. "chat.regenerate"; NULL if a retry cannot help.
 * @subject: the model or file concerned, for the details; or NULL.
 */
void pteris_error_card_set (PterisErrorCard *self, PtError code, const char *sentence,
                            const char *retry, const char *subject);

/** Show a button that copies the file at @path, a report about a crash; NULL: no button, as after
 * pteris_error_card_set(). */
void pteris_error_card_set_report (PterisErrorCard *self, const char *path);

/** Replace the usual next step for this kind of error. */
void pteris_error_card_set_step (PterisErrorCard *self, const char *label, const char *action);

/** Show a button that closes the card by @action. */
void pteris_error_card_set_dismiss (PterisErrorCard *self, const char *action);

G_END_DECLS
