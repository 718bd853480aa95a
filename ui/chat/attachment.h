/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/** PterisAttachment: an image or a recording that belongs to a message. The file stays where it is;
 * its hash identifies the contents. Immutable. */
#define PTERIS_TYPE_ATTACHMENT (pteris_attachment_get_type ())
G_DECLARE_FINAL_TYPE (PterisAttachment, pteris_attachment, PTERIS, ATTACHMENT, GObject)

typedef enum {
  PTERIS_ATTACHMENT_NONE, /* a file that messages cannot have */
  PTERIS_ATTACHMENT_IMAGE,
  PTERIS_ATTACHMENT_AUDIO,
} PterisAttachmentKind;

/** The largest width and height of a thumbnail in pixels. */
#define PTERIS_THUMBNAIL_SIZE 192

/** @png: the thumbnail, or NULL. */
PterisAttachment *pteris_attachment_new (PterisAttachmentKind kind, const char *path,
                                         const char *hash, GBytes *png);

PterisAttachmentKind pteris_attachment_get_kind (PterisAttachment *self);
const char *pteris_attachment_get_path (PterisAttachment *self);
/** SHA-256, in hexadecimal. */
const char *pteris_attachment_get_hash (PterisAttachment *self);
/** The thumbnail of an image, a PNG; or NULL. Not a new reference. */
GBytes *pteris_attachment_get_thumbnail (PterisAttachment *self);

/** @list: of PterisAttachment, or NULL. Returns NULL for an empty list; free with g_free(). */
char *pteris_attachments_to_json (GPtrArray *list);
/** NULL if @text (or NULL) lists none. */
GPtrArray *pteris_attachments_from_json (const char *text);

G_END_DECLS
