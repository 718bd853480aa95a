/* SPDX-License-Identifier: BSD-3-Clause */

/* The part of a link that is the same for Unix sockets and Windows pipes: a message becomes one
 * write. */

#include "engine/host/link.h"

#include <string.h>

#include "engine/base/set-error.h"

#define HEADER 8

static void
fill (PtWriter *writer, guint64 number, const PtStructInfo *info, gconstpointer self)
{
  pt_writer_put_u64 (writer, number);
  if (info != NULL)
    pt_fields_write (writer, info, self);
}

static gboolean
send_shared (PtLink *link, PtFrameKind kind, gsize size, guint64 number, const PtStructInfo *info,
             gconstpointer self, guint patience_ms, GCancellable *cancellable, GError **error)
{
  g_autoptr (PtShared) shared = pt_shared_new (size, error);
  guint8 frame[HEADER + sizeof (PtSharedNote)] = { 0 };
  const guint64 size_in_note = size;
  PtWriter writer = { .room = size };

  if (shared == NULL)
    return FALSE;
  writer.data = pt_shared_data (shared);
  fill (&writer, number, info, self);
  pt_frame_header (frame, kind, sizeof (PtSharedNote), TRUE);
  memcpy (frame + HEADER, &size_in_note, sizeof size_in_note);
  return pt_link_write (link, frame, sizeof frame, shared, patience_ms, cancellable, error);
}

gboolean
pt_link_send (PtLink *link, PtFrameKind kind, guint64 number, const PtStructInfo *info,
              gconstpointer self, guint patience_ms, GCancellable *cancellable, GError **error)
{
  PtWriter writer = { 0 };
  guint8 small[1024];
  g_autofree guint8 *large = NULL;
  guint8 *frame = small;
  gsize size;

  fill (&writer, number, info, self);
  size = writer.used;
  if (size > PT_FRAME_MAX_SHARED || size > G_MAXSIZE / 2)
    return pt_fail (error, PT_ERROR_MEMORY,
                    "What the model's process should get or give is larger than 4 GB. Divide it.");
  if (size > PT_FRAME_MAX_INLINE)
    return send_shared (link, kind, size, number, info, self, patience_ms, cancellable, error);
  if (HEADER + size > sizeof small)
    frame = large = g_malloc (HEADER + size);
  writer = (PtWriter){ .data = frame + HEADER, .room = size };
  fill (&writer, number, info, self);
  pt_frame_header (frame, kind, (guint32) size, FALSE);
  return pt_link_write (link, frame, HEADER + size, NULL, patience_ms, cancellable, error);
}
