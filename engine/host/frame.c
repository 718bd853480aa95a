/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/host/frame.h"

#include <string.h>

#include "engine/base/set-error.h"

/* ---- the first frame ---- */

static const PtField hello[] = {
  PT_PLAIN (PtHello, version),
  PT_PLAIN (PtHello, print),
  PT_NAME (PtHello, build),
  PT_PLAIN (PtHello, threads),
};
PT_STRUCT (pt_hello_fields, PtHello, hello, NULL);

PtHello
pt_hello_init (void)
{
  return (PtHello){ .version = PT_FRAME_VERSION,
                    .print = pt_fields_print (&pt_job_fields) ^ pt_fields_print (&pt_event_fields),
                    .build = PTERIS_VERSION };
}

gboolean
pt_hello_check (const PtHello *other, char **detail)
{
  const PtHello mine = pt_hello_init ();

  if (other->version == mine.version && other->print == mine.print &&
      strcmp (other->build, mine.build) == 0)
    return TRUE;
  *detail = g_strdup_printf ("it is Pteris %s, protocol %u-%08x; this is Pteris %s, protocol "
                             "%u-%08x",
                             other->build, other->version, other->print, mine.build, mine.version,
                             mine.print);
  return FALSE;
}

static const PtField given_file[] = {
  PT_PATH (PtGivenFile, path),
};
PT_STRUCT (pt_given_file_fields, PtGivenFile, given_file, NULL);

/* ---- frames ---- */

struct _PtFrames {
  GByteArray *bytes; /* that belong to no frame yet */
  gsize used;        /* of them, bytes of frames that were given out */
  PtSharedFunc func;
  gpointer user_data;
};

void
pt_frame_clear (PtFrame *frame)
{
  g_clear_pointer (&frame->payload, g_bytes_unref);
}

PtFrames *
pt_frames_new (PtSharedFunc func, gpointer user_data)
{
  PtFrames *frames = g_new0 (PtFrames, 1);

  frames->bytes = g_byte_array_new ();
  frames->func = func;
  frames->user_data = user_data;
  return frames;
}

void
pt_frames_free (PtFrames *frames)
{
  g_byte_array_unref (frames->bytes);
  g_free (frames);
}

void
pt_frames_put (PtFrames *frames, gconstpointer bytes, gsize size)
{
  if (frames->used > 0) {
    g_byte_array_remove_range (frames->bytes, 0, (guint) frames->used);
    frames->used = 0;
  }
  g_byte_array_append (frames->bytes, bytes, (guint) size);
}

void
pt_frame_header (guint8 header[8], PtFrameKind kind, guint32 size, gboolean shared)
{
  memcpy (header, &size, sizeof size);
  header[4] = (guint8) kind;
  header[5] = (guint8) shared;
  header[6] = header[7] = 0;
}

static gboolean
check_header (const guint8 *header, guint32 size, GError **error)
{
  if (header[4] >= PT_N_FRAMES || header[5] > 1 || header[6] != 0 || header[7] != 0)
    return pt_fail (error, PT_ERROR_HOST, "The pipe carries a frame of an unknown kind.");
  if (size > PT_FRAME_MAX_INLINE || (header[5] == 1 && size != sizeof (PtSharedNote)))
    return pt_fail (error, PT_ERROR_HOST, "The pipe carries a frame of %u bytes.", size);
  return TRUE;
}

static GBytes *
take_shared (PtFrames *frames, const guint8 *payload, GError **error)
{
  PtSharedNote note;

  memcpy (&note, payload, sizeof note);
  if (note.size <= PT_FRAME_MAX_INLINE || note.size > PT_FRAME_MAX_SHARED ||
      note.size > G_MAXSIZE / 2) {
    pt_fail (error, PT_ERROR_HOST, "The pipe carries a frame of %" G_GUINT64_FORMAT " bytes.",
             note.size);
    return NULL;
  }
  return frames->func (&note, frames->user_data, error);
}

gboolean
pt_frames_next (PtFrames *frames, PtFrame *frame, GError **error)
{
  const guint8 *header = frames->bytes->data + frames->used;
  gsize left = frames->bytes->len - frames->used;
  guint32 size;

  if (left < 8)
    return FALSE;
  memcpy (&size, header, sizeof size);
  if (!check_header (header, size, error) || left - 8 < size)
    return FALSE;
  frame->kind = header[4];
  frame->payload =
      header[5] == 1 ? take_shared (frames, header + 8, error) : g_bytes_new (header + 8, size);
  frames->used += 8 + (gsize) size;
  return frame->payload != NULL;
}

/* ---- payloads ---- */

gboolean
pt_frame_read (const PtFrame *frame, guint64 *number, const PtStructInfo *info, gpointer self,
               PtHeap *heap, GError **error)
{
  PtReader reader = { .heap = heap, .repair = info != &pt_job_fields };
  guint64 ignored;

  reader.data = g_bytes_get_data (frame->payload, &reader.size);
  pt_heap_hold (heap, g_bytes_ref (frame->payload), (GDestroyNotify) g_bytes_unref);
  /* The number is there in every payload. */
  *(number != NULL ? number : &ignored) = pt_reader_u64 (&reader);
  if (info != NULL && reader.fault == NULL)
    pt_fields_read (&reader, info, self);
  if (reader.fault == NULL && pt_reader_left (&reader) > 0)
    pt_reader_fail (&reader, "it is longer than its contents");
  return reader.fault == NULL ||
         pt_fail (error, PT_ERROR_HOST, "A message of the pipe is damaged: %s.", reader.fault);
}
