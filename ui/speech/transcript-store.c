/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/speech/transcript-store.h"

#include <jansson.h>
#include <string.h>

#include "ui/history/history-store.h"
#include "ui/history/meaning-store.h"

/* Most segments of a transcript that are read; a file may have any number. */
#define MAX_SEGMENTS 100000
#define MAX_SPEAKERS 1000

/* Longest JSON of a row in characters. */
#define MAX_JSON (64 * 1024)

/* Longest recording, and longest work on it: 1000 hours. */
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

/* Adds the text to the search index; with a segment, the transcript needs new vectors. */
static void
write_words (gint64 id, const char *text, gint64 owner)
{
  pteris_store_write ("INSERT OR REPLACE INTO words (rowid, text, owner, kind)"
                      " VALUES (?1, ?2, ?3, 'transcript')",
                      "isi", id, text, owner);
  if (id != owner)
    pteris_meaning_forget (owner);
}

void
pteris_transcript_store_save (PterisTranscript *transcript)
{
  PterisTranscriptRecord record;
  g_autofree char *stats = NULL, *uri = NULL;

  pteris_transcript_get_record (transcript, &record);
  stats = write_stats (&record.stats);
  uri = g_filename_to_uri (record.path, NULL, NULL);
  pteris_store_write (
      "INSERT INTO transcript (id, path, language, translate, state, reason, code, error, stats,"
      " title, model, rank, until, redo)"
      " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)"
      " ON CONFLICT (id) DO UPDATE SET language = ?3, translate = ?4, state = ?5, reason = ?6,"
      " code = ?7, error = ?8, stats = ?9, title = ?10, model = ?11, rank = ?12, until = ?13,"
      " redo = ?14",
      "issiisissssidi", record.id, uri != NULL ? uri : record.path, record.language,
      (gint64) record.translate, (gint64) record.state, pt_reason_name (record.reason),
      (gint64) record.code, record.error, stats, record.title, record.model, record.rank,
      record.until, (gint64) record.redo);
  write_words (record.id, pteris_transcript_get_title (transcript), record.id);
}

void
pteris_transcript_store_segment (PterisTranscript *transcript, PterisSegment *segment,
                                 gboolean draft)
{
  gint64 id = pteris_segment_get_id (segment), owner = pteris_transcript_get_id (transcript);
  const char *text = pteris_segment_get_text (segment);
  g_autofree char *doubts = pteris_segment_write_doubts (segment);

  pteris_store_write ("INSERT OR REPLACE INTO segment (id, transcript, start, end, text, draft,"
                      " doubts, speaker) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                      "iiddsisi", id, owner, pteris_segment_get_start (segment),
                      pteris_segment_get_end (segment), text, (gint64) draft, doubts,
                      (gint64) pteris_segment_get_speaker (segment));
  if (!draft)
    write_words (id, text, owner);
}

void
pteris_transcript_store_drop (PterisSegment *segment)
{
  gint64 id = pteris_segment_get_id (segment);

  pteris_store_write ("DELETE FROM words WHERE rowid = ?1", "i", id);
  pteris_store_write ("DELETE FROM meaning WHERE unit IN (SELECT transcript FROM segment"
                      " WHERE id = ?1)",
                      "i", id);
  pteris_meaning_touch ();
  pteris_store_write ("DELETE FROM segment WHERE id = ?1", "i", id);
}

void
pteris_transcript_store_clear (PterisTranscript *transcript, gboolean draft)
{
  gint64 owner = pteris_transcript_get_id (transcript);

  pteris_store_write ("DELETE FROM words WHERE rowid IN (SELECT id FROM segment WHERE"
                      " transcript = ?1 AND draft >= ?2)",
                      "ii", owner, (gint64) draft);
  pteris_store_write ("DELETE FROM segment WHERE transcript = ?1 AND draft >= ?2", "ii", owner,
                      (gint64) draft);
  if (!draft)
    pteris_meaning_forget (owner);
}

void
pteris_transcript_store_set_deleted (PterisTranscript *transcript, gboolean deleted)
{
  pteris_store_write ("UPDATE transcript SET deleted = ?2 WHERE id = ?1", "ii",
                      pteris_transcript_get_id (transcript),
                      deleted ? g_get_real_time () : (gint64) 0);
  pteris_meaning_forget_owner (pteris_transcript_get_id (transcript));
}

/* ---- reading ---- */

/* A damaged file may have NULL even in NOT NULL columns. */
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
  PterisTranscriptRecord record = {
    .id = pteris_row_int (row, 0),
    .path = path != NULL ? path : uri,
    .language = pteris_row_text (row, 2),
    .translate = pteris_row_int (row, 3) != 0,
    .state = (PterisTranscriptState) pteris_row_int (row, 4),
    .reason = pt_reason_find (pteris_row_text (row, 5)),
    .code = (PtError) CLAMP (pteris_row_int (row, 6), 0, PT_ERROR_INTERNAL),
    .error = pteris_row_text (row, 7),
    .stats = read_stats (pteris_row_text (row, 8)),
    .title = pteris_row_text (row, 9),
    .model = pteris_row_text (row, 10),
    .rank = pteris_row_int (row, 11),
    .until = seconds (pteris_row_double (row, 12)),
    .redo = pteris_row_int (row, 13) != 0,
  };

  if (record.rank == 0)
    record.rank = record.id;
  g_ptr_array_add (list, pteris_transcript_restore (&record));
}

GPtrArray *
pteris_transcript_store_list (guint max, GError **error)
{
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func (g_object_unref);

  if (!pteris_store_read (error, add_transcript, list,
                          "SELECT id, path, language, translate, state, reason, code, error, stats,"
                          " title, model, rank, until, redo"
                          " FROM transcript WHERE NOT deleted ORDER BY id DESC LIMIT ?1",
                          "i", (gint64) max))
    return NULL;
  return g_steal_pointer (&list);
}

static void
add_segment (const PterisRow *row, gpointer user_data)
{
  PterisTranscriptContents *contents = user_data;
  gboolean draft = pteris_row_int (row, 4) != 0;
  double *end = draft ? &contents->draft_end : &contents->end;
  PterisSegment *segment =
      pteris_segment_new (pteris_row_int (row, 0), seconds (pteris_row_double (row, 1)),
                          seconds (pteris_row_double (row, 2)), text_of (row, 3));

  pteris_segment_read_doubts (segment, pteris_row_text (row, 5));
  pteris_segment_set_speaker (segment, (guint) CLAMP (pteris_row_int (row, 6), 0, MAX_SPEAKERS));
  *end = MAX (*end, pteris_segment_get_end (segment));
  g_ptr_array_add (draft ? contents->draft : contents->segments, segment);
}

PterisTranscriptContents *
pteris_transcript_store_read (gint64 id)
{
  PterisTranscriptContents *contents = g_new0 (PterisTranscriptContents, 1);

  contents->segments = g_ptr_array_new_with_free_func (g_object_unref);
  contents->draft = g_ptr_array_new_with_free_func (g_object_unref);
  if (pteris_store_read (NULL, add_segment, contents,
                         "SELECT id, start, end, text, draft, doubts, speaker FROM segment"
                         " WHERE transcript = ?1 ORDER BY start, id LIMIT ?2",
                         "ii", id, (gint64) MAX_SEGMENTS))
    return contents;
  pteris_transcript_contents_free (contents);
  return NULL;
}

void
pteris_transcript_contents_free (PterisTranscriptContents *contents)
{
  g_ptr_array_unref (contents->segments);
  g_ptr_array_unref (contents->draft);
  g_free (contents);
}
