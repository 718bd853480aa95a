/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>
#include <jansson.h>

/* The program under test, and its home. */

/** A new home; what the program prints goes into the folder @out. */
void hands_program_begin (const char *out);

/** Ends it in whatever way, and removes the home. */
void hands_program_end (void);

void hands_program_kill (void);
gboolean hands_program_runs (void);
int hands_program_pid (void);

/** Ask the scripted engine's program with a line of JSON; its answer, a new reference. NULL: no
 * such program runs. */
json_t *hands_program_ask (const char *line);

/** How the program ended, as the beginning of a sentence; free it. */
char *hands_program_end_text (void);
