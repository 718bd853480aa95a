/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/use-tokenizer.h"

/*
 * The same for tiktoken, Tekken and llama2.c. Without a token for each byte the first two are
 * useless, which random damage seldom leaves: "+" stands for 256 lines of them.
 */

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GString) lines = NULL;

  if (size == 0 || data[0] != '+') {
    fuzz_use_tokenizer (data, size);
    return 0;
  }
  lines = g_string_new (NULL);
  for (guint i = 0; i < 256; i++) {
    guchar byte = (guchar) i;
    g_autofree char *base64 = g_base64_encode (&byte, 1);

    g_string_append_printf (lines, "%s %u\n", base64, i);
  }
  g_string_append_len (lines, (const char *) data + 1, (gssize) size - 1);
  fuzz_use_tokenizer ((const guint8 *) lines->str, lines->len);
  return 0;
}
