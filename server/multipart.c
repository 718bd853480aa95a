/* SPDX-License-Identifier: BSD-3-Clause */
#include "server/multipart.h"

#include <string.h>

/* Of the headers of a part, and of a boundary (RFC 2046). */
#define MOST_HEADERS 8192
#define MOST_BOUNDARY 70

/* What of the body was not read yet. */
typedef struct {
  const char *data;
  gsize size;
} Rest;

static void
part_free (gpointer data)
{
  PterisPart *part = data;

  g_free (part->name);
  g_free (part->file_name);
  g_clear_pointer (&part->bytes, g_bytes_unref);
  g_free (part);
}

/* The offset of @what in @rest; -1: it is not there. */
static gssize
find (const Rest *rest, const char *what)
{
  gsize n = strlen (what), at = 0;

  while (rest->size >= n && at <= rest->size - n) {
    const char *found = memchr (rest->data + at, what[0], rest->size - n - at + 1);

    if (found == NULL)
      return -1;
    if (memcmp (found, what, n) == 0)
      return found - rest->data;
    at = (gsize) (found - rest->data) + 1;
  }
  return -1;
}

static void
skip (Rest *rest, gsize n)
{
  rest->data += n;
  rest->size -= n;
}

static gboolean
take (Rest *rest, const char *what)
{
  gsize n = strlen (what);

  if (rest->size < n || memcmp (rest->data, what, n) != 0)
    return FALSE;
  skip (rest, n);
  return TRUE;
}

/* A quoted text or a word at @at, which is moved behind it. */
static char *
read_value (const char **at)
{
  g_autoptr (GString) value = g_string_new (NULL);

  if (**at != '"') {
    gsize n = strcspn (*at, "; \t");

    g_string_append_len (value, *at, (gssize) n);
    *at += n;
    return g_string_free (g_steal_pointer (&value), FALSE);
  }
  for (++*at; **at != '\0' && **at != '"'; ++*at) {
    if (**at == '\\' && (*at)[1] != '\0')
      ++*at;
    g_string_append_c (value, **at);
  }
  *at += strcspn (*at, ";");
  return g_string_free (g_steal_pointer (&value), FALSE);
}

/* Reads the parameters of a Content-Disposition. */
static void
read_parameters (PterisPart *part, const char *line)
{
  const char *at = strchr (line, ';');

  while (at != NULL && *at == ';') {
    gsize n;
    g_autofree char *key = NULL, *value = NULL;

    at++;
    at += strspn (at, " \t");
    n = strcspn (at, "=;");
    key = g_strchomp (g_strndup (at, n));
    at += n;
    if (*at != '=')
      continue;
    at++;
    value = read_value (&at);
    at += strspn (at, " \t");
    if (!g_utf8_validate (value, -1, NULL))
      continue;
    if (g_ascii_strcasecmp (key, "name") == 0 && part->name == NULL)
      part->name = g_steal_pointer (&value);
    else if (g_ascii_strcasecmp (key, "filename") == 0 && part->file_name == NULL)
      part->file_name = g_steal_pointer (&value);
  }
}

static gboolean
read_headers (PterisPart *part, Rest *rest)
{
  const char *wanted = "content-disposition:";
  gssize end = rest->size >= 2 && memcmp (rest->data, "\r\n", 2) == 0 ? 0 : find (rest, "\r\n\r\n");
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;

  if (end <= 0 || end > MOST_HEADERS || memchr (rest->data, '\0', (gsize) end) != NULL)
    return FALSE;
  text = g_strndup (rest->data, (gsize) end);
  skip (rest, (gsize) end + strlen ("\r\n\r\n"));
  lines = g_strsplit (text, "\r\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    if (g_ascii_strncasecmp (lines[i], wanted, strlen (wanted)) == 0)
      read_parameters (part, lines[i] + strlen (wanted));
  return part->name != NULL;
}

/* One part up to and with the next boundary. NULL: it is damaged. */
static PterisPart *
read_part (Rest *rest, const char *mark, GBytes *body)
{
  PterisPart *part = g_new0 (PterisPart, 1);
  gssize end;

  if (read_headers (part, rest) && (end = find (rest, mark)) >= 0) {
    gsize before = (gsize) (rest->data - (const char *) g_bytes_get_data (body, NULL));

    part->bytes = g_bytes_new_from_bytes (body, before, (gsize) end);
    skip (rest, (gsize) end + strlen (mark));
    return part;
  }
  part_free (part);
  return NULL;
}

GPtrArray *
pteris_multipart_read (GBytes *body, const char *boundary, guint most, GError **error)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func (part_free);
  g_autofree char *mark = g_strconcat ("\r\n--", boundary, NULL);
  Rest rest;

  rest.data = g_bytes_get_data (body, &rest.size);
  if (*boundary == '\0' || strlen (boundary) > MOST_BOUNDARY || !take (&rest, mark + 2)) {
    pteris_fault_set (error, 400, NULL, NULL, "The form does not begin with its boundary.");
    return NULL;
  }
  while (!take (&rest, "--")) {
    PterisPart *part = take (&rest, "\r\n") ? read_part (&rest, mark, body) : NULL;

    if (part == NULL || parts->len == most) {
      if (part != NULL)
        part_free (part);
      pteris_fault_set (error, 400, NULL, NULL,
                        "Part %u of the form is damaged, or one too many: there may be %u.",
                        parts->len + 1, most);
      return NULL;
    }
    g_ptr_array_add (parts, part);
  }
  return g_steal_pointer (&parts);
}
