/* SPDX-License-Identifier: BSD-3-Clause */

/* Search by meaning without a window: passages, vectors, and the table of the history. */

#include <math.h>

#include <glib/gstdio.h>
#include <sqlite3.h>

#include "ui/chat/chat-store.h"
#include "ui/history/history-store-schema.h"
#include "ui/history/meaning-store.h"
#include "ui/speech/transcript-store.h"

#define MODEL 7
#define WIDTH 4

/* ---- passages ---- */

static GArray *
cut (const char *text)
{
  GArray *passages = pteris_passages_cut (text, 1000);
  guint32 end = 0;

  for (guint i = 0; i < passages->len; i++) {
    const PterisPassage *passage = &g_array_index (passages, PterisPassage, i);

    g_assert_cmpuint (passage->start, >=, end);
    g_assert_cmpuint (passage->length, >, 0);
    g_assert_cmpuint (passage->length, <=, PTERIS_PASSAGE_LENGTH);
    end = passage->start + passage->length;
  }
  g_assert_cmpuint (end, <=, (guint) g_utf8_strlen (text, -1));
  return passages;
}

static void
assert_passage (const char *text, GArray *passages, guint i, const char *begins, const char *ends)
{
  g_autofree char *part = pteris_passage_get (text, &g_array_index (passages, PterisPassage, i));

  g_assert_true (g_str_has_prefix (part, begins));
  g_assert_true (g_str_has_suffix (part, ends));
}

static void
test_passages (void)
{
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GArray) none = cut (" \n\t--- … ---\n"), one = cut ("  Ferns.\n"), many = NULL;

  g_assert_cmpuint (none->len, ==, 0);
  g_assert_cmpuint (one->len, ==, 1);
  assert_passage ("  Ferns.\n", one, 0, "Ferns.", "Ferns.");
  for (guint i = 0; i < 12; i++)
    g_string_append (text, "Übung macht den Meister, und wer übt, der lernt es. ");
  g_string_append (text, "\n\nA new paragraph. ");
  for (guint i = 0; i < 1000; i++)
    g_string_append (text, "ß");
  many = cut (text->str);
  g_assert_cmpuint (many->len, ==, 3);
  assert_passage (text->str, many, 0, "Übung macht", "lernt es.");
  assert_passage (text->str, many, many->len - 1, "ß", "ß");
}

/* ---- vectors ---- */

static void
test_vectors (void)
{
  enum { WIDE = 387, N = 50 };
  g_autoptr (GByteArray) records = g_byte_array_new ();
  float vectors[N][WIDE];
  g_auto (GStrv) nothing = NULL;
  PterisQuery query;

  for (guint i = 0; i < N; i++) {
    PterisRecord record = { .place = G_MAXINT64 - i, .start = i, .length = 600 };
    double length = 0;

    for (guint k = 0; k < WIDE; k++) {
      vectors[i][k] = (float) g_test_rand_double_range (-1, 1);
      length += vectors[i][k] * vectors[i][k];
    }
    for (guint k = 0; k < WIDE; k++)
      vectors[i][k] = (float) (vectors[i][k] / sqrt (length));
    pteris_vectors_append (records, &record, vectors[i], WIDE);
  }
  g_assert_cmpuint (pteris_vectors_count (records->len, WIDE), ==, N);
  g_assert_cmpuint (pteris_vectors_count (records->len - 1, WIDE), ==, 0);
  g_assert_cmpuint (pteris_vectors_count (records->len, WIDE + 1), ==, 0);
  g_assert_cmpuint (pteris_vectors_count (records->len, 0), ==, 0);
  g_assert_cmpuint (pteris_vectors_count (records->len, -5), ==, 0);
  g_assert_cmpuint (pteris_vectors_count (records->len, G_MAXINT64), ==, 0);
  pteris_query_init (&query, vectors[3], WIDE);
  for (guint i = 0; i < N; i++) {
    PterisRecord record;
    double want = 0;

    for (guint k = 0; k < WIDE; k++)
      want += (double) vectors[3][k] * vectors[i][k];
    g_assert_true (pteris_vectors_get (records->data, i, WIDE, &record));
    g_assert_cmpint (record.place, ==, G_MAXINT64 - i);
    g_assert_cmpuint (record.start, ==, i);
    g_assert_cmpuint (record.length, ==, 600);
    g_assert_cmpfloat_with_epsilon (pteris_query_dot (&query, &record), want, 0.005);
  }
  pteris_query_clear (&query);
}

static void
test_merge (void)
{
  g_autoptr (GPtrArray) exact = pteris_hits_new (), near = pteris_hits_new (), all = NULL;

  g_ptr_array_add (exact, pteris_hit_new (1, 0, NULL, 0));
  g_ptr_array_add (exact, pteris_hit_new (2, 21, "two", 0));
  g_ptr_array_add (near, pteris_hit_new (3, 31, "three", 0.9));
  g_ptr_array_add (near, pteris_hit_new (1, 11, "one", 0.8));
  g_ptr_array_add (near, pteris_hit_new (2, 22, "other", 0.7));
  all = pteris_hits_merge (exact, near);
  g_assert_cmpuint (all->len, ==, 3);
  g_assert_cmpuint (exact->len + near->len, ==, 0);
  g_assert_cmpint (((PterisHit *) all->pdata[0])->owner, ==, 1);
  g_assert_cmpstr (((PterisHit *) all->pdata[0])->passage, ==, "one");
  g_assert_cmpint (((PterisHit *) all->pdata[0])->place, ==, 11);
  g_assert_cmpstr (pteris_hits_find (all, 2)->passage, ==, "two");
  g_assert_cmpint (((PterisHit *) all->pdata[2])->owner, ==, 3);
}

/* ---- the table ---- */

static char *
history_path (void)
{
  return g_build_filename (g_get_user_data_dir (), "pteris", "history.db", NULL);
}

static void
forget_everything (void)
{
  g_autofree char *path = history_path ();

  pteris_store_close ();
  g_remove (path);
}

/* The vector of a text is the direction of its first letter. */
static void
vector_of (const char *text, float vector[WIDTH])
{
  for (guint i = 0; i < WIDTH; i++)
    vector[i] = (guint) (text[0] - 'a') % WIDTH == i ? 1 : 0;
}

static guint
read_all (gint64 model)
{
  g_autoptr (GPtrArray) units = pteris_meaning_read (model, 100, NULL);
  guint n = 0;

  for (guint i = 0; i < units->len; i++) {
    PterisUnit *unit = units->pdata[i];
    g_autoptr (GByteArray) records = g_byte_array_new ();
    g_autoptr (GBytes) bytes = NULL;

    for (guint k = 0; k < unit->texts->len; k++, n++) {
      const PterisPassage *passage = &g_array_index (unit->passages, PterisPassage, k);
      PterisRecord record = { .place = g_array_index (unit->places, gint64, k),
                              .start = passage->start,
                              .length = passage->length };
      float vector[WIDTH];

      vector_of (unit->texts->pdata[k], vector);
      pteris_vectors_append (records, &record, vector, WIDTH);
    }
    bytes = g_bytes_new (records->data, records->len);
    pteris_meaning_write (unit, model, WIDTH, bytes);
  }
  return n;
}

static GPtrArray *
find (const char *text, const char *kind, gint64 model)
{
  PterisQuery query;
  float vector[WIDTH];
  GPtrArray *hits;

  vector_of (text, vector);
  pteris_query_init (&query, vector, WIDTH);
  hits = pteris_meaning_search (&query, model, kind, NULL);
  pteris_query_clear (&query);
  g_assert_nonnull (hits);
  return hits;
}

static void
assert_finds (const char *text, const char *kind, gint64 model, const char *passage)
{
  g_autoptr (GPtrArray) hits = find (text, kind, model);

  if (passage == NULL)
    g_assert_cmpuint (hits->len, ==, 0);
  else
    g_assert_cmpstr (((PterisHit *) hits->pdata[0])->passage, ==, passage);
}

static PterisMessage *
add_message (PterisConversation *chat, const char *text)
{
  PterisMessage *message = pteris_message_new (NULL, text);

  pteris_message_set_ids (message, pteris_store_new_id (), 0);
  pteris_chat_store_add (chat, message);
  return message;
}

static void
test_chats (void)
{
  gint64 id = pteris_store_new_id ();
  g_autoptr (PterisConversation) chat = pteris_conversation_new (id, "A chat", id);
  g_autoptr (PterisMessage) first = NULL, second = NULL;
  guint n_done, n_units;

  forget_everything ();
  first = add_message (chat, "an apple");
  second = add_message (chat, "bananas are yellow");
  g_assert_cmpuint (read_all (MODEL), ==, 2);
  g_assert_cmpuint (read_all (MODEL), ==, 0);
  pteris_store_close ();
  assert_finds ("a", "chat", MODEL, "an apple");
  assert_finds ("b", "chat", MODEL, "bananas are yellow");
  assert_finds ("b", "transcript", MODEL, NULL);
  assert_finds ("c", "chat", MODEL, NULL);
  /* another model */
  assert_finds ("a", "chat", MODEL + 1, NULL);
  g_assert_true (pteris_meaning_count (MODEL + 1, &n_done, &n_units, NULL));
  g_assert_cmpuint (n_done, ==, 0);
  g_assert_cmpuint (n_units, ==, 2);
  g_assert_cmpuint (read_all (MODEL + 1), ==, 2);
  assert_finds ("a", "chat", MODEL + 1, "an apple");
  assert_finds ("a", "chat", MODEL, NULL);
  /* deleted, and restored */
  pteris_chat_store_remove (chat, second);
  assert_finds ("b", "chat", MODEL + 1, NULL);
  g_assert_cmpuint (read_all (MODEL + 1), ==, 0);
  pteris_chat_store_restore (chat, second, second, NULL);
  g_assert_cmpuint (read_all (MODEL + 1), ==, 1);
  assert_finds ("b", "chat", MODEL + 1, "bananas are yellow");
  pteris_chat_store_set_deleted (chat, TRUE);
  assert_finds ("b", "chat", MODEL + 1, NULL);
  g_assert_cmpuint (read_all (MODEL + 1), ==, 0);
  pteris_chat_store_set_deleted (chat, FALSE);
  g_assert_cmpuint (read_all (MODEL + 1), ==, 2);
  g_assert_true (pteris_meaning_count (MODEL + 1, &n_done, &n_units, NULL));
  g_assert_cmpuint (n_done, ==, 2);
  pteris_meaning_forget_all ();
  assert_finds ("a", "chat", MODEL + 1, NULL);
}

static PterisSegment *
add_segment (PterisTranscript *transcript, double start, const char *text)
{
  PterisSegment *segment = pteris_segment_new (pteris_store_new_id (), start, start + 1, text);

  pteris_transcript_store_segment (transcript, segment, FALSE);
  return segment;
}

/* Segments form passages; a changed one makes the transcript's vectors anew. */
static void
test_transcripts (void)
{
  g_autoptr (PterisTranscript) transcript = pteris_transcript_new ("/a/b.wav", NULL, FALSE);
  g_autoptr (PterisSegment) first = NULL, second = NULL, changed = NULL;
  g_autoptr (GPtrArray) hits = NULL;
  char *words = g_strnfill (PTERIS_PASSAGE_LENGTH, 'c');
  g_autofree char *same = words;

  forget_everything ();
  pteris_transcript_store_save (transcript);
  second = add_segment (transcript, 5, words);
  first = add_segment (transcript, 1, "all of it");
  g_assert_cmpuint (read_all (MODEL), ==, 1);
  pteris_transcript_store_save (transcript);
  g_assert_cmpuint (read_all (MODEL), ==, 0);
  hits = find ("a", "transcript", MODEL);
  g_assert_cmpuint (hits->len, ==, 1);
  g_assert_cmpint (((PterisHit *) hits->pdata[0])->place, ==, pteris_segment_get_id (first));
  g_assert_true (g_str_has_prefix (((PterisHit *) hits->pdata[0])->passage, "all of it ccc"));
  changed = pteris_segment_new (pteris_segment_get_id (first), 1, 2, "done");
  pteris_transcript_store_segment (transcript, changed, FALSE);
  assert_finds ("a", "transcript", MODEL, NULL);
  g_assert_cmpuint (read_all (MODEL), ==, 1);
  pteris_transcript_store_drop (first);
  g_assert_cmpuint (read_all (MODEL), ==, 1);
  assert_finds ("c", "transcript", MODEL, words);
  pteris_transcript_store_clear (transcript, FALSE);
  assert_finds ("c", "transcript", MODEL, NULL);
  g_assert_cmpuint (read_all (MODEL), ==, 0);
}

static void
run_sql (const char *sql)
{
  g_autofree char *path = history_path ();
  char *problem = NULL;
  sqlite3 *db;

  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  if (sqlite3_exec (db, sql, NULL, NULL, &problem) != SQLITE_OK)
    g_error ("%s: %s", sql, problem);
  sqlite3_close (db);
}

/* A history from before the search by meaning gets its table and keeps its chats. */
static void
test_old_history (void)
{
  forget_everything ();
  for (guint i = 0; i < 5; i++)
    run_sql (store_schema[i]);
  run_sql ("INSERT INTO conversation (id, title, updated, leaf) VALUES (1, 'Old', 1, 2);"
           "INSERT INTO message (id, conversation, text, state) VALUES (2, 1, 'an old text', 2);"
           "PRAGMA user_version = 5");
  g_assert_cmpuint (read_all (MODEL), ==, 1);
  assert_finds ("a", "chat", MODEL, "an old text");
  pteris_store_close ();
  assert_finds ("a", "chat", MODEL, "an old text");
}

/* Rows that no program wrote are left out. */
static void
test_odd_rows (void)
{
  static const char *const scripts[] = {
    "UPDATE meaning SET passages = X'00112233'",
    "UPDATE meaning SET passages = 'text'",
    "UPDATE meaning SET passages = X''",
    "UPDATE meaning SET width = 5",
    "UPDATE meaning SET width = -4, passages = zeroblob (16)",
    "UPDATE meaning SET width = 9223372036854775807",
    "UPDATE meaning SET passages = zeroblob (24)",
    "UPDATE meaning SET owner = 99",
    "UPDATE meaning SET kind = X'FF'",
    /* a scale that is not a number; a place that is none */
    "UPDATE meaning SET passages = X'0200000000000000' || X'0000000003000000' || X'0000C07F' ||"
    " X'7F000000'",
    "UPDATE meaning SET passages = CAST (X'FFFFFFFFFFFFFFFF00000000030000000000803C7F000000'"
    " AS BLOB)",
  };
  gint64 id = pteris_store_new_id ();

  for (guint i = 0; i < G_N_ELEMENTS (scripts); i++) {
    g_autoptr (PterisConversation) chat = pteris_conversation_new (id + i, "A chat", id);
    g_autoptr (PterisMessage) message = NULL;

    forget_everything ();
    message = add_message (chat, "an apple");
    g_assert_cmpuint (read_all (MODEL), ==, 1);
    pteris_store_close ();
    run_sql (scripts[i]);
    assert_finds ("a", "chat", MODEL, NULL);
  }
}

/* All vectors of a large history are compared. */
static void
test_many (void)
{
  enum { N = 100000, WIDE = 384, PER_UNIT = 2 };
  g_autofree float *vector = g_new (float, WIDE);
  gint64 begin, best = G_MAXINT64;
  PterisQuery query;

  if (!g_test_slow ()) {
    g_test_skip ("it takes a while");
    return;
  }
  forget_everything ();
  for (guint i = 0; i < N / PER_UNIT; i++) {
    g_autoptr (GByteArray) records = g_byte_array_new ();
    g_autoptr (GBytes) bytes = NULL;
    PterisUnit unit = { .id = i + 1, .owner = i / 10 + 1, .kind = "chat" };

    for (guint k = 0; k < PER_UNIT; k++) {
      PterisRecord record = { .place = i + 1, .start = 0, .length = 10 };

      for (guint m = 0; m < WIDE; m++)
        vector[m] = (float) g_random_double_range (-0.09, 0.09);
      pteris_vectors_append (records, &record, vector, WIDE);
    }
    bytes = g_bytes_new (records->data, records->len);
    pteris_meaning_write (&unit, MODEL, WIDE, bytes);
  }
  pteris_store_flush ();
  pteris_query_init (&query, vector, WIDE);
  for (guint i = 0; i < 5; i++) {
    g_autoptr (GPtrArray) hits = NULL;

    begin = g_get_monotonic_time ();
    hits = pteris_meaning_search (&query, MODEL, "chat", NULL);
    best = MIN (best, g_get_monotonic_time () - begin);
    g_assert_nonnull (hits);
  }
  g_test_message ("%d vectors of %d numbers: %.1f ms", N, WIDE, (double) best / 1000);
  pteris_query_clear (&query);
  forget_everything ();
}

int
main (int argc, char **argv)
{
  g_autofree char *folder = g_dir_make_tmp ("pteris-XXXXXX", NULL);

  g_setenv ("XDG_DATA_HOME", folder, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/meaning/passages", test_passages);
  g_test_add_func ("/meaning/vectors", test_vectors);
  g_test_add_func ("/meaning/merge", test_merge);
  g_test_add_func ("/meaning/chats", test_chats);
  g_test_add_func ("/meaning/transcripts", test_transcripts);
  g_test_add_func ("/meaning/old-history", test_old_history);
  g_test_add_func ("/meaning/odd-rows", test_odd_rows);
  g_test_add_func ("/meaning/many", test_many);
  return g_test_run ();
}
