/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/job.h>

#include "engine/host/link.h"

G_BEGIN_DECLS

/** Derives @kind, @code and @detail of @exit from the end of a process. @words: the last lines that
 * it wrote to stderr. Free @detail with g_free(). */
void pt_host_exit_judge (PtHostExit *exit, const PtLinkEnd *end, const char *words);

/** A sentence for a person: how the process ended, what it was doing (@job: or NULL) and what to
 * do. @model: its name, or NULL. Free with g_free(). */
char *pt_host_exit_to_text (const PtHostExit *exit, const PtJob *job, const char *model);

G_END_DECLS
