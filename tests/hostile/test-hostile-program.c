/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/program/data-file.h"
#include "engine/program/program-file.h"

#include <jansson.h>

/*
 * The damaged files of tests/data/tiny/hostile, as far as opening goes: no file may do harm, and
 * those that only opening can notice are refused. What is left is for loading and execution.
 */

static const char *
text_of (json_t *object, const char *name)
{
  return json_string_value (json_object_get (object, name));
}

/* Returns TRUE when the files of @entry open. */
static gboolean
open_files (json_t *entry, GError **error)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "tiny", "hostile",
                                                 text_of (entry, "program"), NULL);
  const char *data = text_of (entry, "data");
  g_autoptr (PtProgram) program = pt_program_open (path, error);
  g_autoptr (PtDataMap) map = NULL;

  if (program == NULL || data == NULL)
    return program != NULL;
  g_free (path);
  path = g_test_build_filename (G_TEST_DIST, "data", "tiny", "hostile", data, NULL);
  map = pt_data_map_open ((const char *[]){ path, NULL }, error);
  return map != NULL;
}

static void
test_file (gconstpointer data)
{
  json_t *entry = (json_t *) data;
  g_autoptr (GError) error = NULL;

  if (open_files (entry, &error)) {
    g_test_message ("opens: %s", text_of (entry, "note"));
    g_assert_cmpstr (text_of (entry, "latest_stage"), !=, "load_program");
    return;
  }
  g_test_message ("%s", error->message);
  g_assert_true (error->domain == PT_ERROR);
  g_assert_true (g_utf8_validate (error->message, -1, NULL));
}

int
main (int argc, char **argv)
{
  g_autofree char *index = NULL;
  json_t *root, *entry;
  size_t i;
  int result;

  g_test_init (&argc, &argv, NULL);
  index = g_test_build_filename (G_TEST_DIST, "data", "tiny", "hostile", "index.json", NULL);
  root = json_load_file (index, 0, NULL);
  g_assert_cmpuint (json_array_size (json_object_get (root, "files")), ==, 133);
  json_array_foreach (json_object_get (root, "files"), i, entry) {
    g_autofree char *path = g_strconcat ("/hostile/program/", text_of (entry, "name"), NULL);

    g_test_add_data_func (path, entry, test_file);
  }
  result = g_test_run ();
  json_decref (root);
  return result;
}
