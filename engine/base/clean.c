/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/clean.h"

#include <string.h>

gboolean
pt_is_control (gunichar c)
{
  return g_unichar_iscntrl (c) || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

char *
pt_clean_text (const char *text, const char *kept, char instead)
{
  g_autofree char *valid = g_utf8_make_valid (text, -1);
  GString *out = g_string_sized_new (strlen (valid) + 1);

  for (const char *at = valid; *at != '\0'; at = g_utf8_next_char (at)) {
    if (!pt_is_control (g_utf8_get_char (at)) || (kept != NULL && strchr (kept, *at) != NULL))
      g_string_append_len (out, at, g_utf8_next_char (at) - at);
    else if (instead != '\0')
      g_string_append_c (out, instead);
  }
  return g_string_free (out, FALSE);
}
