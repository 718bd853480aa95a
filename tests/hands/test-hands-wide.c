/* SPDX-License-Identifier: BSD-3-Clause */

/* A window that fills a screen of 1920 pixels. */

#include "tests/hands/hands-told.h"
#include "tests/hands/hands.h"
#include "tests/hands/words.h"

#define ANSWER                                                                                   \
  "Paris is the capital of France, and its largest city; it lies on the river Seine, in the "    \
  "north of the country, and has been its most important place for about a thousand years now, " \
  "of trade and science as well as of the arts.\n\n```\nlong = code\n```\n"
#define TEXT IN_CHAT "label:Paris is the capital*"
#define CODE IN_CHAT "label:long = code"

static gboolean
is_maximized (gpointer data)
{
  g_autoptr (HandsNode) window = hands_peek ("window:*");

  return window != NULL && window->rect.width == 1920;
}

/* Code takes more than half of the page, and text as much of it as can be read. */
static void
test_answer (void)
{
  g_autoptr (HandsNode) page = NULL, text = NULL, code = NULL;
  /* Columns are as wide as letters are, in tenths of those of Linux. */
  const int letters = hands_is_told () ? 8 : 10;

  hands_start ("{s:s}", "answer", ANSWER);
  hands_skip_welcome ();
  hands_click ("button:Maximize");
  hands_wait_for (is_maximized, NULL, "the window fills the screen");
  hands_ask ("What is the capital of France?");
  hands_expect (TEXT);
  hands_expect (CODE);
  hands_expect (SEND);
  hands_picture ("answered");
  page = hands_see ("Conversation");
  text = hands_see (TEXT);
  code = hands_see (CODE);
  g_assert_cmpint (page->rect.width, >, 1500);
  g_assert_cmpint (code->rect.width, >, page->rect.width * letters / 20);
  g_assert_cmpint (text->rect.width, >, page->rect.width * letters / 25);
}

int
main (int argc, char **argv)
{
  hands_init (&argc, &argv);
  hands_add ("/wide/answer", test_answer);
  return g_test_run ();
}
