/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/transcript-store.h"

#include <jansson.h>
#include <string.h>

#include "ui/store.h"

/* A file may hold any number of rows; so many segments are read at once. */
#define MAX_SEGMENTS 100000

/* Characters of JSON in one row. */
#define MAX_JSON (64 * 1024)

/* 1000 hours: of a recording, and of the work on it. */
#define MAX_SECONDS 3.6e6

static char *
write_stats (const PtStats *stats)
{
  json_t *json =
      json_pack ("{s:s, s:f, s:f, s:f}", "language", stats->language, "audio_s", stats->audio_s,
                 "audio_total_s", stats->audio_total_s, "elapsed_s", stats->elapsed_s);
  char *text = json_dumps (json, JSON_COMPACT);
  char *copy = g_strdup (text);

  free (text);
  json_decref (json);
  return copy;
}

static double
seconds (double number)
{
  return number >= 0 ? MIN (number, MAX_SECONDS) : 0;
}

static PtStats
read_stats (const char *text)
{
  json_t *json = text != NULL && strlen (text) <= MAX_JSON ? json_loads (text, 0, NULL) : NULL;
  const char *language = json_string_value (json_object_get (json, "language"));
  PtStats stats = {
    .audio_s = seconds (json_number_value (json_object_get (json, "audio_s"))),
    .audio_total_s = seconds (json_number_value (json_object_get (json, "audio_total_s"))),
    .elapsed_s = seconds (json_number_value (json_object_get (json, "elapsed_s"))),
  };

  if (language != NULL)
    g_strlcpy (stats.language, language, sizeof stats.language);
  json_decref (json);
  return stats;
}

/* ---- writing ---- */

void
pteris_transcript_store_save (PterisTranscript *transcript)
{
  g_autofree char *stats = write_stats (pteris_transcript_get_stats (transcript));
  g_autofree char *path = g_filename_to_uri (pteris_transcript_get_path (transcript), NULL, NULL);
  PtError code;
  const char *error = pteris_transcript_get_error (transcript, &code);

  pteris_store_write (
      "INSERT INTO transcript (id, path, language, translate, state, reason, code, error, stats)"
      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (id) DO UPDATE SET language = ?3,"
      " translate = ?4, state = ?5, reason = ?6, code = ?7, error = ?8, stats = ?9",
      "issiisiss", pteris_transcript_get_id (transcript),
      path != NULL ? path : pteris_transcript_get_path (transcript),
      pteris_transcript_get_language (transcript),
      (gint64) pteris_transcript_get_translate (transcript),
      (gint64) pteris_transcript_get_state (transcript), pteris_transcript_get_reason (transcript),
      (gint64) code, error, stats);
}

void
pteris_transcript_store_segment (PterisTranscript *transcript, PterisSegment *segment)
{
  gint64 id = pteris_segment_get_id (segment), owner = pteris_transcript_get_id (transcript);
  const char *text = pteris_segment_get_text (segment);

  pteris_store_write ("INSERT OR REPLACE INTO segment (id, transcript, start, end, text)"
                      " VALUES (?1, ?2, ?3, ?4, ?5)",
                      "iidds", id, owner, pteris_segment_get_start (segment),
                      pteris_segment_get_end (segment), text);
  pteris_store_write ("INSERT OR REPLACE INTO words (rowid, text, owner, kind)"
                      " VALUES (?1, ?2, ?3, 'transcript')",
                      "isi", id, text, owner);
}

void
pteris_transcript_store_drop (PterisTranscript *transcript, PterisSegment *segment)
{
  gint64 owner = pteris_transcript_get_id (transcript);
  gint64 id = segment != NULL ? pteris_segment_get_id (segment) : 0;

  pteris_store_write ("DELETE FROM words WHERE rowid IN (SELECT id FROM segment WHERE"
                      " transcript = ?1 AND (?2 = 0 OR id = ?2))",
                      "ii", owner, id);
  pteris_store_write ("DELETE FROM segment WHERE transcript = ?1 AND (?2 = 0 OR id = ?2)", "ii",
                      owner, id);
}

void
pteris_transcript_store_set_deleted (PterisTranscript *transcript, gboolean deleted)
{
  pteris_store_write ("UPDATE transcript SET deleted = ?2 WHERE id = ?1", "ii",
                      pteris_transcript_get_id (transcript),
                      deleted ? g_get_real_time () : (gint64) 0);
}

/* ---- reading ---- */

/* A damaged file may lack even what its tables demand. */
static const char *
text_of (const PterisRow *row, int column)
{
  const char *text = pteris_row_text (row, column);

  return text != NULL ? text : "";
}

static void
add_transcript (const PterisRow *row, gpointer list)
{
  const char *uri = text_of (row, 1);
  g_autofree char *path = g_filename_from_uri (uri, NULL, NULL);
  PtStats stats = read_stats (pteris_row_text (row, 8));
  PterisTranscript *transcript = pteris_transcript_new (
      path != NULL ? path : uri, pteris_row_text (row, 2), pteris_row_int (row, 3) != 0);
  PterisTranscriptState state = (PterisTranscriptState) pteris_row_int (row, 4);
  PtError code = (PtError) CLAMP (pteris_row_int (row, 6), 0, PT_ERROR_INTERNAL);

  pteris_transcript_restore (transcript, pteris_row_int (row, 0), state, pteris_row_text (row, 5),
                             code, pteris_row_text (row, 7), &stats);
  g_ptr_array_insert (list, 0, transcript);
}

static void
add_segment (const PterisRow *row, gpointer transcript)
{
  g_autoptr (PterisSegment) segment =
      pteris_segment_new (pteris_row_int (row, 0), seconds (pteris_row_double (row, 1)),
                          seconds (pteris_row_double (row, 2)), text_of (row, 3));

  g_list_store_append (G_LIST_STORE (pteris_transcript_get_segments (transcript)), segment);
}

GPtrArray *
pteris_transcript_store_list (gint64 before, guint max, GError **error)
{
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func (g_object_unref);
  gint64 left = MAX_SEGMENTS;

  if (!pteris_store_read (
          error, add_transcript, list,
          "SELECT id, path, language, translate, state, reason, code, error, stats"
          " FROM transcript WHERE id < ?1 AND NOT deleted ORDER BY id DESC LIMIT ?2",
          "ii", before, (gint64) max))
    return NULL;
  for (guint i = 0; i < list->len; i++) {
    GListModel *segments = pteris_transcript_get_segments (list->pdata[i]);

    if (!pteris_store_read (error, add_segment, list->pdata[i],
                            "SELECT id, start, end, text FROM segment WHERE transcript = ?1"
                            " ORDER BY start, id LIMIT ?2",
                            "ii", pteris_transcript_get_id (list->pdata[i]), left))
      return NULL;
    left -= g_list_model_get_n_items (segments);
  }
  return g_steal_pointer (&list);
}
