/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Requests to the system that fail when a test wants it. Linking faults.c replaces the allocator,
 * GLib's functions that may return NULL, mmap(), read() and fopen() by ones that count.
 *
 * A request for memory counts when whoever makes it can go on without: GLib's g_try functions,
 * maps, and the libraries that report it (jansson, PCRE2, libsamplerate), whatever its size; and
 * everything else from FAULTS_LARGE bytes on. What GLib takes for itself ends the process when
 * there is none, as in every GLib program. Reads count when they are from regular files.
 *
 * Sanitizers have an allocator of their own: with them only the g_try functions and reads fail,
 * nothing is counted, and the leaks are theirs to find.
 */

typedef enum {
  FAULT_NONE,
  FAULT_MEMORY,     /* one request is refused */
  FAULT_NO_MEMORY,  /* one and all after it */
  FAULT_READ_ERROR, /* one read fails: a bad sector */
  FAULT_READ_END,   /* from one on, all read nothing: the file has become shorter */
  FAULT_READ_SHORT, /* one brings half of what was asked for, as it may */
} Fault;

/** GLib takes nothing so large for itself in our tests. */
#define FAULTS_LARGE ((gsize) 32 * 1024)

/** From now on, request number @n (from 0) of at least @size bytes fails. */
void faults_begin (Fault fault, guint n, gsize size);

/** Requests succeed again. TRUE if there was a request number @n. */
gboolean faults_end (void);

/** Once: when the file @path is mapped next, it is shortened to @size bytes right afterwards. */
void faults_shorten (const char *path, gsize size);

/** Maps that are held. */
gint faults_n_maps (void);
/** Blocks of memory that are held. */
gint faults_n_blocks (void);

/** FALSE: nothing can be made to fail in this build. */
gboolean faults_possible (void);
/** FALSE: the allocator and mmap() are not ours, so that nothing is counted or shortened. */
gboolean faults_own_memory (void);

G_END_DECLS
