/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * Delete the temporary files that killed programs have left in the folders of Pteris (settings,
 * data, cache, state), in a thread. GLib writes files under such names ("models.ini.A1B2C3",
 * ".goutputstream-A1B2C3") and renames them. Files of the last minute stay: another program may be
 * writing them.
 */
void pteris_leftovers_remove (void);

/** Delete those in @folder and the folders in it, other than the user's own files. Blocking; any
 * thread. */
void pteris_leftovers_remove_in (const char *folder);

G_END_DECLS
