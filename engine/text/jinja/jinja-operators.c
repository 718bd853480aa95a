/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>

#include "engine/text/jinja/render.h"

/* Most items of a list times a number. */
#define MAX_ITEMS 1000000

static PtJinjaValue
wrong (PtJinjaRender *self, PtJinjaValue a, PtJinjaValue b)
{
  pt_jinja_fail (self, PT_ERROR_TYPE, "one cannot calculate with %s and %s.",
                 pt_jinja_kind_name (a.kind), pt_jinja_kind_name (b.kind));
  return PT_JINJA_NOTHING;
}

static PtJinjaValue
too_large (PtJinjaRender *self)
{
  pt_jinja_fail (self, PT_ERROR_UNSUPPORTED, "a number becomes too large.");
  return PT_JINJA_NOTHING;
}

/* ---- numbers ---- */

static PtJinjaValue
power (PtJinjaRender *self, gint64 base, gint64 exponent)
{
  gint64 result = 1;

  if (exponent < 0)
    return pt_jinja_float (pow ((double) base, (double) exponent));
  /* All other bases overflow soon. */
  if (base == 0 || base == 1 || base == -1)
    return pt_jinja_int (exponent == 0 ? 1 : base == -1 && exponent % 2 == 0 ? 1 : base);
  while (exponent-- > 0)
    if (__builtin_mul_overflow (result, base, &result))
      return too_large (self);
  return pt_jinja_int (result);
}

static PtJinjaValue
calculate_whole (PtJinjaRender *self, int op, gint64 a, gint64 b)
{
  gint64 result = 0;

  switch (op) {
  case '+':
    return __builtin_add_overflow (a, b, &result) ? too_large (self) : pt_jinja_int (result);
  case '-':
    return __builtin_sub_overflow (a, b, &result) ? too_large (self) : pt_jinja_int (result);
  case '*':
    return __builtin_mul_overflow (a, b, &result) ? too_large (self) : pt_jinja_int (result);
  case PT_JINJA_POW: return power (self, a, b);
  default: break;
  }
  if (b == 0) {
    pt_jinja_fail (self, PT_ERROR_ARGUMENT, "a number is divided by zero.");
    return PT_JINJA_NOTHING;
  }
  if (op == '/')
    return pt_jinja_float ((double) a / (double) b);
  if (b == -1)
    return op == '%' ? pt_jinja_int (0) : a == G_MININT64 ? too_large (self) : pt_jinja_int (-a);
  /* Rounds down, like Python. */
  result = a / b - (a % b != 0 && (a < 0) != (b < 0));
  return pt_jinja_int (op == '%' ? a - result * b : result);
}

static PtJinjaValue
calculate_real (PtJinjaRender *self, int op, double a, double b)
{
  switch (op) {
  case '+': return pt_jinja_float (a + b);
  case '-': return pt_jinja_float (a - b);
  case '*': return pt_jinja_float (a * b);
  case PT_JINJA_POW: return pt_jinja_float (pow (a, b));
  default: break;
  }
  if (b == 0) {
    pt_jinja_fail (self, PT_ERROR_ARGUMENT, "a number is divided by zero.");
    return PT_JINJA_NOTHING;
  }
  if (op == '/')
    return pt_jinja_float (a / b);
  if (op == PT_JINJA_FLOORDIV)
    return pt_jinja_float (floor (a / b));
  a = fmod (a, b);
  return pt_jinja_float (a != 0 && (a < 0) != (b < 0) ? a + b : a);
}

PtJinjaValue
pt_jinja_negate (PtJinjaRender *self, PtJinjaValue value)
{
  if (value.kind == PT_JINJA_FLOAT)
    return pt_jinja_float (-value.real);
  return pt_jinja_operate (self, '-', pt_jinja_int (0), value);
}

/* ---- texts and lists ---- */

static PtJinjaValue
join_texts (PtJinjaRender *self, const PtJinjaText *a, const PtJinjaText *b)
{
  PtJinjaBuilder builder;

  pt_jinja_builder_init (&builder, self);
  pt_jinja_build_slice (&builder, a, 0, a->length);
  pt_jinja_build_slice (&builder, b, 0, b->length);
  return pt_jinja_built (&builder);
}

static PtJinjaValue
join_lists (PtJinjaRender *self, PtJinjaValue a, PtJinjaValue b)
{
  PtJinjaValue list = pt_jinja_new_list (self, a.kind);

  for (guint i = 0; i < a.list->n && !pt_jinja_failed (self); i++)
    pt_jinja_append (self, list.list, a.list->items[i]);
  for (guint i = 0, n = b.list->n; i < n && !pt_jinja_failed (self); i++)
    pt_jinja_append (self, list.list, b.list->items[i]);
  return list;
}

static PtJinjaValue
repeat (PtJinjaRender *self, PtJinjaValue value, gint64 n)
{
  PtJinjaBuilder builder;
  PtJinjaValue list;

  if (n > MAX_ITEMS)
    return too_large (self);
  if (value.kind == PT_JINJA_TEXT) {
    pt_jinja_builder_init (&builder, self);
    for (gint64 i = 0; i < n && !pt_jinja_failed (self); i++)
      pt_jinja_build_slice (&builder, value.text, 0, value.text->length);
    return pt_jinja_built (&builder);
  }
  list = pt_jinja_new_list (self, value.kind);
  for (gint64 i = 0; i < n && pt_jinja_step (self, 1); i++)
    for (guint k = 0; k < value.list->n && !pt_jinja_failed (self); k++)
      pt_jinja_append (self, list.list, value.list->items[k]);
  return list;
}

static gboolean
is_sequence (PtJinjaValue value)
{
  return value.kind == PT_JINJA_TEXT || value.kind == PT_JINJA_LIST || value.kind == PT_JINJA_TUPLE;
}

static gboolean
is_whole (PtJinjaValue value)
{
  return value.kind == PT_JINJA_INT || value.kind == PT_JINJA_BOOL;
}

PtJinjaValue
pt_jinja_operate (PtJinjaRender *self, int op, PtJinjaValue a, PtJinjaValue b)
{
  if (pt_jinja_failed (self))
    return PT_JINJA_NOTHING;
  if (pt_jinja_is_number (a) && pt_jinja_is_number (b)) {
    if (a.kind == PT_JINJA_FLOAT || b.kind == PT_JINJA_FLOAT)
      return calculate_real (self, op, pt_jinja_real (a), pt_jinja_real (b));
    return calculate_whole (self, op, pt_jinja_whole (a), pt_jinja_whole (b));
  }
  if (op == '+' && is_sequence (a) && a.kind == b.kind)
    return a.kind == PT_JINJA_TEXT ? join_texts (self, a.text, b.text) : join_lists (self, a, b);
  if (op == '*' && is_sequence (a) && is_whole (b))
    return repeat (self, a, pt_jinja_whole (b));
  if (op == '*' && is_whole (a) && is_sequence (b))
    return repeat (self, b, pt_jinja_whole (a));
  return wrong (self, a, b);
}

gboolean
pt_jinja_holds (PtJinjaRender *self, int op, PtJinjaValue a, PtJinjaValue b)
{
  switch (op) {
  case PT_JINJA_EQ: return pt_jinja_equal (self, a, b);
  case PT_JINJA_NE: return !pt_jinja_equal (self, a, b);
  case PT_JINJA_IN: return pt_jinja_contains (self, b, a);
  case PT_JINJA_NOT_IN: return !pt_jinja_contains (self, b, a);
  case '<': return pt_jinja_compare (self, a, b) < 0;
  case PT_JINJA_LE: return pt_jinja_compare (self, a, b) <= 0;
  case '>': return pt_jinja_compare (self, a, b) > 0;
  default: return pt_jinja_compare (self, a, b) >= 0;
  }
}

/* ---- slices ---- */

typedef struct {
  gint64 begin, end, step;
} Range;

static gboolean
get_range (PtJinjaRender *self, const PtJinjaValue parts[3], gint64 n, Range *range)
{
  gint64 low, high;

  for (guint i = 0; i < 3; i++)
    if (parts[i].kind != PT_JINJA_NONE && !is_whole (parts[i])) {
      pt_jinja_fail (self, PT_ERROR_TYPE, "a slice goes by whole numbers only.");
      return FALSE;
    }
  range->step = parts[2].kind == PT_JINJA_NONE ? 1 : pt_jinja_whole (parts[2]);
  if (range->step == 0) {
    pt_jinja_fail (self, PT_ERROR_ARGUMENT, "a slice has steps of zero.");
    return FALSE;
  }
  range->step = CLAMP (range->step, -(gint64) G_MAXINT32, (gint64) G_MAXINT32);
  low = range->step < 0 ? -1 : 0;
  high = range->step < 0 ? n - 1 : n;
  range->begin = range->step < 0 ? high : low;
  range->end = range->step < 0 ? low : high;
  if (parts[0].kind != PT_JINJA_NONE) {
    gint64 begin = pt_jinja_whole (parts[0]);

    range->begin = CLAMP (begin < 0 ? begin + n : begin, low, high);
  }
  if (parts[1].kind != PT_JINJA_NONE) {
    gint64 end = pt_jinja_whole (parts[1]);

    range->end = CLAMP (end < 0 ? end + n : end, low, high);
  }
  return TRUE;
}

static gboolean
goes_on (const Range *range, gint64 at)
{
  return range->step > 0 ? at < range->end : at > range->end;
}

static PtJinjaValue
slice_text (PtJinjaRender *self, const PtJinjaText *text, const PtJinjaValue parts[3])
{
  gint64 n = (gint64) pt_jinja_text_count (self, text);
  Range range;
  PtJinjaValue characters;
  PtJinjaBuilder builder;

  if (pt_jinja_failed (self) || !get_range (self, parts, n, &range))
    return PT_JINJA_NOTHING;
  if (range.step == 1) {
    const char *begin = g_utf8_offset_to_pointer (text->bytes, (glong) range.begin);
    const char *end = g_utf8_offset_to_pointer (begin, (glong) MAX (range.end - range.begin, 0));

    return pt_jinja_slice_text (self, text, (gsize) (begin - text->bytes),
                                (gsize) (end - text->bytes));
  }
  characters =
      (PtJinjaValue){ .kind = PT_JINJA_LIST, .list = pt_jinja_items (self, pt_jinja_text (text)) };
  if (characters.list == NULL)
    return PT_JINJA_NOTHING;
  pt_jinja_builder_init (&builder, self);
  for (gint64 i = range.begin; goes_on (&range, i) && !pt_jinja_failed (self); i += range.step)
    pt_jinja_build_str (&builder, characters.list->items[i]);
  return pt_jinja_built (&builder);
}

PtJinjaValue
pt_jinja_slice (PtJinjaRender *self, PtJinjaValue value, const PtJinjaValue parts[3])
{
  PtJinjaValue list;
  Range range;

  if (pt_jinja_failed (self))
    return PT_JINJA_NOTHING;
  if (value.kind == PT_JINJA_TEXT)
    return slice_text (self, value.text, parts);
  if (!pt_jinja_is_list (value)) {
    pt_jinja_fail (self, PT_ERROR_TYPE, "%s has no slices.", pt_jinja_kind_name (value.kind));
    return PT_JINJA_NOTHING;
  }
  list = pt_jinja_new_list (self, value.kind);
  if (!get_range (self, parts, value.list->n, &range))
    return PT_JINJA_NOTHING;
  for (gint64 i = range.begin; goes_on (&range, i) && !pt_jinja_failed (self); i += range.step)
    pt_jinja_append (self, list.list, value.list->items[i]);
  return list;
}
