/* SPDX-License-Identifier: BSD-3-Clause */

/* Choosing, loading, looking into and running models. */

#include <string.h>

#include <atspi/atspi-constants.h>

#include "tests/hands/hands.h"
#include "tests/hands/words.h"

/* Pixels from a title to the middle of its triangle. */
#define TO_TRIANGLE 12

/* The menu shows as many models each time, scrolls, and a click after Escape opens it. */
static void
test_menu (void)
{
  hands_start ("{s:i}", "n_more_models", 37);
  hands_skip_welcome ();
  hands_point_at (MODEL_MENU);
  for (guint i = 0; i < 10; i++) {
    hands_click_again ();
    hands_expect (MENU_MODELS "label:model-0*");
    hands_assert (hands_count (MENU_MODELS "label:Chat · *") >= 4);
    if (i < 2)
      hands_picture ("open");
    hands_key ("Escape");
    hands_expect_gone (MENU_MODELS "label:*");
  }
  hands_click (MODEL_MENU);
  hands_scroll_to (MENU_MODELS "Models", MENU_MODELS "label:model-036");
  hands_picture ("scrolled");
  hands_click (MENU_MODELS "label:model-036");
  hands_expect ("button:Model: model-036, Ready*");
  hands_expect_script_int ("n_loads", 1);
  hands_expect_focus (COMPOSER);
  hands_picture ("chosen");
}

/* A card has the button of its model's task if the model can run. */
static void
test_cards (void)
{
  hands_start ("{s:b}", "with_odd_models", TRUE);
  hands_skip_welcome ();
  hands_key ("ctrl+3");
  hands_expect ("label:Llama 70B");
  hands_expect ("label:Does not run here: *");
  hands_expect_count ("button:Load", 2);
  hands_picture ("models");
  hands_click_beside ("button:Load", "label:SmolLM2 135M Instruct");
  hands_expect ("button:Unload");
  hands_picture ("loaded");
  hands_click_beside ("button:Chat", "label:SmolLM2 135M Instruct");
  hands_expect_focus (COMPOSER);
  hands_expect ("button:Model: SmolLM2 135M Instruct, Ready*");
  hands_picture ("chat");
}

static void
choose_to_inspect (const char *name)
{
  g_autofree char *row = g_strdup_printf ("GtkPopover > label:%s", name);
  g_autofree char *chosen = g_strdup_printf ("combo:Model > label:%s", name);

  hands_click ("combo:Model");
  hands_expect (row);
  hands_picture ("choice");
  hands_click (row);
  hands_expect (chosen);
}

static void
open_classifier (void)
{
  hands_start ("{s:b, s:s}", "with_odd_models", TRUE, "report", "classifier");
  hands_skip_welcome ();
  hands_key ("ctrl+5");
  choose_to_inspect ("MobileNet v2");
  hands_expect (CONTENTS "label:Model File");
}

/* Clicks the triangle in front of a section's title: it has a name in older versions of GTK only.
 */
static void
fold (const char *title)
{
  g_autoptr (HandsNode) node = hands_see (title);

  hands_click_at (node->rect.x - TO_TRIANGLE, node->rect.y + node->rect.height / 2);
}

/* Contents and Run, there and back; sections fold; another model begins at its top. */
static void
test_inspect (void)
{
  g_autoptr (HandsNode) name = NULL, size = NULL;

  open_classifier ();
  hands_picture ("contents");
  name = hands_see (CONTENTS "label:Working memory*");
  size = hands_see (CONTENTS "label:884.7*kB");
  hands_assert (size->rect.height == name->rect.height);

  hands_click (SHOW_RUN);
  hands_expect ("label:Input 0*");
  hands_expect_gone (CONTENTS "label:Model File");
  hands_picture ("run");
  hands_click (SHOW_CONTENTS);
  hands_expect (CONTENTS "label:Model File");
  hands_expect_gone ("label:Class names");
  hands_click (SHOW_RUN);
  hands_expect ("label:Class names");
  hands_click (SHOW_CONTENTS);

  fold (CONTENTS "label:Model File");
  hands_expect_gone (CONTENTS "label:Constants");
  hands_picture ("folded");

  hands_script ("{s:s}", "report", "text-model");
  choose_to_inspect ("SmolLM2 135M Instruct");
  hands_expect (CONTENTS "label:Model File");
  hands_scroll ("Model contents", 10);
  hands_expect_gone (CONTENTS "label:Model File");
  hands_picture ("scrolled");
  choose_to_inspect ("Whisper base");
  hands_expect (CONTENTS "label:Model File");
  hands_picture ("another");
}

/* The model is run, and what came out is told. */
static void
test_run (void)
{
  open_classifier ();
  hands_click (SHOW_RUN);
  hands_click_beside ("button:Run", "label:Class names");
  hands_expect ("label:Output 0*");
  hands_picture ("done");
}

/* An invalid number is reported at its field; Enter runs a valid one. */
static void
test_numbers (void)
{
  open_classifier ();
  hands_click (SHOW_RUN);
  hands_click ("combo:Input 0*");
  hands_expect_focus ("item:*");
  hands_key ("Down");
  hands_key ("Down");
  hands_key ("Return");
  hands_click ("field:Numbers");
  hands_expect_focus ("field:Numbers");
  hands_type ("1, x");
  hands_key ("Return");
  hands_expect ("“x” is not a number.");
  hands_expect_focus ("field:Numbers");
  hands_picture ("no-number");
  hands_key ("ctrl+a");
  hands_type ("0.5");
  hands_key ("Return");
  hands_expect ("label:Output 0*");
  hands_expect_gone ("“x” is not a number.");
  hands_expect_focus ("field:Numbers");
  hands_picture ("output");
}

int
main (int argc, char **argv)
{
  hands_init (&argc, &argv);
  hands_add ("/models/menu", test_menu);
  hands_add ("/models/cards", test_cards);
  hands_add ("/models/inspect", test_inspect);
  hands_add ("/models/run", test_run);
  hands_add ("/models/numbers", test_numbers);
  return g_test_run ();
}
