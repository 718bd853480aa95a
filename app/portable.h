/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#ifdef G_OS_WIN32

/**
 * Where a file portable.txt lies beside the folder of this program, what belongs to the user
 * (settings, models, chats, caches) goes to the folder "data" there, if that can be written. Before
 * anything asks GLib for one of these folders.
 */
void pteris_portable_init (void);

#endif

G_END_DECLS
