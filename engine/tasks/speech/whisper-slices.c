/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speech/whisper-slices.h"

/* The least advance: a model that ends a segment at the same place again and again must not stop
   progress. */
#define MIN_ADVANCE 50

static gboolean
is_time (const PtWhisperTokens *tokens, gint32 id)
{
  return tokens->n_timestamps > 0 && id >= tokens->first_timestamp;
}

static guint
units (const PtWhisperTokens *tokens, gint32 id, guint n_units)
{
  return MIN ((guint) (id - tokens->first_timestamp), n_units);
}

static void
add (GArray *slices, guint first, guint end, guint from, guint to)
{
  PtWhisperSlice slice = { first, end - first, from, MAX (from, to) };

  g_array_append_val (slices, slice);
}

/* Adds the ids [first, end) between two timestamps, or without a first timestamp. */
static void
add_between (const PtWhisperTokens *tokens, const gint32 *ids, guint first, guint end,
             guint n_units, GArray *slices)
{
  guint from = is_time (tokens, ids[first]) ? units (tokens, ids[first], n_units) : 0;
  guint to = is_time (tokens, ids[end - 1]) ? units (tokens, ids[end - 1], n_units) : n_units;

  if (end - first == 1 && is_time (tokens, ids[first]))
    return;
  add (slices, first, end, from, to);
}

/* Adds all ids as one segment, if none is known to be complete. */
static void
add_whole (const PtWhisperTokens *tokens, const gint32 *ids, guint n, guint n_units, GArray *slices)
{
  guint from = 0, to = n_units, i;

  if (n == 0)
    return;
  if (is_time (tokens, ids[0]))
    from = units (tokens, ids[0], n_units);
  for (i = 1; i < n; i++) {
    if (is_time (tokens, ids[i]) && units (tokens, ids[i], n_units) > from)
      to = units (tokens, ids[i], n_units);
  }
  add (slices, 0, n, from, to);
}

guint
pt_whisper_slice (const PtWhisperTokens *tokens, const gint32 *ids, guint n, guint n_units,
                  gboolean is_cut, GArray *slices)
{
  gboolean ends_single = n >= 2 && is_time (tokens, ids[n - 1]) && !is_time (tokens, ids[n - 2]);
  guint last = 0, advance, i;

  g_array_set_size (slices, 0);
  for (i = 1; i < n; i++) {
    if (!is_time (tokens, ids[i - 1]) || !is_time (tokens, ids[i]))
      continue;
    add_between (tokens, ids, last, i, n_units, slices);
    last = i;
  }
  if (last == 0 && is_cut && !ends_single)
    return 0;
  if (last == 0)
    add_whole (tokens, ids, n, n_units, slices);
  else if (ends_single)
    add_between (tokens, ids, last, n, n_units, slices);
  if (ends_single && is_cut)
    advance = units (tokens, ids[n - 1], n_units);
  else
    advance = last == 0 || ends_single ? n_units : units (tokens, ids[last - 1], n_units);
  return MIN (MAX (advance, MIN_ADVANCE), n_units);
}
