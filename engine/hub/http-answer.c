/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/hub/http-answer.h"

#include <string.h>

#define UNKNOWN G_MAXUINT64
/* Of a value that is kept. */
#define MAX_VALUE 4096
#define MAX_WAIT_S (24 * 3600)

void
pt_http_answer_init (PtHttpAnswer *self)
{
  *self = (PtHttpAnswer){
    .linked_size = UNKNOWN, .wait_s = UNKNOWN, .start = UNKNOWN, .whole = UNKNOWN
  };
}

static void
clear_own (PtHttpAnswer *self)
{
  g_clear_pointer (&self->commit, g_free);
  g_clear_pointer (&self->etag, g_free);
  g_clear_pointer (&self->error_code, g_free);
  g_clear_pointer (&self->error_message, g_free);
  self->linked_size = UNKNOWN;
}

void
pt_http_answer_clear (PtHttpAnswer *self)
{
  clear_own (self);
  g_clear_pointer (&self->next, g_free);
  g_clear_pointer (&self->address, g_free);
}

void
pt_http_answer_begin (PtHttpAnswer *self, gboolean is_own)
{
  if (is_own)
    clear_own (self);
  g_clear_pointer (&self->next, g_free);
  self->is_own = is_own;
  self->is_encoded = FALSE;
  self->wait_s = self->start = self->whole = UNKNOWN;
}

/* ---- values ---- */

static guint64
number (const char *text)
{
  guint64 value;

  return g_ascii_string_to_unsigned (text, 10, 0, G_MAXINT64, &value, NULL) ? value : UNKNOWN;
}

/* "W/"abc"" and "\"abc\"" are abc. */
static char *
plain_etag (const char *value)
{
  if (g_str_has_prefix (value, "W/"))
    value += 2;
  if (*value == '"')
    value++;
  return g_strndup (value, strcspn (value, "\""));
}

/* Seconds of "Retry-After: 55"; a date is not heeded. */
static guint64
retry_after (const char *value)
{
  guint64 seconds = number (value);

  return seconds != UNKNOWN ? MIN (seconds, MAX_WAIT_S) : UNKNOWN;
}

/* The t of "RateLimit: "api";r=0;t=55", if nothing is left (r). */
static guint64
rate_limit (const char *value)
{
  const char *rest = strstr (value, ";r=0;"), *t = strstr (value, ";t=");
  g_autofree char *digits = NULL;

  if (rest == NULL || t == NULL)
    return UNKNOWN;
  digits = g_strndup (t + 3, strspn (t + 3, "0123456789"));
  return retry_after (digits);
}

/* "<https://…>; rel="next", <…>; rel="prev"" */
static char *
next_page (const char *value)
{
  const char *open;

  while ((open = strchr (value, '<')) != NULL) {
    const char *close = strchr (open, '>'), *end;

    if (close == NULL)
      return NULL;
    end = strchr (close, '<');
    if (end == NULL)
      end = close + strlen (close);
    if (g_strstr_len (close, end - close, "rel=\"next\"") != NULL ||
        g_strstr_len (close, end - close, "rel=next") != NULL)
      return g_strndup (open + 1, (gsize) (close - open - 1));
    value = end;
  }
  return NULL;
}

/* "bytes 100-199/200" */
static void
content_range (PtHttpAnswer *self, const char *value)
{
  const char *slash = strchr (value, '/');
  g_autofree char *digits = NULL;

  if (!g_str_has_prefix (value, "bytes ") || slash == NULL)
    return;
  digits = g_strndup (value + 6, strspn (value + 6, "0123456789"));
  self->start = number (digits);
  self->whole = number (slash + 1);
}

/* ---- lines ---- */

static void
set_text (char **text, const char *value)
{
  g_free (*text);
  *text = g_strdup (value);
}

static void
take_own (PtHttpAnswer *self, const char *name, const char *value)
{
  if (strcmp (name, "x-repo-commit") == 0) {
    set_text (&self->commit, value);
  } else if (strcmp (name, "x-linked-etag") == 0) {
    g_free (self->etag);
    self->etag = plain_etag (value);
  } else if (strcmp (name, "x-linked-size") == 0) {
    self->linked_size = number (value);
  } else if (strcmp (name, "x-error-code") == 0) {
    set_text (&self->error_code, value);
  } else if (strcmp (name, "x-error-message") == 0) {
    set_text (&self->error_message, value);
  }
}

static void
take (PtHttpAnswer *self, const char *name, const char *value, char **location)
{
  if (strcmp (name, "location") == 0) {
    set_text (location, value);
  } else if (strcmp (name, "link") == 0) {
    g_free (self->next);
    self->next = next_page (value);
  } else if (strcmp (name, "retry-after") == 0) {
    self->wait_s = retry_after (value);
  } else if (strcmp (name, "ratelimit") == 0 && self->wait_s == UNKNOWN) {
    self->wait_s = rate_limit (value);
  } else if (strcmp (name, "content-range") == 0) {
    content_range (self, value);
  } else if (strcmp (name, "content-length") == 0 && self->start == UNKNOWN) {
    self->whole = number (value);
  } else if (strcmp (name, "content-encoding") == 0) {
    self->is_encoded = g_ascii_strcasecmp (value, "identity") != 0;
  }
  if (self->is_own)
    take_own (self, name, value);
}

void
pt_http_answer_line (PtHttpAnswer *self, const char *line, gsize length, char **location)
{
  const char *colon = memchr (line, ':', length);
  g_autofree char *name = NULL, *value = NULL;
  gsize rest;

  if (colon == NULL)
    return;
  rest = length - (gsize) (colon + 1 - line);
  name = g_ascii_strdown (line, colon - line);
  value = g_strstrip (g_strndup (colon + 1, rest));
  if (strlen (value) <= 2 * MAX_VALUE)
    take (self, name, value, location);
}

gboolean
pt_http_is_passing_status (guint status)
{
  return status == 408 || status == 425 || status == 429 || status >= 500;
}
