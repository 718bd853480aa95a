/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/use-frames.h"

/* What a program sends to a model's process: jobs. */

static void
use (const PtFrame *frame)
{
  g_autoptr (PtHeap) heap = pt_heap_new ();
  PtJob received, copy;

  fuzz_use_fields (frame, &pt_job_fields, &received, &copy, heap);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  fuzz_use_frames (data, size, PT_FRAME_JOB, use);
  return 0;
}
