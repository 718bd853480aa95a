/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/parts/show-file.h"

typedef struct {
  GtkWindow *parent; /* a reference */
  char *path;
} Shown;

void
pteris_show_file (GtkWindow *parent, const char *path)
{
  g_autofree char *uri = g_filename_to_uri (path, NULL, NULL);

  if (uri != NULL)
    gtk_show_uri (parent, uri, GDK_CURRENT_TIME);
}

static void
show_folder (GtkWindow *parent, const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);

  pteris_show_file (parent, folder);
}

/* File managers that cannot select a file show its folder instead. */
static void
on_shown (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Shown *shown = user_data;
  g_autoptr (GVariant) answer =
      g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result, NULL);

  if (answer == NULL)
    show_folder (shown->parent, shown->path);
  g_object_unref (shown->parent);
  g_free (shown->path);
  g_free (shown);
}

void
pteris_show_in_folder (GtkWindow *parent, const char *path)
{
  GApplication *application = G_APPLICATION (gtk_window_get_application (parent));
  GDBusConnection *bus =
      application != NULL ? g_application_get_dbus_connection (application) : NULL;
  g_autofree char *uri = g_filename_to_uri (path, NULL, NULL);
  const char *uris[] = { uri, NULL };
  Shown *shown;

  if (bus == NULL || uri == NULL) {
    show_folder (parent, path);
    return;
  }
  shown = g_new0 (Shown, 1);
  shown->parent = g_object_ref (parent);
  shown->path = g_strdup (path);
  g_dbus_connection_call (bus, "org.freedesktop.FileManager1", "/org/freedesktop/FileManager1",
                          "org.freedesktop.FileManager1", "ShowItems",
                          g_variant_new ("(^ass)", uris, ""), NULL, G_DBUS_CALL_FLAGS_NONE, -1,
                          NULL, on_shown, shown);
}
