/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/allocate.h"

#include "engine/base/set-error.h"

gpointer
pt_allocate (gsize count, gsize size, GError **error)
{
  gpointer data = g_try_malloc0_n (MAX (count, 1), MAX (size, 1));

  if (data == NULL)
    pt_fail (error, PT_ERROR_MEMORY,
             "There is not enough memory: the system has no %.3f MB to give "
             "(ExecuTorch error 0x21).",
             (double) count * (double) size / 1e6);
  return data;
}
