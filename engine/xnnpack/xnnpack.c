/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/xnnpack/xnnpack.h"

void
pt_xnnpack_register (void)
{
}
