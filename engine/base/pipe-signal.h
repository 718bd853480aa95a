/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

#ifdef G_OS_UNIX
#include <signal.h>
#endif

G_BEGIN_DECLS

/*
 * A write to a pipe or connection that the other side has closed must not end the process, and
 * handlers of signals belong to the program: the signal is blocked in the calling thread meanwhile.
 * Nothing happens on Windows.
 */

#ifdef G_OS_UNIX
typedef sigset_t PtSignalMask;
#else
typedef int PtSignalMask;
#endif

/** Block the signal. @before: set to what pt_pipe_signal_restore() needs, by the same thread. */
void pt_pipe_signal_block (PtSignalMask *before);
void pt_pipe_signal_restore (const PtSignalMask *before);

G_END_DECLS
