/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/tool-calls.h"

#include <string.h>

#include "engine/text/thinking.h"
#include "engine/text/tool-literals.h"

/* An answer has no more calls. */
#define MAX_CALLS 64

static void
call_free (gpointer data)
{
  PtToolCall *call = data;

  g_free (call->name);
  json_decref (call->arguments);
  g_free (call);
}

/* @arguments: consumed. */
static gboolean
add_call (GPtrArray *calls, const char *name, json_t *arguments)
{
  PtToolCall *call;

  if (name == NULL || *name == '\0' || !json_is_object (arguments) || calls->len >= MAX_CALLS) {
    json_decref (arguments);
    return FALSE;
  }
  call = g_new (PtToolCall, 1);
  call->name = g_strdup (name);
  call->arguments = arguments;
  g_ptr_array_add (calls, call);
  return TRUE;
}

/* ---- JSON ---- */

/* A call is {"name", "arguments"} or {"name", "parameters"}, perhaps in "function"; arguments are
 * an object or its text. */
static gboolean
add_object (GPtrArray *calls, const json_t *object)
{
  const json_t *function = json_object_get (object, "function"), *arguments;
  const char *name;

  if (json_is_object (function))
    object = function;
  name = json_string_value (json_object_get (object, "name"));
  arguments = json_object_get (object, "arguments");
  if (arguments == NULL)
    arguments = json_object_get (object, "parameters");
  if (name == NULL)
    return FALSE;
  if (arguments == NULL || json_is_null (arguments))
    return add_call (calls, name, json_object ());
  if (json_is_string (arguments))
    return add_call (calls, name, json_loads (json_string_value (arguments), 0, NULL));
  return add_call (calls, name, json_deep_copy (arguments));
}

/* Adds the calls of one value of JSON at @text: an object, or a list of objects. Returns how many
 * bytes it has; 0: there is none with calls. */
static gsize
add_json (GPtrArray *calls, const char *text, gsize length)
{
  json_error_t reason;
  json_t *value = json_loadb (text, length, JSON_DISABLE_EOF_CHECK, &reason);
  gboolean any = FALSE;

  if (json_is_object (value))
    any = add_object (calls, value);
  for (gsize i = 0; i < json_array_size (value); i++)
    any |= add_object (calls, json_array_get (value, i));
  json_decref (value);
  return any ? (gsize) reason.position : 0;
}

/* Adds values of JSON one after the other, with ';' or nothing between them. */
static gboolean
add_json_values (GPtrArray *calls, const char *text, gsize length)
{
  guint before = calls->len;

  while (length > 0) {
    gsize n;

    if (g_ascii_isspace (*text) || *text == ';') {
      text++;
      length--;
      continue;
    }
    n = add_json (calls, text, length);
    if (n == 0 || n > length)
      break;
    text += n;
    length -= n;
  }
  return calls->len > before;
}

/* ---- Python ---- */

/* Reads name=value, ... up to the closing parenthesis. NULL: it is something else. */
static json_t *
keyword_arguments (PtLiteralCursor *cursor)
{
  json_t *arguments = json_object ();

  for (;;) {
    g_autofree char *key = NULL;
    json_t *value;

    pt_literal_skip_space (cursor);
    if (pt_literal_take (cursor, ")"))
      return arguments;
    key = pt_literal_name (cursor);
    pt_literal_skip_space (cursor);
    if (key == NULL || !pt_literal_take (cursor, "="))
      break;
    value = pt_literal_value (cursor);
    if (value == NULL || json_object_set_new (arguments, key, value) != 0)
      break;
    pt_literal_skip_space (cursor);
    if (!pt_literal_take (cursor, ",") && (cursor->at >= cursor->end || *cursor->at != ')'))
      break;
  }
  json_decref (arguments);
  return NULL;
}

/* [name (key=value, ...), ...], perhaps without brackets. */
static gboolean
add_python (GPtrArray *calls, const char *text, gsize length)
{
  PtLiteralCursor cursor = { text, text + length, PT_LITERAL_PYTHON, 0 };
  guint before = calls->len;

  pt_literal_skip_space (&cursor);
  pt_literal_take (&cursor, "[");
  do {
    g_autofree char *name = pt_literal_name (&cursor);

    pt_literal_skip_space (&cursor);
    if (name == NULL || !pt_literal_take (&cursor, "(") ||
        !add_call (calls, name, keyword_arguments (&cursor)))
      break;
    pt_literal_skip_space (&cursor);
  } while (pt_literal_take (&cursor, ",") || pt_literal_take (&cursor, ";"));
  return calls->len > before;
}

/* ---- Gemma 4: call:name{key:value, ...} ---- */

static gboolean
add_gemma (GPtrArray *calls, const char *text, gsize length)
{
  PtLiteralCursor cursor = { text, text + length, PT_LITERAL_GEMMA, 0 };
  g_autofree char *name = NULL;

  pt_literal_skip_space (&cursor);
  /* A call that is bound to a schema is JSON. */
  if (!pt_literal_take (&cursor, "call:"))
    return add_json_values (calls, text, length);
  name = pt_literal_name (&cursor);
  pt_literal_skip_space (&cursor);
  return cursor.at < cursor.end && *cursor.at == '{' &&
         add_call (calls, name, pt_literal_value (&cursor));
}

/* ---- Qwen 3.5: <function=name> <parameter=key> value </parameter> ... </function> ---- */

/* Finds "<@tag=NAME>". NULL: there is none; else @at is set to what is behind it. */
static char *
take_tag (const char **at, const char *end, const char *tag)
{
  g_autofree char *begin = g_strconcat ("<", tag, "=", NULL);
  const char *found = g_strstr_len (*at, end - *at, begin), *close;

  if (found == NULL)
    return NULL;
  found += strlen (begin);
  close = memchr (found, '>', (gsize) (end - found));
  if (close == NULL)
    return NULL;
  *at = close + 1;
  return g_strstrip (g_strndup (found, (gsize) (close - found)));
}

/* A value that is no JSON is a text. One line end at each side does not belong to it. */
static json_t *
parameter_value (const char *text, gsize length)
{
  g_autofree char *valid = NULL;
  json_t *value;

  if (length > 0 && *text == '\n') {
    text++;
    length--;
  }
  if (length > 0 && text[length - 1] == '\n')
    length--;
  value = json_loadb (text, length, JSON_DECODE_ANY, NULL);
  if (value != NULL && !json_is_string (value))
    return value;
  json_decref (value);
  valid = g_utf8_make_valid (text, (gssize) length);
  return json_string (valid);
}

static gboolean
add_function (GPtrArray *calls, const char *text, gsize length)
{
  const char *at = text, *end = text + length, *close;
  g_autofree char *name = take_tag (&at, end, "function");
  json_t *arguments = json_object ();

  if (name != NULL && (close = g_strstr_len (at, end - at, "</function>")) != NULL)
    end = close;
  while (name != NULL) {
    g_autofree char *key = take_tag (&at, end, "parameter");

    close = key != NULL ? g_strstr_len (at, end - at, "</parameter>") : NULL;
    if (close == NULL)
      break;
    json_object_set_new (arguments, key, parameter_value (at, (gsize) (close - at)));
    at = close + strlen ("</parameter>");
  }
  return add_call (calls, name, arguments);
}

/* ---- marks ---- */

/* JSON, Python, or the form of Qwen 3.5. */
static gboolean
add_any (GPtrArray *calls, const char *text, gsize length)
{
  if (g_strstr_len (text, (gssize) length, "<function=") != NULL)
    return add_function (calls, text, length);
  return add_json_values (calls, text, length) || add_python (calls, text, length);
}

static const struct {
  const char *begin, *end;
  gboolean (*add) (GPtrArray *calls, const char *text, gsize length);
} marks[] = {
  { "<tool_call>", "</tool_call>", add_any },
  { "<|tool_call_start|>", "<|tool_call_end|>", add_any },
  { "<|tool_call>", "<tool_call|>", add_gemma },
  { "<|tool_call|>", "<|/tool_call|>", add_any },
  { "<|python_tag|>", "<|eom_id|>", add_any },
};

/* The first mark in @text, and in *@which which one it is. NULL: there is none. */
static const char *
find_mark (const char *text, gsize *which)
{
  const char *nearest = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (marks); i++) {
    const char *found = strstr (text, marks[i].begin);

    if (found != NULL && (nearest == NULL || found < nearest)) {
      nearest = found;
      *which = i;
    }
  }
  return nearest;
}

const char *
pt_tool_calls_find_mark (const char *text)
{
  gsize which = 0;
  const char *found = find_mark (text, &which);

  return found != NULL ? found + strlen (marks[which].begin) : NULL;
}

/* Adds the calls between marks. */
static void
add_marked (GPtrArray *calls, const char *text)
{
  const char *found, *end;
  gsize which = 0;

  while ((found = find_mark (text, &which)) != NULL) {
    text = found + strlen (marks[which].begin);
    end = strstr (text, marks[which].end);
    marks[which].add (calls, text, end != NULL ? (gsize) (end - text) : strlen (text));
    if (end == NULL)
      return;
    text = end + strlen (marks[which].end);
  }
}

/* Adds calls of an answer without marks: all of it, or what is between its first '[' and its last
 * ']', as JSON. */
static void
add_unmarked (GPtrArray *calls, const char *text)
{
  const char *first = strpbrk (text, "[{"), *last;

  if (first != NULL && *first == '{') {
    g_autofree char *before = g_strstrip (g_strndup (text, (gsize) (first - text)));

    if ((*before == '\0' || g_str_has_prefix (before, "```")) &&
        add_json_values (calls, first, strlen (first)))
      return;
  }
  first = strchr (text, '[');
  last = strrchr (text, ']');
  if (first == NULL || last == NULL || last < first)
    return;
  if (add_json (calls, first, (gsize) (last - first) + 1) == 0)
    add_python (calls, first, (gsize) (last - first) + 1);
}

GPtrArray *
pt_tool_calls_parse (const char *text)
{
  GPtrArray *calls = g_ptr_array_new_with_free_func (call_free);

  /* Calls that a model only thinks about do not count. */
  text = pt_thinking_split (text).answer;
  add_marked (calls, text);
  if (calls->len == 0)
    add_unmarked (calls, text);
  return calls;
}

json_t *
pt_tool_calls_json (const char *text)
{
  g_autoptr (GPtrArray) calls = pt_tool_calls_parse (text);
  json_t *list = json_array ();

  for (guint i = 0; i < calls->len; i++) {
    const PtToolCall *call = calls->pdata[i];

    json_array_append_new (
        list, json_pack ("{s:s, s:O}", "name", call->name, "arguments", call->arguments));
  }
  return list;
}
