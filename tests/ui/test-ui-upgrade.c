/* SPDX-License-Identifier: BSD-3-Clause */
#include <glib/gstdio.h>

#include "tests/ui/fake-engine.h"
#include "tests/ui/window-test.h"
#include "ui/chat/chat-store.h"
#include "ui/speech/transcript-store.h"

/* Chats, transcripts and settings of version 0.1 (tests/data/version-0.1), in this version. */

static const char *const CHATS[] = {
  "20261121-174512-000001-0001.jsonl",
  "20261121-180000-000000-0001.jsonl",
  "20261127-231941-299053-0002.jsonl",
  "notes.txt",
};
static const char *const TRANSCRIPTS[] = {
  "20261121-190000-000500-0003.jsonl",
  "20261121-191500-123456-0004.jsonl",
  "20261127-231912-332061-0001.jsonl",
};

static char *
data_path (const char *name)
{
  return g_build_filename (g_get_user_data_dir (), "pteris", name, NULL);
}

static void
copy_file (const char *from, const char *to)
{
  g_autofree char *folder = g_path_get_dirname (to);
  g_autofree char *text = NULL;
  gsize length = 0;

  g_assert_true (g_file_get_contents (from, &text, &length, NULL));
  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (to, text, (gssize) length, NULL));
}

static void
copy_journals (const char *kind, const char *const *names, gsize n)
{
  for (gsize i = 0; i < n; i++) {
    g_autofree char *from =
        g_test_build_filename (G_TEST_DIST, "data", "version-0.1", "data", kind, names[i], NULL);
    g_autofree char *folder = data_path (kind);
    g_autofree char *to = g_build_filename (folder, names[i], NULL);

    copy_file (from, to);
  }
}

static gboolean
is_there (const char *name)
{
  g_autofree char *path = data_path (name);

  return g_file_test (path, G_FILE_TEST_EXISTS);
}

/* ---- chats ---- */

static GPtrArray *
list_chats (void)
{
  g_autoptr (GError) error = NULL;
  GPtrArray *list = pteris_chat_store_list (&error);

  g_assert_no_error (error);
  return list;
}

static PterisConversation *
find_chat (GPtrArray *list, const char *start)
{
  for (guint i = 0; i < list->len; i++)
    if (g_str_has_prefix (pteris_conversation_get_title (list->pdata[i]), start))
      return list->pdata[i];
  g_assert_not_reached ();
}

/* The one that version 0.1.0 wrote. */
static void
test_chat (void)
{
  g_autoptr (GPtrArray) list = list_chats ();
  PterisConversation *chat = find_chat (list, "What is the capital of France?");
  g_autoptr (GPtrArray) messages = pteris_chat_store_read (chat, 0, NULL);
  const PtStats *stats;

  g_assert_cmpuint (list->len, ==, 2);
  g_assert_cmpuint (messages->len, ==, 6);
  g_assert_false (pteris_message_is_answer (messages->pdata[0]));
  g_assert_true (pteris_message_is_answer (messages->pdata[1]));
  g_assert_cmpstr (pteris_message_get_text (messages->pdata[1]), ==,
                   "The capital of France is Paris.");
  g_assert_cmpstr (pteris_message_get_author (messages->pdata[1]), ==, "SmolLM2 135M Instruct");
  g_assert_cmpint (pteris_message_get_state (messages->pdata[1]), ==, PTERIS_MESSAGE_DONE);
  g_assert_cmpint (pteris_message_get_reason (messages->pdata[1]), ==, PT_REASON_STOP);
  stats = pteris_message_get_stats (messages->pdata[1]);
  g_assert_cmpuint (stats->new_tokens, ==, 7);
  g_assert_cmpuint (stats->context_size, ==, 2048);
  g_assert_cmpstr (pteris_message_get_text (messages->pdata[2]), ==, "And of Italy? <b>&amp;");
  g_assert_cmpstr (pteris_message_get_text (messages->pdata[4]), ==, "Count from 1 to 500.");
}

/* Taken back, failed, and cut off when the program was killed. */
static void
test_odd_chat (void)
{
  g_autoptr (GPtrArray) list = list_chats ();
  PterisConversation *chat = find_chat (list, "Why is the sky blue");
  g_autoptr (GPtrArray) messages = pteris_chat_store_read (chat, 0, NULL);
  PtError code;

  g_assert_cmpint (g_utf8_strlen (pteris_conversation_get_title (chat), -1), <=, 60);
  g_assert_cmpuint (messages->len, ==, 4);
  g_assert_cmpint (pteris_message_get_state (messages->pdata[1]), ==, PTERIS_MESSAGE_FAILED);
  g_assert_cmpstr (pteris_message_get_error (messages->pdata[1], &code), ==,
                   "Stopped while the model was loaded.");
  g_assert_cmpint (code, ==, PT_ERROR_CANCELLED);
  g_assert_cmpstr (pteris_message_get_text (messages->pdata[2]), ==, "Größe 🌍");
  g_assert_cmpstr (pteris_message_get_text (messages->pdata[3]), ==, "Half an");
  g_assert_cmpint (pteris_message_get_state (messages->pdata[3]), ==, PTERIS_MESSAGE_STOPPED);
  g_assert_cmpint (pteris_message_get_reason (messages->pdata[3]), ==, PT_REASON_INTERRUPTED);
}

static void
test_search (void)
{
  g_autoptr (GPtrArray) chats = pteris_store_search ("paris", "chat", NULL);
  g_autoptr (GPtrArray) transcripts = pteris_store_search ("americans", "transcript", NULL);
  g_autoptr (GPtrArray) names = pteris_store_search ("jfk", "transcript", NULL);

  g_assert_cmpuint (chats->len, ==, 1);
  g_assert_cmpuint (transcripts->len, ==, 1);
  g_assert_cmpuint (names->len, ==, 1);
}

/* ---- transcripts ---- */

static PterisTranscript *
find_transcript (GPtrArray *list, const char *path)
{
  for (guint i = 0; i < list->len; i++)
    if (g_str_has_suffix (pteris_transcript_get_path (list->pdata[i]), path))
      return list->pdata[i];
  g_assert_not_reached ();
}

static void
test_transcripts (void)
{
  g_autoptr (GPtrArray) list = pteris_transcript_store_list (100, NULL);
  PterisTranscript *whole, *failed, *cut;
  PterisTranscriptContents *contents;

  g_assert_cmpuint (list->len, ==, 3);
  whole = find_transcript (list, "jfk ü.wav");
  g_assert_cmpint (pteris_transcript_get_state (whole), ==, PTERIS_TRANSCRIPT_DONE);
  contents = pteris_transcript_store_read (pteris_transcript_get_id (whole));
  g_assert_cmpuint (contents->segments->len, ==, 1);
  g_assert_true (g_str_has_prefix (pteris_segment_get_text (contents->segments->pdata[0]),
                                   "And so my fellow Americans"));
  g_assert_cmpfloat (pteris_segment_get_end (contents->segments->pdata[0]), ==, 11);
  pteris_transcript_contents_free (contents);

  failed = find_transcript (list, "missing.wav");
  g_assert_cmpint (pteris_transcript_get_state (failed), ==, PTERIS_TRANSCRIPT_FAILED);
  g_assert_true (pteris_transcript_get_translate (failed));
  g_assert_cmpstr (pteris_transcript_get_language (failed), ==, "de");

  cut = find_transcript (list, "long.wav");
  g_assert_cmpint (pteris_transcript_get_state (cut), ==, PTERIS_TRANSCRIPT_STOPPED);
  contents = pteris_transcript_store_read (pteris_transcript_get_id (cut));
  g_assert_cmpuint (contents->segments->len, ==, 2);
  g_assert_cmpstr (pteris_segment_get_text (contents->segments->pdata[1]), ==,
                   "and the second one.");
  pteris_transcript_contents_free (contents);
}

/* ---- starts ---- */

/* Folders are put aside with all that was in them; what is there again after a crash is not taken
 * twice, and what was deleted meanwhile does not come back. */
static void
test_again (void)
{
  g_autofree char *chats = data_path ("chats.old");
  g_autofree char *back = data_path ("chats");
  g_autoptr (GPtrArray) list = NULL;

  g_assert_false (is_there ("chats"));
  g_assert_false (is_there ("transcripts"));
  g_assert_true (is_there ("chats.old" G_DIR_SEPARATOR_S "notes.txt"));
  g_assert_true (is_there ("transcripts.old"));
  pteris_store_close ();
  g_assert_cmpint (g_rename (chats, back), ==, 0);
  list = list_chats ();
  g_assert_cmpuint (list->len, ==, 2);
  g_assert_true (is_there ("chats.old"));
  pteris_store_close ();
}

/* A history that only lives in memory takes nothing, and the files stay. */
static void
test_in_memory (void)
{
  g_autofree char *old = data_path ("chats.old");
  g_autofree char *back = data_path ("chats");
  g_autoptr (GPtrArray) list = NULL;

  pteris_store_close ();
  g_assert_cmpint (g_rename (old, back), ==, 0);
  pteris_store_set_keep (FALSE);
  list = list_chats ();
  g_assert_cmpuint (list->len, ==, 0);
  pteris_store_close ();
  pteris_store_set_keep (TRUE);
  g_assert_true (is_there ("chats"));
  g_assert_cmpint (g_rename (back, old), ==, 0);
}

/* Damaged journals cost their own lines only, and names that are no time are left out. */
static void
test_damaged (void)
{
  static const char *const NAMES[] = {
    "99999999-999999-999999-9999.jsonl",
    "00000000-000000-000000-0000.jsonl",
    "20261121-174512.jsonl",
    "20261121_174512-000000-0001.jsonl",
    "19691231-235959-000000-0001.jsonl",
    "20260230-000000-000000-0001.jsonl",
  };
  g_autofree char *folder = data_path ("chats"), *aside = data_path ("chats.old");
  g_autofree char *kept = data_path ("chats.kept");
  g_autofree char *from = g_build_filename (aside, CHATS[2], NULL);
  g_autofree char *text = NULL;
  g_autoptr (GPtrArray) list = NULL;
  gsize length = 0;

  pteris_store_close ();
  g_assert_true (g_file_get_contents (from, &text, &length, NULL));
  g_assert_cmpint (g_rename (aside, kept), ==, 0);
  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  for (gsize i = 0; i < G_N_ELEMENTS (NAMES); i++) {
    g_autofree char *path = g_build_filename (folder, NAMES[i], NULL);

    g_assert_true (g_file_set_contents (path, text, (gssize) length, NULL));
  }
  for (guint i = 0; i < 200; i++) {
    g_autofree char *copy = g_memdup2 (text, length);
    g_autofree char *name =
        g_strdup_printf ("20260101-%02u%02u00-000000-0001.jsonl", i / 60, i % 60);
    g_autofree char *path = g_build_filename (folder, name, NULL);

    for (guint k = 0; k < 8; k++)
      copy[g_test_rand_int_range (0, (gint32) length)] = (char) g_test_rand_int_range (0, 256);
    g_assert_true (g_file_set_contents (
        path, copy, (gssize) g_test_rand_int_range (0, (gint32) length + 1), NULL));
  }
  list = list_chats ();
  g_assert_cmpuint (list->len, >=, 2);
  g_assert_cmpuint (list->len, <=, 2 + 200);
  for (guint i = 0; i < list->len; i++) {
    g_autoptr (GPtrArray) messages = pteris_chat_store_read (list->pdata[i], 0, NULL);

    g_assert_cmpuint (messages->len, >, 0);
  }
  g_assert_false (is_there ("chats"));
  pteris_store_close ();
}

/* The window shows all of it. */
static void
test_window (void)
{
  PterisWindow *window;
  g_auto (GStrv) folders = NULL;
  g_autofree char *chat = NULL;

  fake_reset ();
  window = open_window ();
  wait_until (says (window->sidebar, "What is the capital of France?"));
  g_assert_true (says (window->sidebar, "Why is the sky blue"));
  pteris_window_show_page (window, "transcribe");
  wait_until (says (window->sidebar, "jfk ü.wav"));
  close_window (window);
  folders = pteris_settings_get_list (PTERIS_SETTING_FOLDERS);
  chat = pteris_settings_get_string (PTERIS_SETTING_LAST_CHAT);
  g_assert_cmpuint (g_strv_length (folders), ==, 1);
  g_assert_cmpstr (folders[0], ==, "/home/user/Modelle");
  g_assert_true (g_str_has_suffix (chat, "smollm2-135m-instruct/model.pte"));
}

/* What version 0.1 left in a home. */
static void
fill_home (void)
{
  g_autofree char *from =
      g_build_filename (g_getenv ("G_TEST_SRCDIR"), "data", "version-0.1", "config", NULL);
  g_autofree char *settings = g_build_filename (from, "settings.ini", NULL);
  g_autofree char *to =
      g_build_filename (g_getenv ("XDG_CONFIG_HOME"), "pteris", "settings.ini", NULL);

  copy_file (settings, to);
}

int
main (int argc, char **argv)
{
  g_setenv ("GSETTINGS_BACKEND", "keyfile", TRUE);
  make_home ();
  fill_home ();
  begin_in_home (&argc, &argv);
  copy_journals ("chats", CHATS, G_N_ELEMENTS (CHATS));
  copy_journals ("transcripts", TRANSCRIPTS, G_N_ELEMENTS (TRANSCRIPTS));
  g_test_add_func ("/upgrade/chat", test_chat);
  g_test_add_func ("/upgrade/odd-chat", test_odd_chat);
  g_test_add_func ("/upgrade/search", test_search);
  g_test_add_func ("/upgrade/transcripts", test_transcripts);
  g_test_add_func ("/upgrade/again", test_again);
  g_test_add_func ("/upgrade/window", test_window);
  g_test_add_func ("/upgrade/in-memory", test_in_memory);
  g_test_add_func ("/upgrade/damaged", test_damaged);
  return end_window_tests ();
}
