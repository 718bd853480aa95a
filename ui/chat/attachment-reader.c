/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/chat/attachment-reader.h"

#include "ui/parts/files.h"
#include "ui/i18n.h"
#include "ui/parts/image-file.h"

/* The largest file that is read. */
#define MAX_BYTES ((goffset) 1 << 30)

PterisAttachmentKind
pteris_attachment_kind_of (GFile *file)
{
  if (pteris_file_is_picture (file))
    return PTERIS_ATTACHMENT_IMAGE;
  return pteris_file_kind (file) == PTERIS_FILE_RECORDING ? PTERIS_ATTACHMENT_AUDIO
                                                          : PTERIS_ATTACHMENT_NONE;
}

/* Pipes and devices may have no end, and sparse files may be very long. */
static gboolean
check_file (GFile *file, GCancellable *cancellable, GError **error)
{
  g_autoptr (GFileInfo) info =
      g_file_query_info (file, G_FILE_ATTRIBUTE_STANDARD_TYPE "," G_FILE_ATTRIBUTE_STANDARD_SIZE,
                         G_FILE_QUERY_INFO_NONE, cancellable, error);

  if (info == NULL)
    return FALSE;
  if (g_file_info_get_file_type (info) == G_FILE_TYPE_REGULAR &&
      g_file_info_get_size (info) <= MAX_BYTES)
    return TRUE;
  g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
                       _ ("Files larger than 1 GiB cannot be attached."));
  return FALSE;
}

static char *
hash_file (GFile *file, GCancellable *cancellable, GError **error)
{
  g_autoptr (GFileInputStream) stream = g_file_read (file, cancellable, error);
  g_autoptr (GChecksum) sum = g_checksum_new (G_CHECKSUM_SHA256);
  guchar buffer[65536];
  gssize n;

  if (stream == NULL)
    return NULL;
  while ((n = g_input_stream_read (G_INPUT_STREAM (stream), buffer, sizeof buffer, cancellable,
                                   error)) > 0)
    g_checksum_update (sum, buffer, n);
  return n == 0 ? g_strdup (g_checksum_get_string (sum)) : NULL;
}

/* Decodes the picture as the model will, so that a damaged one is reported now and not with the
   answer. */
static gboolean
make_thumbnail (const char *path, GBytes **png, GCancellable *cancellable, GError **error)
{
  g_autoptr (GdkPixbuf) pixbuf =
      pteris_image_file_read (path, PTERIS_THUMBNAIL_SIZE, cancellable, error);
  char *bytes;
  gsize size;

  if (pixbuf == NULL)
    return FALSE;
  if (gdk_pixbuf_save_to_buffer (pixbuf, &bytes, &size, "png", NULL, NULL))
    *png = g_bytes_new_take (bytes, size);
  return TRUE;
}

static void
read_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  GFile *file = data;
  const char *path = g_file_peek_path (file);
  PterisAttachmentKind kind = pteris_attachment_kind_of (file);
  GError *error = NULL;
  g_autofree char *hash = NULL;
  g_autoptr (GBytes) png = NULL;

  if (check_file (file, cancellable, &error))
    hash = hash_file (file, cancellable, &error);
  if (hash == NULL ||
      (kind == PTERIS_ATTACHMENT_IMAGE && !make_thumbnail (path, &png, cancellable, &error))) {
    g_task_return_error (task, error);
    return;
  }
  g_task_return_pointer (task, pteris_attachment_new (kind, path, hash, png), g_object_unref);
}

void
pteris_attachment_read_async (GFile *file, GCancellable *cancellable, GAsyncReadyCallback callback,
                              gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);

  g_task_set_source_tag (task, pteris_attachment_read_async);
  g_task_set_task_data (task, g_object_ref (file), g_object_unref);
  if (g_file_peek_path (file) != NULL)
    g_task_run_in_thread (task, read_in_thread);
  else
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "%s",
                             _ ("Only files on this computer can be attached."));
}

PterisAttachment *
pteris_attachment_read_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
