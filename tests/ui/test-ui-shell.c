/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/ui/fake-engine.h"
#include "tests/ui/window-test.h"
#include "ui/window/about.h"
#include "ui/window/preferences.h"
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
  wait_until (says (preferences, "No files allowed"));
  g_assert_false (fake.trusted);
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

/* At the first start only. */
static void
test_welcome (void)
{
  PterisWindow *window;

  fake_reset ();
  fake.with_models = FALSE;
  pteris_settings_set_boolean (PTERIS_SETTING_WELCOMED, FALSE);
  window = pteris_window_new (application);
  gtk_window_present (GTK_WINDOW (window));
  wait_until (says (window, "Welcome to Pteris"));
  wait_until (says (window, "Skip"));
  g_assert_true (pteris_settings_get_boolean (PTERIS_SETTING_WELCOMED));
  gtk_widget_activate_action (gtk_stack_get_visible_child (window->pages), "welcome.leave", NULL);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (window->pages), ==, "chat");
  close_window (window);

  window = pteris_window_new (application);
  g_assert_cmpstr (gtk_stack_get_visible_child_name (window->pages), ==, "chat");
  close_window (window);

  /* With models the page of the first start is not needed. */
  fake.with_models = TRUE;
  pteris_settings_set_boolean (PTERIS_SETTING_WELCOMED, FALSE);
  window = pteris_window_new (application);
  gtk_window_present (GTK_WINDOW (window));
  wait_until (says (window, "Get Started") && !says (window, "Use Starter Models"));
  close_window (window);
}

static void
collect_accels (GtkWidget *root, GHashTable *accels)
{
  if (G_TYPE_CHECK_INSTANCE_TYPE (root, GTK_TYPE_SHORTCUTS_SHORTCUT)) {
    g_autofree char *text = NULL;
    g_auto (GStrv) all = NULL;

    g_object_get (root, "accelerator", &text, NULL);
    all = g_strsplit (text, " ", -1);
    for (guint i = 0; all[i] != NULL; i++) {
      guint key;
      GdkModifierType modifiers;

      g_assert_true (gtk_accelerator_parse (all[i], &key, &modifiers));
      g_hash_table_add (accels, gtk_accelerator_name (key, modifiers));
    }
  }
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    collect_accels (child, accels);
}

/* Every shortcut is listed in the window of shortcuts, which has a name for screen readers. */
static void
test_shortcuts (void)
{
  g_auto (GStrv) actions = gtk_application_list_action_descriptions (application);
  g_autoptr (GHashTable) listed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GtkShortcutsWindow *overlay;
  PterisWindow *window;

  fake_reset ();
  window = open_window ();
  overlay = gtk_application_window_get_help_overlay (GTK_APPLICATION_WINDOW (window));
  g_assert_cmpstr (gtk_window_get_title (GTK_WINDOW (overlay)), ==, "Keyboard Shortcuts");
  collect_accels (GTK_WIDGET (overlay), listed);
  g_assert_cmpuint (g_strv_length (actions), >, 10);
  for (guint i = 0; actions[i] != NULL; i++) {
    g_auto (GStrv) accels = gtk_application_get_accels_for_action (application, actions[i]);

    for (guint j = 0; accels[j] != NULL; j++)
      if (!g_hash_table_contains (listed, accels[j]))
        g_error ("%s (%s) is not listed.", accels[j], actions[i]);
  }
  close_window (window);
}

/* The pages, and the way between chats, by keys alone. */
static void
test_keys (void)
{
  PterisWindow *window;

  fake_reset ();
  window = open_window ();
  for (int i = 0; i < 3; i++) {
    g_autoptr (PterisConversation) chat = pteris_conversation_new (100 + i, "A chat", 100 + i);

    pteris_chat_history_take (window->history, chat);
  }
  act (window, "new-chat");
  g_assert_null (pteris_chat_session_get_conversation (window->session));
  act (window, "next-chat");
  act (window, "next-chat");
  g_assert_nonnull (pteris_chat_session_get_conversation (window->session));
  act (window, "previous-chat");
  act (window, "find");
  settle (50);
  g_assert_true (GTK_IS_EDITABLE (gtk_window_get_focus (GTK_WINDOW (window))));
  act (window, "focus-message");
  settle (50);
  g_assert_true (GTK_IS_TEXT_VIEW (gtk_window_get_focus (GTK_WINDOW (window))));
  close_window (window);
}

/* Name the widgets that need more than @width, down to the innermost. */
static void
tell_wide (GtkWidget *root, int width)
{
  int least;

  gtk_widget_measure (root, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
  if (least <= width || !gtk_widget_get_child_visible (root))
    return;
  g_test_message ("%s (%s) needs %d", G_OBJECT_TYPE_NAME (root),
                  gtk_buildable_get_buildable_id (GTK_BUILDABLE (root)), least);
  for (GtkWidget *child = gtk_widget_get_first_child (root); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (gtk_widget_should_layout (child))
      tell_wide (child, width);
}

/* On a small screen with large text all widgets are within the window. */
static void
test_narrow (void)
{
  static const char *const PAGES[] = { "chat", "transcribe", "models", "inspect", "gpu" };
  PterisWindow *window;

  fake_reset ();
  window = open_window ();
  pteris_settings_set_int (PTERIS_SETTING_TEXT_SIZE, 200);
  for (guint i = 0; i < G_N_ELEMENTS (PAGES); i++) {
    int width;

    pteris_window_show_page (window, PAGES[i]);
    settle (50);
    gtk_widget_measure (GTK_WIDGET (window), GTK_ORIENTATION_HORIZONTAL, -1, &width, NULL, NULL,
                        NULL);
    if (width > 480)
      tell_wide (GTK_WIDGET (window), 200);
    g_assert_cmpint (width, <=, 480);
  }
  pteris_settings_set_int (PTERIS_SETTING_TEXT_SIZE, 100);
  close_window (window);
}

static void
count_frame (GdkFrameClock *clock, guint *n)
{
  (*n)++;
}

/* An unchanged window draws no frames on any page. */
static void
test_idle (void)
{
  static const char *const PAGES[] = { "chat", "transcribe", "models", "inspect" };
  PterisWindow *window;
  GdkFrameClock *clock;
  guint n;

  fake_reset ();
  g_object_set (gtk_settings_get_default (), "gtk-cursor-blink", FALSE, NULL);
  window = open_window ();
  clock = gtk_widget_get_frame_clock (GTK_WIDGET (window));
  for (guint i = 0; i < G_N_ELEMENTS (PAGES); i++) {
    gulong handler;

    pteris_window_show_page (window, PAGES[i]);
    settle (1200);
    n = 0;
    handler = g_signal_connect (clock, "update", G_CALLBACK (count_frame), &n);
    settle (800);
    g_signal_handler_disconnect (clock, handler);
    g_test_message ("%s: %u frames", PAGES[i], n);
    g_assert_cmpuint (n, <, 5);
  }
  close_window (window);
}

static gboolean
sleep_on_the_job (gpointer user_data)
{
  g_usleep (70 * 1000);
  return G_SOURCE_REMOVE;
}

/* A blocked loop is logged, an idle one is not. */
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
  g_test_add_func ("/shell/welcome", test_welcome);
  g_test_add_func ("/shell/shortcuts", test_shortcuts);
  g_test_add_func ("/shell/keys", test_keys);
  g_test_add_func ("/shell/narrow", test_narrow);
  g_test_add_func ("/shell/notification", test_notification);
  g_test_add_func ("/shell/about", test_about);
  g_test_add_func ("/shell/idle", test_idle);
  g_test_add_func ("/shell/watchdog", test_watchdog);
  return end_window_tests ();
}
