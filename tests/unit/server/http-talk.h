/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <jansson.h>

G_BEGIN_DECLS

/* A client for tests, which can also be hostile: it sends the bytes that it is told to. */

typedef struct {
  guint status; /* 0: the connection was closed without a response */
  char *headers;
  char *body;   /* chunks are joined */
  json_t *json; /* the body; NULL: it is no JSON */
} HttpReply;

void http_reply_clear (HttpReply *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HttpReply, http_reply_clear)

GSocketConnection *http_connect (guint port);
/** FALSE: the other side has closed the connection. */
gboolean http_send (GSocketConnection *connection, const char *data, gssize size);
/** Everything up to the end of a response, which the end of the connection may be. */
void http_receive (GSocketConnection *connection, HttpReply *reply);

/** One request on a connection of its own. @headers: lines that end in "\r\n", or NULL. @body: or
 * NULL. */
void http_talk (guint port, const char *method, const char *path, const char *headers,
                const char *body, HttpReply *reply);

/** Writes the status and the beginning of the body into the test's log. */
void http_log (const char *what, const HttpReply *reply);

/** The text at a path of members and indices: "choices.0.message.content"; NULL: it is none. */
const char *http_text (const HttpReply *reply, const char *path);
json_t *http_member (const HttpReply *reply, const char *path);

/** The JSON objects of a stream: of lines “data: …”, or of lines. Free with json_decref(). */
json_t *http_parts (const HttpReply *reply);

G_END_DECLS
