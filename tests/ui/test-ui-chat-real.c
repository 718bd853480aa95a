/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/init.h"
#include "tests/ui/chat-test.h"
#include "ui/window/application.h"

/*
 * The chat page over the real engine and a real model, whose folder PTERIS_TEST_CHAT_MODEL names;
 * skipped without.
 */

static PterisMessage *
last (PterisWindow *window)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (window->session));
  g_autoptr (PterisMessage) message = g_list_model_get_item (G_LIST_MODEL (window->session), n - 1);

  return message;
}

static gboolean
is_ready (PterisWindow *window)
{
  return pteris_engine_client_get_state (chat_engine (window)) == PTERIS_MODEL_READY;
}

static void
test_none (void)
{
  g_test_skip ("no model is named");
}

static void
test_real (gconstpointer folder)
{
  PterisWindow *window = open_window ();
  g_autoptr (GFile) file = g_file_new_for_path (folder);
  GSList list = { .data = file };
  gint64 begun;
  gsize length;

  pteris_window_open_files (window, &list);
  wait_until (is_ready (window));

  /* Streams an answer, and stops it. */
  say (window, "Write a long story about a fern.");
  wait_until (strlen (pteris_message_get_text (last (window))) > 40 ||
              !pteris_chat_session_is_busy (window->session));
  g_assert_cmpstr (pteris_message_get_error (last (window), NULL), ==, NULL);
  g_assert_cmpint (pteris_message_get_state (last (window)), ==, PTERIS_MESSAGE_STREAMING);
  begun = g_get_monotonic_time ();
  pteris_chat_session_stop (window->session);
  wait_until (!pteris_chat_session_is_busy (window->session));
  g_test_message ("stopped after %.0f ms", (double) (g_get_monotonic_time () - begun) / 1000);
  g_assert_cmpint (pteris_message_get_state (last (window)), ==, PTERIS_MESSAGE_STOPPED);
  wait_until (says (window->chat_page, "Stopped."));

  /* It goes on where it was. */
  length = strlen (pteris_message_get_text (last (window)));
  gtk_widget_activate_action (GTK_WIDGET (window->chat_page), "chat.continue", NULL);
  wait_until (strlen (pteris_message_get_text (last (window))) > length + 20);
  pteris_chat_session_stop (window->session);
  wait_until (!pteris_chat_session_is_busy (window->session));

  pteris_chat_session_open (window->session, NULL);
  say (window, "What is the capital of France? Answer briefly.");
  wait_until (!pteris_chat_session_is_busy (window->session));
  g_test_message ("%s", pteris_message_get_text (last (window)));
  g_assert_cmpint (pteris_message_get_state (last (window)), ==, PTERIS_MESSAGE_DONE);
  g_assert_nonnull (strstr (pteris_message_get_text (last (window)), "Paris"));
  wait_until (says (window->chat_page, "tokens/s"));
  close_window (window);
}

int
main (int argc, char **argv)
{
  const char *folder = g_getenv ("PTERIS_TEST_CHAT_MODEL");
  g_autofree char *home = g_dir_make_tmp ("pteris-test-XXXXXX", NULL);
  int status;

  g_setenv ("XDG_DATA_HOME", home, TRUE);
  g_setenv ("XDG_CONFIG_HOME", home, TRUE);
  gtk_test_init (&argc, &argv, NULL);
  pt_init ();
  application = GTK_APPLICATION (pteris_application_new ());
  g_application_set_flags (G_APPLICATION (application), G_APPLICATION_NON_UNIQUE);
  g_application_register (G_APPLICATION (application), NULL, NULL);
  if (folder != NULL)
    g_test_add_data_func ("/chat/real", folder, test_real);
  else
    g_test_add_func ("/chat/real", test_none);
  status = g_test_run ();
  g_object_unref (application);
  return status;
}
