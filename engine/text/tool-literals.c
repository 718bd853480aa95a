/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/tool-literals.h"

#include <math.h>
#include <string.h>

/* Values are not nested deeper. */
#define MAX_DEPTH 32
/* No number has more characters. */
#define MAX_NUMBER 63
/* The quotation mark of Gemma 4's strings. */
#define GEMMA_QUOTE "<|\"|>"

void
pt_literal_skip_space (PtLiteralCursor *cursor)
{
  while (cursor->at < cursor->end && g_ascii_isspace (*cursor->at))
    cursor->at++;
}

gboolean
pt_literal_take (PtLiteralCursor *cursor, const char *text)
{
  gsize length = strlen (text);

  if ((gsize) (cursor->end - cursor->at) < length || memcmp (cursor->at, text, length) != 0)
    return FALSE;
  cursor->at += length;
  return TRUE;
}

static gboolean
is_of_name (char c)
{
  return g_ascii_isalnum (c) || c == '_' || c == '-' || c == '.';
}

char *
pt_literal_name (PtLiteralCursor *cursor)
{
  const char *begin;

  pt_literal_skip_space (cursor);
  begin = cursor->at;
  while (cursor->at < cursor->end && is_of_name (*cursor->at))
    cursor->at++;
  return cursor->at > begin ? g_strndup (begin, (gsize) (cursor->at - begin)) : NULL;
}

static json_t *
text_of (const char *text, gsize length)
{
  g_autofree char *valid = g_utf8_make_valid (text, (gssize) length);

  return json_string (valid);
}

/* Appends the character that the escape at the cursor, behind the backslash, stands for. */
static void
take_escape (PtLiteralCursor *cursor, GString *text)
{
  static const char *const escapes = "n\nt\tr\rb\bf\f";
  const char *found = strchr (escapes, *cursor->at);

  if (*cursor->at == 'u' && cursor->end - cursor->at > 4) {
    g_autofree char *digits = g_strndup (cursor->at + 1, 4);
    gunichar c = (gunichar) g_ascii_strtoull (digits, NULL, 16);

    g_string_append_unichar (text, g_unichar_validate (c) && c != 0 ? c : 0xfffd);
    cursor->at += 5;
    return;
  }
  if (found != NULL && *found != '\0' && (found - escapes) % 2 == 0)
    g_string_append_c (text, found[1]);
  else
    g_string_append_c (text, *cursor->at);
  cursor->at++;
}

/* A string of Python behind its first quote. */
static json_t *
python_string (PtLiteralCursor *cursor, char quote)
{
  g_autoptr (GString) text = g_string_new (NULL);

  while (cursor->at < cursor->end && *cursor->at != quote) {
    if (*cursor->at == '\\' && cursor->at + 1 < cursor->end) {
      cursor->at++;
      take_escape (cursor, text);
    } else {
      g_string_append_c (text, *cursor->at++);
    }
  }
  if (cursor->at >= cursor->end)
    return NULL;
  cursor->at++;
  return text_of (text->str, text->len);
}

static json_t *
gemma_string (PtLiteralCursor *cursor)
{
  const char *begin = cursor->at;
  const char *found = g_strstr_len (begin, cursor->end - begin, GEMMA_QUOTE);

  if (found == NULL)
    return NULL;
  cursor->at = found + strlen (GEMMA_QUOTE);
  return text_of (begin, (gsize) (found - begin));
}

/* A number or a constant; in Gemma's form, other words are strings. */
static json_t *
take_word (PtLiteralCursor *cursor)
{
  static const struct {
    const char *word;
    int value; /* 2: null */
  } constants[] = { { "True", 1 },  { "true", 1 }, { "False", 0 },
                    { "false", 0 }, { "None", 2 }, { "null", 2 } };
  const char *begin = cursor->at;
  g_autofree char *word = NULL;
  char *end;
  double number;

  while (cursor->at < cursor->end && strchr (",)]}:", *cursor->at) == NULL)
    cursor->at++;
  word = g_strstrip (g_strndup (begin, (gsize) (cursor->at - begin)));
  for (gsize i = 0; i < G_N_ELEMENTS (constants); i++)
    if (strcmp (word, constants[i].word) == 0)
      return constants[i].value == 2 ? json_null () : json_boolean (constants[i].value);
  if (*word != '\0' && strlen (word) <= MAX_NUMBER && strspn (word, "0123456789+-.eE") > 0) {
    gint64 whole = g_ascii_strtoll (word, &end, 10);

    if (*end == '\0')
      return json_integer (whole);
    number = g_ascii_strtod (word, &end);
    if (*end == '\0' && isfinite (number))
      return json_real (number);
  }
  return cursor->style == PT_LITERAL_GEMMA && *word != '\0' ? text_of (word, strlen (word)) : NULL;
}

static json_t *
take_list (PtLiteralCursor *cursor, char close)
{
  json_t *list = json_array (), *item;

  for (;;) {
    pt_literal_skip_space (cursor);
    if (cursor->at < cursor->end && *cursor->at == close) {
      cursor->at++;
      return list;
    }
    item = pt_literal_value (cursor);
    if (item == NULL || json_array_append_new (list, item) != 0)
      break;
    pt_literal_skip_space (cursor);
    if (!pt_literal_take (cursor, ",") && (cursor->at >= cursor->end || *cursor->at != close))
      break;
  }
  json_decref (list);
  return NULL;
}

/* The key of a dictionary: a string, or a name in Gemma's form. Free with g_free(). */
static char *
take_key (PtLiteralCursor *cursor)
{
  json_t *key = NULL;
  char *text = NULL;

  pt_literal_skip_space (cursor);
  if (pt_literal_take (cursor, GEMMA_QUOTE))
    key = gemma_string (cursor);
  else if (pt_literal_take (cursor, "'"))
    key = python_string (cursor, '\'');
  else if (pt_literal_take (cursor, "\""))
    key = python_string (cursor, '"');
  else if (cursor->style == PT_LITERAL_GEMMA)
    return pt_literal_name (cursor);
  if (key != NULL)
    text = g_strdup (json_string_value (key));
  json_decref (key);
  return text;
}

static json_t *
take_dictionary (PtLiteralCursor *cursor)
{
  json_t *object = json_object ();

  for (;;) {
    g_autofree char *key = NULL;
    json_t *value;

    pt_literal_skip_space (cursor);
    if (pt_literal_take (cursor, "}"))
      return object;
    key = take_key (cursor);
    pt_literal_skip_space (cursor);
    if (key == NULL || !pt_literal_take (cursor, ":"))
      break;
    value = pt_literal_value (cursor);
    if (value == NULL || json_object_set_new (object, key, value) != 0)
      break;
    pt_literal_skip_space (cursor);
    if (!pt_literal_take (cursor, ",") && (cursor->at >= cursor->end || *cursor->at != '}'))
      break;
  }
  json_decref (object);
  return NULL;
}

json_t *
pt_literal_value (PtLiteralCursor *cursor)
{
  json_t *value;

  pt_literal_skip_space (cursor);
  if (cursor->at >= cursor->end || cursor->depth >= MAX_DEPTH)
    return NULL;
  cursor->depth++;
  if (pt_literal_take (cursor, GEMMA_QUOTE))
    value = gemma_string (cursor);
  else if (pt_literal_take (cursor, "'"))
    value = python_string (cursor, '\'');
  else if (pt_literal_take (cursor, "\""))
    value = python_string (cursor, '"');
  else if (pt_literal_take (cursor, "["))
    value = take_list (cursor, ']');
  else if (pt_literal_take (cursor, "("))
    value = take_list (cursor, ')');
  else if (pt_literal_take (cursor, "{"))
    value = take_dictionary (cursor);
  else
    value = take_word (cursor);
  cursor->depth--;
  return value;
}
