/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/speech/transcript-edit.h"

#include <string.h>

#include "ui/history/history-store.h"

/* Shortest segment in seconds: a shorter one could not be clicked or read. */
#define MIN_LENGTH 0.05

static PterisSegment *
segment_at (PterisTranscript *self, guint position)
{
  return g_list_model_get_item (pteris_transcript_get_segments (self), position);
}

void
pteris_transcript_edit (PterisTranscript *self, guint position, const char *text, double start,
                        double end)
{
  g_autoptr (PterisSegment) old = segment_at (self, position);
  g_autoptr (PterisSegment) new = NULL;

  g_return_if_fail (old != NULL);

  start = MAX (start, 0);
  end = MAX (end, start + MIN_LENGTH);
  new = pteris_segment_new (pteris_segment_get_id (old), start, end, text);
  pteris_segment_set_speaker (new, pteris_segment_get_speaker (old));
  if (pteris_segment_get_text (new)[0] == '\0') {
    pteris_transcript_remove (self, position);
    return;
  }
  if (g_str_equal (pteris_segment_get_text (new), pteris_segment_get_text (old))) {
    g_autofree char *doubts = pteris_segment_write_doubts (old);

    if (ABS (start - pteris_segment_get_start (old)) < 0.001 &&
        ABS (end - pteris_segment_get_end (old)) < 0.001)
      return;
    pteris_segment_read_doubts (new, doubts);
  }
  pteris_transcript_splice (self, position, 1, &new, 1);
}

gboolean
pteris_transcript_split (PterisTranscript *self, guint position, const char *text, gsize offset)
{
  g_autoptr (PterisSegment) old = segment_at (self, position);
  gsize length = strlen (text);
  double start, end, middle;
  g_autofree char *head = g_strndup (text, MIN (offset, length));
  PterisSegment *halves[2];

  g_return_val_if_fail (old != NULL, FALSE);

  start = pteris_segment_get_start (old);
  end = pteris_segment_get_end (old);
  middle = start + (end - start) * (double) offset / (double) MAX (length, 1);
  halves[0] = pteris_segment_new (pteris_segment_get_id (old), start, middle, head);
  halves[1] = pteris_segment_new (pteris_store_new_id (), middle, end, text + MIN (offset, length));
  pteris_segment_set_speaker (halves[0], pteris_segment_get_speaker (old));
  pteris_segment_set_speaker (halves[1], pteris_segment_get_speaker (old));
  if (pteris_segment_get_text (halves[0])[0] == '\0' ||
      pteris_segment_get_text (halves[1])[0] == '\0') {
    g_object_unref (halves[0]);
    g_object_unref (halves[1]);
    return FALSE;
  }
  pteris_transcript_splice (self, position, 1, halves, 2);
  g_object_unref (halves[0]);
  g_object_unref (halves[1]);
  return TRUE;
}

gboolean
pteris_transcript_merge (PterisTranscript *self, guint position)
{
  g_autoptr (PterisSegment) first = segment_at (self, position);
  g_autoptr (PterisSegment) second = segment_at (self, position + 1);
  g_autoptr (PterisSegment) both = NULL;
  g_autofree char *text = NULL;

  if (first == NULL || second == NULL)
    return FALSE;
  text = g_strconcat (pteris_segment_get_text (first), " ", pteris_segment_get_text (second), NULL);
  both = pteris_segment_new (pteris_segment_get_id (first), pteris_segment_get_start (first),
                             MAX (pteris_segment_get_end (first), pteris_segment_get_end (second)),
                             text);
  pteris_segment_set_speaker (both, pteris_segment_get_speaker (first));
  pteris_transcript_splice (self, position, 2, &both, 1);
  return TRUE;
}

void
pteris_transcript_remove (PterisTranscript *self, guint position)
{
  pteris_transcript_splice (self, position, 1, NULL, 0);
}

/* ---- finding ---- */

static GRegex *
make_pattern (const char *query)
{
  g_autofree char *escaped = g_regex_escape_string (query, -1);

  return query[0] != '\0' ? g_regex_new (escaped, G_REGEX_CASELESS, 0, NULL) : NULL;
}

GArray *
pteris_transcript_find (PterisTranscript *self, const char *query)
{
  guint n = g_list_model_get_n_items (pteris_transcript_get_segments (self));
  GArray *found = g_array_new (FALSE, FALSE, sizeof (PterisMatch));
  g_autoptr (GRegex) pattern = make_pattern (query);

  for (guint i = 0; pattern != NULL && i < n; i++) {
    g_autoptr (PterisSegment) segment = segment_at (self, i);
    g_autoptr (GMatchInfo) info = NULL;
    int start, end;

    g_regex_match (pattern, pteris_segment_get_text (segment), 0, &info);
    for (; g_match_info_matches (info); g_match_info_next (info, NULL)) {
      PterisMatch match = { .position = i };

      g_match_info_fetch_pos (info, 0, &start, &end);
      match.start = (guint) start;
      match.length = (guint) (end - start);
      g_array_append_val (found, match);
    }
  }
  return found;
}

void
pteris_transcript_replace (PterisTranscript *self, const PterisMatch *match,
                           const char *replacement)
{
  g_autoptr (PterisSegment) segment = segment_at (self, match->position);
  GString *text = g_string_new (pteris_segment_get_text (segment));

  g_string_erase (text, match->start, match->length);
  g_string_insert (text, match->start, replacement);
  pteris_transcript_edit (self, match->position, text->str, pteris_segment_get_start (segment),
                          pteris_segment_get_end (segment));
  g_string_free (text, TRUE);
}

/* Makes the new segments for a range of changed ones; those without text are dropped. */
static GPtrArray *
replace_range (PterisTranscript *self, GRegex *pattern, const char *replacement, guint first,
               guint last)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = first; i <= last; i++) {
    g_autoptr (PterisSegment) old = segment_at (self, i);
    g_autofree char *text = g_regex_replace_literal (pattern, pteris_segment_get_text (old), -1, 0,
                                                     replacement, 0, NULL);
    g_autoptr (PterisSegment) new = NULL;

    if (text == NULL || g_str_equal (text, pteris_segment_get_text (old))) {
      g_ptr_array_add (list, g_steal_pointer (&old));
      continue;
    }
    new = pteris_segment_new (pteris_segment_get_id (old), pteris_segment_get_start (old),
                              pteris_segment_get_end (old), text);
    pteris_segment_set_speaker (new, pteris_segment_get_speaker (old));
    if (pteris_segment_get_text (new)[0] != '\0')
      g_ptr_array_add (list, g_steal_pointer (&new));
  }
  return list;
}

guint
pteris_transcript_replace_all (PterisTranscript *self, const char *query, const char *replacement)
{
  g_autoptr (GArray) found = pteris_transcript_find (self, query);
  g_autoptr (GRegex) pattern = make_pattern (query);
  g_autoptr (GPtrArray) list = NULL;
  guint first, last;

  if (found->len == 0)
    return 0;
  first = g_array_index (found, PterisMatch, 0).position;
  last = g_array_index (found, PterisMatch, found->len - 1).position;
  list = replace_range (self, pattern, replacement, first, last);
  pteris_transcript_splice (self, first, last - first + 1, (PterisSegment *const *) list->pdata,
                            list->len);
  return found->len;
}

char **
pteris_transcript_texts (PterisTranscript *self)
{
  guint n = g_list_model_get_n_items (pteris_transcript_get_segments (self));
  char **texts = g_new0 (char *, n + 1);

  for (guint i = 0; i < n; i++) {
    g_autoptr (PterisSegment) segment = segment_at (self, i);

    texts[i] = g_strdup (pteris_segment_get_text (segment));
  }
  return texts;
}

void
pteris_transcript_set_texts (PterisTranscript *self, const char *const *texts)
{
  guint n = g_list_model_get_n_items (pteris_transcript_get_segments (self));
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func (g_object_unref);
  gboolean differs = FALSE;

  g_return_if_fail (g_strv_length ((char **) texts) == n);

  for (guint i = 0; i < n; i++) {
    g_autoptr (PterisSegment) old = segment_at (self, i);

    if (g_str_equal (pteris_segment_get_text (old), texts[i])) {
      g_ptr_array_add (list, g_object_ref (old));
    } else {
      PterisSegment *new =
          pteris_segment_new (pteris_segment_get_id (old), pteris_segment_get_start (old),
                              pteris_segment_get_end (old), texts[i]);

      pteris_segment_set_speaker (new, pteris_segment_get_speaker (old));
      g_ptr_array_add (list, new);
      differs = TRUE;
    }
  }
  if (differs)
    pteris_transcript_splice (self, 0, n, (PterisSegment *const *) list->pdata, n);
}

int
pteris_transcript_find_time (PterisTranscript *self, double time)
{
  guint from = 0, to = g_list_model_get_n_items (pteris_transcript_get_segments (self));

  /* Binary search for the first segment that begins later. */
  while (from < to) {
    guint middle = from + (to - from) / 2;
    g_autoptr (PterisSegment) segment = segment_at (self, middle);

    if (pteris_segment_get_start (segment) <= time)
      from = middle + 1;
    else
      to = middle;
  }
  return (int) from - 1;
}
