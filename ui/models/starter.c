/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/models/starter.h"

#include <string.h>

#include "engine/engine.h"

#include "ui/i18n.h"

#define NAME "pteris-starter"
#ifdef G_OS_WIN32
#define PROGRAM NAME ".exe"
#else
#define PROGRAM NAME
#endif

struct _PterisStarter {
  GObject parent_instance;

  char *program;
  GSubprocess *process;
  GCancellable *cancellable;
  GDataInputStream *lines;
  double fraction;
  char *text;
  char *error;
  GString *last_words; /* what it said that was not progress, for the error */
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

/* The folder that our own program is in; NULL when it cannot be known. */
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

/* The tool beside our own program, as both are installed; in the folder of tools of a build; or in
 * the path. */
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

static void
take_line (PterisStarter *self, const char *line)
{
  char *rest;

  if (!g_str_has_prefix (line, "progress ")) {
    if (g_str_has_prefix (line, NAME ": "))
      line += strlen (NAME ": ");
    if (self->last_words->len < 4000)
      g_string_append_printf (self->last_words, "%s\n", line);
    return;
  }
  self->fraction = CLAMP (g_ascii_strtod (line + strlen ("progress "), &rest), 0, 1);
  g_free (self->text);
  self->text = g_utf8_make_valid (g_strchug (rest), -1);
  changed (self);
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

static void
fail (PterisStarter *self, const char *reason)
{
  g_autofree char *words = g_utf8_make_valid (reason, -1);

  g_free (self->error);
  self->error =
      g_strdup_printf (_ ("The starter models could not be set up. %s"), g_strstrip (words));
}

/* Its last words may come after its end, so both must be there. */
static void
finish (PterisStarter *self)
{
  gboolean ok = self->failure == NULL;

  if (!self->silent || !self->ended)
    return;
  if (!ok && !g_cancellable_is_cancelled (self->cancellable))
    fail (self, self->last_words->len > 0 ? self->last_words->str : self->failure->message);
  g_clear_error (&self->failure);
  g_clear_object (&self->process);
  g_clear_object (&self->lines);
  g_clear_pointer (&self->text, g_free);
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
  g_string_truncate (self->last_words, 0);
  self->fraction = -1;
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

double
pteris_starter_get_fraction (PterisStarter *self)
{
  return self->fraction;
}

const char *
pteris_starter_get_text (PterisStarter *self)
{
  return self->text;
}

const char *
pteris_starter_get_error (PterisStarter *self)
{
  return self->error;
}

static void
pteris_starter_finalize (GObject *object)
{
  PterisStarter *self = PTERIS_STARTER (object);

  g_free (self->program);
  g_clear_object (&self->process);
  g_clear_object (&self->cancellable);
  g_clear_object (&self->lines);
  g_free (self->text);
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
  self->fraction = -1;
}

PterisStarter *
pteris_starter_new (void)
{
  return g_object_new (PTERIS_TYPE_STARTER, NULL);
}
