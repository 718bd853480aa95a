/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/starter/run-program.h"

#include <signal.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include "engine/base/folder.h"

#define WATCH_MS 250

typedef struct {
  GMainLoop *loop;
  const RunWatch *watch;
  char *messages;
  GError *error;
  gboolean ok;
} Run;

/* The bytes of all files below @folder. */
static guint64
folder_bytes (const char *folder)
{
  g_autoptr (PtFolder) dir = pt_folder_open (folder);
  const char *name;
  guint64 bytes = 0;

  while ((name = pt_folder_next (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);
    g_autoptr (GFile) file = g_file_new_for_path (path);
    g_autoptr (GFileInfo) info =
        g_file_query_info (file, G_FILE_ATTRIBUTE_STANDARD_TYPE "," G_FILE_ATTRIBUTE_STANDARD_SIZE,
                           G_FILE_QUERY_INFO_NOFOLLOW_SYMLINKS, NULL, NULL);

    if (info == NULL)
      continue;
    if (g_file_info_get_file_type (info) == G_FILE_TYPE_DIRECTORY)
      bytes += folder_bytes (path);
    else
      bytes += (guint64) g_file_info_get_size (info);
  }
  return bytes;
}

static gboolean
on_time (gpointer user_data)
{
  Run *run = user_data;

  run->watch->progress (folder_bytes (run->watch->folder), run->watch->user_data);
  return G_SOURCE_CONTINUE;
}

static void
on_ended (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Run *run = user_data;
  g_autoptr (GBytes) said = NULL;

  run->ok =
      g_subprocess_communicate_finish (G_SUBPROCESS (source), result, NULL, &said, &run->error) &&
      g_subprocess_get_successful (G_SUBPROCESS (source));
  if (said != NULL && g_bytes_get_size (said) > 0)
    run->messages =
        g_utf8_make_valid (g_bytes_get_data (said, NULL), (gssize) g_bytes_get_size (said));
  g_main_loop_quit (run->loop);
}

#ifdef __linux__
/* If this process is killed, the child process is stopped, too. */
static void
end_with_parent (gpointer user_data)
{
  prctl (PR_SET_PDEATHSIG, SIGTERM);
}
#endif

static GSubprocessLauncher *
make_launcher (const char *folder, const RunWatch *watch)
{
  GSubprocessLauncher *launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_SILENCE |
                                                             G_SUBPROCESS_FLAGS_STDERR_PIPE);

  if (folder != NULL)
    g_subprocess_launcher_set_cwd (launcher, folder);
  if (watch != NULL)
    g_subprocess_launcher_setenv (launcher, "TMPDIR", watch->folder, TRUE);
#ifdef __linux__
  g_subprocess_launcher_set_child_setup (launcher, end_with_parent, NULL, NULL);
#endif
  return launcher;
}

gboolean
run_program (const char *const *argv, const char *folder, const RunWatch *watch, char **messages,
             GError **error)
{
  g_autoptr (GSubprocessLauncher) launcher = make_launcher (folder, watch);
  g_autoptr (GSubprocess) process = g_subprocess_launcher_spawnv (launcher, argv, error);
  g_autoptr (GMainLoop) loop = NULL;
  Run run = { .watch = watch };
  guint timer = 0;

  *messages = NULL;
  if (process == NULL)
    return FALSE;
  loop = run.loop = g_main_loop_new (NULL, FALSE);
  if (watch != NULL)
    timer = g_timeout_add (WATCH_MS, on_time, &run);
  g_subprocess_communicate_async (process, NULL, NULL, on_ended, &run);
  g_main_loop_run (loop);
  g_clear_handle_id (&timer, g_source_remove);
  if (run.error != NULL)
    g_propagate_error (error, run.error);
  *messages = run.messages != NULL ? run.messages : g_strdup ("");
  return run.ok;
}
