/* SPDX-License-Identifier: BSD-3-Clause */

/* Chats that are brought in (JSON), damaged. */

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "tests/hostile/history.h"
#include "ui/chat/chat-export.h"
#include "ui/history/history-store.h"

typedef struct {
  gboolean has_ended;
  GPtrArray *chats;
  GError *error;
} Import;

static void
on_imported (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Import *import = user_data;

  import->chats = pteris_chat_import_finish (result, &import->error);
  import->has_ended = TRUE;
}

/* The number of imported chats; -1: an error. */
static int
import_path (const char *path, const char *what)
{
  g_autoptr (GFile) file = g_file_new_for_path (path);
  Import import = { 0 };
  int n;

  hostile_begin ();
  pteris_chat_import_async (file, on_imported, &import);
  while (!import.has_ended)
    g_main_context_iteration (NULL, TRUE);
  hostile_check_result (import.chats, &import.error, what);
  n = import.chats != NULL ? (int) import.chats->len : -1;
  for (int i = 0; i < n; i++)
    hostile_use_conversation (import.chats->pdata[i], what);
  g_clear_pointer (&import.chats, g_ptr_array_unref);
  pteris_store_close ();
  hostile_end (what);
  hostile_history_remove ();
  return n;
}

static int
import_text (const char *text, gsize size)
{
  g_autofree char *path = hostile_file ("chats.json", text, size);

  return import_path (path, "chats to bring in");
}

#define CHATS(messages) "{\"conversations\": [{\"title\": 7, \"messages\": [" messages "]}]}"

static void
test_imports (void)
{
  static const struct {
    const char *text;
    int n;
  } files[] = {
    { "", -1 },
    { "{", -1 },
    { "[]", -1 },
    { "{\"conversations\": []}", -1 },
    { "{\"conversations\": {}}", -1 },
    { "{\"conversations\": [1]}", -1 },
    { "{\"conversations\": [{\"messages\": {}}]}", -1 },
    { CHATS ("{}"), -1 },
    { CHATS ("{\"id\": \"x\", \"text\": \"y\"}"), -1 },
    { CHATS ("{\"id\": 1, \"text\": null}"), -1 },
    { CHATS ("{\"id\": 1, \"text\": \"\xff\"}"), -1 },
    { CHATS (""), 1 },
    /* the same number twice; one that follows itself, one that follows nobody, one of the future */
    { CHATS ("{\"id\": 1, \"text\": \"a\"}, {\"id\": 1, \"parent\": 1, \"text\": \"b\"}"), 1 },
    { CHATS ("{\"id\": -9223372036854775808, \"parent\": -9223372036854775808, \"text\": \"a\"}"),
      1 },
    { CHATS ("{\"id\": 1, \"parent\": 2, \"text\": \"a\"}, {\"id\": 2, \"parent\": 1, \"role\": "
             "\"assistant\", \"model\": 5, \"text\": \"b\"}"),
      1 },
    { "{\"conversations\": [{\"updated\": 1e308, \"leaf\": \"x\", \"settings\": {\"temperature\": "
      "-1e308, \"top_p\": \"x\", \"max_new_tokens\": 1e308, \"system\": []}, \"messages\": []}]}",
      1 },
    { "{\"conversations\": [{\"updated\": -1, \"settings\": [], \"title\": \"\\u0000\", "
      "\"messages\": [{\"id\": 1, \"text\": \"a\\u0000b\"}]}]}",
      1 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    g_assert_cmpint (import_text (files[i].text, strlen (files[i].text)), ==, files[i].n);
}

/* @n times @part between @before and @after. */
static int
import_many (const char *before, const char *part, guint n, const char *after)
{
  g_autoptr (GString) text = g_string_new (before);

  for (guint i = 0; i < n; i++)
    g_string_append (text, part);
  g_string_append (text, after);
  return import_text (text->str, text->len);
}

static void
test_large_imports (void)
{
  static const char begin[] = "{\"conversations\": [{\"messages\": [";
  static const char end[] = "{\"id\": 1, \"text\": \"\"}]}]}";

  g_assert_cmpint (import_many (begin, "{\"id\":1,\"text\":\"ferns\"},", 3000, end), ==, 1);
  g_assert_cmpint (import_many (begin, "{\"id\":1,\"text\":\"\"},", 210000, end), ==, -1);
  g_assert_cmpint (
      import_many ("{\"conversations\": [", "{\"messages\":[]},", 20000, "{\"messages\":[]}]}"), ==,
      -1);
  g_assert_cmpint (import_many (begin, "[[],{}],", 1000000, end), ==, -1);
  g_assert_cmpint (import_many ("", "[", 1000000, ""), ==, -1);
  g_assert_cmpint (import_many ("{\"conversations\": [{\"title\": \"", "title ", 200000,
                                "\", \"messages\": []}]}"),
                   ==, 1);
  g_assert_cmpint (import_many ("", " ", 33 * 1024 * 1024, ""), ==, -1);
}

static void
test_import_places (void)
{
  g_autofree char *path = hostile_path ("place.json");
  g_autofree char *inside = hostile_file ("marker", NULL, 0);

  g_assert_cmpint (import_path (path, "no file"), ==, -1);
  g_assert_cmpint (mkfifo (path, 0600), ==, 0);
  g_assert_cmpint (import_path (path, "a pipe"), ==, -1);
  g_remove (path);
  g_assert_cmpint (symlink ("/dev/zero", path), ==, 0);
  g_assert_cmpint (import_path (path, "a device"), ==, -1);
  g_remove (path);
  g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
  g_assert_cmpint (import_path (path, "a folder"), ==, -1);
  g_rmdir (path);
  g_assert_true (g_file_set_contents (path, "", 0, NULL));
  g_assert_cmpint (truncate (path, (off_t) 1 << 40), ==, 0);
  g_assert_cmpint (import_path (path, "a hole of 1 TB"), ==, -1);
  hostile_clean_up ();
}

int
main (int argc, char **argv)
{
  hostile_history_start (&argc, &argv);
  g_test_add_func ("/hostile/imports/contents", test_imports);
  g_test_add_func ("/hostile/imports/large", test_large_imports);
  g_test_add_func ("/hostile/imports/places", test_import_places);
  return hostile_history_end ();
}
