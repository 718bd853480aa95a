/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/parts/dropped-files.h"

#include <string.h>

/* GDK's name for CF_HDROP. */
static const char *const HDROP[] = { "application/x.windows.CF_HDROP", NULL };

/* The header: offset of the names, 12 unused bytes (the pointer's position), and whether names are
 * UTF-16. Numbers have 32 bits, little-endian. */
#define HDROP_HEAD 20
#define HDROP_WIDE 16

GdkContentFormats *
pteris_dropped_files_formats (void)
{
  GdkContentFormatsBuilder *builder = gdk_content_formats_builder_new ();

  gdk_content_formats_builder_add_gtype (builder, GDK_TYPE_FILE_LIST);
  gdk_content_formats_builder_add_mime_type (builder, HDROP[0]);
  return gdk_content_formats_union_deserialize_mime_types (
      gdk_content_formats_builder_free_to_formats (builder));
}

/* ---- Windows ---- */

static guint32
number_at (const guint8 *bytes)
{
  guint32 number;

  memcpy (&number, bytes, sizeof number);
  return GUINT32_FROM_LE (number);
}

/* Takes the next name off @n characters of @width bytes; NULL: there is none.
 */
static char *
take_name (const guint8 **bytes, gsize *n, gsize width)
{
  g_autoptr (GString) narrow = g_string_new (NULL);
  g_autoptr (GArray) wide = g_array_new (TRUE, FALSE, sizeof (gunichar2));
  gunichar2 unit = 0;

  for (; *n > 0; (*n)--, *bytes += width) {
    unit = width == 2 ? (gunichar2) ((*bytes)[0] | (*bytes)[1] << 8) : (*bytes)[0];
    if (unit == 0)
      break;
    if (width == 2)
      g_array_append_val (wide, unit);
    else
      g_string_append_c (narrow, (char) unit);
  }
  /* The list ends with an empty name; a truncated name is dropped. */
  if (*n == 0 || (wide->len == 0 && narrow->len == 0))
    return NULL;
  (*n)--;
  *bytes += width;
  return width == 2 ? g_utf16_to_utf8 ((const gunichar2 *) (gpointer) wide->data, wide->len, NULL,
                                       NULL, NULL)
                    : g_locale_to_utf8 (narrow->str, -1, NULL, NULL, NULL);
}

GSList *
pteris_dropped_files_parse (const guint8 *bytes, gsize size)
{
  GSList *files = NULL;
  gsize width, offset, n;
  char *name;

  if (size < HDROP_HEAD)
    return NULL;
  offset = number_at (bytes);
  width = number_at (bytes + HDROP_WIDE) != 0 ? 2 : 1;
  if (offset < HDROP_HEAD || offset > size)
    return NULL;
  n = (size - offset) / width;
  bytes += offset;
  while ((name = take_name (&bytes, &n, width)) != NULL) {
    files = g_slist_prepend (files, g_file_new_for_path (name));
    g_free (name);
  }
  return g_slist_reverse (files);
}

/* ---- reading ---- */

static void
free_files (gpointer files)
{
  g_slist_free_full (files, g_object_unref);
}

/* Takes @files, and @error, which may be NULL. */
static void
return_files (GTask *task, GSList *files, GError *error)
{
  if (files != NULL)
    g_task_return_pointer (task, files, free_files);
  else if (error != NULL)
    g_task_return_error (task, error);
  else
    g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "There are no files.");
}

static gpointer
copy_file (gconstpointer file, gpointer user_data)
{
  return g_object_ref ((gpointer) file);
}

static void
on_value (GObject *drop, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;
  const GValue *value = gdk_drop_read_value_finish (GDK_DROP (drop), result, &error);
  GSList *files = value != NULL ? g_value_get_boxed (value) : NULL;

  return_files (task, g_slist_copy_deep (files, copy_file, NULL), error);
}

static void
on_stream (GObject *drop, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  GError *error = NULL;
  const char *type;
  g_autoptr (GInputStream) stream = gdk_drop_read_finish (GDK_DROP (drop), result, &type, &error);
  g_autoptr (GOutputStream) list = g_memory_output_stream_new_resizable ();
  GSList *files = NULL;

  /* GDK has all the data in memory. */
  if (stream != NULL && g_output_stream_splice (list, stream, G_OUTPUT_STREAM_SPLICE_CLOSE_TARGET,
                                                g_task_get_cancellable (task), &error) >= 0) {
    GMemoryOutputStream *memory = G_MEMORY_OUTPUT_STREAM (list);

    files = pteris_dropped_files_parse (g_memory_output_stream_get_data (memory),
                                        g_memory_output_stream_get_data_size (memory));
  }
  return_files (task, files, error);
}

void
pteris_dropped_files_read_async (GdkDrop *drop, GCancellable *cancellable,
                                 GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task = g_task_new (drop, cancellable, callback, user_data);

  g_task_set_source_tag (task, pteris_dropped_files_read_async);
  if (gdk_content_formats_contain_mime_type (gdk_drop_get_formats (drop), HDROP[0]))
    gdk_drop_read_async (drop, (const char **) HDROP, G_PRIORITY_DEFAULT, cancellable, on_stream,
                         task);
  else
    gdk_drop_read_value_async (drop, GDK_TYPE_FILE_LIST, G_PRIORITY_DEFAULT, cancellable, on_value,
                               task);
}

GSList *
pteris_dropped_files_read_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}
