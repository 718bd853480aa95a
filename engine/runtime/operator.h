/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/worker-pool.h"
#include "engine/runtime/value.h"

G_BEGIN_DECLS

/**
 * PtExecution: the resources that a kernel or a delegate may use during one call.
 *
 * Nothing here allocates from the heap after the first run of a method: scratch memory comes from
 * an arena that is emptied after every instruction and keeps its memory.
 */
typedef struct _PtExecution PtExecution;

PtPool *pt_execution_pool (PtExecution *execution);

/** Allocate @size bytes aligned to 64, valid until the call returns. NULL with PT_ERROR_MEMORY. */
gpointer pt_execution_scratch (PtExecution *execution, gsize size, GError **error);

/**
 * Whether attention must compute each position as if it came in a call of its own
 * (pt_method_set_one_by_one()).
 */
gboolean pt_execution_is_one_by_one (PtExecution *execution);

/** TRUE after the user asked to stop; long kernels check it repeatedly. Any thread. */
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
  guint8 n_args;    /* exact number of arguments, the result entry included */
  guint8 first_out; /* index of the first output argument */
  guint8 n_outs;    /* number of output arguments; 0 for scalar results */
} PtOperator;

/** Register @n operators; @operators must be static. Call from pt_init() only. */
void pt_operators_register (const PtOperator *operators, guint n);

/** The operator @name; NULL when it does not exist. */
const PtOperator *pt_operator_find (const char *name);

/** The sorted names of all operators, NULL-terminated; free with g_strfreev(). */
char **pt_operator_names (void);

/**
 * The out tensor in @value, resized to @sizes and writable. Checks kind, constness, device,
 * capacity and memory; NULL with an error.
 */
PtTensor *pt_out_tensor (const PtValue *value, guint rank, const gint64 *sizes, GError **error);

/**
 * The tensor in @value, readable by the CPU. Checks kind, device and memory; NULL with an error.
 */
PtTensor *pt_in_tensor (const PtValue *value, const char *what, GError **error);

G_END_DECLS
