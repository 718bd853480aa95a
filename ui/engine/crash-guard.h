/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * A marker file with the path of the model that is being loaded or used. If it exists at the start,
 * the program ended while the model was in use. Then the model is not loaded automatically again,
 * so that a crash is not repeated at every start. UI thread.
 */

/** Set the path of the model in use; NULL: none. Does nothing if it is set already. */
void pteris_crash_guard_set (const char *path);

/**
 * At the start: the path of the model that was in use when the last run ended, or NULL. The model
 * is marked as held back (model-notes.h). Free with g_free(). Every later call returns NULL.
 */
char *pteris_crash_guard_take (void);

G_END_DECLS
