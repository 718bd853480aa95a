/* SPDX-License-Identifier: BSD-3-Clause */

/* Names of reasons why a job ended. */

#include <pteris/job.h>

static const char *const NAMES[PT_N_REASONS] = {
  [PT_REASON_STOP] = "stop",
  [PT_REASON_LENGTH] = "length",
  [PT_REASON_CONTEXT] = "context",
  [PT_REASON_LOOP] = "loop",
  [PT_REASON_NO_SPEECH] = "no-speech",
  [PT_REASON_STOPPED] = "stopped",
  [PT_REASON_INTERRUPTED] = "interrupted",
};

const char *
pt_reason_name (PtReason reason)
{
  return (guint) reason < PT_N_REASONS ? NAMES[reason] : NULL;
}

PtReason
pt_reason_find (const char *name)
{
  for (guint i = PT_REASON_NONE + 1; i < PT_N_REASONS; i++)
    if (g_strcmp0 (NAMES[i], name) == 0)
      return (PtReason) i;
  return PT_REASON_NONE;
}
