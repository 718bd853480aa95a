/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/use-frames.h"

/* What a model's process sends to the program: events. */

static void
use (const PtFrame *frame)
{
  g_autoptr (PtHeap) heap = pt_heap_new ();
  PtEvent received, copy;

  if (fuzz_use_fields (frame, &pt_event_fields, &received, &copy, heap))
    for (PtJobKind kind = 0; kind < PT_N_JOBS; kind++)
      pt_event_misfit (&received, kind);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  fuzz_use_frames (data, size, PT_FRAME_EVENT, use);
  return 0;
}
