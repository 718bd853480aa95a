/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/worker-pool.h"

G_BEGIN_DECLS

/**
 * PtWorkspace: scratch memory that all delegates of one worker pool share.
 *
 * A pool has one caller at a time, so only one of its delegates runs at a time. The content of the
 * workspace is not used after a call. Therefore all delegates share one block of the largest size
 * that any of them needs.
 */
typedef struct {
  guint8 *base;     /* 64-byte aligned, or NULL; changes when it grows */
  gsize size;       /* bytes at @base */
  guint generation; /* incremented when @base changes */
} PtWorkspace;

/**
 * Reference the workspace of @pool, made at the first use. Free with pt_workspace_unref(). Any
 * thread.
 */
PtWorkspace *pt_workspace_ref (PtPool *pool);
void pt_workspace_unref (PtWorkspace *workspace);

/**
 * Enlarge it to at least @size bytes; its content is lost. FALSE when there is not enough memory.
 */
gboolean pt_workspace_reserve (PtWorkspace *workspace, gsize size);

G_END_DECLS
