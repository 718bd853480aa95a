/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/models/starter.h"

#include <string.h>
#include <pteris/models.h>

#include "ui/i18n.h"

#define NAME "pteris-starter"
#ifdef G_OS_WIN32
#define PROGRAM NAME ".exe"
#else
#define PROGRAM NAME
#endif

/* Seconds without new bytes after which the download counts as stalled. */
#define MAX_SILENCE_S 5

struct _PterisStarter {
  GObject parent_instance;

  char *program;
  GSubprocess *process;
  GCancellable *cancellable;
  GDataInputStream *lines;
  PterisStarterProgress progress;
  char *title;
  gint64 since;   /* start of the measurement of the rate, in µs; 0: not yet */
  guint64 first;  /* bytes at that time */
  gboolean moves; /* they have grown since */
  char *why;      /* "network": the kind of the error in one word */
  char *error;
  GString *last_words; /* its other output, for the error message */
  gboolean silent;     /* its output is at the end */
  gboolean ended;      /* it has exited */
  GError *failure;     /* unless it exited well */
};

G_DEFINE_FINAL_TYPE (PterisStarter, pteris_starter, G_TYPE_OBJECT)

enum { SIGNAL_CHANGED, SIGNAL_FINISHED, N_SIGNALS };
static guint signals[N_SIGNALS];

static void read_line (PterisStarter *self);
static void finish (PterisStarter *self);

static void
changed (PterisStarter *self)
{
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

/* The folder of our program; NULL if unknown. */
static char *
own_folder (void)
{
#ifdef G_OS_WIN32
  g_autofree char *package = g_win32_get_package_installation_directory_of_module (NULL);

  return g_build_filename (package, "bin", NULL);
#else
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL);

  return self != NULL ? g_path_get_dirname (self) : NULL;
#endif
}

/* Finds the tool beside our program (both are installed there), in the build folder of tools, or in
   PATH. */
static char *
find_program (void)
{
  g_autofree char *folder = own_folder ();
  g_autofree char *beside = g_build_filename (folder != NULL ? folder : ".", PROGRAM, NULL);
  g_autofree char *built =
      g_build_filename (folder != NULL ? folder : ".", "..", "tools", PROGRAM, NULL);

  if (g_file_test (beside, G_FILE_TEST_IS_EXECUTABLE))
    return g_steal_pointer (&beside);
  if (g_file_test (built, G_FILE_TEST_IS_EXECUTABLE))
    return g_steal_pointer (&built);
  return g_find_program_in_path (PROGRAM);
}

/* Measures the rate over the last seconds. Older rates say nothing about the remaining time, nor
   does the time before the first bytes. */
static void
measure (PterisStarter *self, guint64 done)
{
  PterisStarterProgress *progress = &self->progress;
  gint64 now = g_get_monotonic_time ();
  double seconds = (double) (now - self->since) / G_USEC_PER_SEC;
  gboolean first_bytes = !self->moves && done > self->first;
  double rate;

  if (self->since == 0 || done < self->first || first_bytes) {
    self->moves = self->since != 0 && first_bytes;
    self->since = now;
    self->first = done;
    return;
  }
  if (seconds < (self->moves ? 1 : MAX_SILENCE_S))
    return;
  rate = (double) (done - self->first) / seconds;
  progress->rate = progress->rate < 0 ? rate : 0.7 * progress->rate + 0.3 * rate;
  self->since = now;
  self->first = done;
}

/* Parses "FRACTION STEP DONE TOTAL TITLE". */
static void
take_progress (PterisStarter *self, const char *line)
{
  static const char *const STEPS[] = {
    [PTERIS_STARTER_BEGINS] = "begin",       [PTERIS_STARTER_WAITS] = "wait",
    [PTERIS_STARTER_DOWNLOADS] = "download", [PTERIS_STARTER_CHECKS] = "check",
    [PTERIS_STARTER_WRITES] = "write",
  };
  g_auto (GStrv) words = g_strsplit (line, " ", 5);
  PterisStarterProgress *progress = &self->progress;
  guint64 done;

  if (g_strv_length (words) != 5)
    return;
  progress->fraction = CLAMP (g_ascii_strtod (words[0], NULL), 0, 1);
  for (guint i = 0; i < G_N_ELEMENTS (STEPS); i++)
    if (g_str_equal (words[1], STEPS[i]))
      progress->step = i;
  done = g_ascii_strtoull (words[2], NULL, 10);
  progress->total = g_ascii_strtoull (words[3], NULL, 10);
  if (progress->step == PTERIS_STARTER_DOWNLOADS)
    measure (self, done);
  else
    self->since = 0;
  progress->done = done;
  g_free (self->title);
  progress->title = self->title = g_utf8_make_valid (words[4], -1);
  changed (self);
}

static void
take_line (PterisStarter *self, const char *line)
{
  if (g_str_has_prefix (line, "progress ")) {
    take_progress (self, line + strlen ("progress "));
  } else if (g_str_has_prefix (line, "failed ")) {
    g_free (self->why);
    self->why = g_strdup (line + strlen ("failed "));
  } else if (self->last_words->len < 4000) {
    g_autofree char *valid = g_utf8_make_valid (line, -1);

    g_string_append_printf (self->last_words, "%s\n", valid);
  }
}

static void
on_line (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (PterisStarter) self = user_data;
  g_autofree char *line =
      g_data_input_stream_read_line_finish (G_DATA_INPUT_STREAM (source), result, NULL, NULL);

  if (line != NULL) {
    take_line (self, line);
    read_line (self);
  } else {
    self->silent = TRUE;
    finish (self);
  }
}

static void
read_line (PterisStarter *self)
{
  g_data_input_stream_read_line_async (self->lines, G_PRIORITY_DEFAULT, self->cancellable, on_line,
                                       g_object_ref (self));
}

static const char *
explain (const char *why)
{
  static const struct {
    const char *why, *sentence;
  } REASONS[] = {
    { "network",
      N_ ("The download stopped because the network cannot be reached. Connect and try again; "
          "completed files are kept.") },
    { "space",
      N_ ("There is not enough free disk space for the starter models. Free some space and try "
          "again.") },
    { "pip",
      N_ ("The Python package installer (pip) is missing. Install “python3-pip” and try again.") },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (REASONS); i++)
    if (g_strcmp0 (REASONS[i].why, why) == 0)
      return _ (REASONS[i].sentence);
  return _ ("The starter models could not be prepared. Try again.");
}

static void
fail (PterisStarter *self, const char *reason)
{
  if (self->last_words->len == 0)
    g_string_assign (self->last_words, reason);
  g_free (self->error);
  self->error = g_strdup (explain (self->why));
}

/* The output may end after the process, so this waits for both. */
static void
finish (PterisStarter *self)
{
  gboolean ok = self->failure == NULL;

  if (!self->silent || !self->ended)
    return;
  if (!ok && !g_cancellable_is_cancelled (self->cancellable))
    fail (self, self->failure->message);
  g_clear_error (&self->failure);
  g_clear_object (&self->process);
  g_clear_object (&self->lines);
  changed (self);
  if (ok)
    g_signal_emit (self, signals[SIGNAL_FINISHED], 0);
}

static void
on_ended (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (PterisStarter) self = user_data;

  g_subprocess_wait_check_finish (G_SUBPROCESS (source), result, &self->failure);
  self->ended = TRUE;
  finish (self);
}

void
pteris_starter_start (PterisStarter *self)
{
  g_autoptr (GError) error = NULL;

  if (self->process != NULL || self->program == NULL)
    return;
  g_clear_pointer (&self->error, g_free);
  g_clear_pointer (&self->why, g_free);
  g_clear_pointer (&self->title, g_free);
  g_string_truncate (self->last_words, 0);
  self->progress = (PterisStarterProgress){ .rate = -1 };
  self->since = 0;
  self->silent = self->ended = FALSE;
  g_set_object (&self->cancellable, NULL);
  self->cancellable = g_cancellable_new ();
  self->process =
      g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_MERGE, &error,
                        self->program, "--all", "--data-dir", pt_library_default_folder (), NULL);
  if (self->process == NULL) {
    fail (self, error->message);
  } else {
    self->lines = g_data_input_stream_new (g_subprocess_get_stdout_pipe (self->process));
    read_line (self);
    g_subprocess_wait_check_async (self->process, NULL, on_ended, g_object_ref (self));
  }
  changed (self);
}

void
pteris_starter_stop (PterisStarter *self)
{
  if (self->process == NULL)
    return;
  g_cancellable_cancel (self->cancellable);
  g_subprocess_force_exit (self->process);
}

gboolean
pteris_starter_is_available (PterisStarter *self)
{
  return self->program != NULL;
}

gboolean
pteris_starter_is_running (PterisStarter *self)
{
  return self->process != NULL;
}

gboolean
pteris_starter_is_stopped (PterisStarter *self)
{
  return self->process == NULL && self->cancellable != NULL &&
         g_cancellable_is_cancelled (self->cancellable);
}

const PterisStarterProgress *
pteris_starter_get_progress (PterisStarter *self)
{
  return &self->progress;
}

const char *
pteris_starter_get_error (PterisStarter *self)
{
  return self->error;
}

const char *
pteris_starter_get_details (PterisStarter *self)
{
  return self->error != NULL && self->last_words->len > 0 ? self->last_words->str : NULL;
}

static void
pteris_starter_finalize (GObject *object)
{
  PterisStarter *self = PTERIS_STARTER (object);

  g_free (self->program);
  g_clear_object (&self->process);
  g_clear_object (&self->cancellable);
  g_clear_object (&self->lines);
  g_free (self->title);
  g_free (self->why);
  g_free (self->error);
  g_string_free (self->last_words, TRUE);
  g_clear_error (&self->failure);
  G_OBJECT_CLASS (pteris_starter_parent_class)->finalize (object);
}

static void
pteris_starter_class_init (PterisStarterClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = pteris_starter_finalize;

  signals[SIGNAL_CHANGED] = g_signal_new ("changed", PTERIS_TYPE_STARTER, G_SIGNAL_RUN_LAST, 0,
                                          NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_FINISHED] = g_signal_new ("finished", PTERIS_TYPE_STARTER, G_SIGNAL_RUN_LAST, 0,
                                           NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
pteris_starter_init (PterisStarter *self)
{
  self->program = find_program ();
  self->last_words = g_string_new (NULL);
  self->progress.rate = -1;
}

PterisStarter *
pteris_starter_new (void)
{
  return g_object_new (PTERIS_TYPE_STARTER, NULL);
}
