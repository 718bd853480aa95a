/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/operators/operators.h"

void
pt_operators_register_all (void)
{
}
