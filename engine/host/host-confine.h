/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/job.h>

#include "engine/host/readable.h"

G_BEGIN_DECLS

/*
 * Confinement of the process of a model. It happens with the first job, because that one tells
 * which folders the process writes to. Later jobs that need other folders get another process. On
 * Linux and Windows.
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

/**
 * Remembers the user's consent to a program with a known SHA-256, in the program: a confined
 * process does not write to the folder of the settings and the chats. TRUE: there is one more;
 * processes that have begun cannot read it.
 */
gboolean pt_host_remember_consent (const PtJob *job);

/** The rights that the first job of a process has set. */
typedef struct {
  gboolean confined;
  char **written;       /* of pt_host_written() */
  PtReadable *readable; /* NULL: it may read everything */
} PtHostRights;

PtHostRights *pt_host_rights_new (const PtJob *job);
void pt_host_rights_free (PtHostRights *rights);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtHostRights, pt_host_rights_free)

/** Whether a process with @rights can do @job. */
gboolean pt_host_fits (const PtHostRights *rights, const PtJob *job);

G_END_DECLS
