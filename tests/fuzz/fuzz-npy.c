/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/run/npy.h"
#include "tests/fuzz/fuzz.h"

/* Reading a NumPy file. */

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  GError *error = NULL;
  g_autoptr (PtTensorFile) file = pt_npy_read (fuzz_file (data, size), &error);

  if (file == NULL) {
    fuzz_check_error (error);
    return 0;
  }
  g_assert (file->tensor.capacity >= pt_tensor_nbytes (&file->tensor));
  fuzz_touch (file->tensor.data, pt_tensor_nbytes (&file->tensor));
  return 0;
}
