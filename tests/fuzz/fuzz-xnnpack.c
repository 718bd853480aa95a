/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/use-delegates.h"

/*
 * Reading XNNPACK payloads and making delegates of them. The input is a program, whose named data
 * the payloads find; the mutator changes mostly payloads.
 */

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  fuzz_delegates ("XnnpackBackend", data, size);
  return 0;
}
