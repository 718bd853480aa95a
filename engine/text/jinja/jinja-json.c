/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <string.h>

#include "engine/text/jinja/render.h"

#define MAX_INDENT 64

/* ---- from JSON ---- */

PtJinjaValue
pt_jinja_from_json (PtJinjaRender *render, const json_t *json, guint32 source)
{
  PtJinjaValue value = PT_JINJA_NULL, item;

  if (!pt_jinja_enter (render))
    return PT_JINJA_NOTHING;
  switch (json != NULL ? json_typeof (json) : JSON_NULL) {
  case JSON_OBJECT:
    value = pt_jinja_new_dict (render, PT_JINJA_DICT);
    for (void *at = json_object_iter ((json_t *) json); at != NULL && !pt_jinja_failed (render);
         at = json_object_iter_next ((json_t *) json, at)) {
      PtJinjaValue key = pt_jinja_new_text (render, json_object_iter_key (at), -1, source);

      item = pt_jinja_from_json (render, json_object_iter_value (at), source);
      pt_jinja_put (render, value.dict, key, item);
    }
    break;
  case JSON_ARRAY:
    value = pt_jinja_new_list (render, PT_JINJA_LIST);
    for (gsize i = 0; i < json_array_size (json) && !pt_jinja_failed (render); i++) {
      item = pt_jinja_from_json (render, json_array_get (json, i), source);
      pt_jinja_append (render, value.list, item);
    }
    break;
  case JSON_STRING:
    value = pt_jinja_new_text (render, json_string_value (json), (gssize) json_string_length (json),
                               source);
    break;
  case JSON_INTEGER: value = pt_jinja_int (json_integer_value (json)); break;
  case JSON_REAL: value = pt_jinja_float (json_real_value (json)); break;
  case JSON_TRUE:
  case JSON_FALSE: value = pt_jinja_bool (json_is_true (json)); break;
  default: break;
  }
  pt_jinja_leave (render);
  return value;
}

/* ---- to JSON, as Python's json.dumps() writes it ---- */

typedef struct {
  PtJinjaRender *render;
  PtJinjaBuilder *out;
  gint64 indent; /* -1: all in one line */
  gboolean ascii, sorted;
  const PtJinjaText *item, *key; /* separators */
} Writer;

static void write_value (Writer *self, PtJinjaValue value, gint64 level);

static const char *
escape_of (gunichar c, gboolean ascii, char *buffer, gsize size)
{
  switch (c) {
  case '"': return "\\\"";
  case '\\': return "\\\\";
  case '\n': return "\\n";
  case '\r': return "\\r";
  case '\t': return "\\t";
  case '\b': return "\\b";
  case '\f': return "\\f";
  default: break;
  }
  if (c >= 0x20 && (c < 0x7F || !ascii))
    return NULL;
  if (c == 0x7F)
    return NULL;
  if (c < 0x10000)
    g_snprintf (buffer, size, "\\u%04x", c);
  else
    g_snprintf (buffer, size, "\\u%04x\\u%04x", 0xD800 + ((c - 0x10000) >> 10),
                0xDC00 + ((c - 0x10000) & 0x3FF));
  return buffer;
}

static void
write_text (Writer *self, const PtJinjaText *text)
{
  gsize begin = 0;

  pt_jinja_build_own (self->out, "\"");
  for (gsize i = 0; i < text->length && !pt_jinja_failed (self->render);) {
    gsize next = i + (gsize) g_utf8_skip[(guint8) text->bytes[i]];
    char buffer[16];
    const char *escape =
        escape_of (g_utf8_get_char (text->bytes + i), self->ascii, buffer, sizeof buffer);

    if (escape != NULL) {
      pt_jinja_build_slice (self->out, text, begin, i);
      pt_jinja_build_instead (self->out, text, i, escape, strlen (escape));
      begin = next;
    }
    i = next;
  }
  pt_jinja_build_slice (self->out, text, begin, text->length);
  pt_jinja_build_own (self->out, "\"");
}

static void
break_line (Writer *self, gint64 level)
{
  char spaces[MAX_INDENT + 1];

  if (self->indent < 0)
    return;
  pt_jinja_build_own (self->out, "\n");
  memset (spaces, ' ', sizeof spaces);
  spaces[self->indent] = '\0';
  for (gint64 i = 0; i < level; i++)
    pt_jinja_build_own (self->out, spaces);
}

static void
write_key (Writer *self, PtJinjaValue key)
{
  if (key.kind == PT_JINJA_TEXT) {
    write_text (self, key.text);
    return;
  }
  pt_jinja_build_own (self->out, "\"");
  if (pt_jinja_is_number (key) || key.kind == PT_JINJA_NONE)
    write_value (self, key, 0);
  else
    pt_jinja_fail (self->render, PT_ERROR_TYPE, "%s is no key in JSON.",
                   pt_jinja_kind_name (key.kind));
  pt_jinja_build_own (self->out, "\"");
}

static int
compare_names (gconstpointer a, gconstpointer b, gpointer user_data)
{
  const Writer *self = user_data;

  return pt_jinja_compare (self->render, *(const PtJinjaValue *) a, *(const PtJinjaValue *) b);
}

static void
write_dict (Writer *self, const PtJinjaDict *dict, gint64 level)
{
  PtJinjaValue *keys = pt_jinja_take (self->render, dict->n, sizeof *keys);

  if (keys == NULL)
    return;
  if (dict->n == 0) {
    pt_jinja_build_own (self->out, "{}");
    return;
  }
  memcpy (keys, dict->keys, dict->n * sizeof *keys);
  if (self->sorted)
    g_qsort_with_data (keys, (gint) dict->n, sizeof *keys, compare_names, self);
  pt_jinja_build_own (self->out, "{");
  for (guint i = 0; i < dict->n && !pt_jinja_failed (self->render); i++) {
    const PtJinjaValue *value = pt_jinja_find (self->render, dict, keys[i]);

    if (i > 0)
      pt_jinja_build_slice (self->out, self->item, 0, self->item->length);
    break_line (self, level + 1);
    write_key (self, keys[i]);
    pt_jinja_build_slice (self->out, self->key, 0, self->key->length);
    if (value != NULL)
      write_value (self, *value, level + 1);
  }
  break_line (self, level);
  pt_jinja_build_own (self->out, "}");
}

static void
write_list (Writer *self, const PtJinjaList *list, gint64 level)
{
  if (list->n == 0) {
    pt_jinja_build_own (self->out, "[]");
    return;
  }
  pt_jinja_build_own (self->out, "[");
  for (guint i = 0; i < list->n && !pt_jinja_failed (self->render); i++) {
    if (i > 0)
      pt_jinja_build_slice (self->out, self->item, 0, self->item->length);
    break_line (self, level + 1);
    write_value (self, list->items[i], level + 1);
  }
  break_line (self, level);
  pt_jinja_build_own (self->out, "]");
}

static void
write_value (Writer *self, PtJinjaValue value, gint64 level)
{
  if (!pt_jinja_enter (self->render))
    return;
  switch (value.kind) {
  case PT_JINJA_NONE: pt_jinja_build_own (self->out, "null"); break;
  case PT_JINJA_BOOL: pt_jinja_build_own (self->out, value.truth ? "true" : "false"); break;
  case PT_JINJA_INT: pt_jinja_build_repr (self->out, value); break;
  case PT_JINJA_FLOAT:
    if (isfinite (value.real))
      pt_jinja_build_repr (self->out, value);
    else
      pt_jinja_build_own (self->out, isnan (value.real) ? "NaN"
                                     : value.real < 0   ? "-Infinity"
                                                        : "Infinity");
    break;
  case PT_JINJA_TEXT: write_text (self, value.text); break;
  case PT_JINJA_LIST:
  case PT_JINJA_TUPLE: write_list (self, value.list, level); break;
  case PT_JINJA_DICT: write_dict (self, value.dict, level); break;
  default:
    pt_jinja_fail (self->render, PT_ERROR_TYPE, "%s cannot be written as JSON.",
                   pt_jinja_kind_name (value.kind));
  }
  pt_jinja_leave (self->render);
}

static const PtJinjaText *
separator (PtJinjaRender *render, PtJinjaValue separators, guint index, const char *fallback)
{
  PtJinjaValue own = PT_JINJA_NOTHING;

  if ((separators.kind == PT_JINJA_TUPLE || separators.kind == PT_JINJA_LIST) &&
      index < separators.list->n)
    own = separators.list->items[index];
  if (own.kind != PT_JINJA_TEXT)
    own = pt_jinja_new_text (render, fallback, -1, PT_JINJA_TEMPLATE);
  return own.text;
}

PtJinjaValue
pt_jinja_filter_tojson (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  PtJinjaValue ascii = pt_jinja_argument_or (arguments, 0, "ensure_ascii", PT_JINJA_NULL);
  PtJinjaValue indent = pt_jinja_argument_or (arguments, 1, "indent", PT_JINJA_NULL);
  PtJinjaValue separators = pt_jinja_argument_or (arguments, 2, "separators", PT_JINJA_NULL);
  PtJinjaValue sorted = pt_jinja_argument_or (arguments, 3, "sort_keys", PT_JINJA_NULL);
  gboolean lines = indent.kind == PT_JINJA_INT;
  PtJinjaBuilder out;
  Writer writer = { .render = render,
                    .out = &out,
                    .indent = lines ? CLAMP (indent.integer, 0, MAX_INDENT) : -1,
                    .ascii = pt_jinja_is_true (ascii),
                    .sorted = pt_jinja_is_true (sorted),
                    .item = separator (render, separators, 0, lines ? "," : ", "),
                    .key = separator (render, separators, 1, ": ") };

  pt_jinja_builder_init (&out, render);
  if (!pt_jinja_failed (render))
    write_value (&writer, self, 0);
  return pt_jinja_built (&out);
}
