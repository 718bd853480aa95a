/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * A marker file with the paths of the models that are being loaded or used. If it exists at the
 * start, the program ended while they were in use. Then they are not loaded automatically again, so
 * that a crash is not repeated at every start. UI thread.
 */

/** An engine begins and ends to use the model at @path, in this order. NULL: does nothing. */
void pteris_crash_guard_enter (const char *path);
void pteris_crash_guard_leave (const char *path);

/**
 * At the start: the paths of the models that were in use when the last run ended, NULL-terminated;
 * or NULL. The models are marked as held back (model-notes.h). Free with g_strfreev(). Every later
 * call returns NULL.
 */
char **pteris_crash_guard_take (void);

G_END_DECLS
