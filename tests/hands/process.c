/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/hands/process.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <jansson.h>

#include "tests/hands/hands.h"
#include "tests/hands/screen.h"

#define RATE 16000

static char *home, *out;
static char *open_with;
static GSubprocessLauncher *launcher;
static GSubprocess *program;
static GDataInputStream *answers; /* of the scripted engine */

/* ---- its home ---- */

static void
remove_all (const char *path)
{
  g_autoptr (GDir) folder =
      g_file_test (path, G_FILE_TEST_IS_SYMLINK) ? NULL : g_dir_open (path, 0, NULL);
  const char *name;

  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL) {
    g_autofree char *inner = g_build_filename (path, name, NULL);

    remove_all (inner);
  }
  g_remove (path);
}

static void
set_home (const char *variable, const char *folder)
{
  g_autofree char *path = g_build_filename (home, folder, NULL);

  g_mkdir_with_parents (path, 0700);
  g_subprocess_launcher_setenv (launcher, variable, path, TRUE);
}

void
hands_program_begin (const char *folder)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *log = NULL;

  out = g_strdup (folder);
  remove_all (out);
  g_assert_cmpint (g_mkdir_with_parents (out, 0755), ==, 0);
  home = g_dir_make_tmp ("pteris-hands-XXXXXX", &error);
  g_assert_no_error (error);
  launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE);
  log = g_build_filename (out, "messages.txt", NULL);
  g_subprocess_launcher_set_stderr_file_path (launcher, log);
  g_subprocess_launcher_setenv (launcher, "HOME", home, TRUE);
  g_subprocess_launcher_setenv (launcher, "G_DEBUG", "gc-friendly,fatal-criticals", TRUE);
  set_home ("XDG_DATA_HOME", "data");
  set_home ("XDG_CONFIG_HOME", "config");
  set_home ("XDG_CACHE_HOME", "cache");
  set_home ("XDG_STATE_HOME", "state");
  g_subprocess_launcher_setenv (launcher, "GSETTINGS_BACKEND", "keyfile", TRUE);
  g_subprocess_launcher_set_cwd (launcher, home);
}

void
hands_program_kill (void)
{
  if (program == NULL)
    return;
  g_subprocess_force_exit (program);
  g_subprocess_wait (program, NULL, NULL);
  g_clear_object (&answers);
  g_clear_object (&program);
}

void
hands_program_end (void)
{
  hands_program_kill ();
  g_clear_object (&launcher);
  remove_all (home);
  g_clear_pointer (&home, g_free);
  g_clear_pointer (&out, g_free);
  g_clear_pointer (&open_with, g_free);
}

const char *
hands_home (void)
{
  return home;
}

char *
hands_write_file (const char *name, const char *content, gssize length)
{
  g_autoptr (GError) error = NULL;
  char *path = g_build_filename (home, name, NULL);
  g_autofree char *folder = g_path_get_dirname (path);

  g_mkdir_with_parents (folder, 0700);
  g_file_set_contents (path, content, length, &error);
  g_assert_no_error (error);
  return path;
}

char *
hands_write_recording (const char *name, double seconds)
{
  guint n = (guint) (seconds * RATE);
  g_autoptr (GByteArray) file = g_byte_array_new ();
  struct {
    char riff[4];
    guint32 size;
    char wave[8];
    guint32 format_size;
    guint16 format, channels;
    guint32 rate, bytes_per_s;
    guint16 bytes, bits;
    char data[4];
    guint32 data_size;
  } head = { "RIFF", 36 + 2 * n, "WAVEfmt ", 16, 1, 1, RATE, 2 * RATE, 2, 16, "data", 2 * n };

  g_byte_array_append (file, (guint8 *) &head, sizeof head);
  for (guint i = 0; i < n; i++) {
    gint16 sample = (gint16) (3000 * sin (i * 440 * 2 * G_PI / RATE));

    g_byte_array_append (file, (guint8 *) &sample, 2);
  }
  return hands_write_file (name, (char *) file->data, file->len);
}

/* ---- the program ---- */

gboolean
hands_program_runs (void)
{
  /* After waitpid() the process id is invalid. */
  while (g_main_context_iteration (NULL, FALSE))
    ;
  return program != NULL && g_subprocess_get_identifier (program) != NULL;
}

char *
hands_program_end_text (void)
{
  if (program == NULL)
    return g_strdup ("The program has ended");
  if (g_subprocess_get_if_signaled (program))
    return g_strdup_printf ("The program was ended by signal %d",
                            g_subprocess_get_term_sig (program));
  return g_strdup_printf ("The program has ended with status %d",
                          g_subprocess_get_exit_status (program));
}

int
hands_program_pid (void)
{
  const char *number = program != NULL ? g_subprocess_get_identifier (program) : NULL;

  return number != NULL ? atoi (number) : 0;
}

void
hands_set_environment (const char *name, const char *value)
{
  if (value != NULL)
    g_subprocess_launcher_setenv (launcher, name, value, TRUE);
  else
    g_subprocess_launcher_unsetenv (launcher, name);
}

void
hands_set_size (int width, int height)
{
  g_autofree char *settings =
      g_strdup_printf ("[org/pteris/Pteris]\nwidth=%d\nheight=%d\n", width, height);

  g_free (hands_write_file ("config/glib-2.0/settings/keyfile", settings, -1));
}

void
hands_open_with (const char *path)
{
  g_free (open_with);
  open_with = g_strdup (path);
}

static gboolean
has_window (gpointer data)
{
  g_autoptr (HandsNode) window = hands_peek ("window:*");

  return window != NULL;
}

static void
spawn (const char *path)
{
  const char *arguments[] = { path, open_with, NULL };
  g_autoptr (GError) error = NULL;

  program = g_subprocess_launcher_spawnv (launcher, arguments, &error);
  g_assert_no_error (error);
  g_clear_pointer (&open_with, g_free);
  if (g_strcmp0 (path, g_getenv ("HANDS_PROGRAM")) == 0)
    answers = g_data_input_stream_new (g_subprocess_get_stdout_pipe (program));
  hands_wait_for (has_window, NULL, "the window is there");
}

void
hands_start_with (const char *models)
{
  hands_set_environment ("PTERIS_MODELS", models);
  spawn (g_getenv ("HANDS_PTERIS"));
}

gboolean
hands_start_real (void)
{
  const char *models = g_getenv ("HANDS_MODELS");
  g_autofree char *chat =
      g_build_filename (models != NULL ? models : "", "smollm2-135m-instruct", "model.ptd", NULL);

  if (models == NULL || !g_file_test (chat, G_FILE_TEST_EXISTS)) {
    g_test_skip ("The starter models are not there.");
    return FALSE;
  }
  hands_start_with (models);
  return TRUE;
}

void
hands_start_empty (void)
{
  hands_set_environment ("PTERIS_MODELS", NULL);
  spawn (g_getenv ("HANDS_PTERIS"));
}

void
hands_crash (void)
{
  hands_program_kill ();
}

static gboolean
has_ended (gpointer data)
{
  return !hands_program_runs ();
}

void
hands_quit (void)
{
  gint64 end = g_get_monotonic_time () + hands_patience () * G_TIME_SPAN_SECOND;

  hands_key ("ctrl+q");
  while (!has_ended (NULL) && g_get_monotonic_time () < end)
    g_usleep (20000);
  if (!has_ended (NULL))
    hands_fail ("The program does not end after Ctrl+Q.");
  g_assert_true (g_subprocess_get_if_exited (program));
  g_assert_cmpint (g_subprocess_get_exit_status (program), ==, 0);
  g_clear_object (&answers);
  g_clear_object (&program);
}

/* ---- the scripted engine ---- */

static char *
pack (const char *script, va_list arguments)
{
  json_error_t error;
  json_t *fields = json_vpack_ex (&error, 0, script, arguments);
  char *line;

  if (fields == NULL)
    g_error ("hands: “%s”: %s", script, error.text);
  line = json_dumps (fields, JSON_COMPACT);
  json_decref (fields);
  return line;
}

void
hands_start (const char *script, ...)
{
  char *line = NULL;
  va_list arguments;

  if (script != NULL) {
    va_start (arguments, script);
    line = pack (script, arguments);
    va_end (arguments);
  }
  hands_set_environment ("HANDS_SCRIPT", line);
  free (line);
  spawn (g_getenv ("HANDS_PROGRAM"));
}

/* A picture would ask it again. */
static void G_GNUC_NORETURN
give_up (const char *why)
{
  g_clear_object (&answers);
  hands_fail ("%s", why);
}

json_t *
hands_program_ask (const char *line)
{
  GOutputStream *input;
  g_autofree char *message = g_strconcat (line, "\n", NULL);
  g_autofree char *answer = NULL;
  json_t *state;

  if (answers == NULL)
    return NULL;
  input = g_subprocess_get_stdin_pipe (program);
  if (g_output_stream_write_all (input, message, strlen (message), NULL, NULL, NULL))
    answer = g_data_input_stream_read_line (answers, NULL, NULL, NULL);
  if (answer == NULL)
    give_up ("The program does not listen any more.");
  state = json_loads (answer, 0, NULL);
  g_assert_nonnull (state);
  return state;
}

void
hands_script (const char *script, ...)
{
  va_list arguments;
  json_t *state;
  char *line;

  va_start (arguments, script);
  line = pack (script, arguments);
  va_end (arguments);
  state = hands_program_ask (line);
  g_assert_nonnull (state);
  json_decref (state);
  free (line);
}

int
hands_script_int (const char *field)
{
  json_t *state = hands_program_ask ("{}");
  int value = (int) json_integer_value (json_object_get (state, field));

  json_decref (state);
  return value;
}

char *
hands_script_text (const char *field)
{
  json_t *state = hands_program_ask ("{}");
  char *value = g_strdup (json_string_value (json_object_get (state, field)));

  json_decref (state);
  return value;
}
