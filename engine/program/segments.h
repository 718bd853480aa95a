/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

#include "engine/program/flatbuffer.h"
#include "engine/program/table-memory.h"

G_BEGIN_DECLS

/** One entry of a segment table: bytes of the mapped file, checked to lie inside it. */
typedef struct {
  const guint8 *data; /* NULL when the segment is empty */
  gsize size;
} PtProgramSegment;

/** A mapped file and the range of its segments. */
typedef struct {
  const guint8 *data;
  gsize size;
  guint64 base; /* where the segments begin; 0: the file has none, so that only empty segments are
                   valid */
  const char *name;
  PtError code; /* code of errors */
} PtSegmentFile;

/**
 * Resolve the DataSegment tables in @tables (docs/formats/program.md, section 2.3).
 *
 * Returns: an array with one entry for each table, in memory of @store; NULL with an error
 */
PtProgramSegment *pt_segments_resolve (const PtSegmentFile *file, PtFbVec tables, PtStore *store,
                                       GError **error);

G_END_DECLS
