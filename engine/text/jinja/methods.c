/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/text/jinja/render.h"

/* The limit of Jinja's sandbox. */
#define MAX_RANGE 100000

/* ---- of mappings ---- */

static PtJinjaValue
pair (PtJinjaRender *render, PtJinjaValue key, PtJinjaValue value)
{
  PtJinjaValue tuple = pt_jinja_new_list (render, PT_JINJA_TUPLE);

  pt_jinja_append (render, tuple.list, key);
  pt_jinja_append (render, tuple.list, value);
  return tuple;
}

PtJinjaValue
pt_jinja_pairs (PtJinjaRender *render, const PtJinjaDict *dict, PtJinjaKind kind)
{
  PtJinjaValue list = pt_jinja_new_list (render, kind);

  for (guint i = 0; i < dict->n && !pt_jinja_failed (render); i++)
    pt_jinja_append (render, list.list, pair (render, dict->keys[i], dict->values[i]));
  return list;
}

static PtJinjaValue
method_items (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return pt_jinja_pairs (render, self.dict, PT_JINJA_LIST);
}

static PtJinjaValue
list_of (PtJinjaRender *render, const PtJinjaValue *items, guint n)
{
  PtJinjaValue list = pt_jinja_new_list (render, PT_JINJA_LIST);

  for (guint i = 0; i < n && !pt_jinja_failed (render); i++)
    pt_jinja_append (render, list.list, items[i]);
  return list;
}

static PtJinjaValue
method_keys (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return list_of (render, self.dict->keys, self.dict->n);
}

static PtJinjaValue
method_values (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return list_of (render, self.dict->values, self.dict->n);
}

static PtJinjaValue
method_get (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  PtJinjaValue key = pt_jinja_argument_or (arguments, 0, "key", PT_JINJA_NULL);
  const PtJinjaValue *found = pt_jinja_find (render, self.dict, key);

  return found != NULL ? *found : pt_jinja_argument_or (arguments, 1, "default", PT_JINJA_NULL);
}

static PtJinjaValue
method_copy (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  PtJinjaValue copy = pt_jinja_new_dict (render, PT_JINJA_DICT);

  for (guint i = 0; i < self.dict->n && !pt_jinja_failed (render); i++)
    pt_jinja_put (render, copy.dict, self.dict->keys[i], self.dict->values[i]);
  return copy;
}

const PtJinjaBuiltin pt_jinja_dict_methods[] = {
  { "items", method_items }, { "keys", method_keys }, { "values", method_values },
  { "get", method_get },     { "copy", method_copy }, { NULL, NULL },
};

/* ---- of lists ---- */

static PtJinjaValue
method_append (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  PtJinjaValue item;

  if (self.kind == PT_JINJA_LIST && pt_jinja_argument (arguments, 0, "object", &item))
    pt_jinja_append (render, self.list, item);
  else
    pt_jinja_fail (render, PT_ERROR_TYPE, "nothing is appended, or to no list.");
  return PT_JINJA_NULL;
}

static PtJinjaValue
method_index (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  PtJinjaValue item = pt_jinja_argument_or (arguments, 0, "value", PT_JINJA_NOTHING);

  for (guint i = 0; i < self.list->n; i++)
    if (pt_jinja_equal (render, self.list->items[i], item))
      return pt_jinja_int (i);
  pt_jinja_fail (render, PT_ERROR_ARGUMENT, "an item is not in its list.");
  return PT_JINJA_NOTHING;
}

static PtJinjaValue
method_count (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  PtJinjaValue item = pt_jinja_argument_or (arguments, 0, "value", PT_JINJA_NOTHING);
  gint64 n = 0;

  for (guint i = 0; i < self.list->n; i++)
    n += pt_jinja_equal (render, self.list->items[i], item);
  return pt_jinja_int (n);
}

const PtJinjaBuiltin pt_jinja_list_methods[] = {
  { "append", method_append },
  { "index", method_index },
  { "count", method_count },
  { NULL, NULL },
};

/* ---- functions ---- */

static PtJinjaValue
function_range (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  gint64 numbers[3] = { 0, 0, 1 };
  PtJinjaValue list = pt_jinja_new_list (render, PT_JINJA_LIST);

  for (guint i = 0; i < arguments->n && i < 3; i++) {
    PtJinjaValue value = arguments->values[i];

    if (value.kind != PT_JINJA_INT && value.kind != PT_JINJA_BOOL)
      pt_jinja_fail (render, PT_ERROR_TYPE, "a range goes over whole numbers.");
    else
      numbers[arguments->n == 1 ? 1 : i] = pt_jinja_whole (value);
  }
  if (arguments->n == 0 || arguments->n > 3 || numbers[2] == 0)
    pt_jinja_fail (render, PT_ERROR_TYPE, "a range has two ends and a step.");
  for (gint64 at = numbers[0]; !pt_jinja_failed (render);) {
    if (numbers[2] > 0 ? at >= numbers[1] : at <= numbers[1])
      break;
    if (list.list->n == MAX_RANGE)
      pt_jinja_fail (render, PT_ERROR_ARGUMENT, "a range is too long.");
    pt_jinja_append (render, list.list, pt_jinja_int (at));
    if (__builtin_add_overflow (at, numbers[2], &at))
      break;
  }
  return list;
}

static void
put_named (PtJinjaRender *render, PtJinjaDict *dict, const PtJinjaArguments *arguments)
{
  for (guint i = 0; i < arguments->n_named; i++)
    pt_jinja_put (render, dict, arguments->names[i], arguments->named[i]);
}

static PtJinjaValue
new_mapping (PtJinjaRender *render, const PtJinjaArguments *arguments, PtJinjaKind kind)
{
  PtJinjaValue dict = pt_jinja_new_dict (render, kind);

  if (arguments->n > 0 && arguments->values[0].kind == PT_JINJA_DICT)
    for (guint i = 0; i < arguments->values[0].dict->n && !pt_jinja_failed (render); i++)
      pt_jinja_put (render, dict.dict, arguments->values[0].dict->keys[i],
                    arguments->values[0].dict->values[i]);
  else if (arguments->n > 0)
    pt_jinja_fail (render, PT_ERROR_UNSUPPORTED, "a mapping is made of %s.",
                   pt_jinja_kind_name (arguments->values[0].kind));
  put_named (render, dict.dict, arguments);
  return dict;
}

static PtJinjaValue
function_dict (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return new_mapping (render, arguments, PT_JINJA_DICT);
}

static PtJinjaValue
function_namespace (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return new_mapping (render, arguments, PT_JINJA_NAMESPACE);
}

static PtJinjaValue
function_raise_exception (PtJinjaRender *render, PtJinjaValue self,
                          const PtJinjaArguments *arguments)
{
  const PtJinjaText *text =
      pt_jinja_str (render, pt_jinja_argument_or (arguments, 0, "message", PT_JINJA_NOTHING));

  if (text != NULL)
    pt_jinja_fail (render, PT_ERROR_ARGUMENT, "it refuses this conversation: “%.*s”.",
                   (int) MIN (text->length, 300), text->bytes);
  return PT_JINJA_NOTHING;
}

static void
append_number (GString *out, int number, int width)
{
  g_string_append_printf (out, "%0*d", width, number);
}

/** Appends the part of the date for @letter; names are English in every locale. */
static void
append_date (GString *out, GDateTime *now, char letter, gboolean short_form)
{
  static const char *const months[] = { "January",   "February", "March",    "April",
                                        "May",       "June",     "July",     "August",
                                        "September", "October",  "November", "December" };
  static const char *const days[] = { "Monday", "Tuesday",  "Wednesday", "Thursday",
                                      "Friday", "Saturday", "Sunday" };
  const char *month = months[g_date_time_get_month (now) - 1];
  const char *day = days[g_date_time_get_day_of_week (now) - 1];
  int hour = g_date_time_get_hour (now), twelve = (hour + 11) % 12 + 1;
  int two = short_form ? 1 : 2;

  switch (letter) {
  case 'Y': g_string_append_printf (out, "%d", g_date_time_get_year (now)); break;
  case 'y': append_number (out, g_date_time_get_year (now) % 100, two); break;
  case 'm': append_number (out, g_date_time_get_month (now), two); break;
  case 'd': append_number (out, g_date_time_get_day_of_month (now), two); break;
  case 'e': g_string_append_printf (out, "%2d", g_date_time_get_day_of_month (now)); break;
  case 'H': append_number (out, hour, two); break;
  case 'I': append_number (out, twelve, two); break;
  case 'M': append_number (out, g_date_time_get_minute (now), two); break;
  case 'S': append_number (out, g_date_time_get_second (now), two); break;
  case 'j': append_number (out, g_date_time_get_day_of_year (now), short_form ? 1 : 3); break;
  case 'p': g_string_append (out, hour < 12 ? "AM" : "PM"); break;
  case 'B': g_string_append (out, month); break;
  case 'b':
  case 'h': g_string_append_len (out, month, 3); break;
  case 'A': g_string_append (out, day); break;
  case 'a': g_string_append_len (out, day, 3); break;
  case 'F':
    g_string_append_printf (out, "%d-%02d-%02d", g_date_time_get_year (now),
                            g_date_time_get_month (now), g_date_time_get_day_of_month (now));
    break;
  case 'T':
    g_string_append_printf (out, "%02d:%02d:%02d", hour, g_date_time_get_minute (now),
                            g_date_time_get_second (now));
    break;
  case '%': g_string_append_c (out, '%'); break;
  default: g_string_append_printf (out, "%%%c", letter); break;
  }
}

static PtJinjaValue
function_strftime_now (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  PtJinjaValue format = pt_jinja_argument_or (arguments, 0, "format", PT_JINJA_NOTHING);
  g_autoptr (GString) out = g_string_new (NULL);

  if (format.kind != PT_JINJA_TEXT || !pt_jinja_step (render, format.text->length))
    return PT_JINJA_NOTHING;
  for (gsize i = 0; i < format.text->length; i++) {
    const char *at = format.text->bytes + i;
    gsize left = format.text->length - i;
    gboolean short_form = left > 2 && at[0] == '%' && at[1] == '-';

    if (*at != '%' || left < 2 || (guint8) at[1 + short_form] >= 0x80) {
      g_string_append_c (out, *at);
      continue;
    }
    append_date (out, render->now, at[1 + short_form], short_form);
    i += 1 + (gsize) short_form;
  }
  return pt_jinja_new_text (render, out->str, (gssize) out->len, PT_JINJA_TEMPLATE);
}

const PtJinjaBuiltin pt_jinja_functions[] = {
  { "range", function_range },
  { "dict", function_dict },
  { "namespace", function_namespace },
  { "raise_exception", function_raise_exception },
  { "strftime_now", function_strftime_now },
  { NULL, NULL },
};
