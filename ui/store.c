/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/store.h"

#include <string.h>

#include <glib/gstdio.h>
#include <sqlite3.h>

#include "ui/store-schema.h"

/* So many statements go into one transaction at most: the UI must be able to read in between. */
#define MAX_BATCH 1000

/* Another program that reads the file holds it no longer than this. */
#define BUSY_MS 5000

/* So many finds are looked at. */
#define MAX_FOUND 1000

typedef struct {
  char type;
  union {
    gint64 as_int;
    double as_double;
    char *as_text;
  };
} Argument;

/* A statement to execute; without SQL it is a mark that everything before it has been written. */
typedef struct {
  const char *sql;
  guint n_arguments;
  Argument arguments[];
} Work;

struct _PterisRow {
  sqlite3_stmt *statement;
};

static GMutex lock; /* over everything static here */
static GCond written;
static GAsyncQueue *queue;
static GThread *writer;
static guint64 n_queued, n_written;
static char *failure;
static gboolean forget;

static GMutex reader_lock;
static sqlite3 *reader;

/* ---- opening ---- */

static char *
store_path (void)
{
  return g_build_filename (g_get_user_data_dir (), "pteris", "history.db", NULL);
}

static gboolean
fail_sqlite (sqlite3 *db, GError **error)
{
  g_autofree char *path = store_path ();

  return pt_fail (error, PT_ERROR_FILE, "The history (%s) cannot be used: %s.", path,
                  db != NULL ? sqlite3_errmsg (db) : "out of memory");
}

static gboolean
run (sqlite3 *db, const char *sql, GError **error)
{
  return sqlite3_exec (db, sql, NULL, NULL, NULL) == SQLITE_OK || fail_sqlite (db, error);
}

static gboolean
read_version (sqlite3 *db, gint64 *version, GError **error)
{
  sqlite3_stmt *statement = NULL;
  gboolean good =
      sqlite3_prepare_v2 (db, "PRAGMA user_version", -1, &statement, NULL) == SQLITE_OK &&
      sqlite3_step (statement) == SQLITE_ROW;

  if (good)
    *version = sqlite3_column_int64 (statement, 0);
  else
    fail_sqlite (db, error);
  sqlite3_finalize (statement);
  return good;
}

static gboolean
migrate (sqlite3 *db, GError **error)
{
  gint64 version = 0;

  if (!read_version (db, &version, error))
    return FALSE;
  if (version < 0 || version > (gint64) G_N_ELEMENTS (store_schema))
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    "The history was written by a newer Pteris. Update Pteris to see it.");
  for (; version < (gint64) G_N_ELEMENTS (store_schema); version++) {
    g_autofree char *step =
        g_strdup_printf ("BEGIN IMMEDIATE; %s; PRAGMA user_version = %d; COMMIT;",
                         store_schema[version], (int) version + 1);

    if (!run (db, step, error)) {
      sqlite3_exec (db, "ROLLBACK", NULL, NULL, NULL);
      return FALSE;
    }
  }
  return TRUE;
}

static sqlite3 *
open_file (int flags, GError **error)
{
  g_autofree char *path =
      forget ? g_strdup ("file:pteris?mode=memory&cache=shared") : store_path ();
  sqlite3 *db = NULL;

  if (sqlite3_open_v2 (path, &db, flags | SQLITE_OPEN_URI | SQLITE_OPEN_FULLMUTEX, NULL) !=
      SQLITE_OK) {
    fail_sqlite (db, error);
    sqlite3_close (db);
    return NULL;
  }
  sqlite3_busy_timeout (db, BUSY_MS);
  /* What a file says must not run: no functions and virtual tables of unknown making. */
  sqlite3_db_config (db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config (db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  return db;
}

static gboolean
prepare_file (sqlite3 *db, GError **error)
{
  return run (db,
              "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; "
              "PRAGMA temp_store = MEMORY;",
              error) &&
         migrate (db, error) &&
         run (db,
              "DELETE FROM words WHERE owner IN (SELECT id FROM conversation WHERE deleted) OR "
              "owner IN (SELECT id FROM transcript WHERE deleted);"
              "DELETE FROM conversation WHERE deleted; DELETE FROM transcript WHERE deleted;",
              error);
}

/* A damaged history must not keep anyone from writing a new one; nor is it thrown away. */
static void
put_aside (void)
{
  static const char *const suffixes[] = { "", "-wal", "-shm" };
  g_autofree char *path = store_path ();
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *stamp = g_date_time_format (now, "%Y%m%d-%H%M%S");

  for (guint i = 0; i < G_N_ELEMENTS (suffixes); i++) {
    g_autofree char *from = g_strconcat (path, suffixes[i], NULL);
    g_autofree char *to = g_strdup_printf ("%s.damaged-%s%s", path, stamp, suffixes[i]);

    g_rename (from, to);
  }
  g_message ("The history was damaged; it was put aside as “%s.damaged-%s”.", path, stamp);
}

static sqlite3 *
open_writer (GError **error)
{
  g_autofree char *path = store_path ();
  g_autofree char *folder = g_path_get_dirname (path);

  g_mkdir_with_parents (folder, 0700);
  for (int attempt = 0;; attempt++) {
    sqlite3 *db = open_file (SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error);
    int code;

    if (db == NULL)
      return NULL;
    if (prepare_file (db, error)) {
      g_chmod (path, 0600);
      return db;
    }
    code = sqlite3_errcode (db);
    sqlite3_close (db);
    if (attempt > 0 || (code != SQLITE_CORRUPT && code != SQLITE_NOTADB))
      return NULL;
    g_clear_error (error);
    put_aside ();
  }
}

/* ---- writing ---- */

static void
bind (sqlite3_stmt *statement, const Argument *arguments, guint n)
{
  for (guint i = 0; i < n; i++) {
    int column = (int) i + 1;

    switch (arguments[i].type) {
    case 'i': sqlite3_bind_int64 (statement, column, arguments[i].as_int); break;
    case 'd': sqlite3_bind_double (statement, column, arguments[i].as_double); break;
    default: sqlite3_bind_text (statement, column, arguments[i].as_text, -1, SQLITE_STATIC); break;
    }
  }
}

static void
work_free (Work *work)
{
  for (guint i = 0; i < work->n_arguments; i++)
    if (work->arguments[i].type == 's')
      g_free (work->arguments[i].as_text);
  g_free (work);
}

static void
set_failure (const char *text)
{
  g_mutex_lock (&lock);
  if (g_strcmp0 (failure, text) != 0) {
    g_free (failure);
    failure = g_strdup (text);
    if (text != NULL)
      g_message ("%s", text);
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
      return fail_sqlite (db, error);
    g_hash_table_insert (statements, (gpointer) work->sql, statement);
  }
  bind (statement, work->arguments, work->n_arguments);
  code = sqlite3_step (statement);
  if (code != SQLITE_DONE && code != SQLITE_ROW)
    fail_sqlite (db, error);
  sqlite3_reset (statement);
  sqlite3_clear_bindings (statement);
  return code == SQLITE_DONE || code == SQLITE_ROW;
}

/* Statements that fail are left out: the next may well succeed. Returns how many were taken from
 * the queue; @closed: the one that closes it was among them. */
static guint
execute_queued (sqlite3 *db, GHashTable *statements, gboolean *closed, GError **error)
{
  Work *work = g_async_queue_pop (queue);
  guint n = 0;

  if (db != NULL)
    run (db, "BEGIN IMMEDIATE", error);
  while (work != NULL) {
    *closed = work->sql == NULL;
    if (db != NULL && !*closed)
      execute (db, statements, work, error != NULL && *error == NULL ? error : NULL);
    work_free (work);
    work = ++n < MAX_BATCH && !*closed ? g_async_queue_try_pop (queue) : NULL;
  }
  return n;
}

/* Everything that is queued, in one transaction. Returns FALSE once the queue was closed. */
static gboolean
write_batch (sqlite3 *db, GHashTable *statements)
{
  g_autoptr (GError) error = NULL;
  gboolean closed = FALSE;
  guint n = execute_queued (db, statements, &closed, &error);

  if (db != NULL && !sqlite3_get_autocommit (db) &&
      !run (db, "COMMIT", error == NULL ? &error : NULL))
    sqlite3_exec (db, "ROLLBACK", NULL, NULL, NULL);
  if (db != NULL)
    set_failure (error != NULL ? error->message : NULL);
  g_mutex_lock (&lock);
  n_written += n;
  g_cond_broadcast (&written);
  g_mutex_unlock (&lock);
  return !closed;
}

static void
finalize_statement (gpointer statement)
{
  sqlite3_finalize (statement);
}

static gpointer
write_in_thread (gpointer data)
{
  g_autoptr (GError) error = NULL;
  sqlite3 *db = open_writer (&error);
  /* By the address of the text, which is static. */
  g_autoptr (GHashTable) statements = g_hash_table_new_full (NULL, NULL, NULL, finalize_statement);

  if (db == NULL)
    set_failure (error->message);
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
  g_mutex_lock (&lock);
  push (work);
  g_mutex_unlock (&lock);
}

gint64
pteris_store_new_id (void)
{
  static gint64 last;
  gint64 id;

  g_mutex_lock (&lock);
  id = last = MAX (g_get_real_time (), last + 1);
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

static gboolean
read_rows (sqlite3 *db, const char *sql, const Argument *arguments, guint n, PterisRowFunc func,
           gpointer user_data, GError **error)
{
  PterisRow row = { NULL };
  int code;

  if (sqlite3_prepare_v2 (db, sql, -1, &row.statement, NULL) != SQLITE_OK)
    return fail_sqlite (db, error);
  bind (row.statement, arguments, n);
  while ((code = sqlite3_step (row.statement)) == SQLITE_ROW)
    func (&row, user_data);
  if (code != SQLITE_DONE)
    fail_sqlite (db, error);
  sqlite3_finalize (row.statement);
  return code == SQLITE_DONE;
}

/* The file is there once its writer has opened it: a mark through the queue makes sure. */
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
    reader = open_file (SQLITE_OPEN_READWRITE, error);
  good = reader != NULL && read_rows (reader, sql, arguments, n, func, user_data, error);
  g_mutex_unlock (&reader_lock);
  for (guint i = 0; i < n; i++)
    if (arguments[i].type == 's')
      g_free (arguments[i].as_text);
  return good;
}

/* ---- searching ---- */

/* Every word, and every word that begins like it: "mar"* "cookies"*. */
static char *
make_match (const char *query)
{
  g_auto (GStrv) words = g_str_tokenize_and_fold (query, NULL, NULL);
  GString *match = g_string_new (NULL);

  for (guint i = 0; words[i] != NULL; i++)
    g_string_append_printf (match, "%s\"%s\"*", i > 0 ? " " : "", words[i]);
  return g_string_free (match, FALSE);
}

static void
take_new_id (const PterisRow *row, gpointer user_data)
{
  GArray *ids = user_data;
  gint64 id = pteris_row_int (row, 0);

  for (guint i = 0; i < ids->len; i++)
    if (g_array_index (ids, gint64, i) == id)
      return;
  g_array_append_val (ids, id);
}

GArray *
pteris_store_search (const char *query, const char *kind, GError **error)
{
  g_autofree char *match = make_match (query);
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint64));

  if (match[0] != '\0' &&
      !pteris_store_read (error, take_new_id, ids,
                          "SELECT owner FROM words WHERE words MATCH ?1 AND kind = ?2"
                          " ORDER BY rank LIMIT ?3",
                          "ssi", match, kind, (gint64) MAX_FOUND))
    return NULL;
  return g_steal_pointer (&ids);
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
  g_thread_join (thread);
  g_mutex_lock (&reader_lock);
  g_clear_pointer (&reader, sqlite3_close);
  g_mutex_unlock (&reader_lock);
  g_clear_pointer (&queue, g_async_queue_unref);
}
