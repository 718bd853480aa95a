/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/openvino/openvino-library.h"

#include <string.h>

#include <gmodule.h>

#include "engine/base/set-error.h"
#include "engine/openvino/openvino-find.h"

#ifdef G_OS_WIN32
#include <windows.h>
#endif

/* Numbers of element types are others in older versions. */
#define OLDEST_YEAR 2025
#define OLDEST_MINOR 1

/* OpenVINO's messages name its source files, one in a line. */
#define MAX_WORDS 300

static GMutex mutex;
static PtOpenvino functions;
static const PtOpenvino *opened;
static PtOpenvinoCore cores[2];

static const struct {
  const char *name;
  gsize offset;
} members[] = {
#define MEMBER(result, name, parameters) { #name, G_STRUCT_OFFSET (PtOpenvino, name) },
  PT_OPENVINO_FUNCTIONS (MEMBER)
#undef MEMBER
};

/* ---- loading ---- */

#ifdef G_OS_WIN32

/* TBB of Intel's archive, which its setupvars puts on PATH. @folder: of the library. */
static void
add_tbb (const char *folder)
{
  g_autofree char *path =
      g_build_filename (folder, "..", "..", "..", "3rdparty", "tbb", "bin", NULL);
  g_autofree char *full = g_canonicalize_filename (path, NULL);
  g_autofree gunichar2 *wide = NULL;

  if (!g_file_test (full, G_FILE_TEST_IS_DIR))
    return;
  wide = g_utf8_to_utf16 (g_strdelimit (full, "/", '\\'), -1, NULL, NULL, NULL);
  if (wide != NULL)
    AddDllDirectory ((const wchar_t *) wide);
}

/* Searches the libraries that it needs beside it and in the system's folders, never in the current
 * one. */
static GModule *
load (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *full = g_strdelimit (g_strdup (path), "/", '\\');
  g_autofree gunichar2 *wide = g_utf8_to_utf16 (full, -1, NULL, NULL, NULL);
  GModule *module;
  HMODULE library;

  add_tbb (folder);
  library =
      wide != NULL
          ? LoadLibraryExW ((const wchar_t *) wide, NULL,
                            LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_DEFAULT_DIRS)
          : NULL;
  if (library == NULL)
    return NULL;
  module = g_module_open (full, G_MODULE_BIND_LOCAL);
  FreeLibrary (library);
  return module;
}

#else

static GModule *
load (const char *path)
{
  return g_module_open (path, G_MODULE_BIND_LOCAL);
}

#endif

static gboolean
resolve (GModule *module, const char *path, GError **error)
{
  for (guint i = 0; i < G_N_ELEMENTS (members); i++) {
    gpointer address = NULL;

    if (!g_module_symbol (module, members[i].name, &address) || address == NULL)
      return pt_fail (error, PT_ERROR_MISSING_BACKEND,
                      "The library “%s” is not OpenVINO's, or too old: it lacks the function %s.",
                      path, members[i].name);
    memcpy ((guint8 *) &functions + members[i].offset, &address, sizeof address);
  }
  return TRUE;
}

/* "2025.4.1" of "2025.4.1-20426-82bbf0292c5-releases/2025/4". */
static gboolean
read_version (const char *path, GError **error)
{
  PtOvVersion version = { 0 };
  guint64 year, minor;
  char *end;

  if (functions.ov_get_openvino_version (&version) != 0 || version.build == NULL)
    return pt_fail (error, PT_ERROR_MISSING_BACKEND, "OpenVINO (%s) does not tell its version.",
                    path);
  g_free (functions.version);
  functions.version = g_strndup (version.build, MIN (strcspn (version.build, "-"), 32));
  functions.ov_version_free (&version);
  year = g_ascii_strtoull (functions.version, &end, 10);
  minor = *end == '.' ? g_ascii_strtoull (end + 1, NULL, 10) : 0;
  if (year > OLDEST_YEAR || (year == OLDEST_YEAR && minor >= OLDEST_MINOR))
    return TRUE;
  return pt_fail (error, PT_ERROR_MISSING_BACKEND,
                  "OpenVINO %s (%s) is too old. Install version %d.%d or later.", functions.version,
                  path, OLDEST_YEAR, OLDEST_MINOR);
}

static gboolean
open_library (const char *version, GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (PtOpenvinoPlace) place = pt_openvino_find (version, &cause);
  GModule *module;

  if (place == NULL)
    return pt_fail (error, PT_ERROR_MISSING_BACKEND, "%s", cause->message);
  module = load (place->path);
  if (module == NULL)
    return pt_fail (error, PT_ERROR_MISSING_BACKEND, "OpenVINO's library cannot be loaded (%s).",
                    g_module_error ());
  if (!resolve (module, place->path, error) || !read_version (place->path, error)) {
    g_module_close (module);
    return FALSE;
  }
  g_module_make_resident (module);
  g_free (functions.path);
  functions.path = g_strdup (place->path);
  return TRUE;
}

const PtOpenvino *
pt_openvino_open (const char *version, GError **error)
{
  const PtOpenvino *result;

  g_mutex_lock (&mutex);
  if (opened == NULL && open_library (version, error))
    opened = &functions;
  result = opened;
  g_mutex_unlock (&mutex);
  return result;
}

/* ---- messages ---- */

/* Whether @line only says in which of OpenVINO's source files the failure was. */
static gboolean
is_place (const char *line)
{
  return *line == '\0' || g_str_has_prefix (line, "Exception from ") ||
         (g_str_has_prefix (line, "Check '") && strstr (line, "' failed at ") != NULL);
}

char *
pt_openvino_last_words (const PtOpenvino *ov)
{
  const char *message = ov->ov_get_last_err_msg ();
  g_autofree char *valid = g_utf8_make_valid (message != NULL ? message : "", -1);
  g_auto (GStrv) lines = g_strsplit (valid, "\n", -1);
  GString *words = g_string_new (NULL);
  const char *end;

  for (guint i = 0; lines[i] != NULL; i++) {
    const char *line = g_strstrip (lines[i]);

    if (!is_place (line))
      g_string_append_printf (words, "%s%s", words->len > 0 ? " " : "", line);
  }
  if (words->len == 0)
    g_string_append (words, "no reason is given.");
  if (words->len > MAX_WORDS) {
    end = g_utf8_find_prev_char (words->str, words->str + MAX_WORDS);
    g_string_truncate (words, (gsize) (end - words->str));
    g_string_append (words, "…");
  }
  return g_string_free (words, FALSE);
}

/* ---- cores ---- */

static gboolean
list_devices (PtOpenvinoCore *self, GError **error)
{
  const PtOpenvino *ov = self->ov;
  g_autoptr (GStrvBuilder) names = g_strv_builder_new ();
  g_autofree char *words = NULL;
  PtOvDevices devices = { 0 };

  if (ov->ov_core_get_available_devices (self->core, &devices) != 0) {
    words = pt_openvino_last_words (ov);
    return pt_fail (error, PT_ERROR_MISSING_BACKEND,
                    "OpenVINO %s (%s) does not tell its devices: %s", ov->version, ov->path, words);
  }
  for (gsize i = 0; i < devices.n; i++)
    g_strv_builder_add (names, devices.names[i]);
  ov->ov_available_devices_free (&devices);
  self->devices = g_strv_builder_end (names);
  if (self->devices[0] != NULL)
    return TRUE;
  return pt_fail (error, PT_ERROR_MISSING_BACKEND,
                  "OpenVINO %s (%s) has no device: its plugins are missing. Install all of it.",
                  ov->version, ov->path);
}

/* GPUs and NPUs may not know the setting: they compute as they can. */
static void
set_precision (PtOpenvinoCore *self)
{
  for (guint i = 0; self->devices[i] != NULL; i++)
    self->ov->ov_core_set_property (self->core, self->devices[i], "INFERENCE_PRECISION_HINT",
                                    "f32");
}

static gboolean
make_core (PtOpenvinoCore *self, const PtOpenvino *ov, gboolean exact, GError **error)
{
  g_autofree char *words = NULL;

  self->ov = ov;
  if (ov->ov_core_create (&self->core) != 0 || self->core == NULL) {
    words = pt_openvino_last_words (ov);
    self->core = NULL;
    return pt_fail (error, PT_ERROR_MISSING_BACKEND, "OpenVINO %s (%s) does not start: %s",
                    ov->version, ov->path, words);
  }
  if (!list_devices (self, error)) {
    ov->ov_core_free (self->core);
    g_clear_pointer (&self->devices, g_strfreev);
    self->core = NULL;
    return FALSE;
  }
  if (exact)
    set_precision (self);
  return TRUE;
}

const PtOpenvinoCore *
pt_openvino_core (const PtOpenvino *ov, gboolean exact, GError **error)
{
  PtOpenvinoCore *self = &cores[exact ? 1 : 0];
  const PtOpenvinoCore *result;

  g_mutex_lock (&mutex);
  result = self->core != NULL || make_core (self, ov, exact, error) ? self : NULL;
  g_mutex_unlock (&mutex);
  return result;
}
