/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include <glib/gstdio.h>

#include "engine/audio/mpeg.h"
#include "engine/base/given-files.h"

/* Most boxes of an MPEG-4 file that are checked. */
#define MAX_BOXES 10000

static guint64
read_number (const guint8 *bytes, guint n)
{
  guint64 number = 0;

  for (guint i = 0; i < n; i++)
    number = number << 8 | bytes[i];
  return number;
}

gboolean
pt_mpeg4_is_cut_short (const char *path)
{
  FILE *file = pt_input_fopen (path);
  guint64 at = 0, end = 0, size;
  int failure = 0;
  guint8 head[16];
  GStatBuf info;

  if (file == NULL)
    return FALSE;
  if (g_stat (path, &info) == 0)
    end = (guint64) info.st_size;
  for (guint i = 0; i < MAX_BOXES && at < end; i++) {
    gsize n = pt_audio_read_at (file, at, head, MIN (sizeof head, end - at), &failure);

    size = n >= 8 ? read_number (head, 4) : 0;
    if (size == 1 && n == sizeof head)
      size = read_number (head + 8, 8);
    /* Size 0: up to the end of the file. */
    if (size < 8)
      break;
    at = size <= end - at ? at + size : G_MAXUINT64;
  }
  fclose (file);
  return at > end;
}
