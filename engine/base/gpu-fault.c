/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/gpu-fault.h"

/* The code, with a bit for a time-out. */
#define TIMED_OUT (1 << 30)

static int fault;

void
pt_gpu_fault_set (int code, gboolean timed_out)
{
  g_atomic_int_compare_and_exchange (&fault, 0, code | (timed_out ? TIMED_OUT : 0));
}

int
pt_gpu_fault_get (gboolean *timed_out)
{
  int value = g_atomic_int_get (&fault);

  *timed_out = (value & TIMED_OUT) != 0;
  return value & ~TIMED_OUT;
}
