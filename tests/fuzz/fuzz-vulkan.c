/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/use-delegates.h"

/*
 * Reading Vulkan payloads and making delegates of them, for the CPU. The input is a program, whose
 * named data the payloads find; the mutator changes mostly payloads.
 */

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static gsize once;

  if (g_once_init_enter (&once)) {
    g_setenv ("PTERIS_VULKAN", "cpu", TRUE);
    g_once_init_leave (&once, 1);
  }
  fuzz_delegates ("VulkanBackend", data, size);
  return 0;
}
