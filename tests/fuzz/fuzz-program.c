/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/fuzz.h"

/* Opening a program. */

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = fuzz_bytes (data, size);
  g_autoptr (PtProgram) program = NULL;
  GError *error = NULL;

  program = pt_program_new (bytes, "fuzz.pte", &error);
  if (program != NULL)
    fuzz_touch_program (program);
  else
    fuzz_check_error (error);
  return 0;
}
