/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/ui/fake-engine.h"
#include "tests/ui/fake-update.h"
#include "tests/ui/window-test.h"
#include "ui/window/preferences.h"

/* The check for updates, over a list that is only told about. */

static PterisWindow *
begin (const FakeUpdate *list, gboolean wanted, const char *told)
{
  fake_reset ();
  fake_update = *list;
  pteris_settings_set_boolean (PTERIS_SETTING_LOOK_FOR_UPDATES, wanted);
  pteris_settings_set_string (PTERIS_SETTING_UPDATE_TOLD, told);
  return open_window ();
}

static PterisPreferences *
open_preferences (PterisWindow *window)
{
  PterisPreferences *preferences = pteris_preferences_new (
      GTK_WINDOW (window), window->library, window->machine, window->meaning, window->updates);

  gtk_window_present (GTK_WINDOW (preferences));
  wait_until (says (preferences, "Appearance"));
  return preferences;
}

static GtkWidget *
button_that_says (gpointer root, const char *text)
{
  GtkWidget *label = find_label (root, text);

  return label != NULL ? gtk_widget_get_ancestor (label, GTK_TYPE_BUTTON) : NULL;
}

/* Waits until a look that was begun has ended. */
static void
wait_for_look (PterisWindow *window)
{
  wait_until (!pteris_updates_is_busy (window->updates));
}

/* Nothing is asked before somebody asks for it. */
static void
test_off (void)
{
  const FakeUpdate list = { .host = "versions.example", .newest = "0.3.0", .due = TRUE };
  PterisWindow *window;

  pteris_settings_set_boolean (PTERIS_SETTING_LOOK_FOR_UPDATES, TRUE);
  g_assert_true (pteris_settings_get_boolean (PTERIS_SETTING_LOOK_FOR_UPDATES));
  window = begin (&list, FALSE, NULL);
  pteris_updates_start (window->updates);
  wait_for_look (window);
  g_assert_cmpint (fake_update.requests, ==, 0);
  g_assert_false (says (window, "is available"));
  close_window (window);
}

static void
test_default (void)
{
  g_autoptr (GSettings) settings = _pteris_settings_open ();
  g_autoptr (GVariant) value =
      g_settings_get_default_value (settings, PTERIS_SETTING_LOOK_FOR_UPDATES);

  g_assert_false (g_variant_get_boolean (value));
}

/* A build without a list has no switch. */
static void
test_impossible (void)
{
  const FakeUpdate list = { .newest = "0.3.0", .due = TRUE };
  PterisWindow *window = begin (&list, TRUE, NULL);
  PterisPreferences *preferences = open_preferences (window);

  g_assert_false (says (preferences, "Updates"));
  g_assert_false (says (preferences, "Check for Updates"));
  pteris_updates_look (window->updates);
  g_assert_false (pteris_updates_is_busy (window->updates));
  g_assert_cmpint (fake_update.requests, ==, 0);
  close_window (window);
}

/* Turned on in the preferences, which say what is sent, it asks; the bar tells, once. */
static void
test_switch (void)
{
  const FakeUpdate list = { .host = "versions.example", .newest = "0.3.0", .due = TRUE };
  PterisWindow *window = begin (&list, FALSE, NULL);
  PterisPreferences *preferences = open_preferences (window);

  wait_until (says (preferences, "Not checked yet"));
  g_assert_true (says (preferences, "asks versions.example for a list of versions"));
  g_assert_null (button_that_says (preferences, "Download Page"));
  pteris_settings_set_boolean (PTERIS_SETTING_LOOK_FOR_UPDATES, TRUE);
  wait_until (says (preferences, "Pteris 0.3.0 of 2027-01-15 is available."));
  g_assert_nonnull (button_that_says (preferences, "Download Page"));
  wait_until (says (window->update_bar, "Pteris 0.3.0 is available."));
  g_assert_cmpint (fake_update.requests, ==, 1);
  /* Not due any more. */
  pteris_settings_set_boolean (PTERIS_SETTING_LOOK_FOR_UPDATES, FALSE);
  wait_until (!says (window->update_bar, "is available"));
  fake_update.known = "0.3.0";
  pteris_settings_set_boolean (PTERIS_SETTING_LOOK_FOR_UPDATES, TRUE);
  wait_until (says (window->update_bar, "Pteris 0.3.0 is available."));
  wait_for_look (window);
  g_assert_cmpint (fake_update.requests, ==, 1);
  close_window (window);
}

/* What was found is told at the next start, without a request, until it is closed. */
static void
test_close (void)
{
  const FakeUpdate list = { .host = "versions.example", .known = "0.3.0" };
  PterisWindow *window = begin (&list, TRUE, NULL);
  g_autofree char *told = NULL;

  wait_until (says (window->update_bar, "Pteris 0.3.0 is available."));
  g_assert_nonnull (button_that_says (window->update_bar, "Download Page"));
  g_signal_emit_by_name (nth (window->update_bar, GTK_TYPE_BUTTON, 1), "clicked");
  wait_until (!says (window->update_bar, "is available"));
  told = pteris_settings_get_string (PTERIS_SETTING_UPDATE_TOLD);
  g_assert_cmpstr (told, ==, "0.3.0");
  close_window (window);

  window = begin (&list, TRUE, "0.3.0");
  wait_for_look (window);
  pteris_updates_start (window->updates);
  wait_for_look (window);
  g_assert_false (says (window->update_bar, "is available"));
  /* The next one is told again. */
  fake_update.newest = "0.4.0";
  pteris_updates_look (window->updates);
  wait_until (says (window->update_bar, "Pteris 0.4.0 is available."));
  close_window (window);
}

/* Check Now asks each time; errors are shown, and what was known stays. */
static void
test_look_now (void)
{
  const FakeUpdate list = { .host = "versions.example", .newest = "0.2.0" };
  PterisWindow *window = begin (&list, FALSE, NULL);
  PterisPreferences *preferences = open_preferences (window);

  wait_until (says (preferences, "Not checked yet"));
  wait_for_look (window);
  g_atomic_int_set (&fake_update.held, 1);
  g_signal_emit_by_name (button_that_says (preferences, "Check Now"), "clicked");
  wait_until (says (preferences, "Checking…"));
  g_assert_false (gtk_widget_get_sensitive (button_that_says (preferences, "Check Now")));
  g_atomic_int_set (&fake_update.held, 0);
  wait_until (says (preferences, "Up to date when last checked, on "));
  g_assert_false (says (window->update_bar, "is available"));
  fake_update.newest = NULL;
  g_signal_emit_by_name (button_that_says (preferences, "Check Now"), "clicked");
  wait_until (says (preferences, "The server cannot be reached."));
  g_assert_cmpint (fake_update.requests, ==, 2);
  fake_update.newest = "0.3.0";
  g_signal_emit_by_name (button_that_says (preferences, "Check Now"), "clicked");
  wait_until (says (preferences, "Pteris 0.3.0 of 2027-01-15 is available."));
  /* The bar is for those who turned the daily look on. */
  g_assert_false (says (window->update_bar, "is available"));
  close_window (window);
}

/* The window may close while a request waits. */
static void
test_closed_meanwhile (void)
{
  const FakeUpdate list = { .host = "versions.example", .newest = "0.3.0", .held = 1 };
  PterisWindow *window = begin (&list, FALSE, NULL);
  PterisUpdates *updates = g_object_ref (window->updates);

  pteris_updates_start (updates);
  wait_for_look (window);
  pteris_updates_look (updates);
  close_window (window);
  g_atomic_int_set (&fake_update.held, 0);
  wait_until (!pteris_updates_is_busy (updates));
  g_assert_null (pteris_updates_get_found (updates));
  g_object_unref (updates);
}

int
main (int argc, char **argv)
{
  begin_window_tests (&argc, &argv);
  g_test_add_func ("/updates/default", test_default);
  g_test_add_func ("/updates/off", test_off);
  g_test_add_func ("/updates/impossible", test_impossible);
  g_test_add_func ("/updates/switch", test_switch);
  g_test_add_func ("/updates/close", test_close);
  g_test_add_func ("/updates/look-now", test_look_now);
  g_test_add_func ("/updates/closed-meanwhile", test_closed_meanwhile);
  return end_window_tests ();
}
