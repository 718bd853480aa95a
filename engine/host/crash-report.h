/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/job.h>

G_BEGIN_DECLS

/**
 * Write a file for a bug report about the end of a model's process, to "pteris/crashes" in the
 * user's state folder (%LOCALAPPDATA% on Windows): versions, the computer, the job's kind, the
 * reason, the model's SHA-256 and the calls. It has no text and no path of the user. The ten newest
 * files are kept. @model: path of the program file, or NULL. Returns the path, or NULL if it cannot
 * be written. Free with g_free(). Blocking.
 */
char *pt_crash_report_write (const PtHostExit *exit, PtJobKind kind, const char *model);

G_END_DECLS
