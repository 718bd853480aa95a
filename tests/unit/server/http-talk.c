/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/server/http-talk.h"

#include <stdlib.h>
#include <string.h>

void
http_reply_clear (HttpReply *self)
{
  g_clear_pointer (&self->headers, g_free);
  g_clear_pointer (&self->body, g_free);
  json_decref (self->json);
  self->json = NULL;
}

GSocketConnection *
http_connect (guint port)
{
  g_autoptr (GSocketClient) client = g_socket_client_new ();
  g_autoptr (GError) error = NULL;
  GSocketConnection *connection;

  g_socket_client_set_enable_proxy (client, FALSE);
  connection = g_socket_client_connect_to_host (client, "127.0.0.1", (guint16) port, NULL, &error);
  g_assert_no_error (error);
  return connection;
}

gboolean
http_send (GSocketConnection *connection, const char *data, gssize size)
{
  return g_output_stream_write_all (g_io_stream_get_output_stream (G_IO_STREAM (connection)), data,
                                    size < 0 ? strlen (data) : (gsize) size, NULL, NULL, NULL);
}

/* The value of a header in the first part of @text; NULL: it is not there. */
static const char *
find_header (const char *text, const char *name)
{
  const char *end = strstr (text, "\r\n\r\n");

  for (const char *line = text; line != NULL && line < end; line = strstr (line, "\r\n")) {
    if (*line == '\r')
      line += 2;
    if (g_ascii_strncasecmp (line, name, strlen (name)) == 0 && line[strlen (name)] == ':')
      return line + strlen (name) + 2;
  }
  return NULL;
}

/* Joins chunks in place. FALSE: the last one is not there yet. */
static gboolean
join_chunks (GString *joined, const char *text, gsize size)
{
  const char *end = text + size;

  g_string_truncate (joined, 0);
  while (text < end) {
    char *after;
    gsize n = strtoul (text, &after, 16);

    if (after + 2 > end || after[0] != '\r')
      return FALSE;
    text = after + 2;
    if (text + n + 2 > end)
      return FALSE;
    if (n == 0)
      return TRUE;
    g_string_append_len (joined, text, (gssize) n);
    text += n + 2;
  }
  return FALSE;
}

static gboolean
is_complete (const GString *all, HttpReply *reply)
{
  const char *end = strstr (all->str, "\r\n\r\n"), *length, *encoding;
  g_autoptr (GString) joined = g_string_new (NULL);
  gsize before;

  if (end == NULL)
    return FALSE;
  before = (gsize) (end + 4 - all->str);
  length = find_header (all->str, "Content-Length");
  encoding = find_header (all->str, "Transfer-Encoding");
  if (encoding != NULL) {
    if (!join_chunks (joined, end + 4, all->len - before))
      return FALSE;
  } else if (length != NULL && all->len - before < strtoul (length, NULL, 10)) {
    return FALSE;
  } else {
    g_string_append_len (joined, end + 4, (gssize) (all->len - before));
  }
  reply->status = (guint) strtoul (all->str + strlen ("HTTP/1.1 "), NULL, 10);
  reply->headers = g_strndup (all->str, before);
  reply->body = g_strdup (joined->str);
  reply->json = json_loads (joined->str, 0, NULL);
  return TRUE;
}

void
http_receive (GSocketConnection *connection, HttpReply *reply)
{
  GInputStream *stream = g_io_stream_get_input_stream (G_IO_STREAM (connection));
  g_autoptr (GString) all = g_string_new (NULL);
  char buffer[4096];
  gssize n;

  *reply = (HttpReply){ 0 };
  while (!is_complete (all, reply)) {
    n = g_input_stream_read (stream, buffer, sizeof buffer, NULL, NULL);
    if (n <= 0)
      return;
    g_string_append_len (all, buffer, n);
  }
}

void
http_talk (guint port, const char *method, const char *path, const char *headers, const char *body,
           HttpReply *reply)
{
  g_autoptr (GSocketConnection) connection = http_connect (port);
  g_autofree char *request = g_strdup_printf (
      "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%sContent-Length: %u\r\n\r\n%s",
      method, path, headers != NULL ? headers : "", body != NULL ? (guint) strlen (body) : 0,
      body != NULL ? body : "");

  http_send (connection, request, -1);
  http_receive (connection, reply);
}

json_t *
http_member (const HttpReply *reply, const char *path)
{
  g_auto (GStrv) names = g_strsplit (path, ".", -1);
  json_t *at = reply->json;

  for (guint i = 0; names[i] != NULL && at != NULL; i++)
    at = json_is_array (at) ? json_array_get (at, strtoul (names[i], NULL, 10))
                            : json_object_get (at, names[i]);
  return at;
}

void
http_log (const char *what, const HttpReply *reply)
{
  /* A character that is cut in half would be no line of the log. */
  g_autofree char *begin =
      reply->body != NULL ? g_utf8_make_valid (reply->body, (gssize) strnlen (reply->body, 300))
                          : NULL;

  g_test_message ("%s: %u %s", what, reply->status, begin != NULL ? begin : "");
}

const char *
http_text (const HttpReply *reply, const char *path)
{
  return json_string_value (http_member (reply, path));
}

json_t *
http_parts (const HttpReply *reply)
{
  g_auto (GStrv) lines = g_strsplit (reply->body, "\n", -1);
  json_t *parts = json_array ();

  for (guint i = 0; lines[i] != NULL; i++) {
    const char *text =
        g_str_has_prefix (lines[i], "data: ") ? lines[i] + strlen ("data: ") : lines[i];
    json_t *part = *text == '{' ? json_loads (text, 0, NULL) : NULL;

    if (part != NULL)
      json_array_append_new (parts, part);
  }
  return parts;
}
