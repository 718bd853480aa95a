/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/history/journals.h"

#include <string.h>

#include <glib/gstdio.h>

#include "engine/base/folder.h"
#include "engine/base/json.h"
#include "ui/history/chat-title.h"
#include "ui/history/history-store-file.h"

/* Version 0.1 read no longer ones. */
#define MAX_BYTES (64u << 20)
#define MAX_JOURNALS 100000
/* Of one journal; each takes an id after that of the journal, which is a time in microseconds. */
#define MAX_ROWS 100000

/* PterisMessageState and PterisTranscriptState as the tables have them. */
enum { MESSAGE_DONE = 2, MESSAGE_STOPPED, MESSAGE_FAILED };
enum { TRANSCRIPT_DONE = 2, TRANSCRIPT_STOPPED, TRANSCRIPT_FAILED };

/* Codes from this one on were one less, before PT_ERROR_UNTRUSTED. */
#define FIRST_MOVED_CODE 17

/* A message, or all of a transcript but its segments. */
typedef struct {
  gboolean is_open; /* an answer that has not ended */
  char *author;     /* NULL: the user */
  GString *text;
  int state, code;
  char *reason, *error, *stats; /* or NULL */
} Entry;

static void
entry_free (gpointer data)
{
  Entry *self = data;

  g_free (self->author);
  g_string_free (self->text, TRUE);
  g_free (self->reason);
  g_free (self->error);
  g_free (self->stats);
  g_free (self);
}

static Entry *
entry_new (const char *author, const char *text)
{
  Entry *self = g_new0 (Entry, 1);

  self->author = g_strdup (author);
  self->text = g_string_new (text);
  self->state = MESSAGE_DONE;
  return self;
}

static const char *
text_in (const json_t *record, const char *key)
{
  const char *text = pt_json_string (record, key);

  return text != NULL ? text : "";
}

static void
replace (char **field, const char *value)
{
  g_free (*field);
  *field = g_strdup (value);
}

static void
end_entry (Entry *self, int state, const char *reason)
{
  self->is_open = FALSE;
  self->state = state;
  replace (&self->reason, reason);
}

static void
fail_entry (Entry *self, int state, const json_t *record)
{
  gint64 code = CLAMP (pt_json_int (record, "code", 0), 0, PT_N_ERRORS - 2);

  end_entry (self, state, NULL);
  self->code = (int) (code >= FIRST_MOVED_CODE ? code + 1 : code);
  replace (&self->error, text_in (record, "text"));
}

/* ---- lines ---- */

typedef void (*RecordFunc) (const json_t *record, gpointer user_data);

/* Calls @func for each line that is an object. The last line of a program that was killed may be
 * cut short. FALSE: the file cannot be read. */
static gboolean
read_records (const char *path, RecordFunc func, gpointer user_data)
{
  gsize length = 0;
  g_autofree char *text = pt_text_load (path, MAX_BYTES, &length, NULL);
  char *end;

  if (text == NULL)
    return FALSE;
  for (char *line = text; line < text + length; line = end + 1) {
    g_autoptr (json_t) record = NULL;

    end = memchr (line, '\n', (gsize) (text + length - line));
    if (end == NULL)
      break;
    record = pt_json_parse (path, line, (gsize) (end - line), NULL);
    if (json_is_object (record))
      func (record, user_data);
  }
  return TRUE;
}

/* ---- statements ---- */

/* Runs @sql with arguments: 'i' gint64, 'd' double, 's' text or NULL. */
static gboolean
run (sqlite3 *db, GError **error, const char *sql, const char *types, ...)
{
  sqlite3_stmt *statement = NULL;
  int code = sqlite3_prepare_v2 (db, sql, -1, &statement, NULL);
  va_list arguments;

  va_start (arguments, types);
  for (int i = 0; code == SQLITE_OK && types[i] != '\0'; i++) {
    if (types[i] == 'i')
      code = sqlite3_bind_int64 (statement, i + 1, va_arg (arguments, gint64));
    else if (types[i] == 'd')
      code = sqlite3_bind_double (statement, i + 1, va_arg (arguments, double));
    else
      code = sqlite3_bind_text (statement, i + 1, va_arg (arguments, const char *), -1,
                                SQLITE_TRANSIENT);
  }
  va_end (arguments);
  if (code == SQLITE_OK)
    code = sqlite3_step (statement);
  sqlite3_finalize (statement);
  return code == SQLITE_DONE || _pteris_store_fail (db, error);
}

static gboolean
write_words (sqlite3 *db, gint64 id, const char *text, gint64 owner, const char *kind,
             GError **error)
{
  return run (db, error,
              "INSERT OR REPLACE INTO words (rowid, text, owner, kind) VALUES (?1, ?2, ?3, ?4)",
              "isis", id, text, owner, kind);
}

/* Whether the row @id of the table that @sql asks is there. */
static gboolean
is_there (sqlite3 *db, const char *sql, gint64 id)
{
  sqlite3_stmt *statement = NULL;
  gboolean found = sqlite3_prepare_v2 (db, sql, -1, &statement, NULL) == SQLITE_OK &&
                   sqlite3_bind_int64 (statement, 1, id) == SQLITE_OK &&
                   sqlite3_step (statement) == SQLITE_ROW;

  sqlite3_finalize (statement);
  return found;
}

/* ---- chats ---- */

static Entry *
open_answer (GPtrArray *messages)
{
  Entry *last = messages->len > 0 ? messages->pdata[messages->len - 1] : NULL;

  return last != NULL && last->is_open ? last : NULL;
}

static void
close_answer (GPtrArray *messages)
{
  Entry *answer = open_answer (messages);

  if (answer != NULL)
    end_entry (answer, MESSAGE_STOPPED, "interrupted");
}

static void
end_answer (Entry *answer, const json_t *record)
{
  gboolean done = strcmp (text_in (record, "state"), "done") == 0;
  json_t *stats = json_object_get (record, "stats");

  end_entry (answer, done ? MESSAGE_DONE : MESSAGE_STOPPED, text_in (record, "reason"));
  g_free (answer->stats);
  answer->stats = json_is_object (stats) ? pt_json_steal_text (json_deep_copy (stats)) : NULL;
}

static void
replay_chat (const json_t *record, gpointer user_data)
{
  GPtrArray *messages = user_data;
  const char *what = text_in (record, "do");
  Entry *answer = open_answer (messages);

  if (strcmp (what, "user") == 0 || strcmp (what, "answer") == 0) {
    gboolean is_answer = what[0] == 'a';

    close_answer (messages);
    if (messages->len >= MAX_ROWS)
      return;
    g_ptr_array_add (messages, is_answer ? entry_new (text_in (record, "model"), "")
                                         : entry_new (NULL, text_in (record, "text")));
    ((Entry *) messages->pdata[messages->len - 1])->is_open = is_answer;
  } else if (strcmp (what, "drop") == 0 && messages->len > 0) {
    g_ptr_array_remove_index (messages, messages->len - 1);
  } else if (answer != NULL && strcmp (what, "text") == 0) {
    g_string_append (answer->text, text_in (record, "text"));
  } else if (answer != NULL && strcmp (what, "end") == 0) {
    end_answer (answer, record);
  } else if (answer != NULL && strcmp (what, "fail") == 0) {
    fail_entry (answer, MESSAGE_FAILED, record);
  }
}

/* The title: of the first question. */
static char *
title_of (const GPtrArray *messages)
{
  for (guint i = 0; i < messages->len; i++)
    if (((Entry *) messages->pdata[i])->author == NULL)
      return pteris_chat_title (((Entry *) messages->pdata[i])->text->str);
  return g_strdup ("");
}

static gboolean
write_message (sqlite3 *db, const Entry *entry, gint64 id, gint64 parent, gint64 owner,
               GError **error)
{
  return run (db, error,
              "INSERT INTO message (id, conversation, parent, author, text, state, reason, code,"
              " error, stats) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
              "iiissisiss", id, owner, parent, entry->author, entry->text->str,
              (gint64) entry->state, entry->reason, (gint64) entry->code, entry->error,
              entry->stats) &&
         write_words (db, id, entry->text->str, owner, "chat", error);
}

static gboolean
take_chat (sqlite3 *db, const char *path, gint64 id, gint64 updated, GError **error)
{
  g_autoptr (GPtrArray) messages = g_ptr_array_new_with_free_func (entry_free);
  g_autofree char *title = NULL;

  if (is_there (db, "SELECT 1 FROM conversation WHERE id = ?1", id) ||
      !read_records (path, replay_chat, messages) || messages->len == 0)
    return TRUE;
  close_answer (messages);
  title = title_of (messages);
  if (!run (db, error,
            "INSERT INTO conversation (id, title, updated, leaf) VALUES (?1, ?2, ?3, ?4)", "isii",
            id, title, updated, id + messages->len) ||
      !write_words (db, id, title, id, "chat", error))
    return FALSE;
  for (guint i = 0; i < messages->len; i++)
    if (!write_message (db, messages->pdata[i], id + 1 + i, i > 0 ? id + i : 0, id, error))
      return FALSE;
  return TRUE;
}

/* ---- transcripts ---- */

typedef struct {
  double start, end;
  char *text;
} Segment;

static void
segment_clear (gpointer data)
{
  g_free (((Segment *) data)->text);
}

typedef struct {
  char *path, *language;
  gboolean translate;
  double until;
  Entry *entry;
  GArray *segments;
} Transcript;

static void
replay_transcript (const json_t *record, gpointer user_data)
{
  Transcript *self = user_data;
  const char *what = text_in (record, "do");

  if (strcmp (what, "file") == 0) {
    if (self->path == NULL && pt_json_string (record, "path") != NULL)
      self->path = g_strdup (pt_json_string (record, "path"));
    replace (&self->language, pt_json_string (record, "language"));
    self->translate = pt_json_bool (record, "translate", FALSE);
    g_array_set_size (self->segments, 0);
    end_entry (self->entry, TRANSCRIPT_STOPPED, "interrupted");
  } else if (strcmp (what, "segment") == 0 && self->segments->len < MAX_ROWS) {
    Segment segment = { pt_json_double (record, "start", 0), pt_json_double (record, "end", 0),
                        g_strdup (text_in (record, "text")) };

    g_array_append_val (self->segments, segment);
  } else if (strcmp (what, "end") == 0) {
    gboolean done = strcmp (text_in (record, "state"), "done") == 0;

    end_entry (self->entry, done ? TRANSCRIPT_DONE : TRANSCRIPT_STOPPED,
               text_in (record, "reason"));
    self->until = pt_json_double (record, "audio_s", 0);
    g_free (self->entry->stats);
    self->entry->stats = pt_json_steal_text (json_pack (
        "{s:s, s:f, s:f, s:f}", "language", text_in (record, "language"), "audio_s", self->until,
        "audio_total_s", self->until, "elapsed_s", pt_json_double (record, "elapsed_s", 0)));
  } else if (strcmp (what, "fail") == 0) {
    fail_entry (self->entry, TRANSCRIPT_FAILED, record);
  }
}

static gboolean
write_transcript (sqlite3 *db, const Transcript *self, gint64 id, GError **error)
{
  g_autofree char *uri = g_filename_to_uri (self->path, NULL, NULL);
  g_autofree char *name = g_filename_display_basename (self->path);
  const Entry *entry = self->entry;

  if (!run (db, error,
            "INSERT INTO transcript (id, path, language, translate, state, reason, code, error,"
            " stats, rank, until) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?1, ?10)",
            "issiisissd", id, uri != NULL ? uri : self->path, self->language,
            (gint64) self->translate, (gint64) entry->state, entry->reason, (gint64) entry->code,
            entry->error, entry->stats, self->until) ||
      !write_words (db, id, name, id, "transcript", error))
    return FALSE;
  for (guint i = 0; i < self->segments->len; i++) {
    const Segment *segment = &g_array_index (self->segments, Segment, i);

    if (!run (db, error,
              "INSERT INTO segment (id, transcript, start, end, text) VALUES (?1, ?2, ?3, ?4, ?5)",
              "iidds", id + 1 + i, id, segment->start, segment->end, segment->text) ||
        !write_words (db, id + 1 + i, segment->text, id, "transcript", error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
take_transcript (sqlite3 *db, const char *path, gint64 id, gint64 updated, GError **error)
{
  Transcript self = { .entry = entry_new (NULL, ""),
                      .segments = g_array_new (FALSE, FALSE, sizeof (Segment)) };
  gboolean taken = TRUE;

  g_array_set_clear_func (self.segments, segment_clear);
  if (!is_there (db, "SELECT 1 FROM transcript WHERE id = ?1", id) &&
      read_records (path, replay_transcript, &self) && self.path != NULL)
    taken = write_transcript (db, &self, id, error);
  entry_free (self.entry);
  g_array_unref (self.segments);
  g_free (self.path);
  g_free (self.language);
  return taken;
}

/* ---- folders ---- */

/* Of one kind. */
typedef gboolean (*TakeFunc) (sqlite3 *db, const char *path, gint64 id, gint64 updated,
                              GError **error);

/* The time in the name of a journal, in microseconds since 1970, as new ids are. */
static gboolean
read_stamp (const char *name, gint64 *id)
{
  static const char FORM[] = "########-######-######-####.jsonl";
  g_autoptr (GDateTime) time = NULL;
  guint number[6] = { 0 };
  static const guint8 DIGITS[6] = { 4, 2, 2, 2, 2, 2 };
  const char *at = name;
  guint64 microseconds;

  if (strlen (name) != strlen (FORM))
    return FALSE;
  for (gsize i = 0; FORM[i] != '\0'; i++)
    if (FORM[i] == '#' ? !g_ascii_isdigit (name[i]) : name[i] != FORM[i])
      return FALSE;
  for (guint i = 0; i < 6; i++) {
    at += *at == '-';
    for (guint k = 0; k < DIGITS[i]; k++)
      number[i] = number[i] * 10 + (guint) (*at++ - '0');
  }
  time = g_date_time_new_utc ((int) number[0], (int) number[1], (int) number[2], (int) number[3],
                              (int) number[4], number[5]);
  microseconds = g_ascii_strtoull (at + 1, NULL, 10);
  if (time == NULL || g_date_time_to_unix (time) <= 0)
    return FALSE;
  *id = g_date_time_to_unix (time) * G_USEC_PER_SEC + (gint64) microseconds;
  return TRUE;
}

/* Whether the next journal may succeed after an error with this one. */
static gboolean
concerns_one (sqlite3 *db)
{
  int code = sqlite3_errcode (db) & 0xff;

  return code == SQLITE_TOOBIG || code == SQLITE_CONSTRAINT || code == SQLITE_NOMEM ||
         code == SQLITE_INTERRUPT || code == SQLITE_MISMATCH;
}

static gboolean
take_file (sqlite3 *db, const char *path, const char *name, TakeFunc take, GError **error)
{
  g_autoptr (GError) problem = NULL;
  GStatBuf info;
  gint64 id;
  gboolean skips;

  if (!read_stamp (name, &id) || g_stat (path, &info) != 0)
    return TRUE;
  _pteris_store_begin_work (info.st_size);
  if (run (db, &problem, "BEGIN IMMEDIATE", "") &&
      take (db, path, id, MAX (id, (gint64) info.st_mtime * G_USEC_PER_SEC), &problem) &&
      run (db, &problem, "COMMIT", ""))
    return TRUE;
  skips = concerns_one (db);
  sqlite3_exec (db, "ROLLBACK", NULL, NULL, NULL);
  if (skips) {
    g_message ("“%s” is left out: %s", path, problem->message);
    return TRUE;
  }
  g_propagate_error (error, g_steal_pointer (&problem));
  return FALSE;
}

static gboolean
take_folder (sqlite3 *db, const char *kind, TakeFunc take, GError **error)
{
  g_autofree char *path = g_build_filename (g_get_user_data_dir (), "pteris", kind, NULL);
  g_autofree char *aside = g_strconcat (path, ".old", NULL);
  g_autoptr (PtFolder) folder = NULL;
  const char *name;
  gboolean whole = TRUE;

  if (!g_file_test (path, G_FILE_TEST_IS_DIR) || g_file_test (aside, G_FILE_TEST_EXISTS))
    return TRUE;
  folder = pt_folder_open (path);
  for (guint i = 0; whole && i < MAX_JOURNALS && (name = pt_folder_next (folder)) != NULL; i++) {
    g_autofree char *file = g_build_filename (path, name, NULL);

    whole = take_file (db, file, name, take, error);
  }
  g_clear_pointer (&folder, pt_folder_close);
  if (whole)
    g_rename (path, aside);
  return whole;
}

gboolean
_pteris_store_take_journals (sqlite3 *db, GError **error)
{
  return take_folder (db, "chats", take_chat, error) &&
         take_folder (db, "transcripts", take_transcript, error);
}
