/* SPDX-License-Identifier: BSD-3-Clause */

/* Which files a job means: the program, its companions, and where they can run. Any thread. */

#pragma once

#include <pteris/job.h>
#include "engine/tasks/models/model-set.h"

G_BEGIN_DECLS

/* Checks that models can run where the job wants them: on a GPU only if its backend is available.
 */
gboolean pt_job_check_backend (PtBackendChoice choice, GError **error);

/* The model that @job names. Free with pt_model_set_free(). */
PtModelSet *pt_job_search_files (const PtJob *job, GError **error);

/* The same, with the program for the CPU where the job asks for the CPU. @searched: the result of
 * pt_job_search_files(), taken; NULL: search now. */
PtModelSet *pt_job_find_files (const PtJob *job, PtModelSet *searched, GError **error);

/* The path of the program that @model names; free with g_free(). Companions may be missing. @set:
 * set to the model of a folder, or to NULL when the program itself was named. */
char *pt_job_find_program (const PtModelOptions *model, PtModelSet **set, GError **error);

/* The program to run where @job asks for the CPU and there are two: the CPU's; else @program. @set:
 * the model of @program, or NULL. Free with g_free(). */
char *pt_job_choose_program (const PtJob *job, const char *program, const PtModelSet *set);

/* If @job failed with @code because of this machine: the path of the same model's program that
 * needs no GPU, or NULL. Free with g_free(). */
char *pt_job_find_alternative (const PtJob *job, PtError code);

/* The same for a job that may go on by itself: its device was not asked for, and its program runs
 * on a GPU, which has failed. @last: its event FAILED. @kind: what is done with the model of @job.
 */
char *pt_job_find_fallback (const PtJob *job, PtJobKind kind, const PtEvent *last);

G_END_DECLS
