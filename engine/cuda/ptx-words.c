/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/cuda/ptx-private.h"

gboolean
pt_ptx_equals (PtPtxSlice slice, const char *text)
{
  return slice.n == strlen (text) && memcmp (slice.p, text, slice.n) == 0;
}

PtPtxSlice
pt_ptx_trim (PtPtxSlice slice)
{
  while (slice.n > 0 && g_ascii_isspace (*slice.p)) {
    slice.p++;
    slice.n--;
  }
  while (slice.n > 0 && g_ascii_isspace (slice.p[slice.n - 1]))
    slice.n--;
  return slice;
}

PtPtxSlice
pt_ptx_next_word (PtPtxSlice *slice)
{
  PtPtxSlice word;

  *slice = pt_ptx_trim (*slice);
  word.p = slice->p;
  word.n = slice->n > 0;
  if (slice->n > 0 && pt_ptx_is_name (*slice->p))
    while (word.n < slice->n && pt_ptx_is_name (slice->p[word.n]))
      word.n++;
  slice->p += word.n;
  slice->n -= word.n;
  return word;
}

char *
pt_ptx_without_comments (const char *text, gsize size)
{
  char *copy = g_strndup (text, size), *p = copy;

  while (*p != '\0') {
    gboolean is_line = p[0] == '/' && p[1] == '/';
    gboolean is_block = p[0] == '/' && p[1] == '*';

    if (!is_line && !is_block) {
      p++;
      continue;
    }
    while (*p != '\0' && (is_line ? *p != '\n' : !(p[0] == '*' && p[1] == '/')))
      *p++ = ' ';
    for (guint i = 0; is_block && i < 2 && *p != '\0'; i++)
      *p++ = ' ';
  }
  return copy;
}
