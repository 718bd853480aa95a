/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/base64.h"

/* GLib's decoder skips invalid characters; in a vocabulary they are damage. */

static int
digit (char c)
{
  if (c >= 'A' && c <= 'Z')
    return c - 'A';
  if (c >= 'a' && c <= 'z')
    return c - 'a' + 26;
  if (c >= '0' && c <= '9')
    return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

gboolean
pt_base64_decode (const char *text, gsize length, GString *bytes)
{
  gsize padding = 0;

  if (length % 4 != 0)
    return FALSE;
  while (padding < 2 && padding < length && text[length - 1 - padding] == '=')
    padding++;
  for (gsize i = 0; i < length; i += 4) {
    gsize n = i + 4 < length ? 4 : 4 - padding;
    guint32 word = 0;

    for (gsize j = 0; j < 4; j++) {
      int value = j < n ? digit (text[i + j]) : 0;

      if (value < 0)
        return FALSE;
      word = word << 6 | (guint32) value;
    }
    for (gsize j = 0; j + 1 < n; j++)
      g_string_append_c (bytes, (char) (word >> (16 - 8 * j)));
  }
  return TRUE;
}
