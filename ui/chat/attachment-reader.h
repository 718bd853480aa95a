/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/chat/attachment.h"

G_BEGIN_DECLS

/* Reads files that become attachments. */

/** By its name. */
PterisAttachmentKind pteris_attachment_kind_of (GFile *file);

/** Read the file at @path in a thread: its hash, and a thumbnail of an image. */
void pteris_attachment_read_async (GFile *file, GCancellable *cancellable,
                                   GAsyncReadyCallback callback, gpointer user_data);
PterisAttachment *pteris_attachment_read_finish (GAsyncResult *result, GError **error);

G_END_DECLS
