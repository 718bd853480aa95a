/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/** PterisAttachment: an image or a recording that belongs to a message. The file stays where it is;
 * what it was is told by its hash. Immutable. */
#define PTERIS_TYPE_ATTACHMENT (pteris_attachment_get_type ())
G_DECLARE_FINAL_TYPE (PterisAttachment, pteris_attachment, PTERIS, ATTACHMENT, GObject)

typedef enum {
  PTERIS_ATTACHMENT_NONE, /* a file that no message can carry */
  PTERIS_ATTACHMENT_IMAGE,
  PTERIS_ATTACHMENT_AUDIO,
} PterisAttachmentKind;

/** Pixels that a small picture is wide and high at most. */
#define PTERIS_THUMBNAIL_SIZE 192

/** @png: a small picture, or NULL. */
PterisAttachment *pteris_attachment_new (PterisAttachmentKind kind, const char *path,
                                         const char *hash, GBytes *png);

PterisAttachmentKind pteris_attachment_get_kind (PterisAttachment *self);
const char *pteris_attachment_get_path (PterisAttachment *self);
/** SHA-256, in hexadecimal. */
const char *pteris_attachment_get_hash (PterisAttachment *self);
/** A small PNG of an image; or NULL. Not a new reference. */
GBytes *pteris_attachment_get_thumbnail (PterisAttachment *self);

/** @list: of PterisAttachment, or NULL. NULL when there are none; free with g_free(). */
char *pteris_attachments_to_json (GPtrArray *list);
/** NULL when @text (or NULL) names none. */
GPtrArray *pteris_attachments_from_json (const char *text);

G_END_DECLS
