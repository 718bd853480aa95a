/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <stdio.h>

#include <glib.h>

G_BEGIN_DECLS

/*
 * Files that another process has opened for this one, which may not open them itself: recordings
 * and pictures of a job in a confined host (engine/host). Whatever reads such a file opens it
 * through these functions, which take a given file where there is one for this very path, and open
 * the path otherwise. Any thread. On Windows no files are given.
 */

/** From now on @path is read through @fd, which belongs to this list. */
void pt_given_add (const char *path, int fd);

/** Closes all. Files that were opened through the functions below stay open. */
void pt_given_clear (void);

/** Whether there is a file for @path. */
gboolean pt_given_has (const char *path);

/** Like fopen() for reading bytes: NULL with errno. Each stream has a position of its own. */
FILE *pt_input_fopen (const char *path);

/** Like open(): -1 with errno. @flags: for reading. All descriptors of a given file share one
 * position, which is 0 after this call. */
int pt_input_open (const char *path, int flags);

G_END_DECLS
