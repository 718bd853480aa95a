/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

#include "engine/runtime/memory.h"
#include "engine/runtime/operator.h"

G_BEGIN_DECLS

/*
 * The definition of PtExecution, for the executor of methods and for tests that call one kernel
 * without a program. Kernels and delegates include operator.h instead.
 */
struct _PtExecution {
  PtPool *pool;
  PtArena scratch;
  GCancellable *cancellable; /* cancellable of the current call; its check is one atomic load */
  gboolean one_by_one;       /* set by pt_method_set_one_by_one() */
};

/** @pool: NULL means pt_pool_default(). */
PtExecution *pt_execution_new (PtPool *pool, GError **error);
void pt_execution_free (PtExecution *execution);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtExecution, pt_execution_free)

/** Free all scratch memory; called after each instruction. */
static inline void
pt_execution_reset (PtExecution *execution)
{
  pt_arena_reset (&execution->scratch);
}

G_END_DECLS
