/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Damaged histories (SQLite files), made from good ones. None may hang, crash or exhaust the
 * memory, and afterwards the history can be written again.
 */

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>
#include <sqlite3.h>

#include "tests/hostile/history.h"
#include "ui/chat/chat-store.h"
#include "ui/history/meaning-store.h"
#include "ui/speech/transcript-store.h"

/* ---- files ---- */

static void
put_file (const char *suffix, gconstpointer data, gsize size)
{
  g_autofree char *path = hostile_history_path (suffix);
  int fd = g_open (path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (write (fd, data, size), ==, (gssize) size);
  g_close (fd, NULL);
}

static PterisMessage *
add_message (PterisConversation *chat, const char *author, const char *text, gint64 parent)
{
  PterisMessage *message = pteris_message_new (author, text);

  pteris_message_set_ids (message, pteris_store_new_id (), parent);
  pteris_chat_store_add (chat, message);
  return message;
}

static void
write_vectors (PterisMessage *answer, gint64 owner)
{
  const float vector[4] = { 0.5f, 0.5f, 0.5f, 0.5f };
  PterisUnit unit = { .id = pteris_message_get_id (answer), .owner = owner, .kind = "chat" };
  const PterisRecord record = { .place = unit.id, .start = 0, .length = 12 };
  g_autoptr (GByteArray) records = g_byte_array_new ();
  g_autoptr (GBytes) bytes = NULL;

  pteris_vectors_append (records, &record, vector, 4);
  bytes = g_bytes_new (records->data, records->len);
  pteris_meaning_write (&unit, 1, 4, bytes);
}

static void
write_chat (void)
{
  gint64 id = pteris_store_new_id ();
  g_autoptr (PterisConversation) chat = pteris_conversation_new (id, "Ferns", id);
  g_autoptr (PterisMessage) ask = NULL, answer = NULL;

  pteris_chat_store_save (chat);
  ask = add_message (chat, NULL, "Tell me of ferns", 0);
  answer = add_message (chat, "M", NULL, pteris_message_get_id (ask));
  pteris_message_append (answer, "They unfurl.");
  pteris_chat_store_text (answer, "They unfurl.");
  pteris_message_finish (answer, PTERIS_MESSAGE_DONE, PT_REASON_STOP);
  pteris_chat_store_end (chat, answer);
  write_vectors (answer, id);
}

static void
write_transcript (void)
{
  g_autoptr (PterisTranscript) transcript = pteris_transcript_new ("/a/speech.wav", "en", FALSE);
  g_autoptr (PterisSegment) segment = pteris_segment_new (pteris_store_new_id (), 1, 2, "Ferns.");

  pteris_transcript_enqueue (transcript);
  pteris_segment_take_words (segment, &(PtWord){ 0, 5, 0.25f }, 1);
  pteris_transcript_store_segment (transcript, segment, FALSE);
  pteris_transcript_stop (transcript);
}

/* A good history, as bytes. */
static char *
good_history (gsize *size)
{
  static char *bytes;
  static gsize length;
  g_autofree char *path = hostile_history_path ("");

  if (bytes == NULL) {
    for (guint i = 0; i < 20; i++) {
      write_chat ();
      write_transcript ();
    }
    pteris_store_close ();
    g_assert_true (g_file_get_contents (path, &bytes, &length, NULL));
    hostile_history_remove ();
  }
  *size = length;
  return g_memdup2 (bytes, length);
}

/* ---- using it ---- */

static void
use_transcript (PterisTranscript *transcript)
{
  g_autofree char *summary = pteris_transcript_describe (transcript);
  PterisTranscriptContents *contents =
      pteris_transcript_store_read (pteris_transcript_get_id (transcript));

  g_assert_nonnull (summary);
  if (contents != NULL) {
    g_list_store_splice (G_LIST_STORE (pteris_transcript_get_segments (transcript)), 0, 0,
                         contents->segments->pdata, contents->segments->len);
    pteris_transcript_contents_free (contents);
  }
  for (int format = PT_SUBTITLE_TXT; format <= PT_SUBTITLE_JSON; format++) {
    g_autofree char *text = pteris_transcript_format (transcript, (PtSubtitleFormat) format);

    g_assert_true (g_utf8_validate (text, -1, NULL));
  }
}

/* Looks for something by meaning, and for texts that have no vectors. */
static void
use_meaning (const char *what)
{
  const float vector[4] = { 0.5f, 0.5f, 0.5f, 0.5f };
  GError *error = NULL;
  g_autoptr (GPtrArray) hits = NULL, units = NULL;
  PterisQuery query;

  pteris_query_init (&query, vector, 4);
  hits = pteris_meaning_search (&query, 1, "chat", &error);
  hostile_check_result (hits, &error, what);
  pteris_query_clear (&query);
  units = pteris_meaning_read (1, 16, &error);
  hostile_check_result (units, &error, what);
  for (guint i = 0; units != NULL && i < units->len; i++) {
    const PterisUnit *unit = units->pdata[i];

    for (guint k = 0; k < unit->texts->len; k++)
      g_assert_true (g_utf8_validate (unit->texts->pdata[k], -1, NULL));
  }
}

/* Reads everything, looks for something, writes something. Returns whether that was kept. */
static gboolean
use_history (const char *what)
{
  GError *error = NULL;
  g_autoptr (GPtrArray) chats = NULL, transcripts = NULL;
  g_autoptr (GPtrArray) found = NULL;
  g_autofree char *failure = NULL;

  hostile_begin ();
  chats = pteris_chat_store_list (&error);
  hostile_check_result (chats, &error, what);
  for (guint i = 0; chats != NULL && i < MIN (chats->len, 30); i++)
    hostile_use_conversation (chats->pdata[i], what);
  transcripts = pteris_transcript_store_list (50, &error);
  hostile_check_result (transcripts, &error, what);
  for (guint i = 0; transcripts != NULL && i < transcripts->len; i++)
    use_transcript (transcripts->pdata[i]);
  found = pteris_store_search ("ferns", "chat", &error);
  hostile_check_result (found, &error, what);
  use_meaning (what);
  write_chat ();
  pteris_store_flush ();
  failure = pteris_store_get_error ();
  pteris_store_close ();
  hostile_end (what);
  return failure == NULL;
}

static void
try_bytes (const char *data, gsize size, const char *what)
{
  put_file ("", data, size);
  use_history (what);
  hostile_history_remove ();
}

/* A good history changed by @sql; foreign keys are off. */
static void
change_history (const char *sql)
{
  g_autofree char *path = hostile_history_path ("");
  char *problem = NULL;
  sqlite3 *db;
  gsize size;
  g_autofree char *bytes = good_history (&size);

  put_file ("", bytes, size);
  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  if (sqlite3_exec (db, sql, NULL, NULL, &problem) != SQLITE_OK)
    g_error ("%s: %s", sql, problem);
  sqlite3_close (db);
}

/* ---- the history ---- */

static void
test_good (void)
{
  g_autoptr (GPtrArray) chats = NULL;
  gsize size;
  g_autofree char *bytes = good_history (&size);

  put_file ("", bytes, size);
  g_assert_true (use_history ("a good history"));
  chats = pteris_chat_store_list (NULL);
  g_assert_cmpuint (chats->len, ==, 21);
  pteris_store_close ();
  hostile_history_remove ();
}

static void
test_cut (void)
{
  gsize size;
  g_autofree char *bytes = good_history (&size);

  for (gsize n = 0; n <= 100; n += 10)
    try_bytes (bytes, n, "a history cut in its header");
  for (gsize n = 4096; n < size; n += 4096)
    for (gsize k = n - 1; k <= n + 1; k++)
      try_bytes (bytes, k, "a history cut at a page");
}

static void
test_changed (void)
{
  static const guint8 patterns[] = { 0x00, 0xff, 0x80, 0x01 };
  gsize size;
  g_autofree char *bytes = good_history (&size);
  guint32 seed = 1;

  for (gsize i = 0; i < 100 * HOSTILE_SCALE; i++) {
    gsize at = i < 100 ? i : (seed = seed * 1664525u + 1013904223u) % size;
    char before = bytes[at];

    bytes[at] = (char) (before ^ patterns[i % G_N_ELEMENTS (patterns)]);
    try_bytes (bytes, size, "a history with a changed byte");
    bytes[at] = before;
  }
}

/* Tables that Pteris did not write are put aside, and a new history begun. */
static void
test_schemas (void)
{
  static const char endless[] = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)";
  static const char *const scripts[] = {
    "DROP TABLE message",
    "ALTER TABLE conversation ADD COLUMN more TEXT",
    "CREATE TABLE more (x)",
    "DROP INDEX message_conversation",
    "PRAGMA user_version = 0",
    "DROP TABLE conversation; CREATE VIEW conversation AS %s SELECT i AS id, 'x' AS title, 1 AS "
    "updated, 0 AS leaf, 0 AS is_named, NULL AS settings, 0 AS deleted FROM n",
    "CREATE TRIGGER t AFTER INSERT ON message BEGIN INSERT INTO words (text) %s SELECT i FROM n; "
    "END",
    "CREATE TRIGGER t BEFORE DELETE ON conversation BEGIN INSERT INTO words (text) %s SELECT i "
    "FROM n; END; UPDATE conversation SET deleted = 1",
    "DROP TABLE segment; CREATE TABLE segment (id INTEGER PRIMARY KEY, transcript INTEGER, start "
    "REAL, end REAL, text TEXT CHECK (length (hex (randomblob (900000000))) > 0))",
  };

  for (guint i = 0; i < G_N_ELEMENTS (scripts); i++) {
    g_auto (GStrv) parts = g_strsplit (scripts[i], "%s", -1);
    g_autofree char *sql = g_strjoinv (endless, parts);
    g_autoptr (GPtrArray) chats = NULL;

    change_history (sql);
    g_assert_true (use_history (scripts[i]));
    chats = pteris_chat_store_list (NULL);
    g_assert_cmpuint (chats->len, ==, 1);
    pteris_store_close ();
    hostile_history_remove ();
  }
}

/* A history of a newer version is not changed, so that a newer program can read it. */
static void
test_versions (void)
{
  static const char *const versions[] = { "99", "-1", "2147483647" };

  for (guint i = 0; i < G_N_ELEMENTS (versions); i++) {
    g_autofree char *sql = g_strdup_printf ("PRAGMA user_version = %s", versions[i]);
    g_autofree char *path = hostile_history_path ("");
    g_autofree char *before = NULL, *after = NULL;
    gsize size, size_after;

    change_history (sql);
    g_assert_true (g_file_get_contents (path, &before, &size, NULL));
    g_assert_false (use_history (sql));
    g_assert_true (g_file_get_contents (path, &after, &size_after, NULL));
    g_assert_cmpuint (size, ==, size_after);
    hostile_history_remove ();
  }
}

/* Rows of every type and size. */
static void
test_rows (void)
{
  static const char *const scripts[] = {
    "UPDATE conversation SET title = X'FFFE00', updated = 'yesterday', leaf = 'x', is_named = X''",
    "UPDATE conversation SET updated = 9223372036854775807, leaf = -9223372036854775808",
    "UPDATE conversation SET updated = 1e308, settings = '{\"temperature\": 1e308, \"top_p\": -1, "
    "\"max_new_tokens\": 1e300, \"system\": 5}'",
    "UPDATE conversation SET settings = '[' || replace (hex (zeroblob (400000)), '00', '{},') || "
    "'0]'",
    "UPDATE conversation SET settings = replace (hex (zeroblob (2000000)), '00', '[')",
    "UPDATE message SET parent = id",
    "UPDATE message SET parent = (SELECT max (id) FROM message)",
    "UPDATE message SET text = X'FF00FE', author = X'', state = 'x', code = 1e30, error = X'FF'",
    "UPDATE message SET state = 99999999999, code = -5, stats = '{\"decode_s\": 1e308, "
    "\"new_tokens\": 1e308, \"first_token_s\": 1e308, \"context_used\": -1}'",
    "UPDATE message SET text = hex (zeroblob (4000000)) WHERE id IN (SELECT id FROM message LIMIT "
    "2)",
    "UPDATE transcript SET path = X'FF', language = X'FFFF', state = -1, code = 'x', stats = '[[['",
    "UPDATE transcript SET path = 'file:///%00%ff', stats = '{\"audio_s\": 1e308, \"elapsed_s\": "
    "-1e308, \"audio_total_s\": 1e-308, \"language\": \"much too long for this\"}', state = 2",
    "UPDATE segment SET start = 1e308, end = -1e308",
    "UPDATE segment SET doubts = '0+99999@50 4294967295+4294967295@1 -1+1@1 1+1 x', draft = 7",
    "UPDATE transcript SET rank = -1, until = 1e308, redo = 9, title = X'FF', model = X'00'",
    "UPDATE segment SET start = 'x', end = X'00', text = X'FF00'",
    "INSERT INTO conversation (id, updated) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + "
    "1"
    " FROM n WHERE i < 120000) SELECT i, i FROM n",
    /* a chain of messages, and one with many versions */
    "DELETE FROM message; INSERT INTO message (id, conversation, parent, text, state) WITH "
    "RECURSIVE"
    " n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 110000) SELECT i, (SELECT max (id)"
    " FROM conversation), i - 1, 'x', 2 FROM n; UPDATE conversation SET leaf = 100000",
    "DELETE FROM message; INSERT INTO message (id, conversation, parent, text, state) WITH "
    "RECURSIVE"
    " n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 110000) SELECT i, (SELECT max (id)"
    " FROM conversation), 0, 'x', 2 FROM n; UPDATE conversation SET leaf = 90000",
    "INSERT INTO segment (transcript, start, end, text) WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL"
    " SELECT i + 1 FROM n WHERE i < 120000) SELECT (SELECT max (id) FROM transcript), i, i, 'x'"
    " FROM n",
    "UPDATE meaning SET passages = zeroblob (12000000), width = 4",
    "UPDATE meaning SET passages = 'x', width = 'x', owner = 'x'",
    "DELETE FROM meaning; INSERT INTO meaning (unit, owner, kind, model, width, passages) WITH "
    "RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 120000) SELECT i, i, "
    "'chat', 1, 4, X'010000000000000000000000FFFFFFFF0000803C7F7F7F7F' FROM n",
    "UPDATE words SET owner = 'x', kind = X'FF'",
    "DELETE FROM words_content",
    "UPDATE words_data SET block = X'00'",
    "DELETE FROM words_data",
    "DELETE FROM words_config",
    "UPDATE words_data SET block = zeroblob (4000) WHERE id > 10",
  };

  for (guint i = 0; i < G_N_ELEMENTS (scripts); i++) {
    change_history (scripts[i]);
    use_history (scripts[i]);
    hostile_history_remove ();
  }
}

/* Things that are no file, or no ordinary one. */
static void
test_places (void)
{
  static const char *const suffixes[] = { "", "-wal", "-shm" };
  g_autofree char *garbage = g_strnfill (100000, 'x');

  for (guint i = 0; i < G_N_ELEMENTS (suffixes); i++) {
    g_autofree char *path = hostile_history_path (suffixes[i]);

    for (guint kind = 0; kind < 7; kind++) {
      if (i > 0) {
        gsize size;
        g_autofree char *bytes = good_history (&size);

        put_file ("", bytes, size);
      }
      switch (kind) {
      case 0: g_assert_cmpint (g_mkdir (path, 0700), ==, 0); break;
      case 1: g_assert_cmpint (mkfifo (path, 0600), ==, 0); break;
      case 2: g_assert_cmpint (symlink ("/dev/zero", path), ==, 0); break;
      case 3: g_assert_cmpint (symlink ("nowhere/at/all", path), ==, 0); break;
      case 4: g_assert_cmpint (symlink (path, path), ==, 0); break;
      case 5: put_file (suffixes[i], garbage, 100000); break;
      default:
        put_file (suffixes[i], garbage, 0);
        g_assert_cmpint (truncate (path, (off_t) 1 << 40), ==, 0);
      }
      use_history (path);
      hostile_history_remove ();
    }
  }
}

/* The words that are searched for can be made anew: nothing is lost, and all is found again. */
static void
check_mended (const char *what)
{
  g_autoptr (GPtrArray) chats = NULL;
  g_autoptr (GPtrArray) found = NULL;

  if (!use_history (what))
    g_error ("%s: nothing can be kept", what);
  chats = pteris_chat_store_list (NULL);
  g_assert_cmpuint (chats->len, ==, 21);
  found = pteris_store_search ("unfurl", "chat", NULL);
  if (found == NULL || found->len != 21)
    g_error ("%s: %u are found", what, found != NULL ? found->len : 0);
  pteris_store_close ();
  hostile_history_remove ();
}

static void
test_words (void)
{
  static const char *const scripts[] = {
    "DELETE FROM words_data WHERE id > 10",
    "DELETE FROM words_idx",
    "UPDATE words_data SET block = substr (block, 1, 20) WHERE id > 10",
  };

  for (guint i = 0; i < G_N_ELEMENTS (scripts); i++) {
    change_history (scripts[i]);
    check_mended (scripts[i]);
  }
}

/* ---- pages that lead to each other ---- */

#define PAGE 4096

static void
put16 (guint8 *to, guint number)
{
  to[0] = (guint8) (number >> 8);
  to[1] = (guint8) number;
}

static void
put32 (guint8 *to, guint number)
{
  put16 (to, number >> 16);
  put16 (to + 2, number & 0xffff);
}

static guint
get16 (const guint8 *from)
{
  return (guint) from[0] << 8 | from[1];
}

static guint
get32 (const guint8 *from)
{
  return get16 (from) << 16 | get16 (from + 2);
}

static gboolean
is_leaf (const guint8 *page)
{
  return page[0] == 0x0d || page[0] == 0x0a;
}

/* A page over @leaf's kind, each of whose entries leads to page @child. */
static void
make_inner (guint8 *page, const guint8 *leaf, guint child)
{
  gboolean is_table = leaf[0] == 0x0d;
  const guint8 *entry = leaf + get16 (leaf + 8);
  guint size = is_table ? 2 : 1 + entry[0], n = (PAGE - 12) / (4 + size + 2);
  guint at = PAGE;

  memset (page, 0, PAGE);
  page[0] = is_table ? 0x05 : 0x02;
  put32 (page + 8, child);
  for (guint i = 0; i < n; i++) {
    at -= 4 + size;
    put32 (page + at, child);
    if (is_table)
      put16 (page + at + 4, 0x8000 | (i >> 7) << 8 | (i & 0x7f));
    else
      memcpy (page + at + 4, entry, size);
    put16 (page + 12 + i * 2, at);
  }
  put16 (page + 3, n);
  put16 (page + 5, at);
}

static guint
find_root (const char *name)
{
  g_autofree char *path = hostile_history_path ("");
  g_autofree char *sql =
      g_strdup_printf ("SELECT rootpage FROM sqlite_schema WHERE name = '%s'", name);
  sqlite3_stmt *statement;
  sqlite3 *db;
  guint root;

  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_prepare_v2 (db, sql, -1, &statement, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_step (statement), ==, SQLITE_ROW);
  root = (guint) sqlite3_column_int (statement, 0);
  sqlite3_finalize (statement);
  sqlite3_close (db);
  return root;
}

/* A good history in which @name has a million times a million rows, by cyclic pages. */
static void
make_endless (const char *name)
{
  g_autofree char *path = hostile_history_path ("");
  g_autofree guint8 *pages = NULL;
  guint root, child;
  guint8 *leaf;
  gsize size;

  change_history ("SELECT 1");
  root = find_root (name);
  g_assert_true (g_file_get_contents (path, (char **) &pages, &size, NULL));
  pages = g_realloc (pages, size + 4 * PAGE);
  leaf = pages + (root - 1) * PAGE;
  while (!is_leaf (leaf))
    leaf = pages + (get32 (leaf + 8) - 1) * PAGE;
  memcpy (pages + size, leaf, PAGE);
  leaf = pages + size;
  child = (guint) (size / PAGE) + 1;
  for (guint i = 0; i < 3; i++)
    make_inner (pages + size + (i + 1) * PAGE, leaf, child + i);
  make_inner (pages + (root - 1) * PAGE, leaf, child + 3);
  put32 (pages + 28, child + 3);
  put_file ("", pages, size + 4 * PAGE);
}

/* Each question ends in time. */
static void
ask_endless (const char *what)
{
  GError *error = NULL;
  g_autoptr (GPtrArray) chats = NULL, transcripts = NULL, path = NULL;
  g_autoptr (PterisConversation) chat = pteris_conversation_new (1, "A", 1);
  g_autoptr (GPtrArray) found = NULL;

  hostile_begin ();
  chats = pteris_chat_store_list (&error);
  hostile_check_result (chats, &error, what);
  hostile_end (what);
  if (chats != NULL && chats->len > 0)
    g_set_object (&chat, chats->pdata[0]);
  hostile_begin ();
  path = pteris_chat_store_read (chat, 0, &error);
  hostile_check_result (path, &error, what);
  hostile_end (what);
  hostile_begin ();
  transcripts = pteris_transcript_store_list (50, &error);
  hostile_check_result (transcripts, &error, what);
  hostile_end (what);
  hostile_begin ();
  found = pteris_store_search ("ferns", "chat", &error);
  hostile_check_result (found, &error, what);
  hostile_end (what);
  hostile_begin ();
  write_chat ();
  pteris_store_close ();
  hostile_end (what);
}

static void
test_endless (void)
{
  static const char *const names[] = {
    "conversation",  "conversation_updated",
    "message",       "message_conversation",
    "transcript",    "segment",
    "words_idx",     "segment_transcript",
    "words_content", "words_data",
    "words_docsize", "words_config",
  };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    make_endless (names[i]);
    ask_endless (names[i]);
    hostile_history_remove ();
  }
}

/* ---- what becomes of a damaged file ---- */

static void
take_sentence (const char *sentence, gpointer user_data)
{
  char **said = user_data;

  g_free (*said);
  *said = g_strdup (sentence);
}

static char *
find_aside (void)
{
  g_autofree char *path = hostile_history_path ("");
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while ((name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_prefix (name, "history.db.damaged-") && strstr (name, "-shm") == NULL &&
        strstr (name, "-wal") == NULL)
      return g_build_filename (folder, name, NULL);
  return NULL;
}

/* Checks that the history is a new one, that the old file with @bytes was renamed, and that the
   sentence was shown. */
static void
check_aside (const char *bytes, gsize size)
{
  g_autofree char *said = NULL, *aside = NULL, *kept = NULL;
  g_autoptr (GPtrArray) chats = NULL;
  gsize kept_size;

  pteris_store_set_listener (take_sentence, &said);
  chats = pteris_chat_store_list (NULL);
  g_assert_nonnull (chats);
  g_assert_cmpuint (chats->len, ==, 0);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  pteris_store_set_listener (NULL, NULL);
  aside = find_aside ();
  g_assert_nonnull (aside);
  g_assert_nonnull (said);
  g_assert_nonnull (strstr (said, aside));
  g_assert_true (g_file_get_contents (aside, &kept, &kept_size, NULL));
  g_assert_cmpmem (kept, kept_size, bytes, size);
  write_chat ();
  pteris_store_close ();
  g_clear_pointer (&chats, g_ptr_array_unref);
  chats = pteris_chat_store_list (NULL);
  g_assert_cmpuint (chats->len, ==, 1);
  pteris_store_close ();
}

static void
test_put_aside (void)
{
  g_autofree char *garbage = g_strnfill (10000, 'x');

  put_file ("", garbage, 10000);
  check_aside (garbage, 10000);
  hostile_history_remove ();
}

/* A file that can be opened but has damaged pages: the other rows are shown until the end. */
static void
test_found_later (void)
{
  gsize size;
  g_autofree char *bytes = good_history (&size);
  g_autofree char *path = hostile_history_path ("");
  g_autofree char *said = NULL;
  g_autoptr (GPtrArray) chats = NULL, all = NULL;
  GError *error = NULL;
  guint root;

  put_file ("", bytes, size);
  root = find_root ("message");
  memset (bytes + (root - 1) * PAGE, 0x55, PAGE);
  put_file ("", bytes, size);
  pteris_store_set_listener (take_sentence, &said);
  chats = pteris_chat_store_list (&error);
  g_assert_no_error (error);
  g_assert_cmpuint (chats->len, ==, 20);
  all = pteris_chat_store_read_all (chats->pdata[0], &error);
  g_assert_null (all);
  g_assert_nonnull (strstr (error->message, "restart Pteris"));
  g_clear_error (&error);
  pteris_store_close ();
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
  check_aside (bytes, size);
  hostile_history_remove ();
}

int
main (int argc, char **argv)
{
  hostile_history_start (&argc, &argv);
  g_test_add_func ("/hostile/history/good", test_good);
  g_test_add_func ("/hostile/history/cut", test_cut);
  g_test_add_func ("/hostile/history/changed", test_changed);
  g_test_add_func ("/hostile/history/schemas", test_schemas);
  g_test_add_func ("/hostile/history/versions", test_versions);
  g_test_add_func ("/hostile/history/rows", test_rows);
  g_test_add_func ("/hostile/history/places", test_places);
  g_test_add_func ("/hostile/history/words", test_words);
  g_test_add_func ("/hostile/history/endless", test_endless);
  g_test_add_func ("/hostile/history/put-aside", test_put_aside);
  g_test_add_func ("/hostile/history/found-later", test_found_later);
  return hostile_history_end ();
}
