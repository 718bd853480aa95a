/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/program/program-file.h"

G_BEGIN_DECLS

/* Inputs and outputs of a method, for telling the family of a program. */

/** Input @i of @plan; NULL: there is none, or it is no tensor. */
const PtTensorSpec *pt_plan_input (const PtPlan *plan, guint i);

/** Output @i of @plan; NULL: there is none, or it is no tensor. */
const PtTensorSpec *pt_plan_output (const PtPlan *plan, guint i);

/** Whether @tensor (or NULL) holds whole numbers such as token ids, and has this rank. */
gboolean pt_spec_is_index (const PtTensorSpec *tensor, guint rank);

/** Whether @tensor (or NULL) holds floating-point numbers, and has this rank. */
gboolean pt_spec_is_real (const PtTensorSpec *tensor, guint rank);

/** Whether @a and @b have the same sizes. */
gboolean pt_spec_is_alike (const PtTensorSpec *a, const PtTensorSpec *b);

/** Whether @plan calls the operator @name: "aten::add.out". */
gboolean pt_plan_calls (const PtPlan *plan, const char *name);

G_END_DECLS
