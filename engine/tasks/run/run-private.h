/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/base/heap.h"
#include "engine/base/json.h"
#include "engine/program/bundle.h"
#include "engine/runtime/module.h"
#include "engine/tasks/run/npy.h"
#include "engine/tasks/run/run-job.h"

G_BEGIN_DECLS

/* run-job.c */

/** The .ptd files beside @model that its @program may need, or NULL; free with g_strfreev(). */
char **pt_run_find_data (const PtProgram *program, const char *model);

/** The program at @model, alone or bundled with test cases. @bundle: set to these, or to NULL. */
PtProgram *pt_run_open_program (const char *model, PtBundle **bundle, GError **error);

/** @program with the data files named, or those beside @model if it needs some. */
PtModule *pt_run_open_module (PtProgram *program, const char *model, const char *const *data,
                              const PtMethodOptions *options, GError **error);

/** Both at once. */
PtModule *pt_run_open (const char *model, const char *const *data, const PtMethodOptions *options,
                       GError **error);

/** Kind, type and shape of a value, or the value itself. */
PtArgument pt_run_describe (PtHeap *heap, const PtValue *value);
/** The same for a tensor. */
PtArgument pt_run_describe_tensor (PtHeap *heap, PtDType dtype, guint rank, const gint64 *sizes);

/** @value's tensor in host memory, in C order; copied where it is not. */
PtTensorFile *pt_run_fetch (const PtTensor *tensor, GError **error);

/** A report without anything else in it. */
PtRunReport *pt_run_start_report (PtHeap *heap, PtRunKind kind, const char *model);

static inline double
pt_run_seconds_since (gint64 begin)
{
  return (double) (g_get_monotonic_time () - begin) / 1e6;
}

/* run-report.c */

/** { "kind", "dtype", "shape" } of a tensor, else { "kind" } with a "value" if it is told. */
json_t *pt_run_json_value (const PtArgument *argument);
/** The value alone; NULL: it is not told. */
json_t *pt_run_json_plain (const PtArgument *argument);
/** Set "dtype" and "shape" of @object. */
void pt_run_json_put_tensor (json_t *object, const PtArgument *tensor);

/* run-inputs.c */

/** Whether an input is no file but "zeros:", "random:SEED" or "values:1,2,3". */
gboolean pt_run_is_made_up (const char *input);
/** The tensor that such an input means, in C order. Free with pt_tensor_file_free(). */
PtTensorFile *pt_run_make_up (const char *input, PtDType dtype, guint rank, const gint64 *sizes,
                              GError **error);

/* run-outputs.c */

/** Say of the numbers in @tensor, which is in C order, what pt_run() reports of an output. */
void pt_run_add_statistics (PtRunOutput *output, const PtTensor *tensor);

/* run-steps.c */

PtRunReport *pt_run_steps (const PtJob *job, PtStepFunc progress, gpointer user_data,
                           GCancellable *cancellable, GError **error);

/* run-bundled.c */

PtRunReport *pt_run_bundled (const PtJob *job, PtStepFunc progress, gpointer user_data,
                             GCancellable *cancellable, GError **error);

/* run-compare.c */

typedef struct {
  double rtol, atol;
} PtTolerance;

/** Results with a smaller relative tolerance cannot be those of bfloat16, with 8 bits: they are
 * computed with PtMethodOptions.exact. */
#define PT_SHORT_FLOAT (1.0 / 256)

/**
 * Compare tensors in C order: |got - want| <= atol + rtol * |want|; integers and bools must be
 * equal, NaN equals NaN. @want may be wider than @got.
 *
 * @max_abs_diff: the largest difference. @why: a newly allocated reason when FALSE is returned.
 */
gboolean pt_run_compare (const PtTensor *got, const PtTensor *want, PtTolerance tolerance,
                         double *max_abs_diff, char **why);

/**
 * Compare an output with the tensor that is expected, whatever their dimension orders. @result
 * is told how it went, and its file when the output is written to @path, which may be NULL.
 *
 * Returns: FALSE when the output cannot be had or written
 */
gboolean pt_run_check_tensor (const PtTensor *got, const PtTensor *want, PtTolerance tolerance,
                              const char *path, PtHeap *heap, PtRunOutput *result, GError **error);

/** The verdict on @output counts for its call, too. */
void pt_run_merge (PtRunCheck *check, const PtRunOutput *output);

/** The same for values that are no tensors: TRUE when they agree. */
gboolean pt_run_same_scalar (const PtValue *got, const PtValue *want, PtTolerance tolerance);

/** Element @i of a numeric tensor. */
double pt_run_number (const PtTensor *tensor, gsize i);

G_END_DECLS
