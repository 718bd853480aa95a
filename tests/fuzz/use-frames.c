/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/fuzz/use-frames.h"

#include "tests/fuzz/fuzz.h"

static GBytes *
no_memory (const PtSharedNote *note, gpointer user_data, GError **error)
{
  g_set_error_literal (error, PT_ERROR, PT_ERROR_HOST, "no memory came");
  return NULL;
}

void
fuzz_use_frames (const guint8 *data, gsize size, PtFrameKind kind, FuzzFrameFunc use)
{
  g_autoptr (PtFrames) frames = pt_frames_new (no_memory, NULL);
  GError *error = NULL;
  PtFrame frame;

  for (gsize at = 0; at < size && error == NULL; at += PT_FRAME_MAX_INLINE) {
    pt_frames_put (frames, data + at, MIN (size - at, PT_FRAME_MAX_INLINE));
    while (pt_frames_next (frames, &frame, &error)) {
      if (frame.kind == kind)
        use (&frame);
      pt_frame_clear (&frame);
    }
  }
  if (error != NULL)
    fuzz_check_error (error);
}

gboolean
fuzz_use_fields (const PtFrame *frame, const PtStructInfo *fields, gpointer received, gpointer copy,
                 PtHeap *heap)
{
  GError *error = NULL;
  PtWriter writer = { 0 };
  guint64 number;
  const gboolean numbered = frame->kind == PT_FRAME_JOB;

  if (!pt_frame_read (frame, numbered ? &number : NULL, fields, received, heap, &error)) {
    fuzz_check_error (error);
    return FALSE;
  }
  pt_fields_copy (fields, received, copy, heap);
  pt_fields_write (&writer, fields, copy);
  writer = (PtWriter){ .data = g_malloc (writer.used), .room = writer.used };
  pt_fields_write (&writer, fields, copy);
  fuzz_touch (writer.data, writer.used);
  g_free (writer.data);
  return TRUE;
}
