/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/worker-pool.h"

G_BEGIN_DECLS

/**
 * PtWorkspace: scratch memory that all delegates of one worker pool share.
 *
 * Only one delegate of a pool runs at a time (a pool has one caller at a time), and
 * nothing in the workspace outlives a call, so all delegates use one block, as large as the
 * largest that one of them needs.
 */
typedef struct {
  guint8 *base;     /* 64-byte aligned, or NULL; changes when it grows */
  gsize size;       /* bytes at @base */
  guint generation; /* counts the changes of @base */
} PtWorkspace;

/** The workspace of @pool, made at first use. Free with pt_workspace_unref(). Any thread. */
PtWorkspace *pt_workspace_ref (PtPool *pool);
void pt_workspace_unref (PtWorkspace *workspace);

/** Make it hold at least @size bytes; what it held is lost. FALSE when there is not enough memory.
 */
gboolean pt_workspace_reserve (PtWorkspace *workspace, gsize size);

G_END_DECLS
