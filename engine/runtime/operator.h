/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/pool.h"
#include "engine/runtime/value.h"

G_BEGIN_DECLS

/**
 * PtExecution: what a kernel or a delegate may use during one call.
 *
 * Nothing here allocates from the heap once the method has run: scratch comes from
 * an arena that is emptied after every instruction and keeps its memory.
 */
typedef struct _PtExecution PtExecution;

PtPool *pt_execution_pool (PtExecution *execution);

/** @size bytes aligned to 64, valid until the call returns. NULL with an error when out of memory.
 */
gpointer pt_execution_scratch (PtExecution *execution, gsize size, GError **error);

/** Whether attention treats positions as if they came one by one (pt_method_set_one_by_one()). */
gboolean pt_execution_is_one_by_one (PtExecution *execution);

/** TRUE once the user asked to stop; long kernels check it now and then. Any thread. */
gboolean pt_execution_is_cancelled (PtExecution *execution);

/**
 * PtKernelFunc: one CPU operator.
 *
 * @args: value slots in schema order, out arguments last, then one more entry for the
 * result (docs/formats/program.md, section 13.2), which kernels ignore. @n_args has been checked
 * against the table.
 * A kernel checks kinds, dtypes, shapes and pointers itself, resizes its outs before
 * writing, and never writes where is_constant is set (checked when the method loads,
 * again by pt_out_tensor()).
 */
typedef gboolean (*PtKernelFunc) (PtExecution *execution, PtValue *const *args, guint n_args,
                                  GError **error);

typedef struct {
  const char *name; /* "aten::add.out" */
  PtKernelFunc kernel;
  guint8 n_args;    /* exact number of entries, result entry included */
  guint8 first_out; /* index of the first argument that is written */
  guint8 n_outs;    /* how many from there are written; 0 for scalar results */
} PtOperator;

/** Add @n operators; @operators must be static. Call from pt_init() only. */
void pt_operators_register (const PtOperator *operators, guint n);

/** NULL when no kernel of that name exists. */
const PtOperator *pt_operator_find (const char *name);

/** All names, sorted, NULL-terminated; free with g_strfreev(). */
char **pt_operator_names (void);

/**
 * The out tensor in @value, resized to @sizes and safe to write.
 *
 * Checks kind, constness, device, capacity and that memory is there.
 */
PtTensor *pt_out_tensor (const PtValue *value, guint rank, const gint64 *sizes, GError **error);

/** The tensor in @value if it can be read here: right kind, on the CPU, memory where it has
 * elements. */
PtTensor *pt_in_tensor (const PtValue *value, const char *what, GError **error);

G_END_DECLS
