/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/history/chat-title.h"

#include <string.h>

/* Longest title in characters. */
#define MAX_TITLE 60

char *
pteris_chat_title (const char *text)
{
  g_autofree char *stripped = g_strstrip (g_strdup (text));
  g_autofree char *start = NULL;
  char *end = strpbrk (stripped, "\r\n");

  if (end != NULL)
    *end = '\0';
  if (g_utf8_strlen (stripped, -1) <= MAX_TITLE)
    return g_steal_pointer (&stripped);
  start = g_utf8_substring (stripped, 0, MAX_TITLE - 1);
  return g_strconcat (g_strchomp (start), "…", NULL);
}
