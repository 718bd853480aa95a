/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>
#include <pteris/error.h>

#include "ui/pictures/picture.h"

G_BEGIN_DECLS

/**
 * PterisPicturesPanel: what was found in a picture, as a list beside it, with the options of the
 * model, its progress and its errors.
 *
 * Signals:
 *   highlighted (int index): the finding that is pointed at or selected in the list; -1: none
 *   least-changed (double score): the user moved the minimum score
 *   compare (): compare the picture with the texts
 */
#define PTERIS_TYPE_PICTURES_PANEL (pteris_pictures_panel_get_type ())
G_DECLARE_FINAL_TYPE (PterisPicturesPanel, pteris_pictures_panel, PTERIS, PICTURES_PANEL, GtkWidget)

/** Show the first @n findings of @result, whose score is at least @least; NULL: nothing. */
void pteris_pictures_panel_show (PterisPicturesPanel *self, const PtLookResult *result, guint n,
                                 double least);

/** Show the field for texts, without a result too. */
void pteris_pictures_panel_ask_texts (PterisPicturesPanel *self, gboolean visible);
/** The texts of the field; NULL-terminated, never NULL. Free with g_strfreev(). */
char **pteris_pictures_panel_get_texts (PterisPicturesPanel *self);

/** Show that the model works, and at what; NULL: it does not. */
void pteris_pictures_panel_set_doing (PterisPicturesPanel *self, const char *step);

/** Show an error as in error-card.h; NULL @sentence: none. */
void pteris_pictures_panel_set_error (PterisPicturesPanel *self, PtError code, const char *sentence,
                                      const char *retry, const char *subject);
/** Its next step. */
void pteris_pictures_panel_set_step (PterisPicturesPanel *self, const char *label,
                                     const char *action);

/** Select a finding in the list; -1: none. */
void pteris_pictures_panel_select (PterisPicturesPanel *self, int index);
/** The selected finding; -1: none. */
int pteris_pictures_panel_get_selected (PterisPicturesPanel *self);

G_END_DECLS
