/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * A file that says which model is being loaded or runs: written before, removed after. When it is
 * there at the start, the program ended while the model was in use; then the model is not loaded by
 * itself again, so that what crashes once does not crash at every start. UI thread.
 */

/** @path is in use from now on; NULL: no model is. Nothing happens when that was so already. */
void pteris_crash_guard_set (const char *path);

/**
 * At the start: the model in whose use the last run ended, which is noted as held back
 * (model-notes.h); or NULL. Free with g_free(). Every later call returns NULL.
 */
char *pteris_crash_guard_take (void);

G_END_DECLS
