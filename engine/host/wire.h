/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/base/heap.h"

G_BEGIN_DECLS

/*
 * Bytes of a message between the two processes, written and read piece by piece. Both processes run
 * the same program on the same machine: numbers are as they are in memory.
 */

/** PtWriter: fills a buffer, or, without one, counts the bytes that it needs. Plain data; starts as
 * zeros. */
typedef struct {
  guint8 *data; /* [room], or NULL: only count */
  gsize room;
  gsize used; /* bytes written, or counted; may be more than @room, see pt_writer_fits() */
} PtWriter;

void pt_writer_put (PtWriter *writer, gconstpointer bytes, gsize size);
void pt_writer_put_u8 (PtWriter *writer, guint8 value);
void pt_writer_put_u32 (PtWriter *writer, guint32 value);
void pt_writer_put_u64 (PtWriter *writer, guint64 value);
/** @text may be NULL. */
void pt_writer_put_text (PtWriter *writer, const char *text);
/** Zeros up to the next multiple of 8. */
void pt_writer_align (PtWriter *writer);
/** FALSE: the buffer was too small for what was put. */
gboolean pt_writer_fits (const PtWriter *writer);

/**
 * PtReader: reads from a buffer that anybody may have written. After the first mistake, which is
 * kept in @fault, everything that is read is zero or NULL. Texts and numbers are not copied: they
 * stay in the buffer, which must live as long as what was read.
 */
typedef struct {
  const guint8 *data; /* [size], at a multiple of 8 */
  gsize size, at;
  PtHeap *heap;      /* owns what is made while reading; NULL: nothing is */
  gboolean repair;   /* texts become valid UTF-8 */
  gboolean trusted;  /* this process wrote it just now: values are not checked */
  const char *fault; /* what is wrong, for an error message; static; NULL: nothing */
} PtReader;

gboolean pt_reader_fail (PtReader *reader, const char *fault);
/** The next @size bytes; NULL with a fault when there are fewer. */
gconstpointer pt_reader_take (PtReader *reader, gsize size);
guint8 pt_reader_u8 (PtReader *reader);
guint32 pt_reader_u32 (PtReader *reader);
guint64 pt_reader_u64 (PtReader *reader);
/** A text of the buffer, or NULL where none was written, or after a mistake. */
const char *pt_reader_text (PtReader *reader);
/** Skips what pt_writer_align() wrote. */
void pt_reader_align (PtReader *reader);
/** Bytes that are left. */
gsize pt_reader_left (const PtReader *reader);

G_END_DECLS
