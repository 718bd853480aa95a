/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "tests/hands/hands-node.h"

/* The X server's side: where windows are, the pointer, the keys, and pictures. */

void hands_screen_open (void);

/** Fills in where every node of @tree is on the screen. */
void hands_screen_place (GPtrArray *tree, int pid);

/** The windows on the screen that belong to @pid, popovers, too. */
guint hands_screen_count_windows (int pid);

void hands_screen_point (int x, int y);

/** Points at where a button is to be pressed, not so soon that it makes a double click. */
void hands_screen_begin_click (int x, int y, guint button);

/** Waits until the next click is no double click; the pointer does not move. */
void hands_screen_begin_click_again (void);

/** Presses or releases a button. */
void hands_screen_button (guint button, gboolean down);

/** As hands_key() and hands_type(). FALSE: the keyboard has no such key. */
gboolean hands_screen_key (const char *key);
gboolean hands_screen_type (const char *text);

/** Waits for a moment until the screen stands still, and writes a PNG of it. */
void hands_screen_picture (const char *path);
