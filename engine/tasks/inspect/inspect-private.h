/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/tasks/inspect/inspect-job.h"
#include "engine/tasks/run/run-private.h"

G_BEGIN_DECLS

/* One inspection, shared by the files that make parts of the report. */

typedef struct {
  PtHeap *heap; /* memory of @report */
  PtInspectReport *report;
  PtProgram *program;
  PtBundle *bundle;      /* that the program came in, or NULL */
  PtDataMap *data;       /* NULL: none needed, or none to be had */
  GPtrArray *missing;    /* texts of @heap */
  GHashTable *mentioned; /* sentences in @missing */
} PtInspection;

/* inspect-job.c */

/** One more thing is missing to run the program here; takes @sentence. */
void pt_inspect_missing (PtInspection *in, char *sentence);

/** The value in slot @index of @plan, as declared. */
PtInspectValue pt_inspect_value (const PtInspection *in, const PtPlan *plan, gint32 index);

/** The type and shape of a tensor. */
PtArgument pt_inspect_tensor (const PtInspection *in, const PtTensorSpec *spec);

/* inspect-delegates.c */

/** Set the delegates of @method. */
void pt_inspect_delegates (PtInspection *in, const PtPlan *plan, PtInspectMethod *method);

/* inspect-constants.c */

gboolean pt_inspect_is_constant (const PtPlan *plan);

/** The name of a constant method, and what it returns. */
PtInspectConstant pt_inspect_constant (const PtInspection *in, const PtPlan *plan);

/* inspect-data.c; all set members of the report */

void pt_inspect_data_files (PtInspection *in);
void pt_inspect_external (PtInspection *in);
void pt_inspect_named_data (PtInspection *in);
/** The test cases that the program is bundled with. */
void pt_inspect_tests (PtInspection *in);
/** How large each part of the program is; parts that are shared count once. */
void pt_inspect_parts (PtInspection *in);

G_END_DECLS
