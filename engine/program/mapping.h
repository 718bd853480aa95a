/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Read-only maps of files that stay readable when the file is shortened.
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

/** Look at the size of every mapped file, because a file may become shorter without an access that
 * fails. Costs a system call for each map. Any thread. */
void pt_mappings_look (void);

/**
 * Tell the system that the pages which lie wholly in @size bytes at @data are not needed for a
 * while and may leave memory. The next access reads them from the file again. Does nothing outside
 * of maps.
 */
void pt_mapping_forget (gconstpointer data, gsize size);

/** FALSE when @bytes lie in a map that has lost bytes, or whose file has become shorter. Any
 * thread; costs a system call. */
gboolean pt_mapping_is_intact (GBytes *bytes);

G_END_DECLS
