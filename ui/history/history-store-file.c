/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/history/history-store-file.h"

#include <string.h>
#include <time.h>

#ifdef G_OS_WIN32
#include <windows.h>
#endif
#include <glib/gstdio.h>

#include "engine/base/set-error.h"
#include "ui/i18n.h"
#include "ui/history/history-store-schema.h"
#include "ui/history/journals.h"

/* Longest wait in milliseconds for another program that locks the file. */
#define BUSY_MS 5000

/* CPU time: the minimum, and per MB of the file, of which SQLite needs a hundredth. */
#define MIN_WORK_US (G_USEC_PER_SEC / 2)
#define WORK_US_PER_MB (G_USEC_PER_SEC / 10)

#define MIN_BYTES ((gint64) 16 * 1024 * 1024)

/* Instructions of SQLite between two checks of the CPU time. */
#define LOOK_AFTER 10000

/* A database in memory is not limited by its size. */
#define MB_IN_MEMORY 10000

static gint in_memory; /* atomic */
static _Thread_local gint64 deadline;

static char *
store_path (const char *suffix)
{
  g_autofree char *name = g_strconcat ("history.db", suffix, NULL);

  return g_build_filename (g_get_user_data_dir (), "pteris", name, NULL);
}

/* A marker file that exists while the history must be put aside. */
static char *
mark_path (void)
{
  return store_path (".is-damaged");
}

/* ---- limits ---- */

/* CPU time of the calling thread in microseconds. */
static gint64
processor_time (void)
{
#ifdef G_OS_WIN32
  FILETIME begin, end, kernel, user;

  if (!GetThreadTimes (GetCurrentThread (), &begin, &end, &kernel, &user))
    return 0;
  return (gint64) ((((guint64) kernel.dwHighDateTime + user.dwHighDateTime) << 32) +
                   kernel.dwLowDateTime + user.dwLowDateTime) /
         10;
#else
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return (gint64) now.tv_sec * G_USEC_PER_SEC + now.tv_nsec / 1000;
#endif
}

/* Counts allocated blocks: a sparse file can have any length. */
static gint64
size_in_mb (const char *suffix)
{
  g_autofree char *path = store_path (suffix);
  GStatBuf info;
  gint64 size;

  if (g_stat (path, &info) != 0)
    return 0;
  size = info.st_size;
#ifndef G_OS_WIN32
  size = MIN (size, (gint64) info.st_blocks * 512);
#endif
  return size / (1024 * 1024);
}

static gint64
file_mb (void)
{
  if (g_atomic_int_get (&in_memory))
    return MB_IN_MEMORY;
  return 1 + size_in_mb ("") + size_in_mb ("-wal");
}

void
_pteris_store_begin_work (gint64 bytes)
{
  deadline = processor_time () + MIN_WORK_US + file_mb () * WORK_US_PER_MB + bytes;
}

gint64
_pteris_store_get_max_bytes (void)
{
  return MIN_BYTES + 2 * file_mb () * 1024 * 1024;
}

/* Cyclic pages can make SQLite read a short file endlessly. */
static int
is_too_late (gpointer data)
{
  return processor_time () > deadline;
}

/* ---- errors ---- */

static const char *
next_step (int code)
{
  switch (code) {
  case SQLITE_FULL: return _ ("Free up disk space and restart Pteris.");
  case SQLITE_READONLY:
  case SQLITE_PERM:
  case SQLITE_CANTOPEN:
    return _ (
        "Make sure that you have permission to write to it and its folder, then restart Pteris.");
  case SQLITE_INTERRUPT:
    return _ ("It may be damaged. Move it to another folder and restart Pteris.");
  default: return _ ("Restart Pteris.");
  }
}

gboolean
_pteris_store_fail (sqlite3 *db, GError **error)
{
  g_autofree char *path = store_path ("");
  int code = db != NULL ? sqlite3_extended_errcode (db) : SQLITE_NOMEM;

  if ((code & 0xff) == SQLITE_NOTADB ||
      ((code & 0xff) == SQLITE_CORRUPT && code != SQLITE_CORRUPT_VTAB)) {
    g_autofree char *mark = mark_path ();

    g_file_set_contents (mark, "", 0, NULL);
    return pt_fail (error, PT_ERROR_FORMAT,
                    _ ("The history (%s) is damaged. Export the chats that still open, then "
                       "restart Pteris: it keeps the damaged file and starts a new history."),
                    path);
  }
  return pt_fail (error, PT_ERROR_FILE, _ ("The history (%s) cannot be used: %s. %s"), path,
                  db != NULL ? sqlite3_errmsg (db) : "out of memory", next_step (code & 0xff));
}

gboolean
_pteris_store_run (sqlite3 *db, const char *sql, GError **error)
{
  return sqlite3_exec (db, sql, NULL, NULL, NULL) == SQLITE_OK || _pteris_store_fail (db, error);
}

/* Damaged pages of the search index make it request any length, too. */
gboolean
_pteris_store_words_are_bad (sqlite3 *db)
{
  int code = sqlite3_extended_errcode (db);

  return code == SQLITE_CORRUPT_VTAB || (code & 0xff) == SQLITE_NOMEM;
}

gboolean
_pteris_store_mend_words (sqlite3 *db, GError **error)
{
  _pteris_store_begin_work (_pteris_store_get_max_bytes ());
  return _pteris_store_run (db, PTERIS_STORE_MEND_WORDS, error);
}

/* ---- tables ---- */

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
    _pteris_store_fail (db, error);
  sqlite3_finalize (statement);
  return good;
}

/* The SQL of the tables, indices, views and triggers of @db, except the internal tables of the
 * search index. Free with sqlite3_free(); NULL: it cannot be read. */
static char *
describe_schema (sqlite3 *db)
{
  sqlite3_stmt *statement = NULL;
  char *text = NULL;

  if (sqlite3_prepare_v2 (
          db,
          "SELECT group_concat (type || ' ' || name || ' ' || coalesce (sql, ''), ';')"
          " FROM (SELECT * FROM sqlite_schema WHERE NOT"
          " (type = 'table' AND name GLOB 'words_*') AND name NOT GLOB 'sqlite_*'"
          " ORDER BY type, name)",
          -1, &statement, NULL) == SQLITE_OK &&
      sqlite3_step (statement) == SQLITE_ROW) {
    const char *found = (const char *) sqlite3_column_text (statement, 0);

    text = sqlite3_mprintf ("%s", found != NULL ? found : "");
  }
  sqlite3_finalize (statement);
  return text;
}

static char *
describe_model (gint64 version)
{
  sqlite3 *model = NULL;
  gboolean good = sqlite3_open (":memory:", &model) == SQLITE_OK;
  char *text;

  for (gint64 i = 0; good && i < version; i++)
    good = _pteris_store_run (model, store_schema[i], NULL);
  text = good ? describe_schema (model) : NULL;
  sqlite3_close (model);
  return text;
}

/* Views and triggers instead of our tables could run anything and take forever: a file must have
 * exactly the tables of its version. */
static gboolean
check_schema (sqlite3 *db, gint64 version, GError **error)
{
  char *found = describe_schema (db), *wanted;
  gboolean good;

  if (found == NULL)
    return _pteris_store_fail (db, error);
  wanted = describe_model (version);
  good = wanted != NULL && strcmp (wanted, found) == 0;
  sqlite3_free (wanted);
  sqlite3_free (found);
  return good || pt_fail (error, PT_ERROR_FORMAT, "The history has other tables than ours.");
}

static gboolean
migrate (sqlite3 *db, gint64 version, GError **error)
{
  for (; version < (gint64) G_N_ELEMENTS (store_schema); version++) {
    g_autofree char *step =
        g_strdup_printf ("BEGIN IMMEDIATE; %s; PRAGMA user_version = %d; COMMIT;",
                         store_schema[version], (int) version + 1);

    _pteris_store_begin_work (0);
    if (!_pteris_store_run (db, step, error))
      return FALSE;
  }
  return TRUE;
}

/* Opens the search index; some damage makes even this fail. */
static gboolean
open_words (sqlite3 *db, GError **error)
{
  _pteris_store_begin_work (0);
  return _pteris_store_run (db, "SELECT owner FROM words LIMIT 0", error);
}

/* Removes the deleted rows. If that takes too long, the rest is left for the next start. */
static gboolean
clean_up (sqlite3 *db, GError **error)
{
  static const char sql[] =
      "DELETE FROM words WHERE owner IN (SELECT id FROM conversation WHERE deleted) OR "
      "owner IN (SELECT id FROM transcript WHERE deleted);"
      "DELETE FROM meaning WHERE owner IN (SELECT id FROM conversation WHERE deleted) OR "
      "owner IN (SELECT id FROM transcript WHERE deleted) OR "
      "unit IN (SELECT id FROM message WHERE deleted > 0);"
      "DELETE FROM conversation WHERE deleted; DELETE FROM transcript WHERE deleted;"
      "UPDATE message SET text = '', reason = NULL, error = NULL, stats = NULL, attachments = NULL,"
      " deleted = -1 WHERE deleted > 0;";
  int code;

  _pteris_store_begin_work (0);
  code = sqlite3_exec (db, sql, NULL, NULL, NULL);
  if (code != SQLITE_OK && _pteris_store_words_are_bad (db)) {
    if (!_pteris_store_mend_words (db, error))
      return FALSE;
    code = sqlite3_exec (db, sql, NULL, NULL, NULL);
  }
  return code == SQLITE_OK || (code & 0xff) == SQLITE_INTERRUPT || _pteris_store_fail (db, error);
}

/* ---- opening ---- */

static sqlite3 *
open_file (gboolean forget, int flags, GError **error)
{
  g_autofree char *path =
      forget ? g_strdup ("file:pteris?mode=memory&cache=shared") : store_path ("");
  sqlite3 *db = NULL;

  /* The limit applies to all SQLite databases of the process; the history is the only one. */
  sqlite3_hard_heap_limit64 (PTERIS_STORE_MAX_HEAP);
  if (sqlite3_open_v2 (path, &db, flags | (forget ? SQLITE_OPEN_URI : 0) | SQLITE_OPEN_FULLMUTEX,
                       NULL) != SQLITE_OK) {
    _pteris_store_fail (db, error);
    sqlite3_close (db);
    return NULL;
  }
  /* Internal queries of the search index would lose the extended codes otherwise. */
  sqlite3_extended_result_codes (db, 1);
  sqlite3_busy_timeout (db, BUSY_MS);
  sqlite3_limit (db, SQLITE_LIMIT_LENGTH, PTERIS_STORE_MAX_TEXT);
  sqlite3_progress_handler (db, LOOK_AFTER, is_too_late, NULL);
  /* SQL in the file must not run: no unknown functions and virtual tables. */
  sqlite3_db_config (db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
  sqlite3_db_config (db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
  return db;
}

sqlite3 *
_pteris_store_open_reader (gboolean forget, GError **error)
{
  return open_file (forget, SQLITE_OPEN_READWRITE, error);
}

/* Whether an error while opening is caused by the file. Our statements are correct. */
static gboolean
is_damage (sqlite3 *db)
{
  switch (sqlite3_errcode (db) & 0xff) {
  case SQLITE_CORRUPT:
  case SQLITE_NOTADB:
  case SQLITE_ERROR:
  case SQLITE_TOOBIG:
  case SQLITE_NOMEM:
  case SQLITE_INTERRUPT: return TRUE;
  default: return FALSE;
  }
}

/* @damaged: set to whether the file is damaged. After a failure the file must be closed. */
static gboolean
prepare_file (sqlite3 *db, gboolean *damaged, GError **error)
{
  gint64 version = 0;
  gboolean good;

  *damaged = FALSE;
  _pteris_store_begin_work (0);
  good =
      _pteris_store_run (
          db, "PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY; PRAGMA foreign_keys = ON;",
          error) &&
      read_version (db, &version, error);
  if (good && (version < 0 || version > (gint64) G_N_ELEMENTS (store_schema)))
    return pt_fail (error, PT_ERROR_UNSUPPORTED,
                    _ ("The history was written by a newer Pteris. Update Pteris to see it."));
  if (good && !check_schema (db, version, error)) {
    *damaged = is_damage (db) || g_error_matches (*error, PT_ERROR, PT_ERROR_FORMAT);
    return FALSE;
  }
  good = good &&
         _pteris_store_run (db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;", error) &&
         migrate (db, version, error) && open_words (db, error) && clean_up (db, error);
  *damaged = !good && is_damage (db);
  return good;
}

/* An unused name for the file. Free with g_free(). */
static char *
name_aside (const char *path)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *stamp = g_date_time_format (now, "%Y%m%d-%H%M%S");
  char *name = g_strdup_printf ("%s.damaged-%s", path, stamp);

  for (guint i = 2; g_file_test (name, G_FILE_TEST_EXISTS); i++) {
    g_free (name);
    name = g_strdup_printf ("%s.damaged-%s-%u", path, stamp, i);
  }
  return name;
}

/* Renames a damaged history, so that a new one can be written. Returns a sentence for the user;
 * NULL: it could not be renamed. */
static char *
put_aside (void)
{
  static const char *const suffixes[] = { "-wal", "-shm" };
  g_autofree char *path = store_path ("");
  g_autofree char *aside = name_aside (path);
  g_autofree char *mark = mark_path ();

  if (g_rename (path, aside) != 0)
    return NULL;
  for (guint i = 0; i < G_N_ELEMENTS (suffixes); i++) {
    g_autofree char *from = g_strconcat (path, suffixes[i], NULL);
    g_autofree char *to = g_strconcat (aside, suffixes[i], NULL);

    g_rename (from, to);
  }
  g_remove (mark);
  return g_strdup_printf (_ ("The history was damaged, so a new one was started. The damaged file "
                             "is kept as “%s”; “sqlite3 FILE .recover” may recover chats from it."),
                          aside);
}

/* Only regular files are opened: pipes and devices block. */
static gboolean
check_kind (const char *path, GError **error)
{
  return !g_file_test (path, G_FILE_TEST_EXISTS) || g_file_test (path, G_FILE_TEST_IS_REGULAR) ||
         pt_fail (error, PT_ERROR_FILE,
                  _ ("The history (%s) is not a file. Move it and restart Pteris."), path);
}

sqlite3 *
_pteris_store_open_writer (gboolean forget, char **notice, GError **error)
{
  g_autofree char *path = store_path (""), *mark = mark_path ();
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (GError) cause = NULL;

  *notice = NULL;
  g_atomic_int_set (&in_memory, forget);
  if (!forget) {
    g_mkdir_with_parents (folder, 0700);
    if (!check_kind (path, error))
      return NULL;
    if (g_file_test (mark, G_FILE_TEST_EXISTS))
      *notice = put_aside ();
  }
  for (;;) {
    sqlite3 *db = open_file (forget, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, error);
    gboolean damaged;

    if (db == NULL)
      return NULL;
    if (prepare_file (db, &damaged, &cause)) {
      g_chmod (path, 0600);
      /* The history opens without them, too; then they are tried again at the next start. */
      if (!forget && !_pteris_store_take_journals (db, &cause))
        g_message ("Chats and transcripts of version 0.1: %s", cause->message);
      return db;
    }
    sqlite3_close (db);
    if (!damaged || forget || *notice != NULL || (*notice = put_aside ()) == NULL) {
      g_propagate_error (error, g_steal_pointer (&cause));
      return NULL;
    }
    g_clear_error (&cause);
  }
}
