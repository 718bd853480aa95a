/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/chat/attachment.h"

G_BEGIN_DECLS

/**
 * PterisComposer: the input for messages. Enter sends, Shift+Enter begins a new line; during an
 * answer, Stop replaces Send.
 *
 * Signals:
 *   send (const char *text)
 *   stop ()
 *   changed (): the text
 *   edit-last (): Up in an empty field
 */
#define PTERIS_TYPE_COMPOSER (pteris_composer_get_type ())
G_DECLARE_FINAL_TYPE (PterisComposer, pteris_composer, PTERIS, COMPOSER, GtkWidget)

void pteris_composer_set_busy (PterisComposer *self, gboolean busy);

/** Set the kinds of files that messages may have: PtModelInput of the model called @model (or
 * NULL). */
void pteris_composer_set_takes (PterisComposer *self, guint takes, const char *model);

/** Attach @file, or show why it cannot be attached. */
void pteris_composer_attach (PterisComposer *self, GFile *file);

/** The attachments (PterisAttachment); NULL if there are none. Valid until they change. */
GPtrArray *pteris_composer_get_attachments (PterisComposer *self);

/** Empty the field after a message was taken. */
void pteris_composer_clear (PterisComposer *self);

/** The text. Free with g_free(). */
char *pteris_composer_get_text (PterisComposer *self);
void pteris_composer_set_text (PterisComposer *self, const char *text);

/** Take the focus and the key that @keys handles. Returns whether the key was used. */
gboolean pteris_composer_type (PterisComposer *self, GtkEventControllerKey *keys);

G_END_DECLS
