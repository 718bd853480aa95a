/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/window/application.h"

#include <locale.h>
#include <pteris/engine.h>

#include "ui/appearance.h"
#include "ui/diagnostics.h"
#include "ui/settings.h"
#include "ui/window/about.h"
#include "ui/window/taskbar.h"
#include "ui/graphics.h"
#include "ui/i18n.h"
#include "ui/parts/popovers.h"
#include "ui/history/history-store.h"
#include "ui/watchdog.h"
#include "ui/window/window.h"

struct _PterisApplication {
  AdwApplication parent_instance;

  gboolean exit_after_startup;
};

G_DEFINE_FINAL_TYPE (PterisApplication, pteris_application, ADW_TYPE_APPLICATION)

static PterisWindow *
get_window (PterisApplication *self)
{
  GtkWindow *window = gtk_application_get_active_window (GTK_APPLICATION (self));

  if (window != NULL)
    return PTERIS_WINDOW (window);
  return pteris_window_new (GTK_APPLICATION (self));
}

/* ---- actions ---- */

static void
quit (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  GtkWindow *window = gtk_application_get_active_window (GTK_APPLICATION (user_data));

  if (window != NULL)
    gtk_window_close (window);
  else
    g_application_quit (G_APPLICATION (user_data));
}

static void
about (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  pteris_about_show (gtk_application_get_active_window (GTK_APPLICATION (user_data)));
}

/* From the list of recent chats in the task bar. */
static void
show_chat (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  PterisApplication *self = PTERIS_APPLICATION (user_data);
  PterisWindow *window;

  g_application_activate (G_APPLICATION (self));
  window = get_window (self);
  pteris_window_open_chat (window, g_variant_get_int64 (parameter));
}

static const struct {
  const char *action;
  const char *accels[3];
} ACCELS[] = {
  { "app.quit", { "<Control>q" } },
  { "win.preferences", { "<Control>comma" } },
  { "win.new-chat", { "<Control>n" } },
  { "win.open", { "<Control>o" } },
  { "win.show-page::chat", { "<Control>1" } },
  { "win.show-page::transcribe", { "<Control>2", "<Control>t" } },
  { "win.show-page::models", { "<Control>3" } },
  { "win.show-page::discover", { "<Control>4" } },
  { "win.show-page::inspect", { "<Control>5" } },
  { "win.show-page::gpu", { "<Control>6" } },
  { "win.show-page::pictures", { "<Control>7" } },
  { "win.show-page::server", { "<Control>8" } },
  { "win.models", { "<Control>m" } },
  { "win.search", { "<Control>k" } },
  { "win.find", { "<Control>f" } },
  { "win.focus-message", { "<Control>l" } },
  { "win.previous-chat", { "<Control>Page_Up" } },
  { "win.next-chat", { "<Control>Page_Down" } },
  { "window.close", { "<Control>w" } },
  { "win.toggle-sidebar", { "F9" } },
  { "win.stop", { "<Control>period" } },
  { "win.copy-last", { "<Control><Shift>c" } },
  { "win.read-aloud", { "<Control><Shift>r" } },
};

/* ---- notifications ---- */

static void
show_page (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  GtkWindow *window = gtk_application_get_active_window (GTK_APPLICATION (user_data));

  g_application_activate (G_APPLICATION (user_data));
  if (window != NULL)
    pteris_window_show_page (PTERIS_WINDOW (window), g_variant_get_string (parameter, NULL));
}

#ifdef G_OS_WIN32

/* GLib has no notifications there. */
static void
send_notification (GtkWindow *window, const char *id, const char *title, const char *body,
                   const char *page)
{
  pteris_taskbar_notify (window, title, body, page);
}

#else

static void
send_notification (GtkWindow *window, const char *id, const char *title, const char *body,
                   const char *page)
{
  g_autoptr (GNotification) notification = g_notification_new (title);

  if (body != NULL)
    g_notification_set_body (notification, body);
  g_notification_set_default_action_and_target (notification, "app.show-page", "s", page);
  g_application_send_notification (g_application_get_default (), id, notification);
}

#endif

gboolean
pteris_application_notify (const char *id, const char *title, const char *body, const char *page)
{
  GApplication *application = g_application_get_default ();
  GtkWindow *window = application != NULL
                          ? gtk_application_get_active_window (GTK_APPLICATION (application))
                          : NULL;

  if (window == NULL || gtk_window_is_active (window))
    return FALSE;
  send_notification (window, id, title, body, page);
  return TRUE;
}

/* ---- life ---- */

static gboolean
on_survived (gpointer user_data)
{
  pteris_graphics_succeed ();
  return G_SOURCE_REMOVE;
}

/* The first frame was drawn; the start counts as successful a little later. */
static void
on_first_frame (GdkFrameClock *clock, PterisApplication *self)
{
  g_signal_handlers_disconnect_by_func (clock, on_first_frame, self);
  g_timeout_add_seconds (2, on_survived, NULL);
#ifndef NDEBUG
  pteris_watchdog_start ();
#endif
}

static gboolean
quit_when_idle (gpointer user_data)
{
  quit (NULL, NULL, user_data);
  return G_SOURCE_REMOVE;
}

static void
on_drawn (GdkFrameClock *clock, PterisApplication *self)
{
  g_signal_handlers_disconnect_by_func (clock, on_drawn, self);
  g_idle_add_full (G_PRIORITY_LOW, quit_when_idle, g_object_ref (self), g_object_unref);
}

static void
present (PterisApplication *self, PterisWindow *window)
{
  const char *note;
  gboolean first = !gtk_widget_get_realized (GTK_WIDGET (window));

  gtk_window_present (GTK_WINDOW (window));
  if (!first)
    return;
  pteris_graphics_begin ();
  pteris_appearance_follow_window (GTK_WINDOW (window));
  g_signal_connect (gtk_widget_get_frame_clock (GTK_WIDGET (window)), "after-paint",
                    G_CALLBACK (on_first_frame), self);
  if (pteris_graphics_is_rescue ())
    pteris_window_say (
        window, _ ("Pteris quit last time before its window appeared, so it now draws without the "
                   "GPU. To keep it so, turn on “Safe Graphics” in the preferences."));
  note = pteris_diagnostics_tell_emulation ();
  if (note != NULL)
    pteris_window_say (window, note);
  if (self->exit_after_startup)
    g_signal_connect (gtk_widget_get_frame_clock (GTK_WIDGET (window)), "after-paint",
                      G_CALLBACK (on_drawn), self);
}

static void
pteris_application_activate (GApplication *application)
{
  PterisApplication *self = PTERIS_APPLICATION (application);

  present (self, get_window (self));
}

static void
pteris_application_open (GApplication *application, GFile **files, int n_files, const char *hint)
{
  PterisApplication *self = PTERIS_APPLICATION (application);
  PterisWindow *window = get_window (self);
  GSList *list = NULL;

  for (int i = 0; i < n_files; i++)
    list = g_slist_append (list, files[i]);
  present (self, window);
  pteris_window_open_files (window, list);
  g_slist_free (list);
}

static void
pteris_application_startup (GApplication *application)
{
  static const GActionEntry ENTRIES[] = {
    { "quit", quit, NULL, NULL, NULL },
    { "about", about, NULL, NULL, NULL },
    { "show-page", show_page, "s", NULL, NULL },
    { "show-chat", show_chat, "x", NULL, NULL },
  };

  _pteris_resources_ensure ();
  G_APPLICATION_CLASS (pteris_application_parent_class)->startup (application);
  /* Selectable labels must not select all their text when Tab reaches them. */
  g_object_set (gtk_settings_get_default (), "gtk-label-select-on-focus", FALSE, NULL);
  pteris_popovers_init ();
  pteris_appearance_follow_settings (application);
  pt_engine_set_threads ((guint) pteris_settings_get_int (PTERIS_SETTING_THREADS));
  pteris_store_set_keep (pteris_settings_get_boolean (PTERIS_SETTING_KEEP_HISTORY));
  gtk_window_set_default_icon_name ("org.pteris.Pteris");
  g_action_map_add_action_entries (G_ACTION_MAP (application), ENTRIES, G_N_ELEMENTS (ENTRIES),
                                   application);
  for (guint i = 0; i < G_N_ELEMENTS (ACCELS); i++)
    gtk_application_set_accels_for_action (GTK_APPLICATION (application), ACCELS[i].action,
                                           ACCELS[i].accels);
}

static void
pteris_application_shutdown (GApplication *application)
{
  G_APPLICATION_CLASS (pteris_application_parent_class)->shutdown (application);
  pteris_store_close ();
  pteris_graphics_succeed ();
}

/* For installers: closes the open window as its user would. Does nothing without one. */
static int
quit_running (GApplication *application)
{
  g_application_set_flags (application,
                           g_application_get_flags (application) | G_APPLICATION_IS_LAUNCHER);
  if (!g_application_register (application, NULL, NULL))
    return 0;
  g_action_group_activate_action (G_ACTION_GROUP (application), "quit", NULL);
  g_dbus_connection_flush_sync (g_application_get_dbus_connection (application), NULL, NULL);
  return 0;
}

static int
pteris_application_handle_local_options (GApplication *application, GVariantDict *options)
{
  PterisApplication *self = PTERIS_APPLICATION (application);
  gint64 chat;

  if (g_variant_dict_contains (options, "quit"))
    return quit_running (application);
  if (g_variant_dict_lookup (options, "chat", "x", &chat) &&
      g_application_register (application, NULL, NULL))
    g_action_group_activate_action (G_ACTION_GROUP (application), "show-chat",
                                    g_variant_new_int64 (chat));
  self->exit_after_startup = g_variant_dict_contains (options, "exit-after-startup");
  return -1;
}

static void
pteris_application_class_init (PterisApplicationClass *klass)
{
  GApplicationClass *application_class = G_APPLICATION_CLASS (klass);

  application_class->activate = pteris_application_activate;
  application_class->open = pteris_application_open;
  application_class->startup = pteris_application_startup;
  application_class->shutdown = pteris_application_shutdown;
  application_class->handle_local_options = pteris_application_handle_local_options;
}

static void
pteris_application_init (PterisApplication *self)
{
  static const GOptionEntry OPTIONS[] = {
    { "exit-after-startup", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, NULL, NULL, NULL },
    { "quit", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, NULL, NULL, NULL },
    { "chat", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_INT64, NULL, NULL, NULL },
    { "safe-graphics", 0, 0, G_OPTION_ARG_NONE, NULL, N_ ("Draw the window without the GPU"),
      NULL },
    { NULL },
  };

  g_application_add_main_option_entries (G_APPLICATION (self), OPTIONS);
}

PterisApplication *
pteris_application_new (void)
{
  return g_object_new (PTERIS_TYPE_APPLICATION, "application-id", "org.pteris.Pteris", "flags",
                       G_APPLICATION_HANDLES_OPEN, NULL);
}

int
pteris_application_main (int argc, char **argv)
{
  g_autoptr (PterisApplication) application = NULL;

  /* Numbers in model files have a decimal point, whatever the user's locale. */
  setlocale (LC_ALL, "");
  setlocale (LC_NUMERIC, "C");
  gtk_disable_setlocale ();
  pteris_i18n_init ();
  pteris_i18n_use_local_numbers ();
  g_set_application_name ("Pteris");
  pteris_taskbar_init ();
  pteris_graphics_choose (argc > 0 &&
                          g_strv_contains ((const char *const *) argv + 1, "--safe-graphics"));
  if (!gtk_init_check ()) {
    g_printerr ("pteris: there is no display to open a window on. “pteris chat” and “pteris "
                "transcribe” work in a "
                "terminal; “pteris --help” lists everything.\n");
    return 1;
  }
  application = pteris_application_new ();
  return g_application_run (G_APPLICATION (application), argc, argv);
}
