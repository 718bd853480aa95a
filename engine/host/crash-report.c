/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/host/crash-report.h"

#include <stdio.h>
#include <string.h>
#include <glib/gstdio.h>
#include <pteris/engine.h>
#include <pteris/stats.h>

#include "engine/base/folder.h"
#include "engine/base/sha256.h"

#ifndef G_OS_WIN32
#include <sys/utsname.h>
#endif

/* How many files are kept. */
#define MAX_REPORTS 10
/* Of a model, a larger one is told by its first bytes. */
#define MAX_HASHED (64 << 20)
#define HEAD_BYTES (1 << 20)

static const char *const JOBS[] = {
  [PT_JOB_LOAD] = "load",         [PT_JOB_UNLOAD] = "unload",
  [PT_JOB_CHAT] = "chat",         [PT_JOB_TRANSCRIBE] = "transcribe",
  [PT_JOB_CLASSIFY] = "classify", [PT_JOB_INSPECT] = "inspect",
  [PT_JOB_RUN] = "run",           [PT_JOB_BENCH] = "bench",
  [PT_JOB_EMBED] = "embed",       [PT_JOB_PRIVACY] = "privacy",
  [PT_JOB_LOOK] = "look",         [PT_JOB_SPEAK] = "speak",
};
G_STATIC_ASSERT (G_N_ELEMENTS (JOBS) == PT_N_JOBS);

/* ---- what it says ---- */

static void
add_system (GString *text)
{
  g_autofree char *name = g_get_os_info (G_OS_INFO_KEY_PRETTY_NAME);
  g_autofree char *versions = pt_engine_versions ();

  g_string_append_printf (text, "libraries: %s\nsystem: %s", versions,
                          name != NULL ? name : "unknown");
#ifndef G_OS_WIN32
  {
    struct utsname kernel;

    if (uname (&kernel) == 0)
      g_string_append_printf (text, ", %s %s, %s", kernel.sysname, kernel.release, kernel.machine);
  }
#endif
  g_string_append_c (text, '\n');
}

static void
add_machine (GString *text)
{
  g_autoptr (PtMachineStats) stats = pt_stats_read ();

  g_string_append_printf (text, "CPU: %s\n", stats->cpu_name != NULL ? stats->cpu_name : "unknown");
  for (guint i = 0; i < stats->n_gpus; i++)
    g_string_append_printf (text, "GPU: %s\n",
                            stats->gpus[i].name != NULL ? stats->gpus[i].name : "unknown");
  if (stats->n_gpus == 0)
    g_string_append (text, "GPU: none\n");
  if (stats->gpu_driver != NULL)
    g_string_append_printf (text, "GPU driver: %s\n", stats->gpu_driver);
}

static void
add_model (GString *text, const char *path)
{
  GStatBuf info;
  FILE *file;
  g_autoptr (PtSha256) sum = pt_sha256_new ();
  g_autofree guint8 *bytes = g_malloc (HEAD_BYTES);
  g_autofree char *digest = NULL;
  gsize n, done = 0, most;

  if (path == NULL || g_stat (path, &info) != 0 || !S_ISREG (info.st_mode) ||
      (file = g_fopen (path, "rb")) == NULL)
    return;
  most = info.st_size <= MAX_HASHED ? MAX_HASHED : HEAD_BYTES;
  while (done < most && (n = fread (bytes, 1, HEAD_BYTES, file)) > 0) {
    pt_sha256_add (sum, bytes, n);
    done += n;
  }
  fclose (file);
  digest = pt_sha256_end (sum);
  g_string_append_printf (
      text, "model: %" G_GINT64_FORMAT " bytes, SHA-256 of the %s%" G_GSIZE_FORMAT " bytes: %s\n",
      (gint64) info.st_size, (gint64) done < (gint64) info.st_size ? "first " : "", done, digest);
}

/* Messages of C libraries before they abort; they hold no text of a model or a user. */
static const char *
known_words (const char *detail)
{
  static const char *const KNOWN[] = {
    "double free",    "free(): invalid pointer", "malloc(): corrupted",
    "corrupted size", "stack smashing",          "buffer overflow",
    "std::bad_alloc", "failed to allocate",      "pure virtual method",
  };

  for (guint i = 0; detail != NULL && i < G_N_ELEMENTS (KNOWN); i++)
    if (strstr (detail, KNOWN[i]) != NULL)
      return KNOWN[i];
  return NULL;
}

static char *
compose (const PtHostExit *exit, PtJobKind kind, const char *model)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *when = g_date_time_format (now, "%Y-%m-%d %H:%M:%S UTC");
  const char *words = known_words (exit->detail);
  GString *text = g_string_new ("Report about the end of a model's process\n");

  g_string_append_printf (text, "version: Pteris %s\ntime: %s\n", PTERIS_VERSION, when);
  add_system (text);
  add_machine (text);
  g_string_append_printf (text, "job: %s\nend: %s %d\n",
                          (guint) kind < PT_N_JOBS ? JOBS[kind] : "unknown",
                          pt_host_exit_name (exit->kind), exit->code);
  if (words != NULL)
    g_string_append_printf (text, "said: %s\n", words);
  add_model (text, model);
  g_string_append_printf (text, "calls:\n%s\n", exit->trace != NULL ? exit->trace : "unknown");
  return g_string_free (text, FALSE);
}

/* ---- the files ---- */

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Names begin with the time, so that the first ones are the oldest. */
static void
remove_old (const char *folder)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (PtFolder) entries = pt_folder_open (folder);
  const char *name;

  while ((name = pt_folder_next (entries)) != NULL)
    if (g_str_has_prefix (name, "crash-") && g_str_has_suffix (name, ".txt"))
      g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  for (guint i = 0; i + MAX_REPORTS < names->len; i++) {
    g_autofree char *path = g_build_filename (folder, names->pdata[i], NULL);

    g_unlink (path);
  }
}

char *
pt_crash_report_write (const PtHostExit *exit, PtJobKind kind, const char *model)
{
  static int last;
  g_autofree char *folder = g_build_filename (g_get_user_state_dir (), "pteris", "crashes", NULL);
  g_autofree char *text = compose (exit, kind, model);
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();
  g_autofree char *when = g_date_time_format (now, "%Y%m%d-%H%M%S");
  g_autofree char *name =
      g_strdup_printf ("crash-%s-%06d-%03d-%08x.txt", when, g_date_time_get_microsecond (now),
                       g_atomic_int_add (&last, 1), g_random_int ());
  g_autofree char *path = g_build_filename (folder, name, NULL);

  if (g_mkdir_with_parents (folder, 0700) != 0 ||
      !g_file_set_contents_full (path, text, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0600, NULL))
    return NULL;
  remove_old (folder);
  return g_steal_pointer (&path);
}
