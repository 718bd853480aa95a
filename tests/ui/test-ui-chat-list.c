/* SPDX-License-Identifier: BSD-3-Clause */

/* The list of messages: many of them, and long ones. */

#include "tests/ui/chat-test.h"
#include "tests/ui/fake-engine.h"
#include "ui/chat/chat-store.h"
#include "ui/chat/message-list.h"
#include "ui/markdown/markdown-view.h"

static PterisWindow *
begin (void)
{
  forget_history ();
  fake_reset ();
  return open_window ();
}

static guint
count_rows (PterisWindow *window)
{
  guint n = 0;

  while (nth (window->chat_page, PTERIS_TYPE_MESSAGE_ROW, n) != NULL)
    n++;
  return n;
}

/* Only messages near the visible area have rows, and visible rows do not move. */
static void
test_many (void)
{
  PterisWindow *window = begin ();
  g_autoptr (PterisConversation) conversation =
      pteris_conversation_new (pteris_store_new_id (), "Long", g_get_real_time ());
  GtkAdjustment *adjustment;
  gint64 parent = 0;
  graphene_rect_t before, after;
  GtkWidget *row;

  for (guint i = 0; i < 300; i++) {
    g_autofree char *text = g_strdup_printf ("Message %u.\n\nWith two\n\nand three parts.", i);
    g_autoptr (PterisMessage) message = pteris_message_new (i % 2 == 1 ? "Model" : NULL, text);

    pteris_message_set_ids (message, pteris_store_new_id (), parent);
    parent = pteris_message_get_id (message);
    pteris_chat_store_add (conversation, message);
  }
  pteris_chat_history_take (window->history, conversation);
  pteris_chat_session_open (window->session, conversation);
  wait_until (n_messages (window) == 300);
  wait_until (says (window->chat_page, "Message 299."));
  wait_until (count_rows (window) < 60);

  adjustment = gtk_scrollable_get_vadjustment (
      GTK_SCROLLABLE (nth (window->chat_page, PTERIS_TYPE_MESSAGE_LIST, 0)));
  gtk_adjustment_set_value (adjustment, gtk_adjustment_get_upper (adjustment) / 2);
  wait_until (!says (window->chat_page, "Message 299."));
  for (guint i = 0;; i++) {
    row = nth (window->chat_page, PTERIS_TYPE_MESSAGE_ROW, i);
    g_assert_nonnull (row);
    if (gtk_widget_get_mapped (row))
      break;
  }
  g_assert_true (gtk_widget_compute_bounds (row, GTK_WIDGET (window), &before));
  say_and_wait (window, "At the end");
  /* Saying something leads to the end. */
  wait_until (says (window->chat_page, "At the end"));
  gtk_adjustment_set_value (adjustment, 0);
  wait_until (says (window->chat_page, "Message 0."));
  row = gtk_widget_get_ancestor (find_label (window->chat_page, "Message 1."),
                                 PTERIS_TYPE_MESSAGE_ROW);
  g_assert_true (gtk_widget_compute_bounds (row, GTK_WIDGET (window), &before));
  fake.answer = "More.\n\nAnd more.";
  pteris_chat_session_send (window->session, "Far below");
  wait_for_answer (window);
  settle (100);
  g_assert_true (gtk_widget_compute_bounds (row, GTK_WIDGET (window), &after));
  g_assert_cmpfloat (before.origin.y, ==, after.origin.y);
  close_window (window);
}

/* The bytes of all labels of the answers. */
static gsize
shown_bytes (PterisWindow *window)
{
  GtkWidget *view = nth (window->chat_page, PTERIS_TYPE_MARKDOWN_VIEW, 0), *label;
  gsize bytes = 0;

  for (guint i = 0; view != NULL && (label = nth (view, GTK_TYPE_LABEL, i)) != NULL; i++)
    bytes += strlen (gtk_label_get_text (GTK_LABEL (label)));
  return bytes;
}

/* An answer of megabytes, which only an import has, is shown in parts. */
static void
test_huge (void)
{
  PterisWindow *window = begin ();
  g_autoptr (PterisConversation) conversation =
      pteris_conversation_new (pteris_store_new_id (), "Huge", g_get_real_time ());
  g_autoptr (GString) text = g_string_new ("First.");
  g_autoptr (PterisMessage) question = pteris_message_new (NULL, "Write.");
  g_autoptr (PterisMessage) answer = NULL;
  gsize before;

  while (text->len < 3000000)
    g_string_append (text, " ferns and fern-allies");
  answer = pteris_message_new ("Model", text->str);
  pteris_message_set_ids (question, pteris_store_new_id (), 0);
  pteris_message_set_ids (answer, pteris_store_new_id (), pteris_message_get_id (question));
  pteris_chat_store_add (conversation, question);
  pteris_chat_store_add (conversation, answer);
  pteris_chat_history_take (window->history, conversation);
  pteris_chat_session_open (window->session, conversation);
  wait_until (says (window->chat_page, "Show More"));
  before = shown_bytes (window);
  g_assert_cmpuint (before, >, 1000);
  g_assert_cmpuint (before, <, 100000);
  g_signal_emit_by_name (
      gtk_widget_get_ancestor (find_label (window->chat_page, "Show More"), GTK_TYPE_BUTTON),
      "clicked");
  wait_until (shown_bytes (window) > before + 50000);
  g_assert_cmpuint (shown_bytes (window), <, 200000);
  close_window (window);
}

int
main (int argc, char **argv)
{
  begin_window_tests (&argc, &argv);
  g_test_add_func ("/chat-list/many", test_many);
  g_test_add_func ("/chat-list/huge", test_huge);
  return end_window_tests ();
}
