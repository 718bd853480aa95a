/* SPDX-License-Identifier: BSD-3-Clause */
#include <signal.h>
#include <utime.h>

#include <glib/gstdio.h>

#ifndef G_OS_WIN32
#include <sys/resource.h>
#endif

#include "ui/chat/chat-history.h"
#include "ui/chat/chat-store.h"
#include "ui/parts/dropped-files.h"
#include "ui/parts/files.h"
#include "ui/parts/leftovers.h"
#include "ui/parts/format.h"
#include "ui/speech/languages.h"
#include "ui/history/history-store.h"

static void
assert_clock (double seconds, const char *expected)
{
  g_autofree char *text = pteris_format_clock (seconds);

  g_assert_cmpstr (text, ==, expected);
}

static void
assert_duration (double seconds, const char *expected)
{
  g_autofree char *text = pteris_format_duration (seconds);

  g_assert_cmpstr (text, ==, expected);
}

static void
test_format (void)
{
  assert_clock (0, "0:00.0");
  assert_clock (3.2, "0:03.2");
  assert_clock (59.96, "1:00.0");
  assert_clock (3723.4, "1:02:03.4");
  assert_clock (-1, "0:00.0");
  assert_duration (0.041, "41 ms");
  assert_duration (3.21, "3.2 s");
  assert_duration (59.7, "1 min 0 s");
  assert_duration (125, "2 min 5 s");
  assert_duration (7380, "2 h 3 min");
}

static void
assert_kind (const char *path, PterisFileKind kind)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);

  g_assert_cmpint (pteris_file_kind (file), ==, kind);
}

static void
test_files (void)
{
  GSList *files = NULL;
  g_autofree char *one = NULL;
  g_autofree char *two = NULL;

  assert_kind ("/a/model.pte", PTERIS_FILE_MODEL);
  assert_kind ("/a/model.ptd", PTERIS_FILE_MODEL);
  assert_kind (g_get_tmp_dir (), PTERIS_FILE_FOLDER);
  assert_kind ("/a/SPEECH.WAV", PTERIS_FILE_RECORDING);
  assert_kind ("/a/film.mkv", PTERIS_FILE_RECORDING);
  assert_kind ("/a/notes.txt", PTERIS_FILE_OTHER);
  assert_kind ("/a/wav", PTERIS_FILE_OTHER);
  assert_kind ("/a/model.Q4_0.GGUF", PTERIS_FILE_FOREIGN);
  assert_kind ("/a/model.safetensors", PTERIS_FILE_FOREIGN);
  assert_kind ("/a/model.onnx", PTERIS_FILE_FOREIGN);
  assert_kind ("/a/pytorch_model.bin", PTERIS_FILE_FOREIGN);
  assert_kind ("/a/model.pt", PTERIS_FILE_FOREIGN);
  assert_kind ("/a/tokenizer.bin", PTERIS_FILE_OTHER);

  files = g_slist_prepend (files, g_file_new_for_path ("/a.wav"));
  one = pteris_files_describe (files);
  files = g_slist_prepend (files, g_file_new_for_path ("/b.mp3"));
  two = pteris_files_describe (files);
  g_assert_cmpstr (one, ==, "Transcribe this recording");
  g_assert_cmpstr (two, ==, "Transcribe 2 recordings");
  g_slist_free_full (files, g_object_unref);
}

/* ---- what Windows drops ---- */

static GByteArray *
make_list (gboolean wide, const char *const *names)
{
  GByteArray *list = g_byte_array_new ();
  guint8 head[20] = { sizeof head };

  head[16] = wide;
  g_byte_array_append (list, head, sizeof head);
  for (guint i = 0;; i++) {
    const char *name = names[i] != NULL ? names[i] : "";
    glong n = (glong) strlen (name);
    g_autofree gunichar2 *text = g_utf8_to_utf16 (name, n, NULL, &n, NULL);

    for (glong j = 0; wide && j <= n; j++) {
      guint8 unit[2] = { (guint8) text[j], (guint8) (text[j] >> 8) };

      g_byte_array_append (list, unit, sizeof unit);
    }
    if (!wide)
      g_byte_array_append (list, (const guint8 *) name, (guint) strlen (name) + 1);
    if (names[i] == NULL)
      return list;
  }
}

static void
free_files (GSList *files)
{
  g_slist_free_full (files, g_object_unref);
}

static void
test_dropped (void)
{
  g_autofree char *deep = g_strnfill (400, 'd');
  g_autofree char *path = g_strdup_printf ("/%s/\303\244 \360\237\214\277.wav", deep);
  const char *const names[] = { path, "/b.pte", NULL };
  g_autoptr (GByteArray) wide = make_list (TRUE, names);
  g_autoptr (GByteArray) narrow = make_list (FALSE, names + 1);
  GSList *files = pteris_dropped_files_parse (wide->data, wide->len);

  g_assert_cmpuint (g_slist_length (files), ==, 2);
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GFile) expected = g_file_new_for_path (names[i]);

    g_assert_true (g_file_equal (g_slist_nth_data (files, i), expected));
  }
  free_files (files);
  files = pteris_dropped_files_parse (narrow->data, narrow->len);
  g_assert_cmpuint (g_slist_length (files), ==, 1);
  free_files (files);

  /* Cut off anywhere, and with names that begin anywhere. */
  for (guint n = 0; n < wide->len; n++) {
    g_autofree guint8 *part = g_memdup2 (wide->data, n);

    files = pteris_dropped_files_parse (part, n);
    g_assert_cmpuint (g_slist_length (files), <=, 2);
    free_files (files);
  }
  for (guint offset = 0; offset < 256; offset++) {
    wide->data[0] = (guint8) offset;
    wide->data[2] = offset == 255;
    files = pteris_dropped_files_parse (wide->data, wide->len);
    g_assert_true (files == NULL || (offset >= 20 && offset < 255));
    free_files (files);
  }
}

static void
test_languages (void)
{
  g_auto (GStrv) names = pteris_languages_new_names ();

  g_assert_cmpuint (g_strv_length (names), ==, 100);
  g_assert_null (pteris_languages_get_code (0));
  g_assert_cmpstr (pteris_languages_get_name ("fr"), ==, "French");
  g_assert_cmpstr (pteris_languages_get_name (pteris_languages_get_code (99)), ==, "Yoruba");
  g_assert_cmpstr (pteris_languages_get_name ("xx"), ==, "xx");
}

static PterisMessage *
add_message (PterisConversation *conversation, const char *author, const char *text, gint64 parent)
{
  PterisMessage *message = pteris_message_new (author, text);

  pteris_message_set_ids (message, pteris_store_new_id (), parent);
  pteris_chat_store_add (conversation, message);
  return message;
}

static void
add_text (PterisMessage *answer, const char *text)
{
  pteris_message_append (answer, text);
  pteris_chat_store_text (answer, text);
}

/* Texts, endings and versions are read back after the file was closed. */
static void
test_history (void)
{
  g_autoptr (PterisChatHistory) history = pteris_chat_history_new ();
  PterisConversation *chat = pteris_chat_history_add (history, "  Tell me of ferns\nplease");
  g_autoptr (PterisMessage) ask = add_message (chat, NULL, "Tell me of ferns", 0);
  g_autoptr (PterisMessage) first = add_message (chat, "M", NULL, pteris_message_get_id (ask));
  g_autoptr (PterisMessage) second = add_message (chat, "M", NULL, pteris_message_get_id (ask));
  g_autoptr (GPtrArray) list = NULL, path = NULL;
  gint64 id = pteris_conversation_get_id (chat);

  add_text (first, "They unfurl.");
  add_text (second, "They ");
  add_text (second, "are green.");
  pteris_message_finish (second, PTERIS_MESSAGE_DONE, PT_REASON_STOP);
  pteris_chat_store_end (chat, second);
  pteris_store_close ();

  list = pteris_chat_store_list (NULL);
  g_assert_cmpuint (list->len, ==, 1);
  g_assert_cmpint (pteris_conversation_get_id (list->pdata[0]), ==, id);
  g_assert_cmpstr (pteris_conversation_get_title (list->pdata[0]), ==, "Tell me of ferns");
  path = pteris_chat_store_read (list->pdata[0], 0, NULL);
  g_assert_cmpuint (path->len, ==, 2);
  g_assert_cmpstr (pteris_message_get_text (path->pdata[1]), ==, "They are green.");
  g_assert_cmpint (pteris_message_get_state (path->pdata[1]), ==, PTERIS_MESSAGE_DONE);
  {
    guint count;

    g_assert_cmpuint (pteris_message_get_version (path->pdata[1], &count), ==, 1);
    g_assert_cmpuint (count, ==, 2);
  }
  g_assert_cmpint (pteris_chat_store_sibling (list->pdata[0], path->pdata[1], -1), ==,
                   pteris_message_get_id (first));
  g_clear_pointer (&path, g_ptr_array_unref);
  path = pteris_chat_store_read (list->pdata[0], pteris_message_get_id (first), NULL);
  g_assert_cmpstr (pteris_message_get_text (path->pdata[1]), ==, "They unfurl.");
  g_assert_cmpint (pteris_message_get_reason (path->pdata[1]), ==, PT_REASON_INTERRUPTED);
  g_assert_cmpint (pteris_chat_store_find_leaf (id, pteris_message_get_id (ask)), ==,
                   pteris_message_get_id (second));
}

static void
assert_finds (const char *query, guint n)
{
  g_autoptr (GPtrArray) hits = pteris_store_search (query, "chat", NULL);

  g_assert_cmpuint (hits->len, ==, n);
}

/* Searches whole words and prefixes, ignoring case and accents; no query is an error. */
static void
test_search (void)
{
  assert_finds ("GREEN", 1);
  assert_finds ("gre they", 1);
  assert_finds ("férns", 1);
  assert_finds ("blue", 0);
  assert_finds ("", 0);
  assert_finds ("\"*:(^ AND", 0);
}

/* The clock was ahead in the last run, by a day; an id that no clock gives changes nothing. */
static void
test_clock (void)
{
  gint64 ahead = g_get_real_time () + G_TIME_SPAN_DAY;
  g_autoptr (PterisChatHistory) history = pteris_chat_history_new ();
  PterisConversation *chat = pteris_chat_history_add (history, "Clock");
  g_autoptr (PterisMessage) question = pteris_message_new (NULL, "ahead");
  g_autoptr (PterisMessage) answer = NULL;
  g_autoptr (GPtrArray) path = NULL;
  gint64 id;

  pteris_message_set_ids (question, ahead, 0);
  pteris_chat_store_add (chat, question);
  pteris_store_write ("INSERT INTO preset (id, name, settings) VALUES (?1, 'far', '{}')", "i",
                      G_MAXINT64);
  pteris_store_close ();
  pteris_store_write ("DELETE FROM preset WHERE id = ?1", "i", G_MAXINT64);
  pteris_store_flush ();
  id = pteris_store_new_id ();
  g_assert_cmpint (id, <, ahead);
  pteris_store_close ();
  pteris_store_write ("DELETE FROM preset WHERE id = ?1", "i", G_MAXINT64);
  pteris_store_flush ();
  answer = add_message (chat, "M", NULL, ahead);
  g_assert_cmpint (pteris_message_get_id (answer), >, ahead);
  pteris_store_flush ();
  path = pteris_chat_store_read (chat, 0, NULL);
  g_assert_cmpuint (path->len, ==, 2);
  g_assert_true (pteris_message_is_answer (path->pdata[1]));
  pteris_chat_store_set_deleted (chat, TRUE);
  pteris_store_close ();
}

#ifndef G_OS_WIN32
/* The disk is full in the middle of an answer: there is a sentence, what was saved before is there
 * at the next start, and the file is sound. */
static void
test_full (void)
{
  g_autoptr (PterisChatHistory) history = pteris_chat_history_new ();
  PterisConversation *chat = pteris_chat_history_add (history, "Full");
  g_autoptr (PterisMessage) question = add_message (chat, NULL, "Before", 0);
  g_autofree char *much = g_strnfill (4 * 1000 * 1000, 'a');
  g_autofree char *error = NULL;
  g_autoptr (GPtrArray) path = NULL;
  struct rlimit limit, before;

  pteris_store_flush ();
  signal (SIGXFSZ, SIG_IGN);
  getrlimit (RLIMIT_FSIZE, &before);
  limit = (struct rlimit){ .rlim_cur = 1000 * 1000, .rlim_max = before.rlim_max };
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &limit), ==, 0);
  pteris_chat_store_text (question, much);
  pteris_store_flush ();
  error = pteris_store_get_error ();
  g_assert_nonnull (error);
  pteris_store_close ();
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);

  path = pteris_chat_store_read (chat, 0, NULL);
  g_assert_cmpuint (path->len, ==, 1);
  g_assert_cmpstr (pteris_message_get_text (path->pdata[0]), ==, "Before");
  pteris_chat_store_set_deleted (chat, TRUE);
  pteris_store_close ();
}
#endif

/* A deleted conversation can be restored until the next start. */
static void
test_delete (void)
{
  g_autoptr (GPtrArray) before = pteris_chat_store_list (NULL), after = NULL;

  pteris_chat_store_set_deleted (before->pdata[0], TRUE);
  pteris_chat_store_set_deleted (before->pdata[0], FALSE);
  pteris_store_close ();
  after = pteris_chat_store_list (NULL);
  g_assert_cmpuint (after->len, ==, 1);
  pteris_chat_store_set_deleted (after->pdata[0], TRUE);
  pteris_store_close ();
  assert_finds ("green", 0);
  pteris_chat_store_set_deleted (after->pdata[0], FALSE);
  g_clear_pointer (&after, g_ptr_array_unref);
  after = pteris_chat_store_list (NULL);
  g_assert_cmpuint (after->len, ==, 0);
}

static char *
history_path (void)
{
  return g_build_filename (g_get_user_data_dir (), "pteris", "history.db", NULL);
}

/* A file that is not a history is renamed, and a new one is created. */
static void
test_damaged (void)
{
  g_autofree char *path = history_path ();
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (GPtrArray) list = NULL;
  g_autoptr (GDir) dir = NULL;
  const char *name;
  guint n_aside = 0;

  pteris_store_close ();
  g_assert_true (g_file_set_contents (path,
                                      "This is not a database, but long enough for one. It "
                                      "goes on for a hundred bytes and then some, see?",
                                      -1, NULL));
  g_test_expect_message (NULL, G_LOG_LEVEL_MESSAGE, "The history was damaged*");
  list = pteris_chat_store_list (NULL);
  g_test_assert_expected_messages ();
  g_assert_nonnull (list);
  g_assert_cmpuint (list->len, ==, 0);
  dir = g_dir_open (folder, 0, NULL);
  while ((name = g_dir_read_name (dir)) != NULL)
    n_aside += strstr (name, ".damaged-") != NULL;
  g_assert_cmpuint (n_aside, >, 0);
}

/* Rows that no program wrote: a message that follows itself, states and codes out of range. */
static void
test_odd_rows (void)
{
  g_autoptr (PterisConversation) chat = pteris_conversation_new (7, "Odd", 7);
  g_autoptr (GPtrArray) path = NULL;

  pteris_chat_store_save (chat);
  pteris_store_write ("INSERT INTO message (id, conversation, parent, author, state, code, stats)"
                      " VALUES (9, 7, 9, 'M', 4, 999999, '[[[')",
                      "");
  pteris_store_write ("INSERT INTO message (id, conversation, parent, text, state)"
                      " VALUES (8, 7, 9, X'FF41', -3)",
                      "");
  path = pteris_chat_store_read (chat, 9, NULL);
  g_assert_cmpuint (path->len, ==, 1);
  g_clear_pointer (&path, g_ptr_array_unref);
  path = pteris_chat_store_read (chat, 8, NULL);
  g_assert_cmpuint (path->len, ==, 1);
  g_assert_true (g_utf8_validate (pteris_message_get_text (path->pdata[0]), -1, NULL));
  g_clear_pointer (&path, g_ptr_array_unref);
  path = pteris_chat_store_read (chat, 12345, NULL);
  g_assert_cmpuint (path->len, ==, 0);
}

/* Temporary files of killed programs go; files with other names, young ones, and those of the user
 * stay. */
static void
test_leftovers (void)
{
  static const struct {
    const char *name;
    gboolean old, stays;
  } FILES[] = {
    { "models.ini", TRUE, TRUE },
    { "models.ini.A1b2C3", TRUE, FALSE },
    { "in-use.O7MLZ3", FALSE, TRUE },
    { ".goutputstream-ABC123", TRUE, FALSE },
    { ".goutputstream", TRUE, TRUE },
    { ".ABC123", TRUE, TRUE },
    { "history.db-wal", TRUE, TRUE },
    { "preferences.ini.damaged", TRUE, TRUE },
    { "schemas/gschemas.compiled.000000", TRUE, FALSE },
    { "recordings/mine.A1b2C3", TRUE, TRUE },
    { "models/deep/model.A1b2C3", TRUE, TRUE },
  };
  g_autofree char *folder = g_dir_make_tmp ("pteris-leftovers-XXXXXX", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (FILES); i++) {
    g_autofree char *path = g_build_filename (folder, FILES[i].name, NULL);
    g_autofree char *parent = g_path_get_dirname (path);
    struct utimbuf times = { .actime = 1000, .modtime = 1000 };

    g_mkdir_with_parents (parent, 0700);
    g_assert_true (g_file_set_contents (path, "x", 1, NULL));
    if (FILES[i].old)
      g_assert_cmpint (g_utime (path, &times), ==, 0);
  }
  pteris_leftovers_remove_in (folder);
  for (guint i = 0; i < G_N_ELEMENTS (FILES); i++) {
    g_autofree char *path = g_build_filename (folder, FILES[i].name, NULL);

    g_test_message ("%s", FILES[i].name);
    g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS) == FILES[i].stays);
    g_unlink (path);
  }
}

int
main (int argc, char **argv)
{
  g_autofree char *home = g_dir_make_tmp ("pteris-test-XXXXXX", NULL);

  g_setenv ("XDG_DATA_HOME", home, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/parts/format", test_format);
  g_test_add_func ("/parts/files", test_files);
  g_test_add_func ("/parts/leftovers", test_leftovers);
  g_test_add_func ("/parts/dropped", test_dropped);
  g_test_add_func ("/parts/languages", test_languages);
  g_test_add_func ("/parts/history", test_history);
  g_test_add_func ("/parts/search", test_search);
  g_test_add_func ("/parts/clock", test_clock);
#ifndef G_OS_WIN32
  g_test_add_func ("/parts/full", test_full);
#endif
  g_test_add_func ("/parts/delete", test_delete);
  g_test_add_func ("/parts/damaged", test_damaged);
  g_test_add_func ("/parts/odd-rows", test_odd_rows);
  return g_test_run ();
}
