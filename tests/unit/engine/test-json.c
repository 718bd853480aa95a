/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/json.h"

#include <string.h>

#include <glib/gstdio.h>

static json_t *
load_bytes (const char *text, gsize length, GError **error)
{
  g_autofree char *path = NULL;
  int fd = g_file_open_tmp ("pteris-json-XXXXXX", &path, NULL);
  json_t *json;

  g_close (fd, NULL);
  g_assert_true (g_file_set_contents (path, text, (gssize) length, NULL));
  json = pt_json_load (path, 1 << 20, error);
  g_remove (path);
  return json;
}

static json_t *
load (const char *text, GError **error)
{
  return load_bytes (text, strlen (text), error);
}

/* Integers of more than 64 bits, as written by Python, become reals; other values are unchanged. */
static void
test_large_numbers (void)
{
  g_autoptr (json_t) json =
      load ("{\"model_max_length\": 1000000000000000019884624838656, \"least\": "
            "[-123456789012345678901,1], \"id\": 42, \"text\": \"\\\"1234567890123456789012\", "
            "\"real\": 1234567890123456789012.5, \"power\": 1234567890123456789012e3}",
            NULL);
  const json_t *least = json_object_get (json, "least");

  g_assert_nonnull (json);
  g_assert_cmpfloat (pt_json_double (json, "model_max_length", 0), ==, 1e30);
  g_assert_cmpint (pt_json_int (json, "model_max_length", -1), ==, -1);
  g_assert_cmpfloat (json_real_value (json_array_get (least, 0)), ==, -123456789012345678901.0);
  g_assert_cmpint (json_integer_value (json_array_get (least, 1)), ==, 1);
  g_assert_cmpint (pt_json_int (json, "id", 0), ==, 42);
  g_assert_cmpstr (pt_json_string (json, "text"), ==, "\"1234567890123456789012");
  g_assert_cmpfloat (pt_json_double (json, "real", 0), ==, 1234567890123456789012.5);
  g_assert_cmpfloat (pt_json_double (json, "power", 0), ==, 1234567890123456789012e3);
}

static void
check_refused (const char *text, const char *says)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (load (text, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_FORMAT);
  g_assert_nonnull (strstr (error->message, says));
}

static void
test_refused (void)
{
  g_autofree char *many = g_strnfill (900000, '[');
  g_autofree char *heavy = g_strnfill (700000, '{');
  g_autofree char *large = g_strnfill ((1 << 20) + 1, ' ');

  check_refused ("", "not valid JSON");
  check_refused ("{", "not valid JSON");
  check_refused ("[1e999]", "not valid JSON");
  check_refused ("[1e999, 12345678901234567890]", "not valid JSON");
  check_refused ("[\"\xff\"]", "not valid JSON");
  check_refused (many, "not valid JSON");
  check_refused (heavy, "too many values");
  check_refused (large, "too large");
}

static void
test_nul (void)
{
  static const char text[] = "{\"a\": \"x\\u0000y\"}";
  g_autoptr (json_t) json = load (text, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (json_string_length (json_object_get (json, "a")), ==, 3);
  g_assert_null (load_bytes ("[1]\0", 4, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_FORMAT);
}

/* Members that are missing or of another type than what is asked for. */
static void
test_members (void)
{
  g_autoptr (json_t) json =
      load ("{\"text\": \"a\", \"yes\": true, \"whole\": 3, \"real\": 2.5}", NULL);
  g_autofree char *line = NULL;

  g_assert_null (pt_json_string (json, "whole"));
  g_assert_null (pt_json_string (NULL, "text"));
  g_assert_true (pt_json_bool (json, "yes", FALSE));
  g_assert_true (pt_json_bool (json, "text", TRUE));
  g_assert_cmpint (pt_json_int (json, "whole", 0), ==, 3);
  g_assert_cmpint (pt_json_int (json, "real", -1), ==, -1);
  g_assert_cmpfloat (pt_json_double (json, "whole", 0), ==, 3);
  g_assert_cmpfloat (pt_json_double (json, "yes", -1), ==, -1);
  line = pt_json_steal_text (json_array ());
  g_assert_cmpstr (line, ==, "[]");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/json/large-numbers", test_large_numbers);
  g_test_add_func ("/json/refused", test_refused);
  g_test_add_func ("/json/nul", test_nul);
  g_test_add_func ("/json/members", test_members);
  return g_test_run ();
}
