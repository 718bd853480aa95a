/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/json.h"

#include <string.h>

#include <gio/gio.h>

#include "engine/base/set-error.h"

/* 200 MB of values: twice the need of a tokenizer with 260,000 tokens and 510,000 merges. */
#define MAX_WEIGHT 5000000
/* Whole numbers with at most this many digits fit 64 bits. */
#define MAX_DIGITS 18

/*
 * TRUE after a failed allocation. The parser reports such a failure as a syntax error, or returns
 * an incomplete value without an error.
 */
static _Thread_local gboolean was_refused;

static void *
allocate (size_t size)
{
  void *data = g_try_malloc (size);

  was_refused |= data == NULL;
  return data;
}

static json_t *
parse_once (const char *text, gsize length, json_error_t *problem)
{
  static gsize once = 0;
  json_t *json;

  if (g_once_init_enter (&once)) {
    json_set_alloc_funcs (allocate, g_free);
    g_once_init_leave (&once, 1);
  }
  was_refused = FALSE;
  json = json_loadb (text, length, JSON_ALLOW_NUL, problem);
  if (was_refused)
    g_clear_pointer (&json, json_decref);
  return json;
}

/*
 * Python writes whole numbers of any size ("model_max_length": 1000000000000000019884624838656);
 * the parser accepts 64 bits. This function appends ".0" to larger numbers, so that the parser
 * reads them as floating-point numbers.
 */
static GString *
widen_numbers (const char *text, gsize length)
{
  GString *out = g_string_sized_new (length + 64);
  gboolean in_string = FALSE;

  for (gsize i = 0; i < length;) {
    gsize n = in_string ? 0 : strspn (text + i, "-+.0123456789eE");

    n = MAX (n, text[i] == '\\' && i + 1 < length ? 2 : 1);
    if (text[i] == '"')
      in_string = !in_string;
    g_string_append_len (out, text + i, (gssize) n);
    if (n > MAX_DIGITS && strspn (text + i, "-0123456789") >= n)
      g_string_append (out, ".0");
    i += n;
  }
  return out;
}

static json_t *
parse (const char *text, gsize length, json_error_t *problem)
{
  json_t *json = parse_once (text, length, problem);
  g_autoptr (GString) widened = NULL;

  if (json != NULL || was_refused || json_error_code (problem) != json_error_numeric_overflow)
    return json;
  widened = widen_numbers (text, length);
  return parse_once (widened->str, widened->len, problem);
}

static gboolean
check_file (const char *path, gsize max_bytes, gsize *size, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  g_autoptr (GFileInfo) info = NULL;
  g_autoptr (GError) local = NULL;

  info = g_file_query_info (file, G_FILE_ATTRIBUTE_STANDARD_TYPE "," G_FILE_ATTRIBUTE_STANDARD_SIZE,
                            G_FILE_QUERY_INFO_NONE, NULL, &local);
  if (info == NULL)
    return pt_fail (error, PT_ERROR_FILE, "Cannot read “%s”: %s.", path, local->message);
  if (g_file_info_get_file_type (info) != G_FILE_TYPE_REGULAR)
    return pt_fail (error, PT_ERROR_FILE, "“%s” is not a file.", path);
  if ((guint64) g_file_info_get_size (info) > max_bytes)
    return pt_fail (error, PT_ERROR_FORMAT,
                    "“%s” is too large (%" G_GUINT64_FORMAT " bytes). Get it again.", path,
                    (guint64) g_file_info_get_size (info));
  *size = (gsize) g_file_info_get_size (info);
  return TRUE;
}

char *
pt_text_load (const char *path, gsize max_bytes, gsize *length, GError **error)
{
  g_autoptr (GError) local = NULL;
  g_autofree char *text = NULL;
  gsize size = 0;

  if (!check_file (path, max_bytes, &size, error))
    return NULL;
  if (!g_file_get_contents (path, &text, length, &local)) {
    pt_fail (error, pt_file_error_code (local),
             "Cannot read “%s”: %s. Check the file and its disk.", path, local->message);
    return NULL;
  }
  if (*length < size) {
    pt_fail (error, PT_ERROR_FILE,
             "“%s” became shorter while it was read: %" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT
             " bytes came. Wait until nothing writes to it, and try again.",
             path, *length, size);
    return NULL;
  }
  return g_steal_pointer (&text);
}

/* Estimates the memory of the values in @text, in units of 40 bytes. */
static gsize
weigh (const char *text, gsize length)
{
  gsize weight = 0;

  for (gsize i = 0; i < length; i++)
    switch (text[i]) {
    case ',': weight += 1; break;
    case '[': weight += 3; break;
    case '{': weight += 8; break;
    default: break;
    }
  return weight;
}

json_t *
pt_json_parse (const char *path, const char *text, gsize length, GError **error)
{
  json_error_t problem;
  json_t *json;

  if (weigh (text, length) > MAX_WEIGHT) {
    pt_fail (error, PT_ERROR_FORMAT, "“%s” contains too many values. Get it again.", path);
    return NULL;
  }
  json = parse (text, length, &problem);
  if (json == NULL && was_refused)
    pt_fail (error, PT_ERROR_MEMORY, "There is not enough memory to read “%s”.", path);
  else if (json == NULL)
    pt_fail (error, PT_ERROR_FORMAT, "“%s” is not valid JSON: %s (line %d). Get it again.", path,
             problem.text, problem.line);
  return json;
}

json_t *
pt_json_load (const char *path, gsize max_bytes, GError **error)
{
  gsize length;
  g_autofree char *text = pt_text_load (path, max_bytes, &length, error);

  return text != NULL ? pt_json_parse (path, text, length, error) : NULL;
}

const char *
pt_json_string (const json_t *object, const char *key)
{
  return json_string_value (json_object_get (object, key));
}

gboolean
pt_json_bool (const json_t *object, const char *key, gboolean fallback)
{
  const json_t *value = json_object_get (object, key);

  return json_is_boolean (value) ? json_is_true (value) : fallback;
}

gint64
pt_json_int (const json_t *object, const char *key, gint64 fallback)
{
  const json_t *value = json_object_get (object, key);

  return json_is_integer (value) ? json_integer_value (value) : fallback;
}

double
pt_json_double (const json_t *object, const char *key, double fallback)
{
  const json_t *value = json_object_get (object, key);

  return json_is_number (value) ? json_number_value (value) : fallback;
}

static char *
steal_text (json_t *json, size_t form)
{
  char *text = json_dumps (json, form | JSON_REAL_PRECISION (9) | JSON_ENCODE_ANY);
  char *copy = g_strdup (text != NULL ? text : "{}");

  free (text);
  json_decref (json);
  return copy;
}

char *
pt_json_steal_text (json_t *json)
{
  return steal_text (json, JSON_COMPACT);
}

char *
pt_json_steal_lines (json_t *json)
{
  return steal_text (json, JSON_INDENT (1));
}

json_t *
pt_json_text (const char *text)
{
  g_autofree char *valid = NULL;

  if (text == NULL)
    return json_null ();
  if (g_utf8_validate (text, -1, NULL))
    return json_string (text);
  valid = g_utf8_make_valid (text, -1);
  return json_string (valid);
}
