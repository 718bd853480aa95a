/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * PterisLibraryWatch: calls a function some time after the last change in folders. UI thread.
 */
typedef struct _PterisLibraryWatch PterisLibraryWatch;

PterisLibraryWatch *pteris_library_watch_new (void (*func) (gpointer user_data),
                                              gpointer user_data);
void pteris_library_watch_free (PterisLibraryWatch *self);

/** Watch the folders whose paths are the keys of @folders, and no others. */
void pteris_library_watch_set (PterisLibraryWatch *self, GHashTable *folders);

G_END_DECLS
