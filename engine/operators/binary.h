/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/operators/elementwise.h"

G_BEGIN_DECLS

/** The operands of an operator on two tensors, or on a tensor and a number. */
typedef struct {
  PtView views[2]; /* pt_pair_run() makes the second one if it is a number */
  gboolean is_scalar;
  PtScalar scalar;
  PtScalarBytes bytes;
  PtDType common; /* the dtype to which both are promoted */
} PtPair;

/**
 * Read the operands; tensors must have one of @dtypes. Do not move @pair afterwards: one of its
 * views may point into it.
 */
gboolean pt_arg_pair (const PtValue *self, const PtValue *other, gboolean is_scalar,
                      PtDTypeSet dtypes, PtPair *pair, GError **error);

/** Make the second view from the number, in the compute type of @common. */
void pt_pair_set_scalar (PtPair *pair, PtDType common);

/** Run @op on the pair. */
gboolean pt_pair_run (PtExecution *execution, PtPair *pair, PtElementwise *op, const PtValue *out,
                      GError **error);

G_END_DECLS
