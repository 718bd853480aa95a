/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Read-only maps of files that survive what happens to the file.
 *
 * When somebody shortens a mapped file, or its disk cannot be read, the next access would end the
 * process with a bus error. Instead the rest of the map becomes zeros and the loss is counted:
 * whoever used the bytes looks here before giving out a result. Zeros in the place of what was
 * checked do no harm: offsets become "absent", lengths shorter, indices 0. Within its last page
 * a shortened file reads as zeros without an error, so its size is looked at too.
 */

/** The bytes of @file, a map of @fd; both are taken over. Empty when the file is. */
GBytes *pt_mapping_bytes (GMappedFile *file, int fd);

/** How many maps of this process have lost bytes so far. Any thread. */
guint pt_mappings_lost (void);

/** Notice files that have become shorter though no access has failed: a call of the system for
 * every map. Any thread. */
void pt_mappings_look (void);

/**
 * The pages that lie wholly in @size bytes at @data will not be looked at for a while and need not
 * stay in memory. They are read again when they are. Does nothing outside of maps.
 */
void pt_mapping_forget (gconstpointer data, gsize size);

/** FALSE when @bytes lie in a map that has lost some, or of a file that has become shorter. Any
 * thread; costs a call of the system. */
gboolean pt_mapping_is_intact (GBytes *bytes);

G_END_DECLS
