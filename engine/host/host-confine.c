/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/host/host-confine.h"

#include <string.h>

#include "engine/base/trusted-files.h"
#include "engine/confine/confine.h"
#include "engine/openvino/openvino-cache.h"
#include "engine/tasks/models/model-library.h"
#include "engine/tasks/models/model-set.h"
#include "engine/vulkan/vulkan-cache.h"

#if defined(__linux__) || defined(G_OS_WIN32)
#define CAN_CONFINE TRUE
#else
#define CAN_CONFINE FALSE
#endif
/* Windows restricts what is written, and not what is read. */
#ifdef __linux__
#define CAN_READ_LESS TRUE
#else
#define CAN_READ_LESS FALSE
#endif

/* espeak-ng is another program. */
static gboolean
starts_programs (const PtJob *job)
{
  return job->kind == PT_JOB_SPEAK && !job->speak.phonemes;
}

gboolean
pt_host_can_confine (const PtJob *job)
{
  return CAN_CONFINE && !starts_programs (job);
}

gboolean
pt_host_confine (const char *const *written, const PtJob *job, GError **error)
{
#if defined(__linux__) || defined(G_OS_WIN32)
  g_autoptr (PtReadable) readable = CAN_READ_LESS ? pt_readable_new (job) : NULL;
  const PtConfinement allowed = {
    .readable = readable != NULL ? (const char *const *) readable->files : NULL,
    .listable = readable != NULL ? (const char *const *) readable->folders : NULL,
    .writable = written,
    .gpu = TRUE,
  };
  PtConfined done;

  return !pt_host_can_confine (job) || pt_confine (&allowed, &done, error);
#else
  return TRUE;
#endif
}

/* A path that names a folder stands for itself, and every other one for the folder it is in, or
 * will be made in. */
static void
add_folder (GPtrArray *folders, const char *path)
{
  g_autofree char *folder = path != NULL ? g_canonicalize_filename (path, NULL) : NULL;

  while (folder != NULL && !g_file_test (folder, G_FILE_TEST_IS_DIR)) {
    char *above = g_path_get_dirname (folder);

    g_free (folder);
    folder = above;
  }
  if (folder != NULL && !g_ptr_array_find_with_equal_func (folders, folder, g_str_equal, NULL))
    g_ptr_array_add (folders, g_steal_pointer (&folder));
}

/* Where a link leads to. */
static void
add_target (GPtrArray *folders, const char *path)
{
  g_autofree char *target = path != NULL ? g_file_read_link (path, NULL) : NULL;
  g_autofree char *own = target != NULL ? g_path_get_dirname (path) : NULL;
  g_autofree char *full = target != NULL ? g_canonicalize_filename (target, own) : NULL;

  add_folder (folders, path);
  add_folder (folders, full);
}

/* What OpenVINO and drivers of Vulkan compile for a GPU is kept, if the program at @path has
 * something for one. */
static void
add_cache (GPtrArray *folders, PtModelSet *set, const char *path)
{
  PtProgram *program = path != NULL ? pt_model_set_program (set, path, NULL) : NULL;
  char *caches[] = { program != NULL ? pt_openvino_cache_folder (program) : NULL,
                     program != NULL ? pt_vulkan_cache_folder (program) : NULL };

  for (guint i = 0; i < G_N_ELEMENTS (caches); i++) {
    if (caches[i] != NULL && g_mkdir_with_parents (caches[i], 0700) == 0)
      add_folder (folders, caches[i]);
    g_free (caches[i]);
  }
}

static void
add_caches (GPtrArray *folders, const PtJob *job)
{
  g_autofree char *path =
      job->model.path != NULL ? pt_library_find (job->model.path, NULL, NULL) : NULL;
  const PtModelQuery query = { .path = path,
                               .family = job->model.family,
                               .variant = job->model.variant,
                               .backend = job->model.backend };
  g_autoptr (PtModelSet) set = path != NULL ? pt_model_set_search (&query, NULL) : NULL;

  if (set == NULL)
    return;
  add_cache (folders, set, set->program);
  for (guint i = 0; set->parts != NULL && i < set->parts->len; i++)
    add_cache (folders, set, ((const PtSetPart *) set->parts->pdata[i])->path);
}

char **
pt_host_written (const PtJob *job)
{
  GPtrArray *folders = g_ptr_array_new ();
  g_autofree char *own = g_build_filename (g_get_user_data_dir (), "pteris", NULL);

  if (job->kind == PT_JOB_RUN) {
    add_target (folders, job->run.output_dir);
    add_target (folders, job->run.trace);
  }
  if (job->kind == PT_JOB_SPEAK)
    add_target (folders, job->speak.output);
  add_caches (folders, job);
  /* The consent to what the process will read is remembered there, by the process itself. */
  if (g_strcmp0 (job->model.trust, PT_TRUST_AS_READ) == 0 && g_mkdir_with_parents (own, 0700) == 0)
    add_folder (folders, own);
  g_ptr_array_add (folders, NULL);
  return (char **) g_ptr_array_free (folders, FALSE);
}

gboolean
pt_host_remember_consent (const PtJob *job)
{
  const char *digest = job->model.trust;
  g_autofree char *program = NULL;

  if (digest == NULL || strcmp (digest, PT_TRUST_AS_READ) == 0 || !pt_host_can_confine (job) ||
      job->model.path == NULL || pt_trust_is_remembered (digest))
    return FALSE;
  program = pt_library_find (job->model.path, NULL, NULL);
  return pt_trust_remember (digest, program != NULL ? program : job->model.path, NULL);
}

PtHostRights *
pt_host_rights_new (const PtJob *job)
{
  PtHostRights *self = g_new0 (PtHostRights, 1);

  self->confined = pt_host_can_confine (job);
  self->written = pt_host_written (job);
  self->readable = self->confined && CAN_READ_LESS ? pt_readable_new (job) : NULL;
  return self;
}

void
pt_host_rights_free (PtHostRights *rights)
{
  if (rights == NULL)
    return;
  g_strfreev (rights->written);
  pt_readable_free (rights->readable);
  g_free (rights);
}

gboolean
pt_host_fits (const PtHostRights *rights, const PtJob *job)
{
  g_autoptr (PtHostRights) needed = pt_host_rights_new (job);

  if (rights->confined != needed->confined)
    return FALSE;
  for (guint i = 0; rights->confined && needed->written[i] != NULL; i++)
    if (!g_strv_contains ((const char *const *) rights->written, needed->written[i]))
      return FALSE;
  return rights->readable == NULL || pt_readable_holds (rights->readable, needed->readable);
}

guint
pt_host_stops (void)
{
#if defined(__linux__) || defined(G_OS_WIN32)
  const PtConfined means = pt_confine_means ();
  guint stops = 0;

  if ((means & PT_CONFINED_CALLS) != 0)
    stops |= PT_HOST_STOPS_PROGRAMS | (CAN_READ_LESS ? PT_HOST_STOPS_NETWORK : 0);
  if ((means & PT_CONFINED_READING) != 0)
    stops |= PT_HOST_STOPS_READING;
  if ((means & PT_CONFINED_WRITING) != 0)
    stops |= PT_HOST_STOPS_WRITING;
  return stops;
#else
  return 0;
#endif
}

const char *
pt_host_stops_text (void)
{
  const guint stops = pt_host_stops ();

  if ((stops & PT_HOST_STOPS_READING) != 0 && (stops & PT_HOST_STOPS_NETWORK) != 0)
    return "no network, no programs, only the files of the job";
  if ((stops & PT_HOST_STOPS_NETWORK) != 0)
    return "no network, no programs; files are not restricted, since this kernel lacks Landlock";
  if ((stops & PT_HOST_STOPS_READING) != 0)
    return "only the files of the job; network and programs are not restricted, since this kernel "
           "lacks seccomp";
  if ((stops & PT_HOST_STOPS_WRITING) != 0)
    return "no programs, and it writes no files; network and reading are not restricted on Windows";
  return "not restricted on this system";
}
