/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/host/frame.h"
#include "tests/fuzz/fuzz.h"

/* What a model's process sends to the program: events. */

static GBytes *
no_memory (const PtSharedNote *note, gpointer user_data, GError **error)
{
  g_set_error_literal (error, PT_ERROR, PT_ERROR_HOST, "no memory came");
  return NULL;
}

/* Reads every member of what was received, and the copy of it again. */
static void
use (const PtFrame *frame)
{
  g_autoptr (PtHeap) heap = pt_heap_new ();
  GError *error = NULL;
  PtWriter writer = { 0 };
  guint64 number;
  PtEvent received, copy;
  const gboolean numbered = frame->kind == PT_FRAME_JOB;

  if (!pt_frame_read (frame, numbered ? &number : NULL, &pt_event_fields, &received, heap,
                      &error)) {
    fuzz_check_error (error);
    return;
  }
  for (PtJobKind kind = 0; kind < PT_N_JOBS; kind++)
    pt_event_misfit (&received, kind);
  pt_fields_copy (&pt_event_fields, &received, &copy, heap);
  pt_fields_write (&writer, &pt_event_fields, &copy);
  writer = (PtWriter){ .data = g_malloc (writer.used), .room = writer.used };
  pt_fields_write (&writer, &pt_event_fields, &copy);
  fuzz_touch (writer.data, writer.used);
  g_free (writer.data);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (PtFrames) frames = pt_frames_new (no_memory, NULL);
  GError *error = NULL;
  PtFrame frame;

  for (gsize at = 0; at < size && error == NULL; at += PT_FRAME_MAX_INLINE) {
    pt_frames_put (frames, data + at, MIN (size - at, PT_FRAME_MAX_INLINE));
    while (pt_frames_next (frames, &frame, &error)) {
      if (frame.kind == PT_FRAME_EVENT)
        use (&frame);
      pt_frame_clear (&frame);
    }
  }
  if (error != NULL)
    fuzz_check_error (error);
  return 0;
}
