/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/job.h>

G_BEGIN_DECLS

/*
 * What the process of a model may do. It is confined with its first job, since that says which
 * folders it writes to. Other jobs may follow that fit. On Linux only, for now.
 */

/**
 * Called in a host with its first job, when it has one thread, before it has an engine: gives up
 * what the process does not need (engine/confine). @written: of pt_host_written().
 */
gboolean pt_host_confine (const char *const *written, const PtJob *job, GError **error);

/** Whether a process that does @job can be confined: not when it has to start other programs. */
gboolean pt_host_can_confine (const PtJob *job);

/** The folders that @job writes to, each once, absolute; NULL-terminated. Free with g_strfreev().
 */
char **pt_host_written (const PtJob *job);

/** Whether a process can do @job that was begun with another one: with the folders @written, and
 * @confined or not. */
gboolean pt_host_fits (const char *const *written, gboolean confined, const PtJob *job);

G_END_DECLS
