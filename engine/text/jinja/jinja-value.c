/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/jinja/jinja-value.h"

#include <string.h>

#include "engine/text/jinja/text.h"

/* ---- making values ---- */

PtJinjaValue
pt_jinja_bool (gboolean truth)
{
  return (PtJinjaValue){ .kind = PT_JINJA_BOOL, .truth = truth != 0 };
}

PtJinjaValue
pt_jinja_int (gint64 integer)
{
  return (PtJinjaValue){ .kind = PT_JINJA_INT, .integer = integer };
}

PtJinjaValue
pt_jinja_float (double real)
{
  return (PtJinjaValue){ .kind = PT_JINJA_FLOAT, .real = real };
}

PtJinjaValue
pt_jinja_text (const PtJinjaText *text)
{
  return text != NULL ? (PtJinjaValue){ .kind = PT_JINJA_TEXT, .text = text } : PT_JINJA_NOTHING;
}

PtJinjaValue
pt_jinja_new_text (PtJinjaRender *render, const char *bytes, gssize length, guint32 source)
{
  g_autofree char *valid = NULL;
  PtJinjaBuilder builder;
  gsize size = length < 0 ? strlen (bytes) : (gsize) length;

  if (!g_utf8_validate_len (bytes, size, NULL)) {
    valid = g_utf8_make_valid (bytes, (gssize) size);
    bytes = valid;
    size = strlen (valid);
  }
  pt_jinja_builder_init (&builder, render);
  pt_jinja_build (&builder, bytes, size, source, 0);
  return pt_jinja_built (&builder);
}

PtJinjaValue
pt_jinja_new_list (PtJinjaRender *render, PtJinjaKind kind)
{
  PtJinjaList *list = pt_jinja_take (render, 1, sizeof *list);

  return list != NULL ? (PtJinjaValue){ .kind = kind, .list = list } : PT_JINJA_NOTHING;
}

PtJinjaValue
pt_jinja_new_dict (PtJinjaRender *render, PtJinjaKind kind)
{
  PtJinjaDict *dict = pt_jinja_take (render, 1, sizeof *dict);

  return dict != NULL ? (PtJinjaValue){ .kind = kind, .dict = dict } : PT_JINJA_NOTHING;
}

/** Doubles the capacity of @n values. */
static PtJinjaValue *
grow (PtJinjaRender *render, const PtJinjaValue *items, guint n, guint *allocated)
{
  guint wanted = n < 4 ? 4 : n > G_MAXUINT / 2 ? G_MAXUINT : 2 * n;
  PtJinjaValue *larger = pt_jinja_take (render, wanted, sizeof *larger);

  if (larger == NULL)
    return NULL;
  if (n > 0)
    memcpy (larger, items, n * sizeof *items);
  *allocated = wanted;
  return larger;
}

void
pt_jinja_append (PtJinjaRender *render, PtJinjaList *list, PtJinjaValue item)
{
  if (!pt_jinja_step (render, 1))
    return;
  if (list->n == list->allocated) {
    PtJinjaValue *items = grow (render, list->items, list->n, &list->allocated);

    if (items == NULL)
      return;
    list->items = items;
  }
  list->items[list->n++] = item;
}

void
pt_jinja_put (PtJinjaRender *render, PtJinjaDict *dict, PtJinjaValue key, PtJinjaValue value)
{
  PtJinjaValue *found = pt_jinja_failed (render) ? NULL : pt_jinja_find (render, dict, key);

  if (pt_jinja_failed (render))
    return;
  if (found != NULL) {
    *found = value;
    return;
  }
  if (dict->n == dict->allocated) {
    guint allocated;
    PtJinjaValue *keys = grow (render, dict->keys, dict->n, &allocated);
    PtJinjaValue *values = keys != NULL ? grow (render, dict->values, dict->n, &allocated) : NULL;

    if (values == NULL)
      return;
    dict->keys = keys;
    dict->values = values;
    dict->allocated = allocated;
  }
  dict->keys[dict->n] = key;
  dict->values[dict->n++] = value;
}

void
pt_jinja_put_name (PtJinjaRender *render, PtJinjaDict *dict, const char *key, PtJinjaValue value)
{
  pt_jinja_put (render, dict, pt_jinja_new_text (render, key, -1, PT_JINJA_TEMPLATE), value);
}

/* ---- access to values ---- */

const char *
pt_jinja_kind_name (PtJinjaKind kind)
{
  static const char *const names[] = {
    [PT_JINJA_UNDEFINED] = "something undefined",
    [PT_JINJA_NONE] = "none",
    [PT_JINJA_BOOL] = "a truth value",
    [PT_JINJA_INT] = "a whole number",
    [PT_JINJA_FLOAT] = "a number",
    [PT_JINJA_TEXT] = "a text",
    [PT_JINJA_LIST] = "a list",
    [PT_JINJA_TUPLE] = "a tuple",
    [PT_JINJA_GENERATOR] = "a generator",
    [PT_JINJA_DICT] = "a mapping",
    [PT_JINJA_NAMESPACE] = "a namespace",
    [PT_JINJA_LOOP] = "a loop",
    [PT_JINJA_MACRO] = "a macro",
    [PT_JINJA_FUNCTION] = "a function",
  };

  return names[kind];
}

gboolean
pt_jinja_is_list (PtJinjaValue value)
{
  return value.kind == PT_JINJA_LIST || value.kind == PT_JINJA_TUPLE ||
         value.kind == PT_JINJA_GENERATOR;
}

gboolean
pt_jinja_is_number (PtJinjaValue value)
{
  return value.kind == PT_JINJA_BOOL || value.kind == PT_JINJA_INT || value.kind == PT_JINJA_FLOAT;
}

gint64
pt_jinja_whole (PtJinjaValue value)
{
  return value.kind == PT_JINJA_BOOL ? value.truth : value.integer;
}

double
pt_jinja_real (PtJinjaValue value)
{
  return value.kind == PT_JINJA_FLOAT ? value.real : (double) pt_jinja_whole (value);
}

gboolean
pt_jinja_is_true (PtJinjaValue value)
{
  switch (value.kind) {
  case PT_JINJA_UNDEFINED:
  case PT_JINJA_NONE: return FALSE;
  case PT_JINJA_BOOL: return value.truth;
  case PT_JINJA_INT: return value.integer != 0;
  case PT_JINJA_FLOAT: return value.real != 0;
  case PT_JINJA_TEXT: return value.text->length > 0;
  case PT_JINJA_LIST:
  case PT_JINJA_TUPLE: return value.list->n > 0;
  case PT_JINJA_DICT: return value.dict->n > 0;
  default: return TRUE;
  }
}

gboolean
pt_jinja_text_is (const PtJinjaText *text, const char *other)
{
  return text->length == strlen (other) && memcmp (text->bytes, other, text->length) == 0;
}

static gboolean
equal_lists (PtJinjaRender *render, const PtJinjaList *a, const PtJinjaList *b)
{
  if (a->n != b->n)
    return FALSE;
  for (guint i = 0; i < a->n; i++)
    if (!pt_jinja_equal (render, a->items[i], b->items[i]))
      return FALSE;
  return TRUE;
}

static gboolean
equal_dicts (PtJinjaRender *render, const PtJinjaDict *a, const PtJinjaDict *b)
{
  if (a->n != b->n)
    return FALSE;
  for (guint i = 0; i < a->n; i++) {
    const PtJinjaValue *other = pt_jinja_find (render, b, a->keys[i]);

    if (other == NULL || !pt_jinja_equal (render, a->values[i], *other))
      return FALSE;
  }
  return TRUE;
}

static gboolean
equal_inside (PtJinjaRender *render, PtJinjaValue a, PtJinjaValue b)
{
  gboolean equal = FALSE;

  if (!pt_jinja_enter (render))
    return FALSE;
  if (a.kind == PT_JINJA_DICT)
    equal = a.dict == b.dict || equal_dicts (render, a.dict, b.dict);
  else
    equal = a.list == b.list || equal_lists (render, a.list, b.list);
  pt_jinja_leave (render);
  return equal;
}

gboolean
pt_jinja_equal (PtJinjaRender *render, PtJinjaValue a, PtJinjaValue b)
{
  if (!pt_jinja_step (render, 1))
    return FALSE;
  if (pt_jinja_is_number (a) && pt_jinja_is_number (b)) {
    if (a.kind == PT_JINJA_FLOAT || b.kind == PT_JINJA_FLOAT)
      return pt_jinja_real (a) == pt_jinja_real (b);
    return pt_jinja_whole (a) == pt_jinja_whole (b);
  }
  if (a.kind != b.kind)
    return FALSE;
  switch (a.kind) {
  case PT_JINJA_TEXT:
    return a.text->length == b.text->length && pt_jinja_step (render, a.text->length / 64) &&
           memcmp (a.text->bytes, b.text->bytes, a.text->length) == 0;
  case PT_JINJA_LIST:
  case PT_JINJA_TUPLE:
  case PT_JINJA_DICT: return equal_inside (render, a, b);
  case PT_JINJA_UNDEFINED:
  case PT_JINJA_NONE: return TRUE;
  default: return a.list == b.list;
  }
}

static int
compare_lists (PtJinjaRender *render, const PtJinjaList *a, const PtJinjaList *b)
{
  int order = 0;

  if (!pt_jinja_enter (render))
    return 0;
  for (guint i = 0; i < MIN (a->n, b->n) && order == 0; i++)
    if (!pt_jinja_equal (render, a->items[i], b->items[i]))
      order = pt_jinja_compare (render, a->items[i], b->items[i]);
  pt_jinja_leave (render);
  return order != 0 ? order : a->n < b->n ? -1 : a->n > b->n;
}

int
pt_jinja_compare (PtJinjaRender *render, PtJinjaValue a, PtJinjaValue b)
{
  if (pt_jinja_is_number (a) && pt_jinja_is_number (b)) {
    if (a.kind == PT_JINJA_FLOAT || b.kind == PT_JINJA_FLOAT)
      return pt_jinja_real (a) < pt_jinja_real (b) ? -1 : pt_jinja_real (a) > pt_jinja_real (b);
    return pt_jinja_whole (a) < pt_jinja_whole (b) ? -1 : pt_jinja_whole (a) > pt_jinja_whole (b);
  }
  if (a.kind == PT_JINJA_TEXT && b.kind == PT_JINJA_TEXT) {
    gsize length = MIN (a.text->length, b.text->length);
    int order;

    if (!pt_jinja_step (render, length / 64))
      return 0;
    order = memcmp (a.text->bytes, b.text->bytes, length);
    return order != 0 ? order : a.text->length < b.text->length ? -1 : a.text->length > length;
  }
  if (a.kind == b.kind && (a.kind == PT_JINJA_LIST || a.kind == PT_JINJA_TUPLE))
    return compare_lists (render, a.list, b.list);
  pt_jinja_fail (render, PT_ERROR_TYPE, "%s and %s have no order.", pt_jinja_kind_name (a.kind),
                 pt_jinja_kind_name (b.kind));
  return 0;
}

PtJinjaValue *
pt_jinja_find (PtJinjaRender *render, const PtJinjaDict *dict, PtJinjaValue key)
{
  for (guint i = 0; i < dict->n; i++)
    if (pt_jinja_equal (render, dict->keys[i], key))
      return &dict->values[i];
  return NULL;
}

PtJinjaValue *
pt_jinja_find_name (PtJinjaRender *render, const PtJinjaDict *dict, const char *key)
{
  if (!pt_jinja_step (render, dict->n))
    return NULL;
  for (guint i = 0; i < dict->n; i++)
    if (dict->keys[i].kind == PT_JINJA_TEXT && pt_jinja_text_is (dict->keys[i].text, key))
      return &dict->values[i];
  return NULL;
}

gboolean
pt_jinja_contains (PtJinjaRender *render, PtJinjaValue whole, PtJinjaValue part)
{
  if (whole.kind == PT_JINJA_TEXT && part.kind == PT_JINJA_TEXT)
    return pt_jinja_text_search (render, whole.text, part.text, 0) >= 0;
  if (whole.kind == PT_JINJA_DICT)
    return pt_jinja_find (render, whole.dict, part) != NULL;
  if (pt_jinja_is_list (whole)) {
    for (guint i = 0; i < whole.list->n; i++)
      if (pt_jinja_equal (render, whole.list->items[i], part))
        return TRUE;
    return FALSE;
  }
  if (whole.kind != PT_JINJA_UNDEFINED)
    pt_jinja_fail (render, PT_ERROR_TYPE, "%s cannot be in %s.", pt_jinja_kind_name (part.kind),
                   pt_jinja_kind_name (whole.kind));
  return FALSE;
}

PtJinjaList *
pt_jinja_items (PtJinjaRender *render, PtJinjaValue value)
{
  PtJinjaValue made;

  if (pt_jinja_is_list (value))
    return value.list;
  if (value.kind != PT_JINJA_DICT && value.kind != PT_JINJA_TEXT &&
      value.kind != PT_JINJA_UNDEFINED) {
    pt_jinja_fail (render, PT_ERROR_TYPE, "one cannot go through %s.",
                   pt_jinja_kind_name (value.kind));
    return NULL;
  }
  made = pt_jinja_new_list (render, PT_JINJA_LIST);
  if (pt_jinja_failed (render))
    return NULL;
  if (value.kind == PT_JINJA_DICT)
    for (guint i = 0; i < value.dict->n; i++)
      pt_jinja_append (render, made.list, value.dict->keys[i]);
  if (value.kind == PT_JINJA_TEXT)
    for (gsize i = 0; i < value.text->length && !pt_jinja_failed (render);) {
      gsize end = i + (gsize) g_utf8_skip[(guint8) value.text->bytes[i]];

      pt_jinja_append (render, made.list, pt_jinja_slice_text (render, value.text, i, end));
      i = end;
    }
  return pt_jinja_failed (render) ? NULL : made.list;
}
