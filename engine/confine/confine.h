/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Takes rights away from this process for good, before it runs code that nobody has checked: the
 * library inside a model, or the driver of a GPU. Measures that the system lacks are skipped; the
 * result tells which ones hold.
 */

/** The actions that a confined process is denied. Combined with |. */
typedef enum {
  PT_CONFINED_LIMITS = 1 << 0,  /* write core dumps or files above 16 GB; Windows: have more than
                                 * one process, or use the clipboard and the desktop */
  PT_CONFINED_RIGHTS = 1 << 1,  /* gain rights by starting a program; Windows: use any privilege */
  PT_CONFINED_CALLS = 1 << 2,   /* start programs or processes, open sockets, trace or signal other
                                 * processes, change owners and modes of files, mount, load
                                 * kernel modules; Windows: start processes */
  PT_CONFINED_READING = 1 << 3, /* read files besides the listed ones and those of the system */
  PT_CONFINED_WRITING = 1 << 4, /* write files besides the listed ones; Windows: files of the
                                 * user, but all if there are listed ones */
} PtConfined;

/** The measures that pt_confine() can take on this system; nothing changes. Any thread. */
PtConfined pt_confine_means (void);

/** The files and devices that a confined process may still use. */
typedef struct {
  const char *const *readable; /* files and folders to read, NULL-terminated; or NULL */
  const char *const *writable; /* folders to read and write, NULL-terminated; or NULL */
  const char *const *listable; /* folders whose names can be listed, NULL-terminated; or NULL */
  gboolean gpu;                /* the device files of GPUs and NPUs, and a local socket, which CUDA
                                * wants to make, but cannot connect to anything */
} PtConfinement;

/**
 * Confine this process. Call it in the first thread, before there are others: on Linux, threads
 * that exist already keep their rights to files. A path in @allowed that does not exist is left
 * out. Libraries can still be loaded from /usr, /opt, the program's own folder and @readable.
 * @done: what holds from now on.
 * Returns FALSE with @error if the system has a means but refuses it; the process must end then,
 * because a part may hold.
 */
gboolean pt_confine (const PtConfinement *allowed, PtConfined *done, GError **error);

G_END_DECLS
