/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/grammar/code-points.h"

GArray *
pt_code_points_new (void)
{
  return g_array_new (FALSE, FALSE, sizeof (PtCodeRange));
}

void
pt_code_points_add (GArray *set, guint32 low, guint32 high)
{
  PtCodeRange range = { low, high };

  g_array_append_val (set, range);
}

void
pt_code_points_add_all (GArray *set, const GArray *other)
{
  g_array_append_vals (set, other->data, other->len);
}

static int
compare (gconstpointer a, gconstpointer b)
{
  const PtCodeRange *x = a, *y = b;

  return x->low < y->low ? -1 : x->low > y->low;
}

void
pt_code_points_sort (GArray *set)
{
  PtCodeRange *ranges = (PtCodeRange *) (gpointer) set->data;
  guint n = 0;

  g_array_sort (set, compare);
  for (guint i = 0; i < set->len; i++) {
    if (n > 0 && ranges[i].low <= ranges[n - 1].high + 1)
      ranges[n - 1].high = MAX (ranges[n - 1].high, ranges[i].high);
    else
      ranges[n++] = ranges[i];
  }
  g_array_set_size (set, n);
}

void
pt_code_points_invert (GArray *set)
{
  g_autoptr (GArray) others = pt_code_points_new ();
  guint32 next = 0;

  for (guint i = 0; i < set->len; i++) {
    PtCodeRange range = g_array_index (set, PtCodeRange, i);

    if (range.low > next)
      pt_code_points_add (others, next, range.low - 1);
    next = range.high + 1;
  }
  if (next <= PT_MAX_CODE_POINT)
    pt_code_points_add (others, next, PT_MAX_CODE_POINT);
  g_array_set_size (set, 0);
  pt_code_points_add_all (set, others);
}

gboolean
pt_code_points_have (const GArray *set, guint32 point)
{
  for (guint i = 0; i < set->len; i++) {
    PtCodeRange range = g_array_index (set, PtCodeRange, i);

    if (point >= range.low && point <= range.high)
      return TRUE;
  }
  return FALSE;
}
