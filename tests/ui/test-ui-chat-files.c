/* SPDX-License-Identifier: BSD-3-Clause */
#include <glib/gstdio.h>

#include "engine/init.h"
#include "tests/ui/chat-test.h"
#include "ui/chat/attachment-strip.h"

/*
 * Pictures in the chat page, over the real engine and a tiny model that sees: what it answers means
 * nothing, but it is an answer.
 */

static char *
data_path (const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "data", "chat", "gemma3_vision", name, NULL);
}

static void
load_model (PterisWindow *window)
{
  g_autofree char *folder = data_path ("");
  g_autoptr (GFile) file = g_file_new_for_path (folder);
  GSList list = { .data = file };

  pteris_window_open_files (window, &list);
  wait_until (pteris_engine_client_get_state (chat_engine (window)) == PTERIS_MODEL_READY);
}

static void
attach (PterisWindow *window, const char *path)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);

  pteris_composer_attach (composer_of (window), file);
}

/* Time for somebody who wants to see it. */
static void
show (void)
{
  const char *ms = g_getenv ("PTERIS_TEST_SHOW_MS");

  settle (ms != NULL ? (guint) atoi (ms) : 50);
}

static void
test_picture (void)
{
  PterisWindow *window = open_window ();
  g_autofree char *path = data_path ("image.png");
  GPtrArray *list;

  load_model (window);
  attach (window, path);
  wait_until (pteris_composer_get_attachments (composer_of (window)) != NULL);
  say_and_wait (window, "Tell me more");
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (window->session)), ==, 2);
  g_assert_cmpstr (pteris_message_get_error (message_at (window, 1), NULL), ==, NULL);
  g_assert_cmpuint (strlen (pteris_message_get_text (message_at (window, 1))), >, 0);
  list = pteris_message_get_attachments (message_at (window, 0));
  g_assert_nonnull (list);
  g_assert_cmpuint (list->len, ==, 1);
  /* It is shown with the message, and removed from the composer. */
  g_assert_nonnull (nth (window->chat_page, PTERIS_TYPE_ATTACHMENT_STRIP, 0));
  g_assert_null (pteris_composer_get_attachments (composer_of (window)));
  show ();
  close_window (window);
}

/* The attachment is shown again when the window is opened again. */
static void
test_history (void)
{
  PterisWindow *window = open_window ();
  GPtrArray *list;

  wait_until (g_list_model_get_n_items (G_LIST_MODEL (window->session)) == 2);
  list = pteris_message_get_attachments (message_at (window, 0));
  g_assert_nonnull (list);
  g_assert_nonnull (pteris_attachment_get_thumbnail (list->pdata[0]));
  wait_until (says (window->chat_page, "image.png"));
  show ();
  close_window (window);
}

/* Files that the model does not take are refused with a sentence and not attached. */
static void
test_refused (void)
{
  g_autofree char *folder = g_dir_make_tmp ("pteris-refused-XXXXXX", NULL);
  g_autofree char *text = g_build_filename (folder, "notes.txt", NULL);
  g_autofree char *sound = g_build_filename (folder, "voice.wav", NULL);
  g_autofree char *damaged = g_build_filename (folder, "half.png", NULL);
  g_autofree char *whole = data_path ("image.png"), *bytes = NULL;
  PterisWindow *window = open_window ();
  gsize length;

  g_assert_true (g_file_set_contents (text, "words", -1, NULL));
  g_assert_true (g_file_set_contents (sound, "RIFF", -1, NULL));
  g_assert_true (g_file_get_contents (whole, &bytes, &length, NULL));
  g_assert_true (g_file_set_contents (damaged, bytes, (gssize) length / 2, NULL));
  load_model (window);
  attach (window, text);
  wait_until (says (window, "only images and recordings"));
  attach (window, sound);
  wait_until (says (window, "voice.wav"));
  attach (window, damaged);
  wait_until (says (window, "half.png"));
  g_assert_null (pteris_composer_get_attachments (composer_of (window)));
  show ();
  close_window (window);
  g_remove (text);
  g_remove (sound);
  g_remove (damaged);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  begin_window_tests (&argc, &argv);
  pt_init ();
  g_test_add_func ("/chat-files/picture", test_picture);
  g_test_add_func ("/chat-files/history", test_history);
  g_test_add_func ("/chat-files/refused", test_refused);
  return end_window_tests ();
}
