/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/use-tokenizer.h"

/* A tokenizer.json: opening it, then text to ids and back. */

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  fuzz_use_tokenizer (data, size);
  return 0;
}
