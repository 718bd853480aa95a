/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/**
 * PtLock: a file that one thread of one process has at a time, for what is read, changed and
 * written again. It is there only while somebody has it; a process that dies leaves it free.
 */
typedef struct _PtLock PtLock;

/**
 * The lock at @path, whose folder must exist. @wait: until others have given it back; else
 * PT_ERROR_BUSY at once. A file system that knows no locks keeps nobody out. Any thread.
 */
PtLock *pt_lock_take (const char *path, gboolean wait, GError **error);
void pt_lock_free (PtLock *lock);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtLock, pt_lock_free)

G_END_DECLS
