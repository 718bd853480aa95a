/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/native-machine.h"

gboolean
pt_native_machine_is_emulated (void)
{
  return FALSE;
}
