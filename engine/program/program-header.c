/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/set-error.h"
#include "engine/program/program-private.h"

#include <string.h>

#include "engine/program/checked.h"
#include "engine/program/file.h"

/* Upstream reads this many bytes first, so every program is at least this long. */
#define SHORTEST_PROGRAM 64

enum {
  AT_MAGIC = 8,
  AT_LENGTH = 12,
  AT_PROGRAM_SIZE = 16,
  AT_SEGMENT_BASE = 24,
  AT_SEGMENT_SIZE = 32,
};

#define LENGTH_WITHOUT_SEGMENT_SIZE 24 /* before 1.0 */
#define LENGTH_WITH_SEGMENT_SIZE 32

static guint64
read_u64 (const guint8 *p)
{
  guint64 value;

  memcpy (&value, p, sizeof value);
  return value;
}

static gboolean
fail_header (const char *name, const char *why, GError **error)
{
  return pt_fail (error, PT_ERROR_PROGRAM,
                  "%s is damaged: its header %s. Download or export it again. "
                  "(ExecuTorch error 0x23)",
                  name, why);
}

static gboolean
check_extended (const guint8 *data, gsize size, const char *name, PtProgramHeader *header,
                GError **error)
{
  guint32 length;
  guint64 program_size = read_u64 (data + AT_PROGRAM_SIZE);
  guint64 base = read_u64 (data + AT_SEGMENT_BASE);
  guint64 segment_size = 0;

  memcpy (&length, data + AT_LENGTH, sizeof length);
  if (length < LENGTH_WITHOUT_SEGMENT_SIZE)
    return fail_header (name, "is too short", error);
  if (length >= LENGTH_WITH_SEGMENT_SIZE)
    segment_size = read_u64 (data + AT_SEGMENT_SIZE);
  if (program_size < 8)
    return fail_header (name, "has an invalid size", error);
  if (segment_size > G_MAXUINT64 - base)
    return fail_header (name, "has invalid sizes", error);
  if (!pt_file_check_length (size, MAX (program_size, base + segment_size), PT_ERROR_PROGRAM, name,
                             error))
    return FALSE;
  if (base == 0 ? segment_size > 0 : base < program_size)
    return fail_header (name, "puts the segments into the tables", error);
  header->tables_size = program_size;
  header->segment_base = base;
  return TRUE;
}

gboolean
pt_program_header_read (const guint8 *data, gsize size, const char *name, PtProgramHeader *header,
                        GError **error)
{
  if (!pt_file_expect (data, size, PT_FILE_PROGRAM, name, error) ||
      !pt_file_check_length (size, SHORTEST_PROGRAM, PT_ERROR_PROGRAM, name, error))
    return FALSE;
  if (memcmp (data + AT_MAGIC, "eh00", 4) == 0)
    return check_extended (data, size, name, header, error);
  /* No header: normal for a program without segment bytes. */
  header->tables_size = size;
  header->segment_base = 0;
  return TRUE;
}
