/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/kernels/vector.h"
#include "engine/runtime/operator.h"

G_BEGIN_DECLS

/*
 * Fast paths for small, dense float tensors of one shape, or of one element beside another tensor:
 * most of the time of a small operator goes into its checks. FALSE: it is another case, and nothing
 * was done. Results are those of the general way.
 */

gboolean pt_fast_unary (PtUnary op, const PtValue *x, const PtValue *out);

/** Either operand may be a tensor of one element, if its rank is not the larger one. */
gboolean pt_fast_binary (PtBinary op, const PtValue *a, const PtValue *b, const PtValue *out);

/** Whether @value is the number 1, as "alpha" mostly is. */
gboolean pt_value_is_one (const PtValue *value);

G_END_DECLS
