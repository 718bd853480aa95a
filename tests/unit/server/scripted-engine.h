/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/engine.h>

G_BEGIN_DECLS

/*
 * An engine for tests of the server. It takes the place of pt_engine_…(); what it answers is a
 * script, by the text of the last message:
 *
 *     "say TEXT"     TEXT, in pieces of one byte
 *     "call TEXT"    TEXT, then PT_EVENT_TOOL_CALLS with two calls
 *     "schema"       the JSON Schema of the job, or "none"
 *     "must"         the tool that has to be called, "any" or "no"
 *     "think A.B"    the thought "A.", then B
 *     "wait"         nothing, until the job is cancelled or scripted_go() is called
 *     "fail"         FAILED with PT_ERROR_MEMORY
 *     "crash"        FAILED with PT_ERROR_HOST: the process of the model has ended
 *     "flood"        32 MB of text
 *
 * Models cannot be loaded on GPU 7. Any thread.
 */

/** How many models were loaded, and engines freed, since the program began. */
guint scripted_loads (void);
guint scripted_frees (void);

/** Texts of the last messages of jobs, in the order in which they began, with ',' behind each. Free
 * with g_free(). Also clears them. */
char *scripted_take_order (void);

/** The same with the number of the GPU and ':' before each text. Also clears them. */
char *scripted_take_places (void);

/** How long the end of an engine takes, from now on. */
void scripted_end_in (guint ms);

/** Let jobs that wait go on, from now on; FALSE: they wait again. */
void scripted_go (gboolean go);

G_END_DECLS
