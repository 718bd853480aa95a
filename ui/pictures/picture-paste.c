/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/pictures/picture-paste.h"

#include "ui/i18n.h"

static void
free_files (gpointer files)
{
  g_slist_free_full (files, g_object_unref);
}

/* ---- a picture ---- */

typedef struct {
  GdkTexture *texture;
  char *folder;
} Saving;

static void
saving_free (Saving *saving)
{
  g_clear_object (&saving->texture);
  g_free (saving->folder);
  g_free (saving);
}

static GFile *
find_free_name (const char *folder)
{
  for (guint i = 1;; i++) {
    /* Translators: the name of a file for a picture from the clipboard. */
    g_autofree char *name = g_strdup_printf (_ ("Pasted %u.png"), i);
    g_autofree char *path = g_build_filename (folder, name, NULL);

    if (!g_file_test (path, G_FILE_TEST_EXISTS))
      return g_file_new_for_path (path);
  }
}

static void
save_in_thread (GTask *task, gpointer source, gpointer data, GCancellable *cancellable)
{
  const Saving *saving = data;
  g_autoptr (GBytes) png = gdk_texture_save_to_png_bytes (saving->texture);
  g_autoptr (GFile) file = find_free_name (saving->folder);
  GError *error = NULL;
  gsize size;
  const char *bytes = g_bytes_get_data (png, &size);

  if (g_file_set_contents_full (g_file_peek_path (file), bytes, (gssize) size,
                                G_FILE_SET_CONTENTS_NONE, 0600, &error))
    g_task_return_pointer (task, g_slist_append (NULL, g_steal_pointer (&file)), free_files);
  else
    g_task_return_error (task, error);
}

static void
on_texture (GObject *clipboard, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  Saving *saving = g_task_get_task_data (task);
  GError *error = NULL;

  saving->texture = gdk_clipboard_read_texture_finish (GDK_CLIPBOARD (clipboard), result, &error);
  if (saving->texture != NULL)
    g_task_run_in_thread (task, save_in_thread);
  else
    g_task_return_error (task, error);
}

/* ---- files ---- */

static gpointer
copy_file (gconstpointer file, gpointer user_data)
{
  return g_object_ref ((gpointer) file);
}

static void
on_files (GObject *clipboard, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;
  const GValue *value = gdk_clipboard_read_value_finish (GDK_CLIPBOARD (clipboard), result, &error);

  if (value != NULL)
    g_task_return_pointer (task, g_slist_copy_deep (g_value_get_boxed (value), copy_file, NULL),
                           free_files);
  else
    g_task_return_error (task, error);
}

void
pteris_picture_paste_async (GdkClipboard *clipboard, const char *folder,
                            GAsyncReadyCallback callback, gpointer user_data)
{
  GdkContentFormats *formats = gdk_clipboard_get_formats (clipboard);
  g_autoptr (GTask) task = g_task_new (clipboard, NULL, callback, user_data);
  Saving *saving = g_new0 (Saving, 1);

  saving->folder = g_strdup (folder);
  g_task_set_source_tag (task, pteris_picture_paste_async);
  g_task_set_task_data (task, saving, (GDestroyNotify) saving_free);
  if (gdk_content_formats_contain_gtype (formats, GDK_TYPE_FILE_LIST))
    gdk_clipboard_read_value_async (clipboard, GDK_TYPE_FILE_LIST, G_PRIORITY_DEFAULT, NULL,
                                    on_files, g_steal_pointer (&task));
  else if (gdk_content_formats_contain_gtype (formats, GDK_TYPE_TEXTURE))
    gdk_clipboard_read_texture_async (clipboard, NULL, on_texture, g_steal_pointer (&task));
  else
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "%s",
                             _ ("There is no picture on the clipboard."));
}

GSList *
pteris_picture_paste_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
