/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/hub/secret.h"

#include <string.h>

gboolean
pt_secret_is_sound (const char *text)
{
  gsize length = strlen (text);

  for (gsize i = 0; i < length; i++)
    if (!g_ascii_isgraph (text[i]))
      return FALSE;
  return length > 0 && length <= PT_MAX_TOKEN;
}
