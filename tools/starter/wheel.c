/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/starter/wheel.h"

#include <glib/gstdio.h>
#include <jansson.h>

#include "tools/starter/fetch.h"

#define DESCRIPTION "wheel.json"
#define WHEEL "wheel.zip"

/* In @folder, so that the program's arguments need not name it: not every program takes any path.
 */
static gboolean
run_in (const char *folder, const char *const *argv, GError **error)
{
  g_autofree char *messages = NULL;
  int status;

  if (!g_spawn_sync (folder, (char **) argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL, NULL,
                     &messages, &status, error))
    return FALSE;
  if (g_spawn_check_wait_status (status, NULL))
    return TRUE;
  g_set_error (
      error, G_IO_ERROR, G_IO_ERROR_FAILED,
      "the weights could not be downloaded; check the network connection and try again:\n%s",
      g_strstrip (messages));
  return FALSE;
}

static gboolean
download (const char *folder, const WheelTools *tools, const char *url, const char *name,
          GError **error)
{
  const char *const argv[] = { tools->curl, "-fsSL", "--retry", "2", "-o", name, url, NULL };

  return run_in (folder, argv, error);
}

/* The wheel among the files of a release; borrowed. */
static json_t *
find_wheel (json_t *release)
{
  json_t *file;
  gsize i;

  json_array_foreach (json_object_get (release, "urls"), i, file) {
    const char *type = json_string_value (json_object_get (file, "packagetype"));

    if (g_strcmp0 (type, "bdist_wheel") == 0)
      return file;
  }
  return NULL;
}

static gboolean
unpack_described (const char *requirement, const char *folder, const WheelTools *tools,
                  GError **error)
{
  g_autofree char *description = g_build_filename (folder, DESCRIPTION, NULL);
  g_autofree char *wheel = g_build_filename (folder, WHEEL, NULL);
  const char *const unpack[] = { tools->tar, "-xf", WHEEL, NULL };
  g_autofree char *text = NULL;
  gsize length = 0;
  json_t *release, *file;
  const char *url, *sha256;
  gboolean ok = FALSE;

  if (!g_file_get_contents (description, &text, &length, error))
    return FALSE;
  release = json_loadb (text, length, 0, NULL);
  file = find_wheel (release);
  url = json_string_value (json_object_get (file, "url"));
  sha256 = json_string_value (json_object_get (json_object_get (file, "digests"), "sha256"));
  if (url == NULL || sha256 == NULL)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "the package %s was not found; try again",
                 requirement);
  else if (!download (folder, tools, url, WHEEL, error))
    ok = FALSE;
  else if (!fetch_file_matches (wheel, sha256))
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                 "the package %s is damaged (its SHA-256 differs); try again", requirement);
  else
    ok = run_in (folder, unpack, error);
  json_decref (release);
  g_unlink (wheel);
  return ok;
}

gboolean
wheel_unpack (const char *requirement, const char *folder, const WheelTools *tools, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (requirement, "==", 2);
  g_autofree char *description = g_build_filename (folder, DESCRIPTION, NULL);
  g_autofree char *url = NULL;
  gboolean ok;

  if (g_strv_length (parts) != 2) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_ARGUMENT, "%s names no version",
                 requirement);
    return FALSE;
  }
  url = g_strjoin ("/", tools->index, parts[0], parts[1], "json", NULL);
  ok = download (folder, tools, url, DESCRIPTION, error) &&
       unpack_described (requirement, folder, tools, error);
  g_unlink (description);
  return ok;
}
