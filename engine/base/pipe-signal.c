/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/pipe-signal.h"

#ifdef G_OS_UNIX

#include <time.h>

void
pt_pipe_signal_block (PtSignalMask *before)
{
  sigset_t pipe;

  sigemptyset (&pipe);
  sigaddset (&pipe, SIGPIPE);
  pthread_sigmask (SIG_BLOCK, &pipe, before);
}

void
pt_pipe_signal_restore (const PtSignalMask *before)
{
  const struct timespec now = { 0, 0 };
  sigset_t pipe, pending;

  sigemptyset (&pipe);
  sigaddset (&pipe, SIGPIPE);
  if (!sigismember (before, SIGPIPE) && sigpending (&pending) == 0 &&
      sigismember (&pending, SIGPIPE))
    sigtimedwait (&pipe, NULL, &now);
  pthread_sigmask (SIG_SETMASK, before, NULL);
}

#else

void
pt_pipe_signal_block (PtSignalMask *before)
{
}

void
pt_pipe_signal_restore (const PtSignalMask *before)
{
}

#endif
