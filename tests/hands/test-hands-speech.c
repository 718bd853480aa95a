/* SPDX-License-Identifier: BSD-3-Clause */

/* Recordings and their transcripts. */

#include <string.h>

#include <atspi/atspi-constants.h>

#include "tests/hands/hands-told.h"
#include "tests/hands/hands.h"
#include "tests/hands/words.h"

/* The transcript of the scripted engine: four segments of 5 s. */
#define FIRST TRANSCRIPT "label:And so, my fellow Americans, ask*your country can do for you,"
#define SECOND TRANSCRIPT "label:ask what you can do for your country."
#define THIRD TRANSCRIPT "label:My fellow citizens*"
#define FOURTH TRANSCRIPT "label:but what together*"

static void
open_recording (void)
{
  g_autofree char *path = hands_write_recording ("Inaugural address.wav", 20);

  hands_open_with (path);
  hands_start ("{s:i}", "n_segments", 4);
  hands_expect (FOURTH);
  hands_expect ("*20 s of audio*");
}

/* A double click only edits; Undo reverts the change and is then disabled. */
static void
test_edit (void)
{
  open_recording ();
  hands_picture ("transcribed");
  hands_expect_state (UNDO, ATSPI_STATE_SENSITIVE, FALSE);
  hands_double_click (SECOND);
  hands_expect_focus (SEGMENT_TEXT);
  hands_expect_text (SEGMENT_TEXT, "ask what you can do for your country.");
  hands_picture ("edits");
  hands_key ("Escape");
  hands_expect_gone (SEGMENT_TEXT);
  hands_expect_state (UNDO, ATSPI_STATE_SENSITIVE, FALSE);
  hands_expect ("button:Play*");

  hands_double_click (SECOND);
  hands_expect_focus (SEGMENT_TEXT);
  hands_key ("ctrl+a");
  hands_type ("Fragt, was ihr tun könnt.");
  hands_key ("Return");
  hands_expect (TRANSCRIPT "label:Fragt, was ihr tun könnt.");
  hands_expect_state (UNDO, ATSPI_STATE_SENSITIVE, TRUE);
  hands_picture ("edited");
  hands_key ("ctrl+z");
  hands_expect (SECOND);
  hands_expect_state (UNDO, ATSPI_STATE_SENSITIVE, FALSE);
}

/* At the cursor; and together again. */
static void
test_split_and_merge (void)
{
  open_recording ();
  hands_double_click (SECOND);
  hands_expect_focus (SEGMENT_TEXT);
  hands_key ("Home");
  for (const char *p = "ask what"; *p != '\0'; p++)
    hands_key ("Right");
  hands_key ("ctrl+Return");
  hands_expect (TRANSCRIPT "label:ask what");
  hands_expect (TRANSCRIPT "label:you can do for your country.");
  hands_picture ("split");
  hands_click_beside (SEGMENT_ACTIONS, TRANSCRIPT "label:ask what");
  hands_expect ("menu:Merge with Next");
  hands_picture ("menu");
  hands_click ("menu:Merge with Next");
  hands_expect (SECOND);
  hands_expect_gone (TRANSCRIPT "label:you can do for your country.");
  hands_key ("ctrl+z");
  hands_expect (TRANSCRIPT "label:ask what");
  hands_key ("ctrl+z");
  hands_expect (SECOND);
}

static void
test_find_and_replace (void)
{
  open_recording ();
  hands_key ("ctrl+f");
  hands_expect_focus (FIND_FIELD);
  hands_type ("FELLOW");
  hands_expect ("label:1 of 2");
  hands_picture ("found");
  hands_key ("Return");
  hands_expect ("label:2 of 2");
  hands_click (REPLACE_FIELD);
  hands_expect_focus (REPLACE_FIELD);
  hands_type ("dear");
  hands_click ("button:Replace All");
  hands_expect (TRANSCRIPT "label:And so, my dear Americans*");
  hands_expect (TRANSCRIPT "label:My dear citizens*");
  hands_picture ("replaced");
  hands_click (FIND_FIELD);
  hands_expect_focus (FIND_FIELD);
  hands_key ("Escape");
  hands_expect_gone (FIND_FIELD);
  hands_expect_focus ("Transcript");
  hands_key ("ctrl+z");
  hands_expect (FIRST);
  hands_expect (THIRD);
}

static int
left_of (const char *what)
{
  g_autoptr (HandsNode) node = hands_see (what);

  return node->rect.x;
}

/* A file's name stands in the list of all and above its text, and nowhere else; texts begin below
 * each other; the button says what it does. */
static void
test_page (void)
{
  open_recording ();
  hands_expect_count ("label:Inaugural address.wav", 2);
  hands_expect ("button:Export SRT");
  hands_expect_gone (CLEAR_FINISHED);
  g_assert_cmpint (left_of (FIRST), ==, left_of (SECOND));
  g_assert_cmpint (left_of (FIRST), ==, left_of (FOURTH));
  hands_picture ("page");
}

/* The end of a long one is on the screen when it is there. */
static void
test_follow (void)
{
  g_autofree char *path = hands_write_recording ("Inaugural address.wav", 200);

  hands_open_with (path);
  hands_start ("{s:i, s:i}", "n_segments", 40, "step_ms", 20);
  hands_expect (TRANSCRIPT "label:*3:15.0 – *");
  hands_expect_gone (TRANSCRIPT "label:*0:00.0 – *");
  hands_picture ("end");
}

/* At least six texts, of both lengths of times, begin below each other. */
static gboolean
is_aligned (gpointer data)
{
  static const char *const TEXTS[] = { FIRST, SECOND, THIRD, FOURTH };
  guint n = 0;
  int x = 0;

  for (guint i = 0; i < G_N_ELEMENTS (TEXTS); i++) {
    g_autoptr (GPtrArray) nodes = hands_peek_all (TEXTS[i]);

    for (guint k = 0; k < nodes->len; k++) {
      const HandsNode *node = nodes->pdata[k];

      if (n++ > 0 && node->rect.x != x)
        return FALSE;
      x = node->rect.x;
    }
  }
  return n >= 6;
}

/* After an hour times have a digit more: the texts begin below each other all the same, in a narrow
 * window, too, where only the first time is shown. */
static void
check_hour (int width)
{
  g_autofree char *path = hands_write_recording ("Inaugural address.wav", 20);

  hands_set_size (width, 800);
  hands_open_with (path);
  hands_start ("{s:i, s:i}", "n_segments", 724, "step_ms", 1);
  hands_expect (TRANSCRIPT "label:*1:00:15.0*");
  hands_expect (TRANSCRIPT "label:*59:55.0*");
  hands_picture ("hour");
  hands_wait_for (is_aligned, NULL, "texts begin below each other");
}

static void
test_hour (void)
{
  check_hour (1200);
}

static void
test_narrow (void)
{
  check_hour (400);
  hands_expect_gone (TRANSCRIPT "label:*1:00:15.0 – *");
}

/* With a sink that accepts all samples at once: the view follows the playback to the last segment.
 */
static void
test_play (void)
{
  g_autofree char *path = hands_write_recording ("Inaugural address.wav", 200);

  hands_set_environment ("PTERIS_AUDIO_SINK", "fakesink");
  hands_open_with (path);
  hands_start ("{s:i}", "n_segments", 40);
  hands_expect (TRANSCRIPT "label:*3:15.0 – *");
  hands_expect ("*0:00 / 3:20*");
  hands_scroll (TRANSCRIPT "label:*3:15.0 – *", -100);
  hands_expect (TRANSCRIPT "label:*0:00.0 – *");
  hands_expect_gone (TRANSCRIPT "label:*3:15.0 – *");
  hands_picture ("begin");
  hands_click ("button:Play*");
  hands_expect ("*3:20 / 3:20*");
  hands_expect (TRANSCRIPT "label:*3:15.0 – *");
  hands_expect ("button:Play*");
  hands_expect_gone ("label:*cannot be played*");
  hands_picture ("heard");
}

/* A folder with five. */
static void
add_folder (void)
{
  g_autofree char *folder = g_build_filename (hands_home (), "speech", NULL);

  for (guint i = 1; i <= 5; i++) {
    g_autofree char *name = g_strdup_printf ("speech/Recording %u.wav", i);
    g_autofree char *path = hands_write_recording (name, 20);
  }
  hands_click (ADD_RECORDINGS);
  hands_click ("menu:Folder of Recordings…");
  hands_expect ("window:Open a Folder of Recordings");
  hands_type (folder);
  hands_picture ("dialog");
  hands_key ("Return");
  hands_expect_gone ("window:Open a Folder of Recordings");
}

/* Without a microphone nothing is recorded. */
static void
test_no_microphone (void)
{
  hands_start (NULL);
  hands_skip_welcome ();
  hands_key ("ctrl+t");
  hands_click ("button:Record");
  hands_expect ("label:No microphone available: *");
  hands_picture ("none");
  hands_expect ("button:Try Again");
  hands_expect_gone (TRANSCRIPTS "label:*");
  hands_click ("button:Try Again");
  hands_expect ("button:Try Again");
  hands_expect ("label:No microphone available: *");
}

/* Without a sound device, the missing package is named. */
static void
test_no_loudspeaker (void)
{
  open_recording ();
  hands_click ("button:Play*");
  hands_expect (hands_is_told () ? "label:*cannot be played: *" : "label:*Install the package *");
  hands_picture ("none");
}

static void
test_queue (void)
{
  hands_start ("{s:i, s:b}", "n_segments", 2, "hold", TRUE);
  hands_skip_welcome ();
  hands_key ("ctrl+t");
  add_folder ();
  hands_expect ("label:0 of 5 done*");
  hands_expect (SECOND);
  hands_picture ("first");
  hands_click (PAUSE_ALL);
  hands_expect (RESUME_ALL);
  hands_picture ("paused");
  hands_script ("{s:b}", "hold", FALSE);
  hands_click (RESUME_ALL);
  hands_expect_gone (RESUME_ALL);
  hands_expect_script_int ("n_transcribes", 6);
  hands_expect_gone (PAUSE_ALL);
  hands_expect (TRANSCRIPTS "label:Recording 5.wav");
  /* The list folds when all went well. */
  hands_expect_gone (QUEUE "label:Recording *");
  hands_picture ("done");
  hands_click (CLEAR_FINISHED);
  hands_expect_gone (QUEUE "label:Recording *");
  hands_expect (TRANSCRIPTS "label:Recording 1.wav");
  hands_picture ("cleared");
}

int
main (int argc, char **argv)
{
  hands_init (&argc, &argv);
  hands_add ("/speech/edit", test_edit);
  hands_add ("/speech/split-and-merge", test_split_and_merge);
  hands_add ("/speech/find-and-replace", test_find_and_replace);
  hands_add ("/speech/page", test_page);
  hands_add ("/speech/follow", test_follow);
  hands_add ("/speech/hour", test_hour);
  hands_add ("/speech/narrow", test_narrow);
  hands_add ("/speech/play", test_play);
  hands_add ("/speech/queue", test_queue);
  hands_add ("/speech/no-microphone", test_no_microphone);
  hands_add ("/speech/no-loudspeaker", test_no_loudspeaker);
  return g_test_run ();
}
