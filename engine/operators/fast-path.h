/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/vector.h"
#include "engine/runtime/operator.h"

G_BEGIN_DECLS

/*
 * Fast paths for small, dense float tensors of equal shape, or with one operand of one element. In
 * small operators most time goes into general checks. FALSE: no fast path applies, and nothing was
 * done. The results are equal to those of the general path.
 */

gboolean pt_fast_unary (PtUnary op, const PtValue *x, const PtValue *out);

/** Either operand may be a tensor of one element, if its rank is not the larger one. */
gboolean pt_fast_binary (PtBinary op, const PtValue *a, const PtValue *b, const PtValue *out);

/** Whether @value is the number 1, the usual value of "alpha". */
gboolean pt_value_is_one (const PtValue *value);

G_END_DECLS
