/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/vision/labels.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/base/json.h"
#include "engine/tasks/models/model-root.h"

#define MAX_BYTES (8 << 20)
/* The most bytes of a name; longer ones are cut. */
#define MAX_NAME 200

/* The name of the class that stands for none of the others. */
#define BACKGROUND "background"

static char *
make_name (const char *text)
{
  g_autofree char *part = g_strndup (text, MAX_NAME);

  return g_strstrip (g_utf8_make_valid (part, -1));
}

/* Reads a name from each line. Blank lines count, except those at the end. */
static GPtrArray *
from_text (const char *text)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  guint n = g_strv_length (lines);

  while (n > 0 && *g_strstrip (lines[n - 1]) == '\0')
    n--;
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (names, make_name (lines[i]));
  return names;
}

/* Reads an object such as {"0": "tench", ...}. */
static GPtrArray *
from_object (const json_t *object, guint n)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);

  for (guint i = 0; i < MAX (n, json_object_size (object)); i++) {
    g_autofree char *key = g_strdup_printf ("%u", i);
    const char *name = pt_json_string (object, key);

    if (name == NULL)
      break;
    g_ptr_array_add (names, make_name (name));
  }
  return names;
}

static GPtrArray *
from_list (const json_t *list)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);

  for (gsize i = 0; i < json_array_size (list); i++) {
    const char *name = json_string_value (json_array_get (list, i));

    g_ptr_array_add (names, make_name (name != NULL ? name : ""));
  }
  return names;
}

static GPtrArray *
read_file (const char *path, guint n, GError **error)
{
  g_autoptr (json_t) json = NULL;
  g_autofree char *text = NULL;
  const json_t *names;
  gsize length;

  if (!g_str_has_suffix (path, ".json")) {
    text = pt_text_load (path, MAX_BYTES, &length, error);
    return text != NULL ? from_text (text) : NULL;
  }
  json = pt_json_load (path, MAX_BYTES, error);
  if (json == NULL)
    return NULL;
  names = json_object_get (json, "id2label");
  if (json_is_array (json))
    return from_list (json);
  return from_object (names != NULL ? names : json, n);
}

/* Whether there are @n names. A background class that only the list has is taken out, one that only
 * the model has is put in. */
static gboolean
fit (GPtrArray *names, guint n)
{
  if (names->len == n)
    return TRUE;
  if (names->len == n + 1 && g_ascii_strcasecmp (names->pdata[0], BACKGROUND) == 0) {
    g_ptr_array_remove_index (names, 0);
    return TRUE;
  }
  if (names->len + 1 == n && n > 1) {
    g_ptr_array_insert (names, 0, g_strdup (BACKGROUND));
    return TRUE;
  }
  return FALSE;
}

static char **
steal (GPtrArray *names)
{
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_steal (names, NULL);
}

/* Finds names in files beside the program, then in the model's folders above. A file that does not
 * fit may belong to something else and is passed over. */
static char **
find_beside (const char *folder, guint n)
{
  static const char *const NAMES[] = { "labels.txt", "classes.txt", "imagenet_classes.txt",
                                       "config.json" };

  g_auto (GStrv) folders = pt_model_folders (folder);

  for (gsize i = 0; i < g_strv_length (folders) * G_N_ELEMENTS (NAMES); i++) {
    g_autofree char *path =
        g_build_filename (folders[i / G_N_ELEMENTS (NAMES)], NAMES[i % G_N_ELEMENTS (NAMES)], NULL);
    g_autoptr (GPtrArray) names = NULL;

    if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
      names = read_file (path, n, NULL);
    if (names != NULL && fit (names, n))
      return steal (names);
  }
  return NULL;
}

gboolean
pt_labels_read (const char *path, const char *folder, guint n, char ***out, GError **error)
{
  g_autoptr (GPtrArray) names = NULL;

  *out = NULL;
  if (path == NULL) {
    *out = find_beside (folder, n);
    return TRUE;
  }
  names = read_file (path, n, error);
  if (names == NULL)
    return FALSE;
  if (!fit (names, n))
    return pt_fail (error, PT_ERROR_DATA,
                    "“%s” names %u classes, and the model has %u: it belongs to another model.",
                    path, names->len, n);
  *out = steal (names);
  return TRUE;
}

char **
pt_labels_load (const char *path, const char *folder, GError **error)
{
  static const char *const NAMES[] = { "labels.txt", "classes.txt" };
  g_autoptr (GPtrArray) names = NULL;

  if (path != NULL) {
    names = read_file (path, 0, error);
    return names != NULL ? steal (names) : NULL;
  }
  for (gsize i = 0; i < G_N_ELEMENTS (NAMES) && names == NULL; i++) {
    g_autofree char *beside = g_build_filename (folder, NAMES[i], NULL);

    if (g_file_test (beside, G_FILE_TEST_IS_REGULAR))
      names = read_file (beside, 0, NULL);
  }
  return names != NULL ? steal (names) : NULL;
}
