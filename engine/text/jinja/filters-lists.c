/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/text/jinja/render.h"

/** Looks up a path of attributes: value.a.b.0 for "a.b.0", or for a number. */
static PtJinjaValue
by_path (PtJinjaRender *render, PtJinjaValue value, PtJinjaValue path)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) names = NULL;

  if (path.kind != PT_JINJA_TEXT)
    return pt_jinja_item (render, value, path);
  if (!pt_jinja_step (render, 1 + path.text->length))
    return PT_JINJA_NOTHING;
  text = g_strndup (path.text->bytes, path.text->length);
  names = g_strsplit (text, ".", -1);
  for (guint i = 0; names[i] != NULL && !pt_jinja_failed (render); i++) {
    gboolean number = names[i][0] != '\0' && strspn (names[i], "0123456789") == strlen (names[i]);

    value = pt_jinja_item (render, value,
                           number ? pt_jinja_int (g_ascii_strtoll (names[i], NULL, 10))
                                  : pt_jinja_new_text (render, names[i], -1, PT_JINJA_TEMPLATE));
  }
  return value;
}

/** The key of an item: an attribute if the filter names one, else the item. */
static PtJinjaValue
key_of (PtJinjaRender *render, PtJinjaValue item, PtJinjaValue attribute, gboolean fold)
{
  if (attribute.kind != PT_JINJA_NONE)
    item = by_path (render, item, attribute);
  return fold && item.kind == PT_JINJA_TEXT
             ? pt_jinja_change_case (render, item.text, PT_JINJA_LOWER)
             : item;
}

/* ---- one item, or their number ---- */

static PtJinjaValue
filter_length (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  switch (self.kind) {
  case PT_JINJA_UNDEFINED: return pt_jinja_int (0);
  case PT_JINJA_TEXT: return pt_jinja_int ((gint64) pt_jinja_text_count (render, self.text));
  case PT_JINJA_LIST:
  case PT_JINJA_TUPLE: return pt_jinja_int (self.list->n);
  case PT_JINJA_DICT: return pt_jinja_int (self.dict->n);
  default:
    pt_jinja_fail (render, PT_ERROR_TYPE, "%s has no length.", pt_jinja_kind_name (self.kind));
    return PT_JINJA_NOTHING;
  }
}

static PtJinjaValue
filter_first (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  const PtJinjaList *items = pt_jinja_items (render, self);

  return items != NULL && items->n > 0 ? items->items[0] : PT_JINJA_NOTHING;
}

static PtJinjaValue
filter_last (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  const PtJinjaList *items = pt_jinja_items (render, self);

  return items != NULL && items->n > 0 ? items->items[items->n - 1] : PT_JINJA_NOTHING;
}

static PtJinjaValue
extreme (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments, int sign)
{
  const PtJinjaList *items = pt_jinja_items (render, self);
  PtJinjaValue exact = pt_jinja_argument_or (arguments, 0, "case_sensitive", PT_JINJA_NULL);
  PtJinjaValue attribute = pt_jinja_argument_or (arguments, 1, "attribute", PT_JINJA_NULL);
  gboolean fold = !pt_jinja_is_true (exact);
  PtJinjaValue best = PT_JINJA_NOTHING, best_key = PT_JINJA_NOTHING;

  for (guint i = 0; items != NULL && i < items->n && !pt_jinja_failed (render); i++) {
    PtJinjaValue key = key_of (render, items->items[i], attribute, fold);

    if (i == 0 || sign * pt_jinja_compare (render, key, best_key) > 0) {
      best = items->items[i];
      best_key = key;
    }
  }
  return best;
}

static PtJinjaValue
filter_max (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return extreme (render, self, arguments, 1);
}

static PtJinjaValue
filter_min (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return extreme (render, self, arguments, -1);
}

static PtJinjaValue
filter_sum (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  const PtJinjaList *items = pt_jinja_items (render, self);
  PtJinjaValue attribute = pt_jinja_argument_or (arguments, 0, "attribute", PT_JINJA_NULL);
  PtJinjaValue sum = pt_jinja_argument_or (arguments, 1, "start", pt_jinja_int (0));

  for (guint i = 0; items != NULL && i < items->n && !pt_jinja_failed (render); i++)
    sum = pt_jinja_operate (render, '+', sum, key_of (render, items->items[i], attribute, FALSE));
  return sum;
}

static PtJinjaValue
filter_join (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  const PtJinjaList *items = pt_jinja_items (render, self);
  PtJinjaValue attribute = pt_jinja_argument_or (arguments, 1, "attribute", PT_JINJA_NULL);
  PtJinjaValue separator = pt_jinja_argument_or (
      arguments, 0, "d", pt_jinja_new_text (render, "", 0, PT_JINJA_TEMPLATE));
  PtJinjaValue list = pt_jinja_new_list (render, PT_JINJA_LIST);
  const PtJinjaText *between = pt_jinja_str (render, separator);

  for (guint i = 0; items != NULL && i < items->n && !pt_jinja_failed (render); i++)
    pt_jinja_append (render, list.list, key_of (render, items->items[i], attribute, FALSE));
  return pt_jinja_failed (render) ? PT_JINJA_NOTHING : pt_jinja_join (render, between, list.list);
}

/* ---- all items, in some order ---- */

static PtJinjaValue
copy_items (PtJinjaRender *render, PtJinjaValue self, PtJinjaKind kind)
{
  const PtJinjaList *items = pt_jinja_items (render, self);
  PtJinjaValue list = pt_jinja_new_list (render, kind);

  for (guint i = 0; items != NULL && i < items->n && !pt_jinja_failed (render); i++)
    pt_jinja_append (render, list.list, items->items[i]);
  return list;
}

static PtJinjaValue
filter_list (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return copy_items (render, self, PT_JINJA_LIST);
}

static PtJinjaValue
filter_items (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  if (self.kind == PT_JINJA_UNDEFINED)
    return pt_jinja_new_list (render, PT_JINJA_GENERATOR);
  if (self.kind == PT_JINJA_DICT)
    return pt_jinja_pairs (render, self.dict, PT_JINJA_GENERATOR);
  pt_jinja_fail (render, PT_ERROR_TYPE, "%s has no items.", pt_jinja_kind_name (self.kind));
  return PT_JINJA_NOTHING;
}

static PtJinjaValue
filter_reverse (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  const PtJinjaValue backwards[3] = { PT_JINJA_NULL, PT_JINJA_NULL, pt_jinja_int (-1) };

  if (self.kind == PT_JINJA_TEXT)
    return pt_jinja_slice (render, self, backwards);
  return pt_jinja_slice (render, copy_items (render, self, PT_JINJA_GENERATOR), backwards);
}

/* An item and its sort key. */
typedef struct {
  PtJinjaValue key, item;
  guint place;
} Sorted;

typedef struct {
  PtJinjaRender *render;
  int sign;
} Order;

static int
compare_sorted (gconstpointer a, gconstpointer b, gpointer user_data)
{
  const Order *order = user_data;
  const Sorted *x = a, *y = b;
  int way = pt_jinja_failed (order->render)
                ? 0
                : order->sign * pt_jinja_compare (order->render, x->key, y->key);

  return way != 0 ? way : x->place < y->place ? -1 : 1;
}

/** Sorts @list by @keys, which has the same number of items. */
static PtJinjaValue
sort_list (PtJinjaRender *render, const PtJinjaList *items, const PtJinjaList *keys,
           gboolean reverse)
{
  Order order = { render, reverse ? -1 : 1 };
  PtJinjaValue list = pt_jinja_new_list (render, PT_JINJA_LIST);
  Sorted *sorted = pt_jinja_take (render, items->n, sizeof *sorted);

  if (sorted == NULL)
    return PT_JINJA_NOTHING;
  for (guint i = 0; i < items->n; i++)
    sorted[i] = (Sorted){ keys->items[i], items->items[i], i };
  g_qsort_with_data (sorted, (gint) items->n, sizeof *sorted, compare_sorted, &order);
  for (guint i = 0; i < items->n && !pt_jinja_failed (render); i++)
    pt_jinja_append (render, list.list, sorted[i].item);
  return list;
}

static PtJinjaValue
filter_sort (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  const PtJinjaList *items = pt_jinja_items (render, self);
  PtJinjaValue reverse = pt_jinja_argument_or (arguments, 0, "reverse", PT_JINJA_NULL);
  PtJinjaValue exact = pt_jinja_argument_or (arguments, 1, "case_sensitive", PT_JINJA_NULL);
  PtJinjaValue attribute = pt_jinja_argument_or (arguments, 2, "attribute", PT_JINJA_NULL);
  PtJinjaValue keys = pt_jinja_new_list (render, PT_JINJA_LIST);
  gboolean fold = !pt_jinja_is_true (exact);

  for (guint i = 0; items != NULL && i < items->n && !pt_jinja_failed (render); i++)
    pt_jinja_append (render, keys.list, key_of (render, items->items[i], attribute, fold));
  if (pt_jinja_failed (render))
    return PT_JINJA_NOTHING;
  return sort_list (render, items, keys.list, pt_jinja_is_true (reverse));
}

static PtJinjaValue
filter_dictsort (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  PtJinjaValue exact = pt_jinja_argument_or (arguments, 0, "case_sensitive", PT_JINJA_NULL);
  PtJinjaValue by = pt_jinja_argument_or (arguments, 1, "by", PT_JINJA_NULL);
  PtJinjaValue reverse = pt_jinja_argument_or (arguments, 2, "reverse", PT_JINJA_NULL);
  gboolean values = by.kind == PT_JINJA_TEXT && pt_jinja_text_is (by.text, "value");
  PtJinjaValue pairs, keys = pt_jinja_new_list (render, PT_JINJA_LIST);

  if (self.kind != PT_JINJA_DICT) {
    pt_jinja_fail (render, PT_ERROR_TYPE, "%s is no mapping.", pt_jinja_kind_name (self.kind));
    return PT_JINJA_NOTHING;
  }
  pairs = pt_jinja_pairs (render, self.dict, PT_JINJA_LIST);
  for (guint i = 0; i < self.dict->n && !pt_jinja_failed (render); i++)
    pt_jinja_append (render, keys.list,
                     key_of (render, values ? self.dict->values[i] : self.dict->keys[i],
                             PT_JINJA_NULL, !pt_jinja_is_true (exact)));
  if (pt_jinja_failed (render))
    return PT_JINJA_NOTHING;
  return sort_list (render, pairs.list, keys.list, pt_jinja_is_true (reverse));
}

static PtJinjaValue
filter_unique (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  const PtJinjaList *items = pt_jinja_items (render, self);
  PtJinjaValue exact = pt_jinja_argument_or (arguments, 0, "case_sensitive", PT_JINJA_NULL);
  PtJinjaValue attribute = pt_jinja_argument_or (arguments, 1, "attribute", PT_JINJA_NULL);
  PtJinjaValue list = pt_jinja_new_list (render, PT_JINJA_GENERATOR);
  PtJinjaValue seen = pt_jinja_new_list (render, PT_JINJA_LIST);

  for (guint i = 0; items != NULL && i < items->n && !pt_jinja_failed (render); i++) {
    PtJinjaValue key = key_of (render, items->items[i], attribute, !pt_jinja_is_true (exact));

    if (pt_jinja_contains (render, seen, key))
      continue;
    pt_jinja_append (render, seen.list, key);
    pt_jinja_append (render, list.list, items->items[i]);
  }
  return list;
}

/* ---- selecting and mapping items ---- */

/** The items of the value; none if it is false, whatever its kind. */
static const PtJinjaList *
items_if_any (PtJinjaRender *render, PtJinjaValue self)
{
  return pt_jinja_is_true (self) ? pt_jinja_items (render, self) : NULL;
}

/** The arguments behind the first @n. */
static PtJinjaArguments
rest_of (const PtJinjaArguments *arguments, guint n)
{
  PtJinjaArguments rest = *arguments;

  n = MIN (n, rest.n);
  rest.values += n;
  rest.n -= n;
  return rest;
}

/**
 * Selects the items for which a test returns @wanted: the test that the arguments name, else truth.
 * @by_attribute: the test is applied to an attribute, which the first argument names.
 */
static PtJinjaValue
choose (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments,
        gboolean by_attribute, gboolean wanted)
{
  const PtJinjaList *items = items_if_any (render, self);
  PtJinjaValue list = pt_jinja_new_list (render, PT_JINJA_GENERATOR);
  guint n = by_attribute ? 1 : 0;
  PtJinjaArguments rest = rest_of (arguments, n + 1);
  g_autofree char *test = NULL;

  if (arguments->n < n) {
    pt_jinja_fail (render, PT_ERROR_TYPE, "the name of an attribute is missing.");
    return PT_JINJA_NOTHING;
  }
  if (arguments->n > n && arguments->values[n].kind == PT_JINJA_TEXT)
    test = g_strndup (arguments->values[n].text->bytes, arguments->values[n].text->length);
  for (guint i = 0; items != NULL && i < items->n && !pt_jinja_failed (render); i++) {
    PtJinjaValue value = items->items[i];
    gboolean holds;

    if (by_attribute)
      value = by_path (render, value, arguments->values[0]);
    holds = test != NULL ? pt_jinja_test (render, test, value, &rest) : pt_jinja_is_true (value);
    if (!holds == !wanted)
      pt_jinja_append (render, list.list, items->items[i]);
  }
  return list;
}

static PtJinjaValue
filter_select (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return choose (render, self, arguments, FALSE, TRUE);
}

static PtJinjaValue
filter_reject (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return choose (render, self, arguments, FALSE, FALSE);
}

static PtJinjaValue
filter_selectattr (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return choose (render, self, arguments, TRUE, TRUE);
}

static PtJinjaValue
filter_rejectattr (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return choose (render, self, arguments, TRUE, FALSE);
}

static PtJinjaFunc
filter_by_argument (PtJinjaRender *render, const PtJinjaArguments *arguments)
{
  g_autofree char *name = NULL;
  PtJinjaFunc func = NULL;

  if (arguments->n > 0 && arguments->values[0].kind == PT_JINJA_TEXT) {
    name = g_strndup (arguments->values[0].text->bytes, arguments->values[0].text->length);
    func = pt_jinja_find_filter (name);
  }
  if (func == NULL)
    pt_jinja_fail (render, PT_ERROR_UNSUPPORTED, "there is no filter “%.64s”.",
                   name != NULL ? name : "");
  return func;
}

static PtJinjaValue
filter_map (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  const PtJinjaList *items = items_if_any (render, self);
  PtJinjaValue list = pt_jinja_new_list (render, PT_JINJA_GENERATOR);
  PtJinjaArguments rest = rest_of (arguments, 1);
  PtJinjaValue attribute = PT_JINJA_NULL;
  PtJinjaValue fallback = pt_jinja_argument_or (&rest, G_MAXUINT, "default", PT_JINJA_NOTHING);
  PtJinjaFunc func = NULL;

  if (!pt_jinja_argument (arguments, G_MAXUINT, "attribute", &attribute))
    func = filter_by_argument (render, arguments);
  if (!pt_jinja_enter (render))
    return PT_JINJA_NOTHING;
  for (guint i = 0; items != NULL && i < items->n && !pt_jinja_failed (render); i++) {
    PtJinjaValue value = items->items[i];

    if (func != NULL)
      value = func (render, value, &rest);
    else
      value = by_path (render, value, attribute);
    if (func == NULL && value.kind == PT_JINJA_UNDEFINED)
      value = fallback;
    pt_jinja_append (render, list.list, value);
  }
  pt_jinja_leave (render);
  return list;
}

static PtJinjaValue
filter_attr (PtJinjaRender *render, PtJinjaValue self, const PtJinjaArguments *arguments)
{
  return by_path (render, self, pt_jinja_argument_or (arguments, 0, "name", PT_JINJA_NULL));
}

const PtJinjaBuiltin pt_jinja_list_filters[] = {
  { "length", filter_length },
  { "count", filter_length },
  { "first", filter_first },
  { "last", filter_last },
  { "max", filter_max },
  { "min", filter_min },
  { "sum", filter_sum },
  { "join", filter_join },
  { "list", filter_list },
  { "items", filter_items },
  { "reverse", filter_reverse },
  { "sort", filter_sort },
  { "dictsort", filter_dictsort },
  { "unique", filter_unique },
  { "select", filter_select },
  { "reject", filter_reject },
  { "selectattr", filter_selectattr },
  { "rejectattr", filter_rejectattr },
  { "map", filter_map },
  { "attr", filter_attr },
  { NULL, NULL },
};
