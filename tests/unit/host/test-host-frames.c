/* SPDX-License-Identifier: BSD-3-Clause */

/* Frames: in any pieces, damaged, and of random bytes. */

#include <string.h>

#include "engine/host/frame.h"

static GBytes *
no_memory (const PtSharedNote *note, gpointer user_data, GError **error)
{
  g_set_error_literal (error, PT_ERROR, PT_ERROR_HOST, "no memory came");
  return NULL;
}

static GByteArray *
add_frame (GByteArray *bytes, PtFrameKind kind, guint64 number)
{
  guint8 header[8];

  pt_frame_header (header, kind, sizeof number, FALSE);
  g_byte_array_append (bytes, header, sizeof header);
  return g_byte_array_append (bytes, (const guint8 *) &number, sizeof number);
}

static void
test_pieces (void)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  for (guint i = 0; i < 10; i++)
    add_frame (bytes, PT_FRAME_PING, i);
  for (guint piece = 1; piece < 40; piece++) {
    g_autoptr (PtFrames) frames = pt_frames_new (no_memory, NULL);
    g_autoptr (GError) error = NULL;
    guint64 next = 0, number;
    PtFrame frame;

    for (guint at = 0; at < bytes->len; at += piece) {
      pt_frames_put (frames, bytes->data + at, MIN (piece, bytes->len - at));
      while (pt_frames_next (frames, &frame, &error)) {
        g_autoptr (PtHeap) heap = pt_heap_new ();

        g_assert_cmpint (frame.kind, ==, PT_FRAME_PING);
        g_assert_true (pt_frame_read (&frame, &number, NULL, NULL, heap, &error));
        g_assert_cmpuint (number, ==, next++);
        pt_frame_clear (&frame);
      }
      g_assert_no_error (error);
    }
    g_assert_cmpuint (next, ==, 10);
  }
}

static void
expect_refused (const guint8 *bytes, gsize size)
{
  g_autoptr (PtFrames) frames = pt_frames_new (no_memory, NULL);
  g_autoptr (GError) error = NULL;
  PtFrame frame;

  pt_frames_put (frames, bytes, size);
  g_assert_false (pt_frames_next (frames, &frame, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_HOST);
}

static void
test_refused (void)
{
  guint8 bytes[24] = { 0 };
  const guint64 huge = G_MAXUINT64;

  pt_frame_header (bytes, PT_N_FRAMES, 8, FALSE);
  expect_refused (bytes, sizeof bytes);
  pt_frame_header (bytes, PT_FRAME_EVENT, PT_FRAME_MAX_INLINE + 1, FALSE);
  expect_refused (bytes, sizeof bytes);
  pt_frame_header (bytes, PT_FRAME_EVENT, 8, TRUE);
  expect_refused (bytes, sizeof bytes);
  pt_frame_header (bytes, PT_FRAME_EVENT, sizeof (PtSharedNote), TRUE);
  memcpy (bytes + 8, &huge, sizeof huge);
  expect_refused (bytes, sizeof bytes);
  pt_frame_header (bytes, PT_FRAME_EVENT, 8, FALSE);
  bytes[7] = 1;
  expect_refused (bytes, sizeof bytes);
}

static void
test_random (void)
{
  for (guint i = 0; i < 20000; i++) {
    g_autoptr (PtFrames) frames = pt_frames_new (no_memory, NULL);
    g_autoptr (GError) error = NULL;
    guint8 bytes[256];
    PtFrame frame;

    for (guint k = 0; k < sizeof bytes; k++)
      bytes[k] = (guint8) (g_test_rand_int () & (k % 8 < 2 ? 0xff : 0x07));
    pt_frames_put (frames, bytes, sizeof bytes);
    while (pt_frames_next (frames, &frame, &error)) {
      g_autoptr (PtHeap) heap = pt_heap_new ();
      PtEvent event;

      pt_frame_read (&frame, NULL, &pt_event_fields, &event, heap, NULL);
      pt_frame_clear (&frame);
    }
  }
}

static void
test_hello (void)
{
  PtHello hello = pt_hello_init ();
  g_autofree char *detail = NULL;

  g_assert_true (pt_hello_check (&hello, &detail));
  hello.print++;
  g_assert_false (pt_hello_check (&hello, &detail));
  g_assert_nonnull (detail);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/host/frames/pieces", test_pieces);
  g_test_add_func ("/host/frames/refused", test_refused);
  g_test_add_func ("/host/frames/random", test_random);
  g_test_add_func ("/host/frames/hello", test_hello);
  return g_test_run ();
}
