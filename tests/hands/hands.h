/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

#include "tests/hands/hands-node.h"

/*
 * Tests that act as a person does: the window on a screen of its own, with a window manager; the
 * pointer and the keys are real events (XTest), and what is on the screen is read as a screen
 * reader does (AT-SPI). README.md tells how to write one.
 *
 * What is looked for is named by a pattern, in which * stands for anything, on what it is called
 * or, for text fields, on its text: "Send", "Paris*". A kind may come before it: "button:Send";
 * and what it lies in: "Conversation > label:Paris".
 * Only what can be seen is found, the frontmost window first.
 *
 * Everything waits until what it needs is there, up to HANDS_PATIENCE_S; a test fails only then,
 * with a picture and a list of what is on the screen.
 */

#define HANDS_PATIENCE_S 300

/** The timeout in seconds; the environment variable HANDS_PATIENCE reduces it while a test is
 * written. */
guint hands_patience (void);

/** The next hands_start() opens the window so wide and high, as it was left. */
void hands_set_size (int width, int height);

/* ---- the program ---- */

/** For the next hands_start(): an environment variable; NULL unsets it. */
void hands_set_environment (const char *name, const char *value);

/**
 * Opens the window with the scripted engine of tests/ui/fake-engine.h and waits until it is
 * there. @script names fields of that engine and their values in the manner of json_pack():
 * "{s:b, s:s}", "hold", TRUE, "answer", "Paris." NULL: as fake_reset() has it.
 */
void hands_start (const char *script, ...);

/** For the next hands_start(): a file to open with the window. */
void hands_open_with (const char *path);

/** Leaves the page that is there at the first start. */
void hands_skip_welcome (void);

/** Opens the window with the engine itself. FALSE: there are no starter models; the test is
 * skipped. */
gboolean hands_start_real (void);

/** Opens the window with the engine itself and the library of the home, which is empty at first. */
void hands_start_empty (void);

/** Ends the program as a crash does, without a chance to save. The home is kept. */
void hands_crash (void);

/** Opens the window with the engine itself and the models in the folder @models. */
void hands_start_with (const char *models);

/** Closes the window with Ctrl+Q and waits for its end. The home is kept. */
void hands_quit (void);

/** Changes the script while the program runs. */
void hands_script (const char *script, ...);

/** A number in the script of the scripted engine: "n_chats", "prompt". */
int hands_script_int (const char *field);
char *hands_script_text (const char *field);

/** The folder that is its home; and a file in it, made with this content. Free the path. */
const char *hands_home (void);
char *hands_write_file (const char *name, const char *content, gssize length);

/** Writes a recording of this length that can be played. Free the path. */
char *hands_write_recording (const char *name, double seconds);

/* ---- doing ---- */

/** Clicks the middle of what is so called, after scrolling there. */
void hands_click (const char *what);
void hands_double_click (const char *what);
void hands_right_click (const char *what);

/** Clicks the one of several that is nearest to @beside, after pointing at that. */
void hands_click_beside (const char *what, const char *beside);

/** Only moves the pointer to it. */
void hands_point_at (const char *what);

/** A click at a position of the screen. */
void hands_click_at (int x, int y);

/** A click at the present position of the pointer. */
void hands_click_again (void);

/** Turns the wheel over it by so many notches, down when positive. */
void hands_scroll (const char *what, int notches);

/** Turns it down over @pane, a notch at a time, until @what can be seen. */
void hands_scroll_to (const char *pane, const char *what);

/** A key with modifiers: "Return", "ctrl+z", "shift+Tab", "Page_Down". */
void hands_key (const char *key);

/** Types what is written, whatever the letters; a line break is Shift+Return. */
void hands_type (const char *text);

/** @text, without the letters beyond Latin-1 where their keys do not arrive, as in Wine 8. */
const char *hands_typed (const char *text);

/** Types a question into the composer, which has the keyboard, and sends it. */
void hands_ask (const char *question);

/* ---- seeing ---- */

/** Waits until it can be seen, and does not move; free with hands_node_free(). */
HandsNode *hands_see (const char *what);

/** The present state of the node; NULL: it is not visible. */
HandsNode *hands_peek (const char *what);
guint hands_count (const char *what);

/** All visible nodes (HandsNode); free with g_ptr_array_unref(). */
GPtrArray *hands_peek_all (const char *what);

/** Waits until it can be seen, is gone, has the focus, is checked, may be clicked. */
void hands_expect (const char *what);
void hands_expect_gone (const char *what);
void hands_expect_focus (const char *what);
void hands_expect_state (const char *what, guint state, gboolean set);
void hands_expect_count (const char *what, guint n);

/** Waits until the text field that is so called has this text; * stands for anything. */
void hands_expect_text (const char *what, const char *text);

/** Waits until the engine's number is that. */
void hands_expect_script_int (const char *field, int value);

/** Waits until @condition is TRUE; @why is said when it does not become so. */
typedef gboolean (*HandsCondition) (gpointer data);
void hands_wait_for (HandsCondition condition, gpointer data, const char *why);

/** Keeps a picture of the screen and a list of what is on it, as build/hands/TEST/NN-NAME. */
void hands_picture (const char *name);

/** Like g_assert_true(), with a picture. */
#define hands_assert(condition)                              \
  G_STMT_START                                               \
  {                                                          \
    if (!(condition))                                        \
      hands_fail ("%s:%d: " #condition, __FILE__, __LINE__); \
  }                                                          \
  G_STMT_END

/** Ends the test as failed, with a picture. */
void hands_fail (const char *format, ...) G_GNUC_PRINTF (1, 2) G_GNUC_NORETURN;

/* ---- main() ---- */

/** First of all. */
void hands_init (int *argc, char ***argv);

/** A test, "/chat/ask": it begins with an empty home, and its window is closed after it. */
void hands_add (const char *name, void (*test) (void));
