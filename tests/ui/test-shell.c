/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/ui/fake-engine.h"
#include "tests/ui/window-test.h"
#include "ui/about.h"
#include "ui/preferences.h"
#include "ui/settings.h"
#include "ui/watchdog.h"

/* The frame of the window: preferences, the first start, shortcuts, what a desktop sees of it. */

static void
act (PterisWindow *window, const char *name)
{
  g_action_group_activate_action (G_ACTION_GROUP (window), name, NULL);
}

static PterisPreferences *
open_preferences (PterisWindow *window, const char *page)
{
  PterisPreferences *preferences = NULL;
  g_autoptr (GListModel) windows = NULL;

  act (window, "preferences");
  windows = g_object_ref (gtk_window_get_toplevels ());
  for (guint i = 0; i < g_list_model_get_n_items (windows); i++) {
    g_autoptr (GtkWindow) toplevel = g_list_model_get_item (windows, i);

    if (PTERIS_IS_PREFERENCES (toplevel))
      preferences = PTERIS_PREFERENCES (toplevel);
  }
  g_assert_nonnull (preferences);
  pteris_preferences_show (preferences, page);
  wait_until (gtk_widget_get_mapped (GTK_WIDGET (preferences)));
  settle (50);
  return preferences;
}

static int
get_dpi (void)
{
  int dpi = 0;

  g_object_get (gtk_settings_get_default (), "gtk-xft-dpi", &dpi, NULL);
  return dpi;
}

static void
test_appearance (void)
{
  PterisWindow *window;
  PterisPreferences *preferences;
  GtkWidget *row, *spin;
  int dpi;

  fake_reset ();
  window = open_window ();
  dpi = get_dpi ();
  preferences = open_preferences (window, "general");
  row = nth (preferences, ADW_TYPE_COMBO_ROW, 0);
  adw_combo_row_set_selected (ADW_COMBO_ROW (row), 2);
  g_assert_true (adw_style_manager_get_dark (adw_style_manager_get_default ()));
  g_assert_cmpint (pteris_settings_get_enum (PTERIS_SETTING_THEME), ==, 2);
  adw_combo_row_set_selected (ADW_COMBO_ROW (row), 1);
  g_assert_false (adw_style_manager_get_dark (adw_style_manager_get_default ()));
  adw_combo_row_set_selected (ADW_COMBO_ROW (row), 0);

  spin = nth (preferences, GTK_TYPE_SPIN_BUTTON, 0);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (spin), 200);
  g_assert_cmpint (get_dpi (), ==, 2 * (dpi > 0 ? dpi : 96 * 1024));
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (spin), 100);
  g_assert_cmpint (get_dpi (), ==, dpi);
  close_window (window);
}

/* Consent can be seen, and taken back. */
static void
test_trusted (void)
{
  PterisWindow *window;
  PterisPreferences *preferences;
  GtkWidget *button = NULL;

  fake_reset ();
  fake.trusted = TRUE;
  window = open_window ();
  preferences = open_preferences (window, "safety");
  g_assert_true (says (preferences, "smollm2-135m-instruct-cuda"));
  g_assert_true (says (preferences, "SHA-256 9f86"));
  for (guint i = 0; (button = nth (preferences, GTK_TYPE_BUTTON, i)) != NULL; i++)
    if (g_strcmp0 (gtk_button_get_icon_name (GTK_BUTTON (button)), "edit-delete-symbolic") == 0 &&
        gtk_widget_get_mapped (button))
      break;
  g_assert_nonnull (button);
  g_signal_emit_by_name (button, "clicked");
  settle (50);
  g_assert_false (fake.trusted);
  g_assert_true (says (preferences, "None yet"));
  close_window (window);
}

static void
test_folders (void)
{
  PterisWindow *window;
  PterisPreferences *preferences;

  fake_reset ();
  pteris_settings_add_to_list (PTERIS_SETTING_FOLDERS, "/drive/Modelle & mehr");
  window = open_window ();
  preferences = open_preferences (window, "models");
  g_assert_true (says (preferences, "/drive/Modelle & mehr"));
  g_assert_true (says (preferences, "is its drive connected?"));
  pteris_settings_remove_from_list (PTERIS_SETTING_FOLDERS, "/drive/Modelle & mehr");
  settle (50);
  g_assert_false (says (preferences, "/drive/Modelle & mehr"));
  close_window (window);
}

static gboolean
sleep_on_the_job (gpointer user_data)
{
  g_usleep (70 * 1000);
  return G_SOURCE_REMOVE;
}

/* What keeps the loop from answering is noticed, and idling is not. */
static void
test_watchdog (void)
{
  guint n;

  pteris_watchdog_start ();
  settle (20);
  n = pteris_watchdog_get_stalls ();
  settle (200);
  g_assert_cmpuint (pteris_watchdog_get_stalls (), ==, n);
  g_idle_add (sleep_on_the_job, NULL);
  settle (200);
  g_assert_cmpuint (pteris_watchdog_get_stalls (), ==, n + 1);
}

/* News of long work is for who looks elsewhere. */
static void
test_notification (void)
{
  PterisWindow *window;
  gboolean sent;

  g_assert_false (pteris_application_notify ("test", "Done", NULL, "transcribe"));
  fake_reset ();
  window = open_window ();
  sent = pteris_application_notify ("test", "Done", "All 3 recordings have text.", "transcribe");
  g_assert_cmpint (sent, ==, !gtk_window_is_active (GTK_WINDOW (window)));
  g_action_group_activate_action (G_ACTION_GROUP (application), "show-page",
                                  g_variant_new_string ("transcribe"));
  g_assert_cmpstr (gtk_stack_get_visible_child_name (window->pages), ==, "transcribe");
  close_window (window);
}

static void
test_about (void)
{
  g_autofree char *versions = pteris_about_versions ();
  PterisWindow *window;

  for (guint i = 0; i < 3; i++)
    g_assert_nonnull (
        strstr (versions, ((const char *[]){ "GTK 4.", "SQLite 3.", "PCRE2 10." })[i]));
  fake_reset ();
  window = open_window ();
  pteris_about_show (GTK_WINDOW (window));
  settle (50);
  close_window (window);
}

int
main (int argc, char **argv)
{
  begin_window_tests (&argc, &argv);
  g_test_add_func ("/shell/appearance", test_appearance);
  g_test_add_func ("/shell/trusted", test_trusted);
  g_test_add_func ("/shell/folders", test_folders);
  g_test_add_func ("/shell/notification", test_notification);
  g_test_add_func ("/shell/about", test_about);
  g_test_add_func ("/shell/watchdog", test_watchdog);
  return end_window_tests ();
}
