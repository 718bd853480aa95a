/* SPDX-License-Identifier: BSD-3-Clause */
#include <signal.h>
#include <stdlib.h>

#include "tests/ui/fake-engine.h"
#include "tests/ui/window-test.h"
#include "ui/window/application.h"
#include "ui/chat/composer.h"
#include "ui/history/history-store.h"

/*
 * SIGKILL in the middle of an answer: what was on the screen is there at the next start. The
 * program starts itself as the one to be killed, which tells after every frame how much of the
 * answer is painted, once the history's thread has had its turn: a busy machine can delay it.
 */

/* Bytes of the answer that are to be seen before the kill. */
#define ENOUGH 400

static const char *program;

static PterisMessage *
answer_of (PterisWindow *window)
{
  g_autoptr (PterisMessage) message =
      g_list_model_get_n_items (G_LIST_MODEL (window->session)) > 1
          ? g_list_model_get_item (G_LIST_MODEL (window->session), 1)
          : NULL;

  return message;
}

static void
on_painted (GdkFrameClock *clock, PterisWindow *window)
{
  PterisMessage *answer = answer_of (window);
  gsize painted = answer != NULL ? strlen (pteris_message_get_text (answer)) : 0;

  if (painted == 0)
    return;
  pteris_store_flush ();
  g_print ("%" G_GSIZE_FORMAT "\n", painted);
  fflush (stdout);
}

static int
be_killed (void)
{
  g_autoptr (GString) words = g_string_new (NULL);
  PterisWindow *window;

  for (guint i = 0; i < 20000; i++)
    g_string_append_printf (words, "word%u ", i);
  fake_reset ();
  fake.answer = words->str;
  fake.step_ms = 5;
  window = open_window ();
  g_signal_connect (gtk_widget_get_frame_clock (GTK_WIDGET (window)), "after-paint",
                    G_CALLBACK (on_painted), window);
  g_signal_emit_by_name (nth (window, PTERIS_TYPE_COMPOSER, 0), "send", "Tell me everything");
  settle (PATIENCE_S * 1000);
  return 1;
}

static gsize
kill_in_the_middle (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) child =
      g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error, program, "--be-killed", NULL);
  g_autoptr (GDataInputStream) lines = NULL;
  gsize shown = 0;

  g_assert_no_error (error);
  lines = g_data_input_stream_new (g_subprocess_get_stdout_pipe (child));
  while (shown < ENOUGH) {
    g_autofree char *line = g_data_input_stream_read_line (lines, NULL, NULL, &error);

    g_assert_no_error (error);
    g_assert_nonnull (line);
    if (g_ascii_isdigit (line[0]))
      shown = (gsize) strtoull (line, NULL, 10);
  }
  g_subprocess_send_signal (child, SIGKILL);
  g_subprocess_wait (child, NULL, NULL);
  g_assert_true (g_subprocess_get_if_signaled (child));
  return shown;
}

static void
test_kill (void)
{
  gsize shown = kill_in_the_middle ();
  PterisWindow *window;
  PterisMessage *answer;

  fake_reset ();
  window = open_window ();
  wait_until (answer_of (window) != NULL);
  answer = answer_of (window);
  g_test_message ("shown: %" G_GSIZE_FORMAT " bytes, kept: %" G_GSIZE_FORMAT, shown,
                  strlen (pteris_message_get_text (answer)));
  g_assert_cmpuint (strlen (pteris_message_get_text (answer)), >=, shown);
  g_assert_true (g_str_has_prefix (pteris_message_get_text (answer), "word0 word1 word2 "));
  g_assert_cmpint (pteris_message_get_reason (answer), ==, PT_REASON_INTERRUPTED);
  wait_until (says (window->chat_page, "Interrupted"));
  g_assert_true (says (window->chat_page, "Continue"));
  close_window (window);
}

int
main (int argc, char **argv)
{
  gboolean child = argc > 1 && g_str_equal (argv[1], "--be-killed");
  g_autofree char *home = child ? NULL : g_dir_make_tmp ("pteris-test-XXXXXX", NULL);
  int status;

  program = argv[0];
  if (home != NULL) {
    g_setenv ("XDG_DATA_HOME", home, TRUE);
    g_setenv ("XDG_CONFIG_HOME", home, TRUE);
  }
  if (child)
    gtk_init ();
  else
    gtk_test_init (&argc, &argv, NULL);
  application = GTK_APPLICATION (pteris_application_new ());
  g_application_set_flags (G_APPLICATION (application), G_APPLICATION_NON_UNIQUE);
  g_application_register (G_APPLICATION (application), NULL, NULL);
  if (child)
    return be_killed ();
  g_test_add_func ("/chat/kill", test_kill);
  status = g_test_run ();
  g_object_unref (application);
  return status;
}
