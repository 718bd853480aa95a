/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/**
 * PtLock: an exclusive lock between threads and processes, made of a file. Hold it while you read,
 * change and rewrite shared data. The file exists only while the lock is held; the lock of a
 * process that crashed is released.
 */
typedef struct _PtLock PtLock;

/**
 * Acquire the lock at @path, whose folder must exist. @wait: block until the lock is free;
 * otherwise a held lock fails with PT_ERROR_BUSY at once. A file system without locks excludes
 * nobody. Any thread.
 */
PtLock *pt_lock_take (const char *path, gboolean wait, GError **error);
void pt_lock_free (PtLock *lock);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtLock, pt_lock_free)

G_END_DECLS
