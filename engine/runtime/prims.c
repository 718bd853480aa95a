/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/runtime/prims.h"

void
pt_prims_register (void)
{
}
