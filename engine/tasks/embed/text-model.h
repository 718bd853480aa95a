/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/job.h>

#include "engine/tasks/embed/text-method.h"
#include "engine/tasks/models/model-set.h"
#include "engine/text/tokenizer.h"

G_BEGIN_DECLS

/** PtTextModel: what models of texts have in common: a program, its method, a tokenizer. Engine
 * thread. */
typedef struct {
  PtModule *module;
  PtTokenizer *tokenizer;
  PtTextMethod method;
  char *name, *device; /* for reports */
  double load_s;       /* seconds that loading took; 0 once a report has told it */
} PtTextModel;

/** Load the model of @set as @job says. On failure nothing needs to be cleared. */
gboolean pt_text_model_open (PtTextModel *self, PtModelSet *set, const PtJob *job, GError **error);
void pt_text_model_clear (PtTextModel *self);

/** Tells @progress that text @number of @count is next, but not more often than a person can see;
 * *@last: 0 at first. */
void pt_text_model_tell (PtStepFunc progress, gpointer user_data, guint number, guint count,
                         gint64 *last);

/** The number of @texts. FALSE with an error when there are none or too many. */
gboolean pt_text_model_count (const char *const *texts, guint *n, GError **error);

G_END_DECLS
