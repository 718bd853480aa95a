/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/runtime/execution.h"

PtExecution *
pt_execution_new (PtPool *pool, GError **error)
{
  g_autofree PtExecution *execution = g_new0 (PtExecution, 1);

  if (!pt_arena_init (&execution->scratch, error))
    return NULL;
  execution->pool = pool != NULL ? pool : pt_pool_default ();
  return g_steal_pointer (&execution);
}

void
pt_execution_free (PtExecution *execution)
{
  if (execution == NULL)
    return;
  pt_arena_clear (&execution->scratch);
  g_free (execution);
}

PtPool *
pt_execution_pool (PtExecution *execution)
{
  return execution->pool;
}

gpointer
pt_execution_scratch (PtExecution *execution, gsize size, GError **error)
{
  return pt_arena_take (&execution->scratch, size, error);
}

gboolean
pt_execution_is_one_by_one (PtExecution *execution)
{
  return execution->one_by_one;
}

gboolean
pt_execution_is_cancelled (PtExecution *execution)
{
  return execution->cancellable != NULL && g_cancellable_is_cancelled (execution->cancellable);
}
