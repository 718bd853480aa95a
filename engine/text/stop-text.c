/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/stop-text.h"

#include <string.h>

void
pt_stop_text_init (PtStopText *self, const char *const *texts)
{
  self->texts = texts;
  self->held = g_string_new (NULL);
}

void
pt_stop_text_clear (PtStopText *self)
{
  if (self->held != NULL)
    g_string_free (self->held, TRUE);
  self->held = NULL;
}

/* Length of the longest end of @text that is the beginning of @stop. @text does not contain @stop.
 */
static gsize
count_begun (const GString *text, const char *stop)
{
  gsize n = MIN (strlen (stop), text->len + 1) - 1;

  while (n > 0 && memcmp (text->str + text->len - n, stop, n) != 0)
    n--;
  return n;
}

gboolean
pt_stop_text_push (PtStopText *self, GString *piece)
{
  const char *end = NULL;
  gsize begun = 0;

  if (self->texts == NULL)
    return FALSE;
  g_string_append_len (self->held, piece->str, (gssize) piece->len);
  for (const char *const *text = self->texts; *text != NULL; text++) {
    const char *found = **text != '\0' ? strstr (self->held->str, *text) : NULL;

    if (found != NULL && (end == NULL || found < end))
      end = found;
    if (**text != '\0')
      begun = MAX (begun, count_begun (self->held, *text));
  }
  g_string_truncate (piece, 0);
  g_string_append_len (piece, self->held->str,
                       end != NULL ? end - self->held->str : (gssize) (self->held->len - begun));
  g_string_erase (self->held, 0, end != NULL ? -1 : (gssize) piece->len);
  return end != NULL;
}

void
pt_stop_text_finish (PtStopText *self, GString *piece)
{
  g_string_append_len (piece, self->held->str, (gssize) self->held->len);
  g_string_truncate (self->held, 0);
}
