/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/confine/confine.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "engine/base/set-error.h"
#include "engine/confine/confine-private.h"

/* Far above what a driver's cache needs; a runaway library does not fill the disk. */
#define MAX_FILE_BYTES ((rlim_t) 16 << 30)

static gboolean
limit (int what, rlim_t most)
{
  struct rlimit now;

  if (getrlimit (what, &now) != 0)
    return FALSE;
  now.rlim_max = MIN (now.rlim_max, most);
  now.rlim_cur = MIN (now.rlim_cur, now.rlim_max);
  return setrlimit (what, &now) == 0;
}

static gboolean
set_limits (void)
{
  /* A write beyond the limit fails instead of ending the process. */
  signal (SIGXFSZ, SIG_IGN);
  /* A core dump would hold conversations. */
  return limit (RLIMIT_CORE, 0) && limit (RLIMIT_FSIZE, MAX_FILE_BYTES);
}

PtConfined
pt_confine_means (void)
{
  PtConfined means = PT_CONFINED_LIMITS | PT_CONFINED_RIGHTS;

  if (pt_confine_has_files ())
    means |= PT_CONFINED_READING | PT_CONFINED_WRITING;
  if (pt_confine_has_calls ())
    means |= PT_CONFINED_CALLS;
  return means;
}

gboolean
pt_confine (const PtConfinement *allowed, PtConfined *done, GError **error)
{
  gboolean files = FALSE, calls = FALSE;

  *done = 0;
  if (!set_limits ())
    return pt_fail (error, PT_ERROR_UNSUPPORTED, "The limits of the process cannot be set (%s).",
                    g_strerror (errno));
  *done |= PT_CONFINED_LIMITS;
  if (prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return pt_fail (error, PT_ERROR_UNSUPPORTED, "The process cannot give up its rights (%s).",
                    g_strerror (errno));
  *done |= PT_CONFINED_RIGHTS;

  /* Files first: the calls that Landlock needs are not refused by the filter, but a rule needs
   * descriptors, which later could not be opened. */
  if (!pt_confine_files (allowed, &files, error) || !pt_confine_calls (allowed->gpu, &calls, error))
    return FALSE;
  if (files)
    *done |= PT_CONFINED_READING | PT_CONFINED_WRITING;
  if (calls)
    *done |= PT_CONFINED_CALLS;
  return TRUE;
}
