/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/chat/attachment.h"

G_BEGIN_DECLS

/**
 * PterisComposer: where a message is written. Enter sends, Shift+Enter begins a new line; while an
 * answer comes, Stop stands where Send was.
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

/** What messages can carry besides text: PtModelInput of the model called @model (or NULL), which
 * decides what is offered. */
void pteris_composer_set_takes (PterisComposer *self, guint takes, const char *model);

/** Attach @file, or say in place why that cannot be. */
void pteris_composer_attach (PterisComposer *self, GFile *file);

/** Of PterisAttachment; NULL when there are none. Valid until it changes. */
GPtrArray *pteris_composer_get_attachments (PterisComposer *self);

/** Empty the field after a message was taken. */
void pteris_composer_clear (PterisComposer *self);

/** What is written now. Free with g_free(). */
char *pteris_composer_get_text (PterisComposer *self);
void pteris_composer_set_text (PterisComposer *self, const char *text);

/** Take the focus, and the key that @keys hears of. Returns whether it was of use. */
gboolean pteris_composer_type (PterisComposer *self, GtkEventControllerKey *keys);

G_END_DECLS
