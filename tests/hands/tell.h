/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <jansson.h>

/*
 * What is on the screen, told by the program itself: where GTK has no accessibility for other
 * programs, which is so on Windows. Needs GTK_A11Y=test. UI thread.
 */

/**
 * Every widget that is not hidden, parents first: an array of objects. "parent" is an index, -1
 * for a window; "inside" lies in the window or popover, "screen" of which is where that lies.
 */
json_t *tell_nodes (void);

/** The "id" of the topmost widget at a position inside of the window or popover @id; "": none. */
json_t *tell_at (const char *id, int x, int y);
