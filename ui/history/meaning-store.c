/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/history/meaning-store.h"

#include <math.h>
#include <string.h>

/* Most passages of a unit; a file may have texts of any length. */
#define MAX_PASSAGES 4000
/* Characters of segments that make a passage of a transcript. */
#define TRANSCRIPT_PASSAGE 400
#define MAX_SEGMENTS 100000

/* When a passage counts as near. */
#define MIN_COSINE 0.25
#define MANY 100
#define DEVIATIONS 2
#define MAX_HITS 30

static gint n_changes;                        /* atomic */
static gint is_told;                          /* atomic: the listener will be called */
static void (*listener) (gpointer user_data); /* UI thread */
static gpointer listener_data;

gint64
pteris_meaning_model (const char *identity)
{
  g_autoptr (GChecksum) checksum = g_checksum_new (G_CHECKSUM_SHA256);
  guint8 digest[32];
  gsize size = sizeof digest;
  guint64 number;

  g_checksum_update (checksum, (const guchar *) identity, (gssize) strlen (identity));
  g_checksum_get_digest (checksum, digest, &size);
  memcpy (&number, digest, sizeof number);
  return (gint64) (GUINT64_FROM_LE (number) & G_MAXINT64);
}

/* ---- changes ---- */

static gboolean
tell (gpointer data)
{
  g_atomic_int_set (&is_told, 0);
  if (listener != NULL)
    listener (listener_data);
  return G_SOURCE_REMOVE;
}

void
pteris_meaning_touch (void)
{
  g_atomic_int_inc (&n_changes);
  if (g_atomic_int_compare_and_exchange (&is_told, 0, 1))
    g_idle_add_full (G_PRIORITY_LOW, tell, NULL, NULL);
}

guint
pteris_meaning_get_changes (void)
{
  return (guint) g_atomic_int_get (&n_changes);
}

void
pteris_meaning_set_listener (void (*func) (gpointer user_data), gpointer user_data)
{
  listener = func;
  listener_data = user_data;
}

void
pteris_meaning_forget (gint64 unit)
{
  pteris_store_write ("DELETE FROM meaning WHERE unit = ?1", "i", unit);
  pteris_meaning_touch ();
}

void
pteris_meaning_forget_owner (gint64 owner)
{
  pteris_store_write ("DELETE FROM meaning WHERE owner = ?1", "i", owner);
  pteris_meaning_touch ();
}

void
pteris_meaning_forget_all (void)
{
  pteris_store_write ("DELETE FROM meaning", "");
  pteris_meaning_touch ();
}

/* ---- units ---- */

void
pteris_unit_free (PterisUnit *unit)
{
  g_ptr_array_unref (unit->texts);
  g_array_unref (unit->passages);
  g_array_unref (unit->places);
  g_free (unit);
}

static PterisUnit *
add_unit (GPtrArray *units, gint64 id, gint64 owner, const char *kind)
{
  PterisUnit *unit = g_new (PterisUnit, 1);

  *unit = (PterisUnit){ .id = id,
                        .owner = owner,
                        .kind = kind,
                        .texts = g_ptr_array_new_with_free_func (g_free),
                        .passages = g_array_new (FALSE, FALSE, sizeof (PterisPassage)),
                        .places = g_array_new (FALSE, FALSE, sizeof (gint64)) };
  g_ptr_array_add (units, unit);
  return unit;
}

static void
add_message (const PterisRow *row, gpointer units)
{
  const char *text = pteris_row_text (row, 2);
  PterisUnit *unit = add_unit (units, pteris_row_int (row, 0), pteris_row_int (row, 1), "chat");
  GArray *cut = pteris_passages_cut (text != NULL ? text : "", MAX_PASSAGES);

  for (guint i = 0; i < cut->len; i++) {
    g_ptr_array_add (unit->texts,
                     pteris_passage_get (text, &g_array_index (cut, PterisPassage, i)));
    g_array_append_val (unit->places, unit->id);
  }
  g_array_unref (unit->passages);
  unit->passages = cut;
}

static void
add_transcript (const PterisRow *row, gpointer units)
{
  gint64 id = pteris_row_int (row, 0);

  add_unit (units, id, id, "transcript");
}

/* A passage of a transcript that grows. */
typedef struct {
  PterisUnit *unit;
  GString *text;
  gint64 place;
  guint32 n_segments;
} Growing;

static void
end_passage (Growing *growing)
{
  const PterisPassage passage = { 0, growing->n_segments };

  if (growing->text->len > 0 && growing->unit->texts->len < MAX_PASSAGES) {
    g_ptr_array_add (growing->unit->texts, g_strdup (growing->text->str));
    g_array_append_val (growing->unit->passages, passage);
    g_array_append_val (growing->unit->places, growing->place);
  }
  g_string_truncate (growing->text, 0);
  growing->n_segments = 0;
}

static void
add_segment (const PterisRow *row, gpointer user_data)
{
  Growing *growing = user_data;
  const char *found = pteris_row_text (row, 1);
  g_autofree char *text = g_strstrip (g_strdup (found != NULL ? found : ""));

  if (growing->n_segments++ == 0)
    growing->place = pteris_row_int (row, 0);
  if (text[0] != '\0')
    g_string_append_printf (growing->text, "%s%s", growing->text->len > 0 ? " " : "", text);
  if (g_utf8_strlen (growing->text->str, -1) >= TRANSCRIPT_PASSAGE)
    end_passage (growing);
}

static gboolean
read_segments (PterisUnit *unit, GError **error)
{
  Growing growing = { unit, g_string_new (NULL), 0, 0 };
  gboolean good = pteris_store_read (error, add_segment, &growing,
                                     "SELECT id, text FROM segment WHERE transcript = ?1 AND"
                                     " NOT draft ORDER BY start, id LIMIT ?2",
                                     "ii", unit->id, (gint64) MAX_SEGMENTS);

  end_passage (&growing);
  g_string_free (growing.text, TRUE);
  return good;
}

#define MESSAGES                                                 \
  " FROM message m JOIN conversation c ON c.id = m.conversation" \
  " WHERE NOT c.deleted AND NOT m.deleted AND m.text <> ''"
#define LACKS(id) " NOT EXISTS (SELECT 1 FROM meaning n WHERE n.unit = " id " AND n.model = ?1)"

GPtrArray *
pteris_meaning_read (gint64 model, guint most, GError **error)
{
  g_autoptr (GPtrArray) units = g_ptr_array_new_with_free_func ((GDestroyNotify) pteris_unit_free);
  guint n_messages;

  if (!pteris_store_read (error, add_message, units,
                          "SELECT m.id, m.conversation, m.text" MESSAGES
                          " AND" LACKS ("m.id") " ORDER BY m.id DESC LIMIT ?2",
                          "ii", model, (gint64) most))
    return NULL;
  n_messages = units->len;
  if (n_messages < most &&
      !pteris_store_read (error, add_transcript, units,
                          "SELECT t.id FROM transcript t WHERE NOT t.deleted AND" LACKS (
                              "t.id") " ORDER BY t.id DESC LIMIT ?2",
                          "ii", model, (gint64) (most - n_messages)))
    return NULL;
  for (guint i = n_messages; i < units->len; i++)
    if (!read_segments (units->pdata[i], error))
      return NULL;
  return g_steal_pointer (&units);
}

static void
take_counts (const PterisRow *row, gpointer user_data)
{
  guint *counts = user_data;

  counts[0] += (guint) CLAMP (pteris_row_int (row, 0), 0, G_MAXINT);
  counts[1] += (guint) CLAMP (pteris_row_int (row, 1), 0, G_MAXINT);
}

gboolean
pteris_meaning_count (gint64 model, guint *n_done, guint *n_units, GError **error)
{
  guint counts[2] = { 0, 0 }; /* of units that lack vectors, and of all */

  if (!pteris_store_read (
          error, take_counts, counts,
          "SELECT sum (" LACKS ("m.id") "), count (*)" MESSAGES " UNION ALL SELECT sum (" LACKS (
              "t.id") "), count (*)"
                      " FROM transcript t WHERE NOT t.deleted",
          "i", model))
    return FALSE;
  *n_units = counts[1];
  *n_done = counts[1] - MIN (counts[0], counts[1]);
  return TRUE;
}

void
pteris_meaning_write (const PterisUnit *unit, gint64 model, guint width, GBytes *records)
{
  pteris_store_write ("INSERT OR REPLACE INTO meaning (unit, owner, kind, model, width, passages)"
                      " VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                      "iisiib", unit->id, unit->owner, unit->kind, model, (gint64) width, records);
}

/* ---- searching ---- */

/* The best passage of an owner. */
typedef struct {
  gint64 owner, place;
  guint32 start, length;
  double score;
} Candidate;

typedef struct {
  const PterisQuery *query;
  GHashTable *best;      /* owner -> Candidate */
  GPtrArray *candidates; /* the same */
  guint64 n;
  double sum, squares;
} Scan;

static void
compare_record (Scan *scan, gint64 owner, const PterisRecord *record, Candidate **best)
{
  double score = pteris_query_dot (scan->query, record);

  scan->n++;
  scan->sum += score;
  scan->squares += score * score;
  if (score < MIN_COSINE || !isfinite (score))
    return;
  if (*best == NULL) {
    *best = g_new0 (Candidate, 1);
    (*best)->owner = owner;
    g_hash_table_insert (scan->best, &(*best)->owner, *best);
    g_ptr_array_add (scan->candidates, *best);
  }
  if (score > (*best)->score) {
    (*best)->score = score;
    (*best)->place = record->place;
    (*best)->start = record->start;
    (*best)->length = record->length;
  }
}

static void
compare_unit (const PterisRow *row, gpointer user_data)
{
  Scan *scan = user_data;
  gint64 owner = pteris_row_int (row, 0), width = pteris_row_int (row, 1);
  Candidate *best = g_hash_table_lookup (scan->best, &owner);
  gsize size, n;
  gconstpointer records = pteris_row_bytes (row, 2, &size);

  if (width != (gint64) scan->query->width)
    return;
  n = pteris_vectors_count (size, width);
  for (gsize i = 0; i < n; i++) {
    PterisRecord record;

    if (pteris_vectors_get (records, i, scan->query->width, &record))
      compare_record (scan, owner, &record, &best);
  }
}

static int
by_score (gconstpointer a, gconstpointer b)
{
  const Candidate *first = *(const Candidate *const *) a, *second = *(const Candidate *const *) b;

  if (first->score != second->score)
    return first->score > second->score ? -1 : 1;
  return first->owner > second->owner ? -1 : 1;
}

/* The least score of a passage that counts. */
static double
threshold (const Scan *scan)
{
  double mean, variance;

  if (scan->n < MANY)
    return MIN_COSINE;
  mean = scan->sum / (double) scan->n;
  variance = MAX (scan->squares / (double) scan->n - mean * mean, 0);
  return MAX (MIN_COSINE, mean + DEVIATIONS * sqrt (variance));
}

static void
take_text (const PterisRow *row, gpointer text)
{
  const char *part = pteris_row_text (row, 0);

  if (part != NULL)
    g_string_append_printf (text, "%s%s", ((GString *) text)->len > 0 ? " " : "", part);
}

/* The text of @candidate; NULL: it is gone. Free with g_free(). */
static char *
read_text (const Candidate *candidate, const char *kind)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (g_str_equal (kind, "chat"))
    pteris_store_read (NULL, take_text, text,
                       "SELECT substr (m.text, ?2, ?3)" MESSAGES
                       " AND m.id = ?1 AND m.conversation = ?4",
                       "iiii", candidate->place, (gint64) candidate->start + 1,
                       (gint64) candidate->length, candidate->owner);
  else
    pteris_store_read (NULL, take_text, text,
                       "SELECT s.text FROM segment s JOIN segment f ON f.id = ?1"
                       " JOIN transcript t ON t.id = s.transcript"
                       " WHERE s.transcript = ?2 AND f.transcript = ?2 AND NOT t.deleted AND"
                       " NOT s.draft AND (s.start, s.id) >= (f.start, f.id)"
                       " ORDER BY s.start, s.id LIMIT ?3",
                       "iii", candidate->place, candidate->owner,
                       (gint64) MIN (candidate->length, 1000));
  return text->len > 0 ? g_string_free (g_steal_pointer (&text), FALSE) : NULL;
}

static GPtrArray *
collect_hits (const Scan *scan, const char *kind)
{
  GPtrArray *candidates = scan->candidates;
  double least = threshold (scan);
  GPtrArray *hits = pteris_hits_new ();

  g_ptr_array_sort (candidates, by_score);
  for (guint i = 0; i < candidates->len && hits->len < MAX_HITS; i++) {
    const Candidate *candidate = candidates->pdata[i];
    g_autofree char *text = NULL;

    if (candidate->score < least)
      break;
    text = read_text (candidate, kind);
    if (text != NULL)
      g_ptr_array_add (hits,
                       pteris_hit_new (candidate->owner, candidate->place, text, candidate->score));
  }
  return hits;
}

GPtrArray *
pteris_meaning_search (const PterisQuery *query, gint64 model, const char *kind, GError **error)
{
  Scan scan = { .query = query };
  GPtrArray *hits = NULL;

  scan.best = g_hash_table_new (g_int64_hash, g_int64_equal);
  scan.candidates = g_ptr_array_new_with_free_func (g_free);
  if (pteris_store_read (error, compare_unit, &scan,
                         "SELECT owner, width, passages FROM meaning WHERE model = ?1 AND"
                         " kind = ?2",
                         "is", model, kind))
    hits = collect_hits (&scan, kind);
  g_hash_table_unref (scan.best);
  g_ptr_array_unref (scan.candidates);
  return hits;
}
