/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/xnnpack/workspace.h"

#define ALIGNMENT 64
/* A delegate that needs more is damaged. */
#define MAX_SIZE ((guint64) 8 << 30)

typedef struct {
  PtWorkspace workspace;
  PtPool *pool;
  guint n_refs;
  gpointer block;
} Shared;

static GMutex lock;
static GSList *all; /* of Shared, guarded by lock */

PtWorkspace *
pt_workspace_ref (PtPool *pool)
{
  Shared *shared = NULL;

  g_mutex_lock (&lock);
  for (GSList *l = all; l != NULL && shared == NULL; l = l->next)
    if (((Shared *) l->data)->pool == pool)
      shared = l->data;
  if (shared == NULL) {
    shared = g_new0 (Shared, 1);
    shared->pool = pool;
    all = g_slist_prepend (all, shared);
  }
  shared->n_refs++;
  g_mutex_unlock (&lock);
  return &shared->workspace;
}

void
pt_workspace_unref (PtWorkspace *workspace)
{
  Shared *shared = (Shared *) workspace;

  g_mutex_lock (&lock);
  if (--shared->n_refs == 0) {
    all = g_slist_remove (all, shared);
    g_free (shared->block);
    g_free (shared);
  }
  g_mutex_unlock (&lock);
}

gboolean
pt_workspace_reserve (PtWorkspace *workspace, gsize size)
{
  Shared *shared = (Shared *) workspace;

  if (size <= workspace->size)
    return TRUE;
  if (size > MAX_SIZE)
    return FALSE;
  g_free (shared->block);
  shared->block = g_try_malloc (size + ALIGNMENT);
  workspace->generation++;
  if (shared->block == NULL) {
    workspace->base = NULL;
    workspace->size = 0;
    return FALSE;
  }
  workspace->base =
      (guint8 *) (((guintptr) shared->block + ALIGNMENT - 1) & ~(guintptr) (ALIGNMENT - 1));
  workspace->size = size;
  return TRUE;
}
