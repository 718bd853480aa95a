/* SPDX-License-Identifier: BSD-3-Clause */

/* Tests the frame around the pages: model menu, keyboard focus, undo, notices. */

#include "tests/hands/hands.h"
#include "tests/hands/words.h"

/* Each time with all models, and by each click, though the pointer rests where it closed. */
static void
test_model_menu (void)
{
  hands_start ("{s:i}", "n_more_models", 37);
  hands_skip_welcome ();
  hands_point_at (MODEL_MENU);
  for (guint i = 0; i < 10; i++) {
    hands_click_again ();
    hands_expect ("button:All Models");
    hands_expect (MENU_MODELS "label:SmolLM2*");
    hands_expect (MENU_MODELS "label:model-009");
    if (i < 2)
      hands_picture ("opened");
    hands_key ("Escape");
    hands_expect_gone ("button:All Models");
  }
}

/* The focus returns to the composer. */
static void
test_focus (void)
{
  hands_start (NULL);
  hands_skip_welcome ();
  hands_ask ("What is the capital of Spain?");
  hands_expect (PARIS);
  hands_click (ANSWER_AGAIN);
  hands_expect_script_int ("n_chats", 2);
  hands_expect_focus (COMPOSER);
  hands_click (EDIT_MESSAGE);
  hands_expect_focus (EDITED_MESSAGE);
  hands_key ("Escape");
  hands_expect_gone (EDITED_MESSAGE);
  hands_expect_focus (COMPOSER);
  hands_click (EDIT_MESSAGE);
  hands_expect_focus (EDITED_MESSAGE);
  hands_key ("ctrl+a");
  hands_type ("And of France?");
  hands_key ("Return");
  hands_expect (IN_CHAT "label:And of France?");
  hands_expect_focus (COMPOSER);
  hands_click (MODEL_MENU);
  hands_click (MENU_MODELS "label:SmolLM2*");
  hands_expect_gone ("button:All Models");
  hands_expect_focus (COMPOSER);

  /* A character that is not handled begins a message. */
  hands_click (MAIN_MENU);
  hands_expect ("menu:Preferences");
  hands_key ("Escape");
  hands_expect_gone ("menu:Preferences");
  hands_expect_focus (MAIN_MENU);
  hands_type ("hello");
  hands_expect_text (COMPOSER, "hello");
  hands_expect_focus (COMPOSER);
  hands_picture ("typed");
}

/* Messages and chats, long after they were deleted. The toast leaves the composer free. */
static void
test_undo (void)
{
  g_autoptr (HandsNode) toast = NULL, composer = NULL;

  hands_start (NULL);
  hands_skip_welcome ();
  hands_ask ("The first?");
  hands_expect (PARIS);
  hands_click (DELETE_QUESTION);
  hands_expect_gone (IN_CHAT "label:The first?");
  toast = hands_see (UNDO_TOAST);
  composer = hands_see (COMPOSER);
  hands_assert (toast->rect.y + toast->rect.height <= composer->rect.y);
  hands_picture ("deleted");
  hands_ask ("The second?");
  hands_expect (IN_CHAT "label:The second?");
  hands_expect (PARIS);
  hands_expect_gone (UNDO_TOAST);
  hands_key ("ctrl+z");
  hands_expect (IN_CHAT "label:The first?");
  hands_expect (IN_CHAT "label:The second?");
  hands_picture ("undone");

  hands_click (CHAT_ACTIONS);
  hands_click ("menu:Delete");
  hands_expect_gone (IN_CHAT "label:The first?");
  hands_expect_focus (COMPOSER);
  hands_key ("ctrl+z");
  hands_expect (IN_CHAT "label:The first?");
}

/* A model of another program is recognised; the message is removed with its page. */
static void
test_foreign_model (void)
{
  g_autofree char *path = NULL;

  path = hands_write_file ("tiny.Q4_0.gguf", "GGUF", 4);
  hands_open_with (path);
  hands_start (NULL);
  hands_expect ("label:“tiny.Q4_0.gguf” is a GGUF model*");
  hands_picture ("said");
  hands_skip_welcome ();
  hands_expect_gone ("label:“tiny.Q4_0.gguf” is a GGUF model*");
}

int
main (int argc, char **argv)
{
  hands_init (&argc, &argv);
  hands_add ("/frame/model-menu", test_model_menu);
  hands_add ("/frame/focus", test_focus);
  hands_add ("/frame/undo", test_undo);
  hands_add ("/frame/foreign-model", test_foreign_model);
  return g_test_run ();
}
