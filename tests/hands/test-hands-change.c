/* SPDX-License-Identifier: BSD-3-Clause */

/* Changing a chat: questions and answers again, undo, attachments, and where the keyboard is. */

#include <string.h>

#include "tests/hands/hands-told.h"
#include "tests/hands/hands.h"
#include "tests/hands/words.h"

#define REFUSED "label:*paper.pdf*"

static void
choose_file (const char *path)
{
  hands_expect ("window:Attach");
  hands_type (path);
  hands_picture ("path");
  hands_key ("Return");
  hands_expect_gone ("window:Attach");
}

static int
bottom_of (const char *what)
{
  g_autoptr (HandsNode) node = hands_see (what);

  return node->rect.y + node->rect.height;
}

/* The keyboard goes back to the composer by itself. */
static void
test_edit (void)
{
  g_autofree char *prompt = NULL;

  hands_start (NULL);
  hands_skip_welcome ();
  hands_ask ("What is the capital of Franc?");
  hands_expect (PARIS);
  hands_click_beside (EDIT_MESSAGE, IN_CHAT "label:What is the capital of Franc?");
  hands_expect_focus (EDITED_MESSAGE);
  hands_key ("ctrl+a");
  hands_type ("What is the capital of Spain?");
  hands_picture ("edited");
  hands_script ("{s:s}", "answer", "Madrid.");
  hands_key ("Return");
  hands_expect ("label:Madrid.");
  hands_expect_gone (IN_CHAT "label:What is the capital of Franc?");
  hands_expect (IN_CHAT "label:What is the capital of Spain?");
  hands_expect_focus (COMPOSER);
  hands_picture ("answered");
  prompt = hands_script_text ("prompt");
  hands_assert (strstr (prompt, "Spain") != NULL);
  hands_assert (strstr (prompt, "Franc?") == NULL);

  /* And it is left as it was. */
  hands_click_beside (EDIT_MESSAGE, IN_CHAT "label:What is the capital of Spain?");
  hands_expect_focus (EDITED_MESSAGE);
  hands_type ("nothing of this");
  hands_key ("Escape");
  hands_expect (IN_CHAT "label:What is the capital of Spain?");
  hands_expect_focus (COMPOSER);
}

static void
test_again (void)
{
  hands_start (NULL);
  hands_skip_welcome ();
  hands_ask ("What is the capital of France?");
  hands_expect (PARIS);
  hands_script ("{s:s}", "answer", "It is Paris.");
  hands_click (ANSWER_AGAIN);
  hands_expect ("label:It is Paris.");
  hands_expect_gone (PARIS);
  hands_expect_focus (COMPOSER);
  hands_picture ("again");
  hands_type ("Thanks");
  hands_expect_text (COMPOSER, "Thanks");
}

/* Undo is there as long as the window is, not only with the toast, which keeps off the composer. */
static void
test_undo (void)
{
  g_autoptr (HandsNode) composer = NULL;

  hands_start (NULL);
  hands_skip_welcome ();
  hands_ask ("First question");
  hands_expect (PARIS);
  hands_script ("{s:s}", "answer", "Second answer.");
  hands_ask ("Second question");
  hands_expect (IN_CHAT "label:Second answer.");
  hands_click_beside (DELETE_QUESTION, IN_CHAT "label:Second question");
  hands_expect_gone (IN_CHAT "label:Second answer.");
  composer = hands_see (COMPOSER);
  hands_assert (bottom_of (UNDO_TOAST) < composer->rect.y);
  hands_picture ("deleted");
  hands_click_beside (DELETE_QUESTION, IN_CHAT "label:First question");
  hands_expect_gone (PARIS);
  hands_expect_gone (UNDO_TOAST);
  hands_key ("ctrl+z");
  hands_expect (PARIS);
  hands_expect_gone (IN_CHAT "label:Second answer.");
  hands_key ("ctrl+z");
  hands_expect (IN_CHAT "label:Second answer.");
  hands_picture ("undone");
}

/* Typed text begins a message, wherever the focus was. */
static void
test_type_anywhere (void)
{
  /* Wine gives no name to the key of a letter that its keyboard lacks. */
  const char *text = hands_is_told () ? "Oh, und?" : "Äh, und?";

  hands_start (NULL);
  hands_skip_welcome ();
  hands_ask ("What is the capital of France?");
  hands_expect (PARIS);
  hands_click (PARIS);
  hands_expect_focus (PARIS);
  hands_type (text);
  hands_expect_focus (COMPOSER);
  hands_expect_text (COMPOSER, text);
  hands_picture ("typed");
}

/* A notice explains why a file cannot be attached, until it is closed or the chat is left. */
static void
test_attach (void)
{
  g_autofree char *paper = hands_write_file ("paper.pdf", "%PDF-1.4\n", -1);
  g_autofree char *image =
      g_build_filename (g_getenv ("HANDS_DATA"), "data", "vision", "grey.png", NULL);

  hands_start ("{s:i}", "takes", 1);
  hands_skip_welcome ();
  hands_click (ATTACH);
  choose_file (image);
  hands_expect ("*grey.png*");
  hands_expect_focus (COMPOSER);
  hands_picture ("attached");
  hands_click (ATTACH);
  choose_file (paper);
  hands_expect (REFUSED);
  hands_picture ("refused");
  hands_click ("button:Close notice");
  hands_expect_gone (REFUSED);
  hands_expect_gone ("button:Close notice");
  hands_expect_focus (COMPOSER);
  hands_expect ("*grey.png*");
  hands_picture ("closed");
}

int
main (int argc, char **argv)
{
  hands_init (&argc, &argv);
  hands_add ("/change/edit", test_edit);
  hands_add ("/change/again", test_again);
  hands_add ("/change/undo", test_undo);
  hands_add ("/change/type-anywhere", test_type_anywhere);
  hands_add ("/change/attach", test_attach);
  return g_test_run ();
}
