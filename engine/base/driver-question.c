/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/driver-question.h"

#include <stdio.h>
#include <string.h>

#include <gio/gio.h>

#ifdef G_OS_WIN32
#include <windows.h>
#else
#include <unistd.h>
#endif

#include "engine/base/set-error.h"

#define MAX_QUESTIONS 4
#define PATIENCE (10 * G_USEC_PER_SEC)
/* Exit status of a process whose driver did not answer. */
#define STATUS_SILENT 98

static struct {
  const char *name;
  PtDriverQuestion ask;
} questions[MAX_QUESTIONS];

static gboolean may_start; /* this program answers PT_DRIVER_QUESTION */

void
pt_driver_question_register (const char *name, PtDriverQuestion ask)
{
  for (guint i = 0; i < MAX_QUESTIONS; i++)
    if (questions[i].name == NULL) {
      questions[i].name = name;
      questions[i].ask = ask;
      return;
    }
  g_assert_not_reached ();
}

static PtDriverQuestion
find (const char *name)
{
  for (guint i = 0; i < MAX_QUESTIONS && questions[i].name != NULL; i++)
    if (strcmp (questions[i].name, name) == 0)
      return questions[i].ask;
  return NULL;
}

/* ---- the process that asks ---- */

static gpointer
end_late (gpointer data)
{
  g_usleep (PATIENCE);
  _exit (STATUS_SILENT);
}

int
pt_driver_question_main (int argc, char **argv)
{
  g_autofree char *answer = NULL;
  PtDriverQuestion ask;

  may_start = TRUE;
  if (argc != 3 || strcmp (argv[1], PT_DRIVER_QUESTION) != 0)
    return -1;
  ask = find (argv[2]);
  if (ask == NULL)
    return 2;
  g_thread_unref (g_thread_new ("pteris-late", end_late, NULL));
  answer = ask ();
  fputs (answer, stdout);
  fflush (stdout);
  /* Without what drivers do at the end of a process. */
  _exit (0);
}

/* ---- the process that wants to know ---- */

static char *
own_program (void)
{
#ifdef G_OS_WIN32
  g_autofree gunichar2 *path = g_new0 (gunichar2, 32768);

  GetModuleFileNameW (NULL, (wchar_t *) path, 32767);
  return g_utf16_to_utf8 (path, -1, NULL, NULL, NULL);
#else
  return g_strdup ("/proc/self/exe");
#endif
}

static gboolean
check_end (GSubprocess *process, GError **error)
{
  if (!g_subprocess_get_if_exited (process))
    return pt_fail (error, PT_ERROR_HOST, "the driver crashed (signal %d)",
                    g_subprocess_get_term_sig (process));
  if (g_subprocess_get_exit_status (process) == STATUS_SILENT)
    return pt_fail (error, PT_ERROR_HOST, "the driver did not answer for 10 seconds");
  if (g_subprocess_get_exit_status (process) != 0)
    return pt_fail (error, PT_ERROR_HOST, "the driver ended the process with status %d",
                    g_subprocess_get_exit_status (process));
  return TRUE;
}

static char *
ask_process (const char *name, GError **error)
{
  g_autofree char *program = own_program ();
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (
      G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_SILENCE);
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GError) problem = NULL;
  g_autofree char *answer = NULL;

  if (program == NULL) {
    pt_fail (error, PT_ERROR_HOST, "this program has no path");
    return NULL;
  }
  g_subprocess_launcher_setenv (launcher, "PTERIS_HOST", "1", TRUE);
  process =
      g_subprocess_launcher_spawn (launcher, &problem, program, PT_DRIVER_QUESTION, name, NULL);
  if (process == NULL ||
      !g_subprocess_communicate_utf8 (process, NULL, NULL, &answer, NULL, &problem)) {
    pt_fail (error, PT_ERROR_HOST, "%s", problem->message);
    return NULL;
  }
  return check_end (process, error) ? g_steal_pointer (&answer) : NULL;
}

char *
pt_driver_ask (const char *name, GError **error)
{
  PtDriverQuestion ask = find (name);

  g_return_val_if_fail (ask != NULL, NULL);
  if (!may_start || g_getenv ("PTERIS_HOST") != NULL)
    return ask ();
  return ask_process (name, error);
}
