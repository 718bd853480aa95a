/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

#include "engine/host/frame.h"

G_BEGIN_DECLS

/*
 * The pipe between the two processes, and the process at its other end: a socket pair and memfds on
 * Linux, two named pipes and file mappings on Windows.
 */

/**
 * PtLink: one end of the pipe. Any number of threads may write; one may read.
 */
typedef struct _PtLink PtLink;

/** How a process ended. */
typedef struct {
  int code;      /* signal, exit status, or exception */
  gboolean died; /* by a signal or an exception */
  gboolean oom;  /* the system was out of memory at that time, and ended processes */
} PtLinkEnd;

/** The first argument of a host. */
#define PT_LINK_ARGUMENT "--engine-host"

/**
 * Start @program (NULL: the program that runs) as a host. What it writes to stderr also goes to
 * ours. NULL with PT_ERROR_HOST.
 */
PtLink *pt_link_start (const char *program, GError **error);
/** In the host: the end that the program was started with. */
PtLink *pt_link_adopt (int argc, char **argv, GError **error);
void pt_link_free (PtLink *link);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtLink, pt_link_free)

/** Waits for some bytes. 0: the other end is closed; -1 with an error. */
gssize pt_link_read (PtLink *link, guint8 *bytes, gsize size, GError **error);

/** Room for a payload that the other process can map. */
typedef struct _PtShared PtShared;

PtShared *pt_shared_new (gsize size, GError **error);
guint8 *pt_shared_data (PtShared *shared);
void pt_shared_free (PtShared *shared);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtShared, pt_shared_free)

/** For pt_frames_new(), with a PtLink. */
GBytes *pt_link_take_shared (const PtSharedNote *note, gpointer link, GError **error);

/**
 * Write all of @bytes, a whole frame; @shared goes with it, and never changes any more. FALSE with
 * PT_ERROR_HOST: the other end is closed, or has not read for @patience_ms (0: there is no limit);
 * or with PT_ERROR_CANCELLED. After an error nothing more can be written.
 */
gboolean pt_link_write (PtLink *link, const guint8 *bytes, gsize size, PtShared *shared,
                        guint patience_ms, GCancellable *cancellable, GError **error);

/**
 * Opens the file at @path for reading and sends it, with PT_FRAME_FILE, if it is a regular file
 * that can be opened: otherwise the host says why it cannot. FALSE as pt_link_write(). On Windows,
 * where a host may read what the user may read, nothing is sent.
 */
gboolean pt_link_give_file (PtLink *link, const char *path, guint patience_ms,
                            GCancellable *cancellable, GError **error);
/** In the host: the descriptor that came with a PT_FRAME_FILE; -1 with an error. */
int pt_link_take_file (PtLink *link, GError **error);

/** No more is read or written; a thread that waits in pt_link_read() returns. */
void pt_link_shut (PtLink *link);

/** The following are for the process at the other end, after pt_link_start(). */
void pt_link_kill (PtLink *link);
/** FALSE: it has not ended within @ms. */
gboolean pt_link_wait (PtLink *link, guint ms, PtLinkEnd *end);
/** The last lines that it wrote to stderr. Free with g_free(). */
char *pt_link_last_words (PtLink *link);
/** The calls in which it crashed, after its end (trace.h); NULL: unknown. Free with g_free(). */
char *pt_link_trace (PtLink *link);
/** Its number for the system. */
guint64 pt_link_pid (PtLink *link);

/**
 * Writes a frame: @number, then a struct of @info, if that is not NULL. Otherwise as
 * pt_link_write(); also FALSE with PT_ERROR_MEMORY, after which the link can still be used.
 */
gboolean pt_link_send (PtLink *link, PtFrameKind kind, guint64 number, const PtStructInfo *info,
                       gconstpointer self, guint patience_ms, GCancellable *cancellable,
                       GError **error);

G_END_DECLS
