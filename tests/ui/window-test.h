/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <string.h>

#ifndef G_OS_WIN32
#include <signal.h>
#include <sys/resource.h>
#endif

#include "tests/ui/wait.h"
#include "ui/window/application.h"
#include "ui/settings.h"
#include "ui/history/history-store.h"
#include "ui/window/window-private.h"

/*
 * Helpers of window tests: opening the window and finding widgets, included by one file each.
 */

static GtkApplication *application;

/* GTK 4.8 asks for the pointer's place in a window that was closed while its tooltip waited. */
static inline gboolean
is_fatal (const char *domain, GLogLevelFlags level, const char *message, gpointer user_data)
{
  return strstr (message, "gdk_surface_get_device_position") == NULL;
}

/* libadwaita 1.7 measures the heading of its own dialog in too small a width before it takes
 * smaller letters, and GTK 4.18 a dialog that grows in its height of before; GTK warns of both.
 * GTK's warnings end a test in the writer of messages. */
static inline GLogWriterOutput
write_message (GLogLevelFlags level, const GLogField *fields, gsize n, gpointer user_data)
{
  for (gsize i = 0; i < n; i++)
    if (g_str_equal (fields[i].key, "MESSAGE") && adw_get_minor_version () > 2 &&
        strstr (fields[i].value, "Trying to measure ") != NULL)
      return G_LOG_WRITER_HANDLED;
  return g_log_writer_default (level, fields, n, NULL);
}

static inline void
tolerate_faults_of_libraries (void)
{
  static gboolean done;

  g_test_log_set_fatal_handler (is_fatal, NULL);
  if (!done)
    g_log_set_writer_func (write_message, NULL, NULL);
  done = TRUE;
}

static inline PterisWindow *
open_window (void)
{
  PterisWindow *window;

  tolerate_faults_of_libraries ();
  pteris_settings_set_boolean (PTERIS_SETTING_WELCOMED, TRUE);
  window = pteris_window_new (application);

  gtk_window_present (GTK_WINDOW (window));
  wait_until (pteris_library_is_ready (window->library) &&
              gtk_widget_get_mapped (GTK_WIDGET (window)));
  settle (100);
  return window;
}

static inline PterisEngineClient *
chat_engine (PterisWindow *window)
{
  return pteris_engines_get (window->engines, PTERIS_ENGINE_CHAT);
}

static inline PterisEngineClient *
speech_engine (PterisWindow *window)
{
  return pteris_engines_get (window->engines, PTERIS_ENGINE_SPEECH);
}

static inline void
close_window (PterisWindow *window)
{
  gpointer weak = window;

  g_object_add_weak_pointer (G_OBJECT (window), &weak);
  gtk_window_destroy (GTK_WINDOW (window));
  wait_until (weak == NULL);
  pteris_store_flush ();
}

/* The @n-th widget of @type below @root, in the order of the tree; NULL when there are fewer. */
static inline GtkWidget *
find_widget (GtkWidget *root, GType type, guint *n)
{
  if (g_type_is_a (G_OBJECT_TYPE (root), type) && (*n)-- == 0)
    return root;
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child)) {
    GtkWidget *found = find_widget (child, type, n);

    if (found != NULL)
      return found;
  }
  return NULL;
}

static inline GtkWidget *
nth (gpointer root, GType type, guint n)
{
  return find_widget (GTK_WIDGET (root), type, &n);
}

/* The visible label below @root that says @text; NULL: none does. */
static inline GtkWidget *
find_label (gpointer root, const char *text)
{
  for (guint i = 0;; i++) {
    GtkWidget *label = nth (root, GTK_TYPE_LABEL, i);

    if (label == NULL)
      return NULL;
    if (gtk_widget_get_mapped (label) &&
        strstr (gtk_label_get_text (GTK_LABEL (label)), text) != NULL)
      return label;
  }
}

static inline gboolean
says (gpointer root, const char *text)
{
  return find_label (root, text) != NULL;
}

#ifndef G_OS_WIN32

/* Stops writes to files after this many bytes, as a full disk does; 0: no longer. */
static inline void
limit_files (gsize size)
{
  struct rlimit limit;

  signal (SIGXFSZ, SIG_IGN);
  getrlimit (RLIMIT_FSIZE, &limit);
  limit.rlim_cur = size > 0 ? MIN (size, limit.rlim_max) : limit.rlim_max;
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
}

#endif

/* Folders for data and settings that nothing is in. */
static inline void
make_home (void)
{
  g_autofree char *home = g_dir_make_tmp ("pteris-test-XXXXXX", NULL);

  g_setenv ("XDG_DATA_HOME", home, TRUE);
  g_setenv ("XDG_CONFIG_HOME", home, TRUE);
}

/* In the home that was made: an application without windows. */
static inline void
begin_in_home (int *argc, char ***argv)
{
  g_autoptr (GError) error = NULL;

  gtk_test_init (argc, argv, NULL);
  application = GTK_APPLICATION (pteris_application_new ());
  g_application_set_flags (G_APPLICATION (application), G_APPLICATION_NON_UNIQUE);
  g_assert_true (g_application_register (G_APPLICATION (application), NULL, &error));
  g_assert_no_error (error);
}

/* In main(): a home of its own and an application without windows; then add tests, and end. */
static inline void
begin_window_tests (int *argc, char ***argv)
{
  make_home ();
  begin_in_home (argc, argv);
}

static inline int
end_window_tests (void)
{
  int status = g_test_run ();

  g_object_unref (application);
  return status;
}
