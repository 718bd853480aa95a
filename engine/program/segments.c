/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/program/segments.h"

#include "engine/base/set-error.h"
#include "engine/program/checked.h"
#include "engine/program/schema.h"

static gboolean
resolve_one (const PtSegmentFile *file, guint index, PtFbRef table, PtProgramSegment *segment,
             GError **error)
{
  guint64 offset = pt_fb_u64 (table, SLOT_SEGMENT_OFFSET, 0);
  guint64 size = pt_fb_u64 (table, SLOT_SEGMENT_SIZE, 0);

  if (size == 0)
    return TRUE;
  /* The base lies inside the file: the header was checked. */
  if (file->base == 0 || !pt_range_fits (offset, size, file->size - file->base))
    return pt_fail (error, file->code,
                    "%s is damaged: segment %u (%" G_GUINT64_FORMAT
                    " bytes) lies outside the file. Download or export it again. "
                    "(ExecuTorch error %s)",
                    file->name, index, size, file->code == PT_ERROR_DATA ? "0x24" : "0x23");
  segment->data = file->data + file->base + offset;
  segment->size = size;
  return TRUE;
}

PtProgramSegment *
pt_segments_resolve (const PtSegmentFile *file, PtFbVec tables, PtStore *store, GError **error)
{
  PtProgramSegment *segments = pt_store_new (store, PtProgramSegment, tables.count);

  if (segments == NULL) {
    pt_fail (error, PT_ERROR_MEMORY, "%s needs too much memory for its segment table.", file->name);
    return NULL;
  }
  for (guint i = 0; i < tables.count; i++)
    if (!resolve_one (file, i, pt_fb_vec_table (tables, i), &segments[i], error))
      return NULL;
  return segments;
}
