/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/chat/attachment.h"

#include <jansson.h>
#include <string.h>

#define MAX_THUMBNAIL (256 * 1024)

/* In bytes; the texts that we write are shorter. */
#define MAX_JSON (16 * 1024 * 1024)

struct _PterisAttachment {
  GObject parent_instance;

  PterisAttachmentKind kind;
  char *path, *hash;
  GBytes *png; /* the thumbnail, or NULL */
};

G_DEFINE_FINAL_TYPE (PterisAttachment, pteris_attachment, G_TYPE_OBJECT)

PterisAttachmentKind
pteris_attachment_get_kind (PterisAttachment *self)
{
  return self->kind;
}

const char *
pteris_attachment_get_path (PterisAttachment *self)
{
  return self->path;
}

const char *
pteris_attachment_get_hash (PterisAttachment *self)
{
  return self->hash;
}

GBytes *
pteris_attachment_get_thumbnail (PterisAttachment *self)
{
  return self->png;
}

PterisAttachment *
pteris_attachment_new (PterisAttachmentKind kind, const char *path, const char *hash, GBytes *png)
{
  PterisAttachment *self = g_object_new (PTERIS_TYPE_ATTACHMENT, NULL);

  self->kind = kind;
  self->path = g_strdup (path);
  self->hash = g_strdup (hash);
  self->png = png != NULL ? g_bytes_ref (png) : NULL;
  return self;
}

/* ---- JSON ---- */

static json_t *
to_json (PterisAttachment *self)
{
  gsize size = 0;
  const guchar *png = self->png != NULL ? g_bytes_get_data (self->png, &size) : NULL;
  g_autofree char *text = png != NULL ? g_base64_encode (png, size) : NULL;

  return json_pack ("{s:s, s:s, s:s, s:s*}", "kind",
                    self->kind == PTERIS_ATTACHMENT_IMAGE ? "image" : "audio", "path", self->path,
                    "sha256", self->hash, "thumbnail", text);
}

char *
pteris_attachments_to_json (GPtrArray *list)
{
  json_t *root;
  char *text, *copy;

  if (list == NULL || list->len == 0)
    return NULL;
  root = json_array ();
  for (guint i = 0; i < list->len; i++)
    json_array_append_new (root, to_json (list->pdata[i]));
  text = json_dumps (root, JSON_COMPACT);
  copy = g_strdup (text);
  free (text);
  json_decref (root);
  return copy;
}

/* The window decodes the thumbnails in a history or an imported chat, so they are checked: a PNG
   with a small size in its header. */
static gboolean
is_small_png (const guchar *bytes, gsize size)
{
  static const guchar BEGIN[] = "\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
  guint32 side[2];

  if (size < 24 || size > MAX_THUMBNAIL || memcmp (bytes, BEGIN, 16) != 0)
    return FALSE;
  memcpy (side, bytes + 16, sizeof side);
  return GUINT32_FROM_BE (side[0]) <= PTERIS_THUMBNAIL_SIZE &&
         GUINT32_FROM_BE (side[1]) <= PTERIS_THUMBNAIL_SIZE;
}

static PterisAttachment *
from_json (json_t *json)
{
  const char *kind = json_string_value (json_object_get (json, "kind"));
  const char *path = json_string_value (json_object_get (json, "path"));
  const char *hash = json_string_value (json_object_get (json, "sha256"));
  const char *thumbnail = json_string_value (json_object_get (json, "thumbnail"));
  g_autoptr (GBytes) png = NULL;

  if (kind == NULL || path == NULL || hash == NULL)
    return NULL;
  if (thumbnail != NULL && thumbnail[0] != '\0') {
    gsize size;
    g_autofree guchar *bytes = g_base64_decode (thumbnail, &size);

    if (is_small_png (bytes, size))
      png = g_bytes_new_take (g_steal_pointer (&bytes), size);
  }
  return pteris_attachment_new (g_str_equal (kind, "image") ? PTERIS_ATTACHMENT_IMAGE
                                                            : PTERIS_ATTACHMENT_AUDIO,
                                path, hash, png);
}

GPtrArray *
pteris_attachments_from_json (const char *text)
{
  gboolean plausible = text != NULL && strlen (text) <= MAX_JSON;
  json_t *root = plausible ? json_loads (text, 0, NULL) : NULL;
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func (g_object_unref);

  for (gsize i = 0; i < json_array_size (root); i++) {
    PterisAttachment *attachment = from_json (json_array_get (root, i));

    if (attachment != NULL)
      g_ptr_array_add (list, attachment);
  }
  json_decref (root);
  return list->len > 0 ? g_steal_pointer (&list) : NULL;
}

/* ---- the object ---- */

static void
pteris_attachment_finalize (GObject *object)
{
  PterisAttachment *self = PTERIS_ATTACHMENT (object);

  g_free (self->path);
  g_free (self->hash);
  g_clear_pointer (&self->png, g_bytes_unref);
  G_OBJECT_CLASS (pteris_attachment_parent_class)->finalize (object);
}

static void
pteris_attachment_class_init (PterisAttachmentClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = pteris_attachment_finalize;
}

static void
pteris_attachment_init (PterisAttachment *self)
{
}
