/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/chat/attachment.h"

G_BEGIN_DECLS

/** PterisAttachmentStrip: the attachments of a message, as thumbnails and names; a click opens one.
 * Hidden while it is empty.
 *
 * Signals:
 *   changed (): an attachment was removed
 */
#define PTERIS_TYPE_ATTACHMENT_STRIP (pteris_attachment_strip_get_type ())
G_DECLARE_FINAL_TYPE (PterisAttachmentStrip, pteris_attachment_strip, PTERIS, ATTACHMENT_STRIP,
                      GtkWidget)

/** @list: of PterisAttachment, or NULL. @removable: each has a button to remove it. */
void pteris_attachment_strip_set (PterisAttachmentStrip *self, GPtrArray *list, gboolean removable);

/** NULL if empty; else valid until it changes. */
GPtrArray *pteris_attachment_strip_get (PterisAttachmentStrip *self);

G_END_DECLS
