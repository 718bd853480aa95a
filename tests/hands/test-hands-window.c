/* SPDX-License-Identifier: BSD-3-Clause */

/* The window as a whole: preferences, the keyboard alone, German, and the real engine. */

#include <string.h>

#include <atspi/atspi-constants.h>

#include "tests/hands/hands.h"
#include "tests/hands/words.h"

/* Settings apply, and are kept after the window was closed and opened again. */
static void
test_preferences (void)
{
  hands_start (NULL);
  hands_skip_welcome ();
  hands_click (MAIN_MENU);
  hands_click ("menu:Preferences");
  hands_expect ("window:Preferences");
  hands_expect_state ("check:Send with Enter*", ATSPI_STATE_CHECKED, TRUE);
  hands_picture ("general");
  hands_click ("check:Send with Enter*");
  hands_expect_state ("check:Send with Enter*", ATSPI_STATE_CHECKED, FALSE);
  hands_click ("combo:Style");
  hands_click ("GtkPopover > label:Dark");
  hands_picture ("dark");
  hands_click ("tab:Models");
  hands_expect ("label:Threads");
  hands_picture ("models");
  hands_click ("tab:Safety");
  hands_expect ("label:Safe Graphics");
  hands_picture ("safety");
  hands_key ("Escape");
  hands_expect_gone ("window:Preferences");

  /* Keys that come before the window has the keyboard again would be lost. */
  hands_click (COMPOSER);
  hands_expect_focus (COMPOSER);
  hands_type ("One");
  hands_key ("Return");
  hands_type ("two");
  hands_expect_text (COMPOSER, "One\ntwo");
  hands_key ("ctrl+Return");
  hands_expect (PARIS);
  hands_quit ();
  hands_start (NULL);
  hands_expect (CHATS "label:One*");
  hands_expect_gone (GET_STARTED);
  hands_key ("ctrl+comma");
  hands_expect_state ("check:Send with Enter*", ATSPI_STATE_CHECKED, FALSE);
  hands_picture ("again");
}

static gboolean
tab_on (gpointer data)
{
  g_autoptr (HandsNode) node = hands_peek (data);

  if (node != NULL && hands_node_is (node, ATSPI_STATE_FOCUSED))
    return TRUE;
  hands_key ("Tab");
  return FALSE;
}

/* Without the pointer: the first page, a model, a question, all pages, menus and dialogs. */
static void
test_keyboard (void)
{
  hands_start (NULL);
  hands_expect (GET_STARTED);
  hands_wait_for (tab_on, (gpointer) GET_STARTED, "Tab comes to the button");
  hands_picture ("tab");
  hands_key ("Return");
  hands_expect_focus (COMPOSER);
  hands_key ("ctrl+m");
  hands_expect_focus ("field:Search models");
  hands_type ("smol");
  hands_expect_gone ("label:Whisper base");
  hands_wait_for (tab_on, (gpointer) "button:Load", "Tab comes to Load");
  hands_picture ("models");
  hands_key ("space");
  hands_expect ("button:Model: SmolLM2 135M Instruct, Ready*");
  hands_key ("ctrl+1");
  hands_ask (hands_typed ("Was heißt „Brücke“?"));
  hands_expect (PARIS);
  hands_key ("F10");
  hands_expect_focus ("menu:New Chat");
  hands_key ("Up");
  hands_expect_focus ("menu:Quit");
  hands_picture ("menu");
  hands_key ("Escape");
  hands_expect_gone ("menu:Quit");
  hands_key ("ctrl+question");
  hands_expect ("window:*hortcuts*");
  hands_picture ("shortcuts");
  hands_key ("Escape");
  hands_expect_gone ("window:*hortcuts*");
  hands_key ("ctrl+t");
  hands_expect ("button:Record");
  hands_key ("ctrl+3");
  hands_expect_focus ("field:Search models");
  hands_key ("ctrl+5");
  hands_expect_focus ("combo:Model");
  hands_key ("ctrl+6");
  hands_expect ("label:Models Run on the CPU");
  hands_picture ("gpu");
  hands_key ("F9");
  hands_expect_gone ("item:Transcribe");
  hands_key ("F9");
  hands_expect ("item:Transcribe");
  hands_key ("ctrl+1");
  hands_expect (PARIS);
  hands_expect_focus (COMPOSER);
  hands_key ("ctrl+n");
  hands_expect_gone (PARIS);
  hands_expect_focus (COMPOSER);
  hands_quit ();
}

/* Also while a model is loading and a recording is transcribed. */
static void
test_german (void)
{
  g_autofree char *path = hands_write_recording ("Ansprache.wav", 20);

  if (g_getenv ("HANDS_LOCPATH") == NULL || g_getenv ("HANDS_LOCALE") == NULL) {
    g_test_skip ("There are no translations, or there is no localedef for a German locale.");
    return;
  }
  hands_set_environment ("LC_ALL", "de_DE.UTF-8");
  hands_set_environment ("LOCPATH", g_getenv ("HANDS_LOCPATH"));
  hands_set_environment ("PTERIS_LOCALE_DIR", g_getenv ("HANDS_LOCALE"));
  hands_start (NULL);
  hands_expect ("Willkommen bei Pteris");
  hands_expect ("label:*,*B · *,*B frei");
  hands_picture ("welcome");
  hands_quit ();
  hands_open_with (path);
  hands_start ("{s:i}", "step_ms", 3000);
  hands_expect ("label:Wird geladen: * %");
  hands_expect_gone ("label:*oading*");
  hands_picture ("loads");
  hands_script ("{s:i}", "step_ms", 20);
  hands_expect ("label:ask what you can do*");
  hands_expect ("label:Englisch · *");
  hands_picture ("transcribed");
}

static void
test_real (void)
{
  if (!hands_start_real ())
    return;
  hands_skip_welcome ();
  hands_ask ("What is the capital of France? Answer briefly.");
  hands_expect (IN_CHAT "label:*Paris*");
  hands_expect (SEND);
  hands_picture ("answered");
}

int
main (int argc, char **argv)
{
  hands_init (&argc, &argv);
  hands_add ("/window/preferences", test_preferences);
  hands_add ("/window/keyboard", test_keyboard);
  hands_add ("/window/german", test_german);
  hands_add ("/window/real", test_real);
  return g_test_run ();
}
