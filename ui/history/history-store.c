/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/history/history-store.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "ui/i18n.h"
#include "ui/history/history-store-file.h"

/* Most statements of a transaction: the UI must be able to read in between. */
#define MAX_BATCH 1000

/* Most results of a search. */
#define MAX_FOUND 1000

typedef struct {
  char type;
  union {
    gint64 as_int;
    double as_double;
    char *as_text;
    GBytes *as_bytes;
  };
} Argument;

/* A statement to execute; without SQL it signals that all earlier ones have been written. */
typedef struct {
  const char *sql;
  gint64 n_bytes; /* of text */
  guint n_arguments;
  Argument arguments[];
} Work;

struct _PterisRow {
  sqlite3_stmt *statement;
};

/* No clock is set later than the year 9000. */
#define MAX_ID ((gint64) 220000000000 * G_USEC_PER_SEC)

static GMutex lock; /* protects all static variables here */
static GCond written;
static GAsyncQueue *queue;
static GThread *writer;
static guint64 n_queued, n_written;
static gint64 last_id; /* the highest in the file, or of this run */
static char *failure;
static gboolean forget;
static PterisStoreListener listener; /* UI thread */
static gpointer listener_data;

static GMutex reader_lock;
static sqlite3 *reader;

/* ---- writing ---- */

static void
bind_bytes (sqlite3_stmt *statement, int column, GBytes *bytes)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (bytes, &size);

  /* NULL would be no value instead of an empty one. */
  sqlite3_bind_blob64 (statement, column, data != NULL ? data : "", size, SQLITE_STATIC);
}

static void
bind (sqlite3_stmt *statement, const Argument *arguments, guint n)
{
  for (guint i = 0; i < n; i++) {
    int column = (int) i + 1;

    switch (arguments[i].type) {
    case 'i': sqlite3_bind_int64 (statement, column, arguments[i].as_int); break;
    case 'd': sqlite3_bind_double (statement, column, arguments[i].as_double); break;
    case 'b': bind_bytes (statement, column, arguments[i].as_bytes); break;
    default: sqlite3_bind_text (statement, column, arguments[i].as_text, -1, SQLITE_STATIC); break;
    }
  }
}

static void
clear_arguments (Argument *arguments, guint n)
{
  for (guint i = 0; i < n; i++)
    if (arguments[i].type == 's')
      g_free (arguments[i].as_text);
    else if (arguments[i].type == 'b')
      g_bytes_unref (arguments[i].as_bytes);
}

static void
work_free (Work *work)
{
  clear_arguments (work->arguments, work->n_arguments);
  g_free (work);
}

static gboolean
tell_in_loop (gpointer sentence)
{
  if (listener != NULL)
    listener (sentence, listener_data);
  return G_SOURCE_REMOVE;
}

static void
tell (const char *sentence)
{
  g_message ("%s", sentence);
  g_idle_add_full (G_PRIORITY_DEFAULT, tell_in_loop, g_strdup (sentence), g_free);
}

static void
set_failure (const char *text)
{
  g_mutex_lock (&lock);
  if (g_strcmp0 (failure, text) != 0) {
    g_free (failure);
    failure = g_strdup (text);
    if (text != NULL)
      tell (text);
  }
  g_mutex_unlock (&lock);
}

static gboolean
execute (sqlite3 *db, GHashTable *statements, const Work *work, GError **error)
{
  sqlite3_stmt *statement = g_hash_table_lookup (statements, work->sql);
  int code;

  if (statement == NULL) {
    if (sqlite3_prepare_v3 (db, work->sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, NULL) !=
        SQLITE_OK)
      return _pteris_store_fail (db, error);
    g_hash_table_insert (statements, (gpointer) work->sql, statement);
  }
  bind (statement, work->arguments, work->n_arguments);
  _pteris_store_begin_work (work->n_bytes);
  code = sqlite3_step (statement);
  if (code != SQLITE_DONE && code != SQLITE_ROW)
    _pteris_store_fail (db, error);
  sqlite3_reset (statement);
  sqlite3_clear_bindings (statement);
  return code == SQLITE_DONE || code == SQLITE_ROW;
}

static GPtrArray *
take_queued (gboolean *closed)
{
  GPtrArray *batch = g_ptr_array_new_with_free_func ((GDestroyNotify) work_free);
  Work *work = g_async_queue_pop (queue);

  while (work != NULL) {
    g_ptr_array_add (batch, work);
    *closed = work->sql == NULL;
    work = batch->len < MAX_BATCH && !*closed ? g_async_queue_try_pop (queue) : NULL;
  }
  return batch;
}

/* Executes all in one transaction. Failing statements are skipped. If the search index is damaged,
 * the commit can fail: then it is rolled back and FALSE is returned, unless the index was rebuilt
 * already (@is_second). */
static gboolean
execute_all (sqlite3 *db, GHashTable *statements, GPtrArray *batch, gboolean is_second,
             GError **error)
{
  gboolean words_are_bad = FALSE;
  gint64 bytes = 0;

  _pteris_store_begin_work (0);
  _pteris_store_run (db, "BEGIN IMMEDIATE", error);
  for (guint i = 0; i < batch->len; i++) {
    Work *work = batch->pdata[i];

    bytes += work->n_bytes;
    if (work->sql != NULL && !execute (db, statements, work, *error == NULL ? error : NULL))
      words_are_bad |= _pteris_store_words_are_bad (db);
  }
  _pteris_store_begin_work (bytes);
  if (sqlite3_get_autocommit (db) ||
      ((is_second || !words_are_bad) &&
       _pteris_store_run (db, "COMMIT", *error == NULL ? error : NULL)))
    return TRUE;
  /* Constraints of our tables are checked with each statement; one that fails now is of the search
     index. */
  words_are_bad |=
      _pteris_store_words_are_bad (db) || (sqlite3_errcode (db) & 0xff) == SQLITE_CONSTRAINT;
  sqlite3_exec (db, "ROLLBACK", NULL, NULL, NULL);
  return is_second || !words_are_bad;
}

/* Writes everything in the queue. Returns FALSE once the queue is closed. */
static gboolean
write_batch (sqlite3 *db, GHashTable *statements)
{
  g_autoptr (GError) error = NULL;
  gboolean closed = FALSE;
  g_autoptr (GPtrArray) batch = take_queued (&closed);

  if (db != NULL && !execute_all (db, statements, batch, FALSE, &error)) {
    g_clear_error (&error);
    _pteris_store_mend_words (db, NULL);
    execute_all (db, statements, batch, TRUE, &error);
  }
  if (db != NULL)
    set_failure (error != NULL ? error->message : NULL);
  g_mutex_lock (&lock);
  n_written += batch->len;
  g_cond_broadcast (&written);
  g_mutex_unlock (&lock);
  return !closed;
}

static void
finalize_statement (gpointer statement)
{
  sqlite3_finalize (statement);
}

/* The clock may have been set back since the last run: new rows still come after those in the file.
 * An id that no run can have made is left out. */
static void
note_ids (sqlite3 *db)
{
  sqlite3_stmt *statement = NULL;
  gint64 id = 0;

  _pteris_store_begin_work (0);
  if (sqlite3_prepare_v2 (db,
                          "SELECT max((SELECT coalesce(max(id), 0) FROM conversation),"
                          " (SELECT coalesce(max(id), 0) FROM message),"
                          " (SELECT coalesce(max(id), 0) FROM transcript),"
                          " (SELECT coalesce(max(id), 0) FROM segment),"
                          " (SELECT coalesce(max(id), 0) FROM preset))",
                          -1, &statement, NULL) == SQLITE_OK &&
      sqlite3_step (statement) == SQLITE_ROW)
    id = sqlite3_column_int64 (statement, 0);
  sqlite3_finalize (statement);
  g_mutex_lock (&lock);
  if (id < MAX_ID)
    last_id = MAX (last_id, id);
  g_mutex_unlock (&lock);
}

static gpointer
write_in_thread (gpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *notice = NULL;
  sqlite3 *db = _pteris_store_open_writer (forget, &notice, &error);
  /* Prepared statements by the address of their text, which is static. */
  g_autoptr (GHashTable) statements = g_hash_table_new_full (NULL, NULL, NULL, finalize_statement);

  if (notice != NULL)
    tell (notice);
  if (db == NULL)
    set_failure (error->message);
  else
    note_ids (db);
  while (write_batch (db, statements))
    ;
  g_hash_table_remove_all (statements);
  sqlite3_close (db);
  return NULL;
}

/* With the lock held. */
static void
push (Work *work)
{
  if (writer == NULL) {
    queue = g_async_queue_new ();
    writer = g_thread_new ("history", write_in_thread, NULL);
  }
  n_queued++;
  g_async_queue_push (queue, work);
}

static Argument *
collect (const char *types, va_list list, Argument *arguments)
{
  for (guint i = 0; types[i] != '\0'; i++) {
    arguments[i].type = types[i];
    switch (types[i]) {
    case 'i': arguments[i].as_int = va_arg (list, gint64); break;
    case 'd': arguments[i].as_double = va_arg (list, double); break;
    case 'b': arguments[i].as_bytes = g_bytes_ref (va_arg (list, GBytes *)); break;
    default: arguments[i].as_text = g_strdup (va_arg (list, const char *)); break;
    }
  }
  return arguments;
}

void
pteris_store_write (const char *sql, const char *types, ...)
{
  guint n = (guint) strlen (types);
  Work *work = g_malloc0 (sizeof *work + n * sizeof (Argument));
  va_list list;

  work->sql = sql;
  work->n_arguments = n;
  va_start (list, types);
  collect (types, list, work->arguments);
  va_end (list);
  for (guint i = 0; i < n; i++)
    if (types[i] == 's' && work->arguments[i].as_text != NULL)
      work->n_bytes += (gint64) strlen (work->arguments[i].as_text);
    else if (types[i] == 'b')
      work->n_bytes += (gint64) g_bytes_get_size (work->arguments[i].as_bytes);
  g_mutex_lock (&lock);
  push (work);
  g_mutex_unlock (&lock);
}

gint64
pteris_store_new_id (void)
{
  gint64 id;

  g_mutex_lock (&lock);
  id = last_id = MAX (g_get_real_time (), last_id + 1);
  g_mutex_unlock (&lock);
  return id;
}

/* ---- reading ---- */

gint64
pteris_row_int (const PterisRow *row, int column)
{
  return sqlite3_column_int64 (row->statement, column);
}

double
pteris_row_double (const PterisRow *row, int column)
{
  return sqlite3_column_double (row->statement, column);
}

const char *
pteris_row_text (const PterisRow *row, int column)
{
  const char *text = (const char *) sqlite3_column_text (row->statement, column);

  return text == NULL || g_utf8_validate (text, -1, NULL) ? text : "";
}

gconstpointer
pteris_row_bytes (const PterisRow *row, int column, gsize *size)
{
  gconstpointer bytes = sqlite3_column_type (row->statement, column) == SQLITE_BLOB
                            ? sqlite3_column_blob (row->statement, column)
                            : NULL;

  *size = bytes != NULL ? (gsize) sqlite3_column_bytes (row->statement, column) : 0;
  return bytes;
}

static gint64
count_bytes (sqlite3_stmt *statement)
{
  int n = sqlite3_column_count (statement);
  gint64 bytes = 0;

  for (int i = 0; i < n; i++)
    if (sqlite3_column_type (statement, i) == SQLITE_TEXT ||
        sqlite3_column_type (statement, i) == SQLITE_BLOB)
      bytes += sqlite3_column_bytes (statement, i);
  return bytes;
}

static gboolean
read_rows (sqlite3 *db, const char *sql, const Argument *arguments, guint n, PterisRowFunc func,
           gpointer user_data, GError **error)
{
  gint64 bytes_left = _pteris_store_get_max_bytes ();
  PterisRow row = { NULL };
  int code;

  _pteris_store_begin_work (0);

  if (sqlite3_prepare_v2 (db, sql, -1, &row.statement, NULL) != SQLITE_OK)
    return _pteris_store_fail (db, error);
  bind (row.statement, arguments, n);
  while ((code = sqlite3_step (row.statement)) == SQLITE_ROW && bytes_left >= 0) {
    bytes_left -= count_bytes (row.statement);
    func (&row, user_data);
  }
  if (code == SQLITE_ROW)
    pt_fail (error, PT_ERROR_FORMAT, _ ("The history is damaged: its file is too short."));
  else if (code != SQLITE_DONE)
    _pteris_store_fail (db, error);
  sqlite3_finalize (row.statement);
  return code == SQLITE_DONE;
}

/* Waits until the writer has opened the file, by an empty item in the queue. */
static void
wait_for_writer (void)
{
  guint64 mark;

  g_mutex_lock (&lock);
  if (writer == NULL) {
    Work *work = g_new0 (Work, 1);

    work->sql = "SELECT 1";
    push (work);
  }
  mark = n_queued;
  while (n_written < mark)
    g_cond_wait (&written, &lock);
  g_mutex_unlock (&lock);
}

gboolean
pteris_store_read (GError **error, PterisRowFunc func, gpointer user_data, const char *sql,
                   const char *types, ...)
{
  guint n = (guint) strlen (types);
  g_autofree Argument *arguments = g_new0 (Argument, n + 1);
  gboolean good;
  va_list list;

  va_start (list, types);
  collect (types, list, arguments);
  va_end (list);
  wait_for_writer ();
  g_mutex_lock (&reader_lock);
  if (reader == NULL)
    reader = _pteris_store_open_reader (forget, error);
  good = reader != NULL && read_rows (reader, sql, arguments, n, func, user_data, error);
  g_mutex_unlock (&reader_lock);
  clear_arguments (arguments, n);
  return good;
}

/* ---- searching ---- */

/* All words, and words that begin with them: "mar"* "cookies"*. */
static char *
make_match (const char *query)
{
  g_auto (GStrv) words = g_str_tokenize_and_fold (query, NULL, NULL);
  GString *match = g_string_new (NULL);

  for (guint i = 0; words[i] != NULL; i++)
    g_string_append_printf (match, "%s\"%s\"*", i > 0 ? " " : "", words[i]);
  return g_string_free (match, FALSE);
}

/* The rows of titles have the id of their owner. */
static void
take_hit (const PterisRow *row, gpointer hits)
{
  gint64 owner = pteris_row_int (row, 0), place = pteris_row_int (row, 1);
  const char *passage = owner != place ? pteris_row_text (row, 2) : NULL;
  PterisHit *known = pteris_hits_find (hits, owner);

  if (known == NULL) {
    g_ptr_array_add (hits, pteris_hit_new (owner, owner != place ? place : 0, passage, 0));
  } else if (known->passage == NULL && passage != NULL) {
    known->place = place;
    known->passage = g_strdup (passage);
  }
}

static gboolean
search (const char *match, const char *kind, GPtrArray *hits, GError **error)
{
  g_ptr_array_set_size (hits, 0);
  return pteris_store_read (error, take_hit, hits,
                            "SELECT owner, rowid, snippet (words, 0, '', '', '…', 24) FROM words"
                            " WHERE words MATCH ?1 AND kind = ?2 ORDER BY rank LIMIT ?3",
                            "ssi", match, kind, (gint64) MAX_FOUND);
}

/* Rebuilds a damaged search index, once for each time that the file is opened. */
static gint mended;

GPtrArray *
pteris_store_search (const char *query, const char *kind, GError **error)
{
  g_autofree char *match = make_match (query);
  g_autoptr (GPtrArray) hits = pteris_hits_new ();

  if (match[0] == '\0' || search (match, kind, hits, NULL))
    return g_steal_pointer (&hits);
  if (g_atomic_int_compare_and_exchange (&mended, 0, 1))
    pteris_store_write (PTERIS_STORE_MEND_WORDS, "");
  return search (match, kind, hits, error) ? g_steal_pointer (&hits) : NULL;
}

/* ---- the rest ---- */

void
pteris_store_flush (void)
{
  g_mutex_lock (&lock);
  while (n_written < n_queued)
    g_cond_wait (&written, &lock);
  g_mutex_unlock (&lock);
}

void
pteris_store_set_keep (gboolean keep)
{
  g_mutex_lock (&lock);
  g_warn_if_fail (writer == NULL);
  forget = !keep;
  g_mutex_unlock (&lock);
}

void
pteris_store_set_listener (PterisStoreListener new_listener, gpointer user_data)
{
  listener = new_listener;
  listener_data = user_data;
}

char *
pteris_store_get_error (void)
{
  char *copy;

  g_mutex_lock (&lock);
  copy = g_strdup (failure);
  g_mutex_unlock (&lock);
  return copy;
}

void
pteris_store_close (void)
{
  GThread *thread;

  g_mutex_lock (&lock);
  thread = g_steal_pointer (&writer);
  if (thread != NULL) {
    n_queued++;
    g_async_queue_push (queue, g_new0 (Work, 1));
  }
  g_mutex_unlock (&lock);
  if (thread == NULL)
    return;
  g_atomic_int_set (&mended, 0);
  g_thread_join (thread);
  g_mutex_lock (&reader_lock);
  g_clear_pointer (&reader, sqlite3_close);
  g_mutex_unlock (&reader_lock);
  g_clear_pointer (&queue, g_async_queue_unref);
}
