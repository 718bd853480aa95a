/* SPDX-License-Identifier: BSD-3-Clause */

/* Parts of the server that need no connection. */

#include <string.h>

#include <glib/gstdio.h>

#include "server/conversation-marks.h"
#include "server/data-files.h"
#include "server/guard.h"
#include "server/json-fields.h"
#include "server/recent.h"
#include "server/serving.h"
#include "server/turns.h"

/* ---- guard ---- */

static guint
check_sender (const PterisGuard *guard, const char *host, const char *origin, const char *key)
{
  const PterisSender sender = { host, origin, key };
  g_autoptr (GError) error = NULL;

  if (pteris_guard_check (guard, &sender, FALSE, &error))
    return 0;
  return pteris_fault_status (error);
}

static void
test_hosts (void)
{
  const char *hosts[] = { "studio.local", NULL };
  g_autoptr (PterisGuard) guard = pteris_guard_new (NULL, NULL, hosts);
  static const char *const good[] = {
    "localhost", "LOCALHOST:80", "127.0.0.1",     "127.0.0.1:1",
    "[::1]",     "[::1]:11435",  "192.168.1.7:8", "studio.local:7"
  };
  static const char *const bad[] = {
    "example.org", "localhost.example.org", "studio.local.", "127.0.0.1.nip.io", "",
    "[::1",        "localhost, localhost",  "[example.org]", "xlocalhost"
  };

  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    g_assert_cmpuint (check_sender (guard, good[i], NULL, NULL), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    g_assert_cmpuint (check_sender (guard, bad[i], NULL, NULL), ==, 403);
  g_assert_cmpuint (check_sender (guard, NULL, NULL, NULL), ==, 0);
}

static void
test_origins (void)
{
  const char *origins[] = { "https://example.org", NULL };
  g_autoptr (PterisGuard) guard = pteris_guard_new (NULL, origins, NULL);

  g_assert_cmpuint (check_sender (guard, "localhost", NULL, NULL), ==, 0);
  g_assert_cmpuint (check_sender (guard, "localhost", "https://example.org", NULL), ==, 0);
  g_assert_cmpuint (check_sender (guard, "localhost", "http://example.org", NULL), ==, 403);
  g_assert_cmpuint (check_sender (guard, "localhost", "https://example.org.evil", NULL), ==, 403);
  g_assert_cmpuint (check_sender (guard, "localhost", "null", NULL), ==, 403);
  g_assert_cmpuint (check_sender (guard, "localhost", "http://localhost", NULL), ==, 403);
}

static void
test_key (void)
{
  g_autoptr (PterisGuard) guard = pteris_guard_new ("s3cret", NULL, NULL);
  const PterisSender nobody = { "localhost", NULL, NULL };
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (check_sender (guard, "localhost", NULL, "Bearer s3cret"), ==, 0);
  g_assert_cmpuint (check_sender (guard, "localhost", NULL, "bearer s3cret"), ==, 0);
  g_assert_cmpuint (check_sender (guard, "localhost", NULL, NULL), ==, 401);
  g_assert_cmpuint (check_sender (guard, "localhost", NULL, "Bearer "), ==, 401);
  g_assert_cmpuint (check_sender (guard, "localhost", NULL, "Bearer s3cre"), ==, 401);
  g_assert_cmpuint (check_sender (guard, "localhost", NULL, "Bearer s3crets3cret"), ==, 401);
  g_assert_cmpuint (check_sender (guard, "localhost", NULL, "Basic s3cret"), ==, 401);
  /* A page asks without a key whether it may ask. */
  g_assert_true (pteris_guard_check (guard, &nobody, TRUE, &error));
}

/* ---- JSON ---- */

static void
expect_fault (GError *error, const char *code, const char *field)
{
  g_assert_error (error, PTERIS_FAULT, 400);
  g_assert_cmpstr (pteris_fault_get_code (error), ==, code);
  g_assert_cmpstr (pteris_fault_get_field (error), ==, field);
  g_error_free (error);
}

/* Reads all of the kinds of members from @text. */
static GError *
read_fields (const char *text, const char *path)
{
  json_t *json = json_loads (text, JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL);
  GError *error = NULL;
  PterisFields fields;
  g_autofree const char **texts = NULL;

  pteris_fields_begin (&fields, json, path, &error);
  pteris_fields_need (&fields, "need");
  pteris_fields_text (&fields, "text");
  pteris_fields_int (&fields, "int", 1, 9, 0);
  pteris_fields_number (&fields, "number", 0, 2, 0);
  pteris_fields_bool (&fields, "bool", FALSE);
  pteris_fields_array (&fields, "array");
  pteris_fields_object (&fields, "object");
  texts = pteris_fields_texts (&fields, "texts", 2);
  pteris_fields_refuse (&fields, "one", json_integer (1), "only one.");
  pteris_fields_refuse (&fields, "never", NULL, NULL);
  pteris_fields_skip (&fields, "note");
  pteris_fields_end (&fields);
  json_decref (json);
  return error;
}

static void
test_fields (void)
{
  g_assert_no_error (read_fields ("{\"need\": 1, \"text\": \"é\", \"int\": 9, \"number\": 0.5, "
                                  "\"bool\": true, \"array\": [], \"object\": {}, \"texts\": "
                                  "[\"a\", \"b\"], \"one\": 1.0, \"note\": [1], \"other\": null}",
                                  NULL));
  expect_fault (read_fields ("[]", NULL), PTERIS_FAULT_TYPE, NULL);
  expect_fault (read_fields ("[]", "m[0]"), PTERIS_FAULT_TYPE, "m[0]");
  expect_fault (read_fields ("{}", NULL), PTERIS_FAULT_MISSING, "need");
  expect_fault (read_fields ("{\"need\": null}", NULL), PTERIS_FAULT_MISSING, "need");
  expect_fault (read_fields ("{\"need\": 1, \"text\": 2}", "m[0]"), PTERIS_FAULT_TYPE, "m[0].text");
  expect_fault (read_fields ("{\"need\": 1, \"text\": \"a\\u0000b\"}", NULL), PTERIS_FAULT_VALUE,
                "text");
  expect_fault (read_fields ("{\"need\": 1, \"int\": 10}", NULL), PTERIS_FAULT_VALUE, "int");
  expect_fault (read_fields ("{\"need\": 1, \"int\": 1.5}", NULL), PTERIS_FAULT_TYPE, "int");
  expect_fault (read_fields ("{\"need\": 1, \"int\": \"1\"}", NULL), PTERIS_FAULT_TYPE, "int");
  expect_fault (read_fields ("{\"need\": 1, \"number\": 2.1}", NULL), PTERIS_FAULT_VALUE, "number");
  expect_fault (read_fields ("{\"need\": 1, \"bool\": 0}", NULL), PTERIS_FAULT_TYPE, "bool");
  expect_fault (read_fields ("{\"need\": 1, \"array\": {}}", NULL), PTERIS_FAULT_TYPE, "array");
  expect_fault (read_fields ("{\"need\": 1, \"object\": []}", NULL), PTERIS_FAULT_TYPE, "object");
  expect_fault (read_fields ("{\"need\": 1, \"texts\": [\"a\", \"b\", \"c\"]}", NULL),
                PTERIS_FAULT_VALUE, "texts");
  expect_fault (read_fields ("{\"need\": 1, \"texts\": [1]}", NULL), PTERIS_FAULT_TYPE, "texts");
  expect_fault (read_fields ("{\"need\": 1, \"one\": 2}", NULL), PTERIS_FAULT_UNSUPPORTED, "one");
  expect_fault (read_fields ("{\"need\": 1, \"never\": 0}", NULL), PTERIS_FAULT_UNSUPPORTED,
                "never");
  expect_fault (read_fields ("{\"need\": 1, \"other\": 0}", NULL), PTERIS_FAULT_UNKNOWN, "other");
}

/* ---- turns ---- */

static guint
pop (PterisTurns *turns)
{
  return GPOINTER_TO_UINT (pteris_turns_pop (turns, NULL, NULL));
}

static gboolean
is_even (gconstpointer item, gconstpointer user_data)
{
  g_assert_cmpstr (user_data, ==, "even");
  return GPOINTER_TO_UINT (item) % 2 == 0;
}

/* Items that are not accepted stay, in their order. */
static void
test_turns_some (void)
{
  g_autoptr (PterisTurns) turns = pteris_turns_new ();

  for (guint i = 1; i <= 4; i++)
    pteris_turns_push (turns, i < 3 ? "a" : "b", GUINT_TO_POINTER (i));
  pteris_turns_push (turns, "b", GUINT_TO_POINTER (5));
  g_assert_cmpuint (GPOINTER_TO_UINT (pteris_turns_pop (turns, is_even, "even")), ==, 2);
  g_assert_cmpuint (GPOINTER_TO_UINT (pteris_turns_pop (turns, is_even, "even")), ==, 4);
  g_assert_null (pteris_turns_pop (turns, is_even, "even"));
  g_assert_cmpuint (pteris_turns_count (turns), ==, 3);
  for (guint i = 1; i <= 5; i += 2)
    g_assert_cmpuint (pop (turns), ==, i);
}

static guint64
mark_of (const char *system, const char *first, const char *last)
{
  const PtMessage messages[] = { { "system", system, NULL },
                                 { "user", first, NULL },
                                 { "assistant", last, NULL } };
  const PtChatOptions chat = { .messages = messages, .n_messages = last != NULL ? 3 : 2 };

  return pteris_marks_of_chat (&chat);
}

/* How a conversation begins tells which it is; a place knows the latest four. */
static void
test_marks (void)
{
  PterisConversationMarks marks = { .n = 0 };
  guint64 mark = mark_of ("Be kind.", "Hello.", NULL);

  g_assert_cmpuint (mark_of ("Be kind.", "Hello.", "Yes?"), ==, mark);
  g_assert_cmpuint (mark_of ("Be kind.", "Goodbye.", NULL), !=, mark);
  g_assert_cmpuint (mark_of ("Be rude.", "Hello.", NULL), !=, mark);
  g_assert_cmpuint (mark_of ("Be kind.H", "ello.", NULL), !=, mark);
  pteris_marks_add (&marks, 0);
  g_assert_false (pteris_marks_know (&marks, 0));
  for (guint64 i = 1; i <= 5; i++)
    pteris_marks_add (&marks, i);
  pteris_marks_add (&marks, 2);
  pteris_marks_add (&marks, 6);
  g_assert_cmpuint (marks.n, ==, PTERIS_MARKS_MOST);
  g_assert_false (pteris_marks_know (&marks, 3));
  g_assert_true (pteris_marks_know (&marks, 2));
  pteris_marks_remove (&marks, 2);
  g_assert_false (pteris_marks_know (&marks, 2));
  g_assert_true (pteris_marks_know (&marks, 4) && pteris_marks_know (&marks, 6));
}

/* One client with many items does not delay another. */
static void
test_turns (void)
{
  g_autoptr (PterisTurns) turns = pteris_turns_new ();

  for (guint i = 1; i <= 4; i++)
    pteris_turns_push (turns, "greedy", GUINT_TO_POINTER (i));
  g_assert_cmpuint (pop (turns), ==, 1);
  pteris_turns_charge (turns, "greedy", 2);
  pteris_turns_push (turns, "modest", GUINT_TO_POINTER (10));
  pteris_turns_push (turns, "modest", GUINT_TO_POINTER (11));
  pteris_turns_push (turns, "modest", GUINT_TO_POINTER (12));
  g_assert_cmpuint (pop (turns), ==, 10);
  pteris_turns_charge (turns, "modest", 1);
  g_assert_cmpuint (pop (turns), ==, 11);
  pteris_turns_charge (turns, "modest", 1.5);
  g_assert_cmpuint (pop (turns), ==, 2);
  g_assert_true (pteris_turns_remove (turns, GUINT_TO_POINTER (4)));
  g_assert_false (pteris_turns_remove (turns, GUINT_TO_POINTER (4)));
  g_assert_cmpuint (pteris_turns_count (turns), ==, 2);
  g_assert_cmpuint (pop (turns), ==, 3);
  pteris_turns_charge (turns, "greedy", 2);
  g_assert_cmpuint (pop (turns), ==, 12);
  g_assert_cmpuint (pop (turns), ==, 0);
}

/* Who was away for long has not saved up turns, and is not forgotten as long as it is ahead. */
static void
test_turns_saved (void)
{
  g_autoptr (PterisTurns) turns = pteris_turns_new ();

  pteris_turns_push (turns, "early", GUINT_TO_POINTER (1));
  g_assert_cmpuint (pop (turns), ==, 1);
  for (guint i = 0; i < 10; i++) {
    pteris_turns_push (turns, "busy", GUINT_TO_POINTER (2));
    g_assert_cmpuint (pop (turns), ==, 2);
    pteris_turns_charge (turns, "busy", 1);
  }
  pteris_turns_push (turns, "busy", GUINT_TO_POINTER (3));
  pteris_turns_push (turns, "early", GUINT_TO_POINTER (4));
  pteris_turns_push (turns, "early", GUINT_TO_POINTER (5));
  g_assert_cmpuint (pop (turns), ==, 4);
  pteris_turns_charge (turns, "early", 1.5);
  g_assert_cmpuint (pop (turns), ==, 3);
  g_assert_cmpuint (pop (turns), ==, 5);
}

/* A thousand clients that asked once do not stay. */
static void
test_turns_many (void)
{
  g_autoptr (PterisTurns) turns = pteris_turns_new ();

  for (guint i = 1; i <= 1000; i++) {
    g_autofree char *name = g_strdup_printf ("client %u", i);

    pteris_turns_push (turns, name, GUINT_TO_POINTER (i));
    g_assert_cmpuint (pop (turns), ==, i);
  }
  g_assert_cmpuint (pteris_turns_count (turns), ==, 0);
}

/* ---- others ---- */

static void
test_recent (void)
{
  PterisRecent *recent = pteris_recent_new ();
  gint64 start = 1000 * G_USEC_PER_SEC;
  guint requests;
  double speed;

  pteris_recent_get (recent, start, &requests, &speed);
  g_assert_cmpuint (requests, ==, 0);
  g_assert_cmpfloat (speed, <=, 0);
  pteris_recent_add (recent, start, 30, 1);
  pteris_recent_add (recent, start + 59 * G_USEC_PER_SEC, 50, 1);
  pteris_recent_get (recent, start + 59 * G_USEC_PER_SEC, &requests, &speed);
  g_assert_cmpuint (requests, ==, 2);
  g_assert_cmpfloat_with_epsilon (speed, 40, 1e-9);
  pteris_recent_get (recent, start + 61 * G_USEC_PER_SEC, &requests, &speed);
  g_assert_cmpuint (requests, ==, 1);
  g_assert_cmpfloat_with_epsilon (speed, 50, 1e-9);
  pteris_recent_get (recent, start + 200 * G_USEC_PER_SEC, &requests, &speed);
  g_assert_cmpuint (requests, ==, 0);
  pteris_recent_free (recent);
}

static void
test_data_files (void)
{
  PterisDataFiles *files = pteris_data_files_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *copy = NULL, *folder = NULL, *text = NULL, *name = NULL;
  const char *path =
      pteris_data_files_add_url (files, "data:image/png;base64,aGVsbG8=", "u", &error);
  static const char *const bad[] = {
    "https://example.org/a.png", "file:///etc/passwd",     "data:",
    "data:image/png,hello",      "data:image/png;base64,", "data:image/png;base64,%%%",
    "data:image/png;base64,="
  };

  g_assert_no_error (error);
  g_assert_true (g_str_has_suffix (path, ".png"));
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, "hello");
  copy = g_strdup (path);
  folder = g_path_get_dirname (path);
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    g_assert_null (pteris_data_files_add_url (files, bad[i], "u", &error));
    g_assert_error (error, PTERIS_FAULT, 400);
    g_clear_error (&error);
  }
  path = pteris_data_files_add_base64 (files, "aGVsbG8=", "../../x y", "u", &error);
  g_assert_no_error (error);
  name = g_path_get_basename (path);
  g_assert_cmpstr (name, ==, "2.xy");
  pteris_data_files_free (files);
  g_assert_false (g_file_test (copy, G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (folder, G_FILE_TEST_EXISTS));
}

static guint
find_route (const char *method, const char *path, const char *parameter)
{
  const char *found;
  g_autoptr (GError) error = NULL;

  if (pteris_route_find (method, path, &found, &error) == NULL)
    return pteris_fault_status (error);
  g_assert_cmpstr (found, ==, parameter);
  return 0;
}

static void
test_routes (void)
{
  g_assert_cmpuint (find_route ("GET", "/v1/models", NULL), ==, 0);
  g_assert_cmpuint (find_route ("GET", "/v1/models/a/b", "a/b"), ==, 0);
  g_assert_cmpuint (find_route ("GET", "/v1/models/", NULL), ==, 404);
  g_assert_cmpuint (find_route ("POST", "/v1/models", NULL), ==, 405);
  g_assert_cmpuint (find_route ("GET", "/v1/chat/completions", NULL), ==, 405);
  g_assert_cmpuint (find_route ("POST", "/v1/chat/completions/", NULL), ==, 404);
  g_assert_cmpuint (find_route ("GET", "/../v1/models", NULL), ==, 404);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/server/parts/hosts", test_hosts);
  g_test_add_func ("/server/parts/origins", test_origins);
  g_test_add_func ("/server/parts/key", test_key);
  g_test_add_func ("/server/parts/fields", test_fields);
  g_test_add_func ("/server/parts/turns", test_turns);
  g_test_add_func ("/server/parts/turns-some", test_turns_some);
  g_test_add_func ("/server/parts/marks", test_marks);
  g_test_add_func ("/server/parts/turns-saved", test_turns_saved);
  g_test_add_func ("/server/parts/turns-many", test_turns_many);
  g_test_add_func ("/server/parts/recent", test_recent);
  g_test_add_func ("/server/parts/data-files", test_data_files);
  g_test_add_func ("/server/parts/routes", test_routes);
  return g_test_run ();
}
