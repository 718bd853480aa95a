/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/chat/call-watch.h"

#include <string.h>

#include "engine/text/tool-calls.h"

void
pt_call_watch_init (PtCallWatch *self)
{
  self->text = g_string_new (NULL);
  self->first = TRUE;
  self->inside = FALSE;
}

void
pt_call_watch_clear (PtCallWatch *self)
{
  if (self->text != NULL)
    g_string_free (g_steal_pointer (&self->text), TRUE);
}

/* Takes @word at *@at, and the space in front of it. */
static gboolean
take (const char **at, const char *word)
{
  while (g_ascii_isspace (**at))
    (*at)++;
  if (!g_str_has_prefix (*at, word))
    return FALSE;
  *at += strlen (word);
  return TRUE;
}

/* Whether @text begins with {"name": "…". */
static gboolean
begins_call (const char *text)
{
  return take (&text, "{") && take (&text, "\"name\"") && take (&text, ":") && take (&text, "\"") &&
         strchr (text, '"') != NULL;
}

const char *
pt_call_watch_push (PtCallWatch *self, const char *text, gsize n)
{
  /* A mark may have begun in what was there before. */
  gsize from = self->text->len - MIN (self->text->len, PT_TOOL_CALLS_MAX_MARK);
  const char *begun;

  g_string_append_len (self->text, text, (gssize) n);
  begun = pt_tool_calls_find_mark (self->text->str + from);
  if (begun == NULL && self->first && begins_call (self->text->str))
    begun = self->text->str;
  self->inside = begun != NULL;
  return begun;
}

void
pt_call_watch_leave (PtCallWatch *self)
{
  g_string_truncate (self->text, 0);
  self->inside = self->first = FALSE;
}
