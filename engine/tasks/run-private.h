/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/json.h"
#include "engine/runtime/module.h"
#include "engine/tasks/npy.h"
#include "engine/tasks/run.h"

G_BEGIN_DECLS

/* run.c */

/** The .ptd files in the folder of @model; free with g_strfreev(). */
char **pt_run_data_beside (const char *model);

/** The program of @job, with its data files; @model stands in when the job names none. */
PtModule *pt_run_open (const char *model, const char *const *data, const PtMethodOptions *options,
                       GError **error);

/** Kind, type and shape of a value as a JSON object. */
json_t *pt_run_describe (const PtValue *value);

/** Text of the file for JSON, which need not be UTF-8 nor end at a zero. */
json_t *pt_run_text (const char *text, gsize length);

/** [2, 3] */
json_t *pt_run_shape (guint rank, const gint64 *sizes);

/** @value's tensor in host memory, in C order; copied where it is not. */
PtTensorFile *pt_run_fetch (const PtTensor *tensor, GError **error);

/** Take @report apart: its text, and its reference. */
char *pt_run_finish (json_t *report);

static inline double
pt_run_seconds_since (gint64 begin)
{
  return (double) (g_get_monotonic_time () - begin) / 1e6;
}

/* run-steps.c */

char *pt_run_steps (const PtJob *job, PtRunProgress progress, gpointer user_data,
                    GCancellable *cancellable, GError **error);

/* run-compare.c */

typedef struct {
  double rtol, atol;
} PtTolerance;

/**
 * Compare tensors in C order: |got - want| <= atol + rtol * |want|; integers and bools must be
 * equal, NaN equals NaN. @want may be wider than @got.
 *
 * @max_abs_diff: the largest difference. @why: a newly allocated reason when FALSE is returned.
 */
gboolean pt_run_compare (const PtTensor *got, const PtTensor *want, PtTolerance tolerance,
                         double *max_abs_diff, char **why);

/** Element @i of a numeric tensor. */
double pt_run_number (const PtTensor *tensor, gsize i);

G_END_DECLS
