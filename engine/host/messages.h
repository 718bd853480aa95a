/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/job.h>

#include "engine/host/fields.h"

G_BEGIN_DECLS

/* The tables of what the two processes send each other. */

extern const PtStructInfo pt_job_fields;
extern const PtStructInfo pt_event_fields;
extern const PtStructInfo pt_host_exit_fields;

/* Reports of events. */
extern const PtStructInfo pt_classification_fields;
extern const PtStructInfo pt_look_fields;
extern const PtStructInfo pt_inspect_fields;
extern const PtStructInfo pt_run_fields;
extern const PtStructInfo pt_bench_fields;
extern const PtStructInfo pt_embed_fields;
extern const PtStructInfo pt_privacy_fields;
/* Parts of several of them. */
extern const PtStructInfo pt_argument_fields;

/** The fault of @event as an event of a job of @kind, a static text; NULL if there is none. */
const char *pt_event_misfit (const PtEvent *event, PtJobKind kind);

G_END_DECLS
