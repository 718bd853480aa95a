/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/tasks/inspect/inspect.h"
#include "engine/tasks/run/run-private.h"

G_BEGIN_DECLS

/* One inspection, shared by the files that make parts of the report. */

/* Lists in a report are cut here: a person reads the first ones, a program the counts. */
#define PT_INSPECT_MAX_LISTED 1000

typedef struct {
  PtProgram *program;
  PtBundle *bundle; /* that the program came in, or NULL */
  PtDataMap *data;  /* NULL: none needed, or none to be had */
  json_t *missing;
  GHashTable *mentioned; /* sentences in @missing */
} PtInspection;

/* inspect.c */

/** One more thing is missing to run the program here; takes @sentence. */
void pt_inspect_missing (PtInspection *in, char *sentence);

/** The value in slot @index of @plan, as declared. */
json_t *pt_inspect_value (const PtPlan *plan, gint32 index);

/* inspect-constants.c */

gboolean pt_inspect_is_constant (const PtPlan *plan);

/** What a constant method returns: a value, or a list when it has several outputs. */
json_t *pt_inspect_constant (const PtInspection *in, const PtPlan *plan);

/* inspect-data.c */

json_t *pt_inspect_data_files (const PtInspection *in);
json_t *pt_inspect_external (PtInspection *in);
json_t *pt_inspect_named_data (const PtInspection *in);
/** The test cases that the program is bundled with. */
json_t *pt_inspect_tests (const PtInspection *in);

/** How large each part of the program is; parts that are shared count once. */
json_t *pt_inspect_parts (const PtInspection *in);

G_END_DECLS
