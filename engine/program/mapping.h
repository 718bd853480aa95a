/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Read-only maps of files that stay readable when the file is shortened.
 *
 * When another program shortens a mapped file, or its disk cannot be read, the next access would
 * end the process with a bus error (SIGBUS). The signal handler of this file replaces the rest of
 * the map by zeros and counts the loss. Callers check for a loss before they return a result. Zeros
 * cannot make verified data unsafe: offsets become "absent", lengths become shorter, indices become
 * 0. Inside its last page a shortened file reads as zeros without a signal; therefore the size of
 * the file is checked, too.
 */

/** Return the bytes of @file, a map of @fd. Takes ownership of both. Empty for an empty file. */
GBytes *pt_mapping_bytes (GMappedFile *file, int fd);

/** How many maps of this process have lost bytes so far. Any thread. */
guint pt_mappings_lost (void);

/**
 * Check the size of every mapped file, because reading inside the last page of a shortened file
 * raises no signal. Costs one system call for each map. Any thread.
 */
void pt_mappings_look (void);

/**
 * Tell the system that it may drop the pages that lie completely in @size bytes at @data from
 * memory. The next access reads them from the file again. Does nothing for memory that is not
 * mapped.
 */
void pt_mapping_forget (gconstpointer data, gsize size);

/**
 * FALSE when the map that contains @bytes has lost bytes, or its file has become shorter. Any
 * thread; costs one system call.
 */
gboolean pt_mapping_is_intact (GBytes *bytes);

G_END_DECLS
