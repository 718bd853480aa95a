/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/job.h>

G_BEGIN_DECLS

/* The files that a confined process may read besides those of the system. */
typedef struct {
  char **files;   /* files and folders with all in them, each once; NULL-terminated */
  char **folders; /* whose names can be listed; NULL-terminated */
} PtReadable;

/**
 * The files that @job reads: the folders of its model, the library (which has companions), and the
 * files that the job names. Recordings and pictures for a loaded model are left out, because later
 * jobs name them; the process gets them as open files (pt_link_give_file()). Blocking.
 */
PtReadable *pt_readable_new (const PtJob *job);
void pt_readable_free (PtReadable *readable);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtReadable, pt_readable_free)

/** Whether @other is in @readable. */
gboolean pt_readable_holds (const PtReadable *readable, const PtReadable *other);

/** The files that are given to a process with @job; NULL-terminated, or NULL. Their texts belong to
 * @job. Free with g_free(). */
const char **pt_host_given (const PtJob *job);

G_END_DECLS
