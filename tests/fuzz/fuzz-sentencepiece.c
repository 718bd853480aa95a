/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/use-tokenizer.h"

/* The same for a .model of SentencePiece. */

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  fuzz_use_tokenizer (data, size);
  return 0;
}
