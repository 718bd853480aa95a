/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/host/readable.h"

#include <string.h>

#include "engine/base/folder.h"
#include "engine/openvino/openvino-find.h"
#include "engine/tasks/models/model-root.h"

/* Of a folder, and levels below it, that are searched for links. */
#define MAX_ENTRIES 4096
#define MAX_LEVELS 3
/* Most files that are given with a job; the process may have 1024 open. */
#define MAX_GIVEN 512

typedef struct {
  GPtrArray *files, *folders;
} Lists;

static gboolean
is_listed (GPtrArray *list, const char *path)
{
  return g_ptr_array_find_with_equal_func (list, path, g_str_equal, NULL);
}

static void
add (GPtrArray *list, const char *path)
{
  if (path != NULL && !is_listed (list, path))
    g_ptr_array_add (list, g_strdup (path));
}

/* A folder of all kinds of things may have files of a model. */
static gboolean
is_of_model (const char *name)
{
  static const char *const ENDS[] = { ".pte", ".ptd", ".bpte", ".model", ".jinja", ".tiktoken" };
  static const char *const TEXTS[] = { "token",   "vocab", "merges",    "config",
                                       "special", "label", "processor", "lexicon" };

  for (guint i = 0; i < G_N_ELEMENTS (ENDS); i++)
    if (g_str_has_suffix (name, ENDS[i]))
      return TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (TEXTS); i++)
    if (strstr (name, TEXTS[i]) != NULL)
      return g_str_has_suffix (name, ".json") || g_str_has_suffix (name, ".txt");
  return g_str_has_prefix (name, "LICENSE") || strcmp (name, "README.md") == 0;
}

static void
add_files_of_model (Lists *lists, const char *folder)
{
  g_autoptr (PtFolder) dir = pt_folder_open (folder);
  const char *name;

  add (lists->folders, folder);
  for (guint n = 0; n < MAX_ENTRIES && dir != NULL && (name = pt_folder_next (dir)) != NULL; n++) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    if (is_of_model (name) && g_file_test (path, G_FILE_TEST_IS_REGULAR))
      add (lists->files, path);
  }
}

/* Caches of downloads have links in their folders, to files elsewhere. */
static void
add_links (Lists *lists, const char *folder, guint levels)
{
  g_autoptr (PtFolder) dir = pt_folder_open (folder);
  const char *name;

  for (guint n = 0; n < MAX_ENTRIES && dir != NULL && (name = pt_folder_next (dir)) != NULL; n++) {
    PtEntryKind kind = pt_folder_kind (dir);
    g_autofree char *path = kind != PT_ENTRY_FILE ? g_build_filename (folder, name, NULL) : NULL;

    if (kind == PT_ENTRY_LINK && is_of_model (name) && !g_file_test (path, G_FILE_TEST_IS_DIR))
      add (lists->files, path);
    /* Listed folders were searched already: folders of a model come before those above them. */
    if (kind == PT_ENTRY_FOLDER && levels > 1 && !is_listed (lists->files, path))
      add_links (lists, path, levels - 1);
  }
}

static void
add_folder (Lists *lists, const char *folder)
{
  if (pt_model_is_common (folder)) {
    add_files_of_model (lists, folder);
    return;
  }
  add (lists->files, folder);
  add_links (lists, folder, MAX_LEVELS);
}

/* A file or folder of a model, and what lies around it. */
static void
add_model (Lists *lists, const char *path)
{
  g_autofree char *full = path != NULL ? g_canonicalize_filename (path, NULL) : NULL;
  g_autofree char *above = full != NULL ? g_path_get_dirname (full) : NULL;
  gboolean is_folder = full != NULL && g_file_test (full, G_FILE_TEST_IS_DIR);
  g_auto (GStrv) folders = NULL;

  if (full == NULL)
    return;
  folders = pt_model_folders (is_folder ? full : above);
  if (!is_folder)
    add (lists->files, full);
  for (guint i = 0; folders[i] != NULL; i++)
    add_folder (lists, folders[i]);
}

/* Each model of the library may be a link to its folder. */
static void
add_library (Lists *lists, const char *folder)
{
  g_autoptr (PtFolder) dir = pt_folder_open (folder);
  const char *name;

  add (lists->files, folder);
  for (guint n = 0; n < MAX_ENTRIES && dir != NULL && (name = pt_folder_next (dir)) != NULL; n++) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    if (g_file_test (path, G_FILE_TEST_IS_SYMLINK))
      add (lists->files, path);
  }
  add_links (lists, folder, MAX_LEVELS);
}

static void
add_libraries (Lists *lists)
{
  const char *const *shared = g_get_system_data_dirs ();

  add_library (lists, pt_library_default_folder ());
  for (guint i = 0; shared[i] != NULL; i++) {
    g_autofree char *folder = g_build_filename (shared[i], "pteris", "models", NULL);

    if (g_file_test (folder, G_FILE_TEST_IS_DIR))
      add (lists->files, folder);
  }
}

static void
add_variable (Lists *lists, const char *name)
{
  const char *value = g_getenv (name);
  g_auto (GStrv) paths = g_strsplit (value != NULL ? value : "", G_SEARCHPATH_SEPARATOR_S, -1);

  for (guint i = 0; paths[i] != NULL; i++)
    if (g_path_is_absolute (paths[i]))
      add (lists->files, paths[i]);
}

/* Consent, and what libraries of the system keep in the user's folders. */
static void
add_own (Lists *lists)
{
  static const char *const VARIABLES[] = { "LD_LIBRARY_PATH",     "GST_PLUGIN_PATH",
                                           "GST_PLUGIN_PATH_1_0", "GST_REGISTRY",
                                           "PTERIS_CUDA",         "PTERIS_NVML",
                                           "PTERIS_CUDA_SHIMS",   "PTERIS_VULKAN" };
  g_autofree char *trusted = g_build_filename (g_get_user_data_dir (), "pteris", "trusted", NULL);
  g_autofree char *registry = g_build_filename (g_get_user_cache_dir (), "gstreamer-1.0", NULL);
  g_autofree char *kernels = g_build_filename (g_get_home_dir (), ".nv", "ComputeCache", NULL);

  add (lists->files, trusted);
  add (lists->files, registry);
  add (lists->files, kernels);
  for (guint i = 0; i < G_N_ELEMENTS (VARIABLES); i++)
    add_variable (lists, VARIABLES[i]);
}

/* OpenVINO's library may be in the user's folders, with the plugins that it loads. */
static void
add_openvino (Lists *lists)
{
  g_auto (GStrv) folders = pt_openvino_folders ();

  for (guint i = 0; folders != NULL && folders[i] != NULL; i++)
    add (lists->files, folders[i]);
}

static void
add_all (Lists *lists, const char *const *paths)
{
  for (guint i = 0; paths != NULL && paths[i] != NULL; i++)
    if (g_file_test (paths[i], G_FILE_TEST_EXISTS)) {
      g_autofree char *full = g_canonicalize_filename (paths[i], NULL);

      add (lists->files, full);
    }
}

static void
add_one (Lists *lists, const char *path)
{
  const char *const paths[] = { path, NULL };

  add_all (lists, paths);
}

/* The files of @job besides its model. An input may also be "zeros:" and the like, which is no
 * file. */
static void
add_inputs (Lists *lists, const PtJob *job)
{
  if (job->kind == PT_JOB_RUN) {
    add_all (lists, job->run.inputs);
    add_model (lists, job->run.steps);
  }
  if (job->kind == PT_JOB_CLASSIFY || job->kind == PT_JOB_LOOK) {
    add_all (lists, job->vision.images);
    add_one (lists, job->vision.labels);
  }
  if (job->kind == PT_JOB_BENCH)
    add_one (lists, job->bench.audio);
  if (job->kind == PT_JOB_SPEAK)
    add_one (lists, job->speak.voice);
}

PtReadable *
pt_readable_new (const PtJob *job)
{
  PtReadable *self = g_new0 (PtReadable, 1);
  Lists lists = { g_ptr_array_new (), g_ptr_array_new () };
  g_autofree char *program =
      job->model.path != NULL ? pt_library_find (job->model.path, NULL, NULL) : NULL;

  add_model (&lists, program);
  add_model (&lists, job->model.path != NULL && g_file_test (job->model.path, G_FILE_TEST_EXISTS)
                         ? job->model.path
                         : NULL);
  for (guint i = 0; job->model.data != NULL && job->model.data[i] != NULL; i++)
    add_model (&lists, job->model.data[i]);
  add_model (&lists, job->model.tokenizer);
  add_model (&lists, job->model.preprocessor);
  add_inputs (&lists, job);
  add_libraries (&lists);
  add_own (&lists);
  add_openvino (&lists);
  g_ptr_array_add (lists.files, NULL);
  g_ptr_array_add (lists.folders, NULL);
  self->files = (char **) g_ptr_array_free (lists.files, FALSE);
  self->folders = (char **) g_ptr_array_free (lists.folders, FALSE);
  return self;
}

void
pt_readable_free (PtReadable *readable)
{
  if (readable == NULL)
    return;
  g_strfreev (readable->files);
  g_strfreev (readable->folders);
  g_free (readable);
}

static gboolean
holds (char **paths, char **others)
{
  for (guint i = 0; others[i] != NULL; i++)
    if (!g_strv_contains ((const char *const *) paths, others[i]))
      return FALSE;
  return TRUE;
}

gboolean
pt_readable_holds (const PtReadable *readable, const PtReadable *other)
{
  return holds (readable->files, other->files) && holds (readable->folders, other->folders);
}

const char **
pt_host_given (const PtJob *job)
{
  GPtrArray *given = g_ptr_array_new ();

  if (job->kind == PT_JOB_TRANSCRIBE && job->speech.audio != NULL)
    g_ptr_array_add (given, (gpointer) job->speech.audio);
  for (guint i = 0; job->kind == PT_JOB_CHAT && i < job->chat.n_messages; i++) {
    const char *const *files = job->chat.messages[i].files;

    for (guint f = 0; files != NULL && files[f] != NULL && given->len < MAX_GIVEN; f++)
      if (!g_ptr_array_find_with_equal_func (given, files[f], g_str_equal, NULL))
        g_ptr_array_add (given, (gpointer) files[f]);
  }
  g_ptr_array_add (given, NULL);
  return (const char **) g_ptr_array_free (given, FALSE);
}
