/* SPDX-License-Identifier: BSD-3-Clause */

/* The chat page: the first start, questions and their answers, earlier chats. */

#include <string.h>

#include <glib/gstdio.h>

#include "tests/hands/hands.h"
#include "tests/hands/words.h"

/* The first start: what to do is on the screen, and a question is answered. */
static void
test_first_question (void)
{
  const char *question = hands_typed ("Grüße: 3/4 „Äpfel“?");
  g_autofree char *prompt = NULL, *asked = g_strdup_printf ("user: %s\n", question);
  g_autofree char *label = g_strconcat ("label:", question, NULL);

  hands_start (NULL);
  hands_expect ("Welcome to Pteris");
  hands_picture ("welcome");
  hands_click (GET_STARTED);
  hands_expect_gone ("Welcome to Pteris");
  hands_expect_focus (COMPOSER);
  hands_picture ("empty");
  hands_type (question);
  hands_expect_text (COMPOSER, question);
  hands_picture ("typed");
  hands_key ("Return");
  hands_expect (PARIS);
  hands_expect (label);
  hands_expect_text (COMPOSER, "");
  hands_expect_focus (COMPOSER);
  prompt = hands_script_text ("prompt");
  hands_assert (strstr (prompt, asked) != NULL);
  hands_picture ("answered");
}

/* Stops with the button and with Escape. */
static void
test_stop (void)
{
  hands_start ("{s:b}", "hold", TRUE);
  hands_skip_welcome ();
  hands_type ("What is the capital of France?");
  hands_click (SEND);
  hands_expect (PARIS);
  hands_expect_gone (SEND);
  hands_picture ("streams");
  hands_click (STOP);
  hands_expect_gone (STOP);
  hands_expect (SEND);
  hands_picture ("stopped");
  hands_ask ("And again?");
  hands_expect_script_int ("n_chats", 2);
  hands_expect (STOP);
  hands_expect_count (PARIS, 2);
  hands_key ("Escape");
  hands_expect_gone (STOP);
  hands_expect_focus (COMPOSER);
}

/* Reads an answer aloud: the bar says so until the button or Escape stops it. Without a model that
 * speaks, the button leads to those that can be downloaded. */
static void
test_read_aloud (void)
{
  hands_set_environment ("PTERIS_AUDIO_SINK", "fakesink sync=true");
  hands_start ("{s:b, s:b}", "speaks", TRUE, "hold_speech", TRUE);
  hands_skip_welcome ();
  hands_ask ("What is the capital of France?");
  hands_expect (PARIS);
  hands_click ("button:Read Answer Aloud");
  hands_expect ("label:Preparing to read aloud…");
  hands_picture ("prepares");
  hands_click ("button:Stop Reading Aloud");
  hands_expect_gone ("label:Preparing to read aloud…");
  hands_key ("ctrl+shift+r");
  hands_expect ("label:Preparing to read aloud…");
  hands_key ("Escape");
  hands_expect_gone ("label:Preparing to read aloud…");
  hands_expect ("button:Read Answer Aloud");
}

static void
test_no_voice (void)
{
  hands_start (NULL);
  hands_skip_welcome ();
  hands_ask ("What is the capital of France?");
  hands_expect (PARIS);
  hands_click ("button:Read Answer Aloud");
  hands_expect ("label:Reading aloud needs a speech synthesis model*");
  hands_expect ("label:Kokoro");
  hands_picture ("discover");
}

/* While the model is loading, the sent message is in the conversation. */
static void
test_loading (void)
{
  hands_start ("{s:i}", "step_ms", 60000);
  hands_skip_welcome ();
  hands_ask ("What is the capital of France?");
  hands_expect (IN_CHAT "label:What is the capital of France?");
  hands_expect_text (COMPOSER, "");
  hands_expect (STOP);
  hands_picture ("loads");
}

static int
width_of (const char *what)
{
  g_autoptr (HandsNode) node = hands_see (what);

  return node->rect.width;
}

#define LONG_WORD "Donaudampfschifffahrtsgesellschaftskapitaensmuetzenfabriken"

/* A question is as wide as its longest line, also one of two lines, and not as wide as the page. */
static void
test_bubble (void)
{
  int one, two;

  hands_start (NULL);
  hands_skip_welcome ();
  hands_ask (LONG_WORD);
  hands_expect (PARIS);
  one = width_of (IN_CHAT "label:" LONG_WORD);
  hands_ask (LONG_WORD " " LONG_WORD);
  hands_expect_count (PARIS, 2);
  two = width_of (IN_CHAT "label:" LONG_WORD " *");
  hands_picture ("bubbles");
  g_assert_cmpint (one, <, 2 * width_of ("Conversation") / 3);
  g_assert_cmpint (ABS (two - one), <=, 2);
}

/* A script in place of pteris-starter: it reports progress until it may continue. */
static void
write_starter (void)
{
  static const char SCRIPT[] =
      "#!/bin/sh\n"
      "until [ -e \"$HOME/go-on\" ]; do\n"
      "  echo 'progress 0.200 download 48000000 243000000 SmolLM2 135M Instruct'\n"
      "  sleep 0.1\n"
      "done\n"
      "echo 'progress 0.900 write 243000000 243000000 Whisper base'\n";
  g_autofree char *program = hands_write_file ("bin/pteris-starter", SCRIPT, -1);
  g_autofree char *folder = g_path_get_dirname (program);
  g_autofree char *path = g_strconcat (folder, G_SEARCHPATH_SEPARATOR_S, g_getenv ("PATH"), NULL);

  g_assert_cmpint (g_chmod (program, 0700), ==, 0);
  hands_set_environment ("PATH", path);
}

/* A download shows its title, size and progress; it can be stopped and continued. */
static void
test_download (void)
{
  write_starter ();
  hands_start ("{s:b}", "with_models", FALSE);
  hands_picture ("welcome");
  hands_click ("item:Use Starter Models");
  hands_expect ("label:Downloading the Starter Models");
  hands_expect ("label:Downloading SmolLM2 135M Instruct");
  hands_expect ("label:48.0*MB of 243.0*MB*");
  hands_picture ("downloads");
  hands_click ("button:Cancel");
  hands_expect ("label:The download was canceled*");
  hands_expect_gone ("label:48.0*MB of 243.0*MB*");
  hands_picture ("canceled");
  hands_script ("{s:b}", "with_models", TRUE);
  g_free (hands_write_file ("go-on", "", 0));
  hands_click ("button:Continue Download");
  hands_expect ("button:What is the capital of France?*");
  hands_expect_gone ("label:Downloading*");
}

/* Searches in titles and in messages. */
static void
test_search (void)
{
  hands_start (NULL);
  hands_skip_welcome ();
  hands_ask ("Where is the Eiffel tower?");
  hands_expect (PARIS);
  hands_key ("ctrl+n");
  hands_expect_gone (PARIS);
  hands_script ("{s:s}", "answer", "A tall fern.");
  hands_ask ("What grows in the shade?");
  hands_expect (IN_CHAT "label:A tall fern.");
  hands_expect (CHATS "label:Where is the Eiffel tower?");
  hands_picture ("two-chats");
  hands_key ("ctrl+k");
  hands_expect_focus (SEARCH_CHATS);
  hands_type ("paris");
  hands_expect_gone (CHATS "label:What grows in the shade?");
  hands_expect (CHATS "label:Where is the Eiffel tower?");
  hands_picture ("found");
  hands_click (CHATS "label:Where is the Eiffel tower?");
  hands_expect (PARIS);
  hands_expect_focus (COMPOSER);
}

/* Exports with GTK's file dialog. */
static void
test_export (void)
{
  g_autofree char *path = NULL, *text = NULL;

  hands_start (NULL);
  hands_skip_welcome ();
  hands_ask ("What is the capital of France?");
  hands_expect (PARIS);
  hands_click (CHAT_ACTIONS);
  hands_picture ("actions");
  hands_click ("menu:Export…");
  hands_expect ("button:Export");
  path = g_build_filename (hands_home (), "chat.md", NULL);
  hands_key ("ctrl+a");
  hands_type (path);
  hands_picture ("name");
  hands_key ("Return");
  hands_expect ("Exported");
  hands_picture ("exported");
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  hands_assert (strstr (text, "What is the capital of France?") != NULL);
  hands_assert (strstr (text, "**Paris**") != NULL);
}

int
main (int argc, char **argv)
{
  hands_init (&argc, &argv);
  hands_add ("/chat/first-question", test_first_question);
  hands_add ("/chat/stop", test_stop);
  hands_add ("/chat/read-aloud", test_read_aloud);
  hands_add ("/chat/no-voice", test_no_voice);
  hands_add ("/chat/loading", test_loading);
  hands_add ("/chat/bubble", test_bubble);
  hands_add ("/chat/download", test_download);
  hands_add ("/chat/search", test_search);
  hands_add ("/chat/export", test_export);
  return g_test_run ();
}
