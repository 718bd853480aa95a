/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/job.h>

G_BEGIN_DECLS

/**
 * Called in a host with its first job, when it has one thread, before it has an engine: the place
 * to give up what the process does not need (engine/confine). It gives up nothing yet. @folders:
 * of pt_host_folders().
 */
gboolean pt_host_confine (const char *const *folders, const PtJob *job, GError **error);

/** The folders of all paths in @job, each once, absolute; NULL-terminated. Models that are named
 * and not a path are not in them. Free with g_strfreev(). */
char **pt_host_folders (const PtJob *job);

G_END_DECLS
