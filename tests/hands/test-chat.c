/* SPDX-License-Identifier: BSD-3-Clause */

/* The chat page: the first start, and questions with their answers. */

#include <string.h>

#include "tests/hands/hands.h"

#define COMPOSER "field:Message"

/* The first start: what to do is on the screen, and a question is answered. */
static void
test_first_question (void)
{
  g_autofree char *prompt = NULL;

  hands_start (NULL);
  hands_expect ("Welcome to Pteris");
  hands_picture ("welcome");
  hands_click ("button:Begin");
  hands_expect_gone ("Welcome to Pteris");
  hands_expect_focus (COMPOSER);
  hands_picture ("empty");
  hands_type ("Grüße: 3/4 „Äpfel“?");
  hands_expect_text (COMPOSER, "Grüße: 3/4 „Äpfel“?");
  hands_picture ("typed");
  hands_key ("Return");
  hands_expect ("The capital of France is Paris.");
  hands_expect ("label:Grüße: 3/4 „Äpfel“?");
  hands_expect_text (COMPOSER, "");
  hands_expect_focus (COMPOSER);
  prompt = hands_script_text ("prompt");
  g_assert_nonnull (strstr (prompt, "user: Grüße: 3/4 „Äpfel“?\n"));
  hands_picture ("answered");
}

int
main (int argc, char **argv)
{
  hands_init (&argc, &argv);
  hands_add ("/chat/first-question", test_first_question);
  return g_test_run ();
}
