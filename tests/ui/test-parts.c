/* SPDX-License-Identifier: BSD-3-Clause */
#include <glib/gstdio.h>

#include "ui/chat-store.h"
#include "ui/files.h"
#include "ui/format.h"
#include "ui/journal.h"
#include "ui/languages.h"

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
  assert_kind (g_get_tmp_dir (), PTERIS_FILE_MODEL);
  assert_kind ("/a/SPEECH.WAV", PTERIS_FILE_RECORDING);
  assert_kind ("/a/film.mkv", PTERIS_FILE_RECORDING);
  assert_kind ("/a/notes.txt", PTERIS_FILE_OTHER);
  assert_kind ("/a/wav", PTERIS_FILE_OTHER);

  files = g_slist_prepend (files, g_file_new_for_path ("/a.wav"));
  one = pteris_files_describe (files);
  files = g_slist_prepend (files, g_file_new_for_path ("/b.mp3"));
  two = pteris_files_describe (files);
  g_assert_cmpstr (one, ==, "Transcribe this recording");
  g_assert_cmpstr (two, ==, "Transcribe 2 recordings");
  g_slist_free_full (files, g_object_unref);
}

static void
test_languages (void)
{
  g_autoptr (GListModel) list = pteris_languages_new_list ();

  g_assert_cmpuint (g_list_model_get_n_items (list), ==, 100);
  g_assert_null (pteris_languages_get_code (0));
  g_assert_cmpstr (pteris_languages_get_name ("fr"), ==, "French");
  g_assert_cmpstr (pteris_languages_get_name (pteris_languages_get_code (99)), ==, "Yoruba");
  g_assert_cmpstr (pteris_languages_get_name ("xx"), ==, "xx");
}

static char *
new_journal (const char *contents)
{
  char *path = pteris_journal_new_path ("chats");
  g_autofree char *folder = g_path_get_dirname (path);

  g_mkdir_with_parents (folder, 0700);
  g_assert_true (g_file_set_contents (path, contents, -1, NULL));
  return path;
}

/* A line that was cut short is lost, and nothing after it. */
static void
test_cut_line (void)
{
  g_autofree char *path = new_journal ("{\"do\":\"user\",\"text\":\"Hi\"}\n"
                                       "not JSON\n"
                                       "{\"do\":\"answer\",\"model\":\"M\"}\n"
                                       "{\"do\":\"text\",\"text\":\"Hel");
  g_autoptr (GPtrArray) first = pteris_chat_store_read (path);
  g_autoptr (GPtrArray) second = NULL;

  g_assert_cmpuint (first->len, ==, 2);
  g_assert_cmpint (pteris_message_get_state (first->pdata[1]), ==, PTERIS_MESSAGE_STOPPED);
  pteris_chat_store_user (path, "Again");
  pteris_journal_flush ();
  second = pteris_chat_store_read (path);
  g_assert_cmpuint (second->len, ==, 3);
  g_assert_cmpstr (pteris_message_get_text (second->pdata[2]), ==, "Again");
  pteris_journal_delete (path);
  pteris_journal_flush ();
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
}

/* Records in an order that no program wrote. */
static void
test_odd_records (void)
{
  g_autofree char *path =
      new_journal ("{\"do\":\"drop\"}\n{\"do\":\"text\",\"text\":\"x\"}\n{}\n[1]\n"
                   "{\"do\":\"end\",\"stats\":{\"new_tokens\":-5}}\n"
                   "{\"do\":\"answer\",\"model\":7}\n"
                   "{\"do\":\"fail\",\"code\":1e9,\"text\":null}\n"
                   "{\"do\":\"end\"}\n");
  g_autoptr (GPtrArray) messages = pteris_chat_store_read (path);

  g_assert_cmpuint (messages->len, ==, 1);
  g_unlink (path);
}

int
main (int argc, char **argv)
{
  g_autofree char *home = g_dir_make_tmp ("pteris-test-XXXXXX", NULL);

  g_setenv ("XDG_DATA_HOME", home, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/parts/format", test_format);
  g_test_add_func ("/parts/files", test_files);
  g_test_add_func ("/parts/languages", test_languages);
  g_test_add_func ("/parts/cut-line", test_cut_line);
  g_test_add_func ("/parts/odd-records", test_odd_records);
  return g_test_run ();
}
