/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Output of the command line to a terminal: escape sequences from files and models are removed. A
 * pipe gets every byte.
 */

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <jansson.h>

/* Base tokens of the model that speaks. */
#define N_TOKENS 700

static char *
data (const char *folder, const char *name)
{
  return g_test_build_filename (G_TEST_DIST, "data", folder, name, NULL);
}

/* A pseudo-terminal that changes no bytes; returns its master side. */
static int
open_terminal (int *slave)
{
  int master = posix_openpt (O_RDWR | O_NOCTTY | O_CLOEXEC);
  struct termios settings;

  g_assert_cmpint (master, >=, 0);
  g_assert_cmpint (grantpt (master), ==, 0);
  g_assert_cmpint (unlockpt (master), ==, 0);
  *slave = open (ptsname (master), O_RDWR | O_NOCTTY | O_CLOEXEC);
  g_assert_cmpint (*slave, >=, 0);
  g_assert_cmpint (tcgetattr (*slave, &settings), ==, 0);
  cfmakeraw (&settings);
  g_assert_cmpint (tcsetattr (*slave, TCSANOW, &settings), ==, 0);
  return master;
}

static GString *
read_all (int fd)
{
  GString *text = g_string_new (NULL);
  char part[4096];
  ssize_t n;

  /* The end of a terminal is an error. */
  while ((n = read (fd, part, sizeof part)) > 0)
    g_string_append_len (text, part, n);
  close (fd);
  return text;
}

/** Runs pteris with the arguments @line and returns its output; "%s" stands for @path. */
static GString *
run (const char *line, const char *path, gboolean terminal, gboolean errors)
{
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_NONE);
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) words = g_strsplit (line, " ", -1);
  int ours, theirs, ends[2];
  GString *text;

  for (guint i = 0; words[i] != NULL; i++) {
    if (strcmp (words[i], "%s") == 0) {
      g_free (words[i]);
      words[i] = g_strdup (path);
    }
  }
  g_free (words[0]);
  words[0] = g_test_build_filename (G_TEST_BUILT, "..", "app", "pteris", NULL);
  if (terminal) {
    ours = open_terminal (&theirs);
  } else {
    g_assert_cmpint (pipe2 (ends, O_CLOEXEC), ==, 0);
    ours = ends[0];
    theirs = ends[1];
  }
  if (errors)
    g_subprocess_launcher_take_stderr_fd (launcher, theirs);
  else
    g_subprocess_launcher_take_stdout_fd (launcher, theirs);
  process = g_subprocess_launcher_spawnv (launcher, (const char *const *) words, &error);
  g_assert_no_error (error);
  g_clear_object (&launcher); /* closes our copy of their side */
  text = read_all (ours);
  g_assert_true (g_subprocess_wait (process, NULL, NULL));
  return text;
}

/* A line of progress begins anew by itself. */
static void
drop_progress (GString *text)
{
  g_string_replace (text, "\r\033[K", "", 0);
}

static gboolean
has_controls (const char *text)
{
  g_assert_true (g_utf8_validate (text, -1, NULL));
  for (; *text != '\0'; text = g_utf8_next_char (text)) {
    gunichar c = g_utf8_get_char (text);

    if ((g_unichar_iscntrl (c) && c != '\n' && c != '\t') || c == 0x202e)
      return TRUE;
  }
  return FALSE;
}

static void
check (const char *line, const char *path, gboolean errors, const char *expected)
{
  for (guint terminal = 0; terminal < 2; terminal++) {
    GString *text = run (line, path, terminal != 0, errors);

    drop_progress (text);
    if (has_controls (text->str) || strstr (text->str, expected) == NULL)
      g_error ("“%s” %s: %s", line, terminal != 0 ? "on a terminal" : "in a pipe", text->str);
    g_string_free (text, TRUE);
  }
}

static void
test_names (void)
{
  g_autofree char *method = data ("hostile", "escape-method.pte");
  g_autofree char *operator= data ("hostile", "escape-operator.pte");

  check ("pteris inspect %s", method, FALSE, "  [31mAB");
  check ("pteris inspect %s", operator, FALSE, " [31mXaddmm.out, 1");
  check ("pteris run %s --input zeros: --profile", method, FALSE, " [31mAB");
}

static void
test_errors (void)
{
  g_autofree char *prefix = data ("hostile", "error-escape.pte");
  g_autofree char *operator= data ("hostile", "escape-operator.pte");

  check ("pteris run %s --input zeros: --input values:127", prefix, TRUE, " f rward");
  check ("pteris run %s --input zeros:", operator, TRUE, " [31mXaddmm.out");
  check ("pteris inspect /\x1b[31m\nred.pte", NULL, TRUE, "/ [31m red.pte");
  check ("pteris inspect a \x1b]0;b\x07", NULL, TRUE, "“ ]0;b ”");
  check ("pteris \x1b[31m", NULL, TRUE, "“ [31m”");
}

/* Their names are in JSON, with escapes. */
static void
test_json (void)
{
  g_autofree char *method = data ("hostile", "escape-method.pte");

  for (guint terminal = 0; terminal < 2; terminal++) {
    GString *text = run ("pteris inspect %s --json", method, terminal != 0, FALSE);
    json_t *report = json_loads (text->str, 0, NULL);
    json_t *first = json_array_get (json_object_get (report, "methods"), 0);

    g_assert_false (has_controls (text->str));
    g_assert_cmpstr (json_string_value (json_object_get (first, "name")), ==, "\x1b[31mAB");
    json_decref (report);
    g_string_free (text, TRUE);
  }
}

/* Half of what the model can say commands a terminal. */
static char *
write_tokenizer (const char *folder)
{
  static const char *const FORMS[] = { "\x1b]52;c;%u\x07", "\x1b[%um", "\xc2\x9b%um",
                                       "\xe2\x80\xae%u", "a%u\x7f" };
  g_autoptr (GString) lines = g_string_new (NULL);
  char *path = g_build_filename (folder, "escapes.tiktoken", NULL);

  for (guint i = 0; i < N_TOKENS; i++) {
    g_autoptr (GString) token = g_string_new (NULL);
    g_autofree char *text = NULL;

    if (i < 256)
      g_string_append_c (token, (char) i);
    else {
      g_auto (GStrv) halves = g_strsplit (FORMS[(i - 256) % G_N_ELEMENTS (FORMS)], "%u", 2);

      g_string_append_printf (token, "%s%u%s", halves[0], i, halves[1]);
    }
    text = g_base64_encode ((const guchar *) token->str, token->len);
    g_string_append_printf (lines, "%s %u\n", text, i);
  }
  g_assert_true (g_file_set_contents (path, lines->str, (gssize) lines->len, NULL));
  return path;
}

static void
test_chat (void)
{
  g_autofree char *folder = g_dir_make_tmp ("pteris-terminal-XXXXXX", NULL);
  g_autofree char *tokenizer = write_tokenizer (folder);
  g_autofree char *model = data ("chat/etllama_tiktoken_xnnpack_8da4w", "model.pte");
  g_autofree char *line =
      g_strdup_printf ("pteris chat %%s --tokenizer %s -p hi -n 20 -t 0", tokenizer);
  g_autofree char *json_line = g_strconcat (line, " --json", NULL);
  GString *piped = run (line, model, FALSE, FALSE), *shown = run (line, model, TRUE, FALSE);
  GString *json = run (json_line, model, TRUE, FALSE);
  json_t *report = json_loads (json->str, 0, NULL);
  g_autofree char *answer = NULL;

  g_assert_true (has_controls (piped->str));
  g_assert_cmpuint (shown->len, >, 1);
  g_assert_false (has_controls (shown->str));
  g_assert_false (has_controls (json->str));
  answer = g_strconcat (json_string_value (json_object_get (report, "text")), "\n", NULL);
  g_assert_cmpstr (answer, ==, piped->str);
  json_decref (report);
  g_string_free (piped, TRUE);
  g_string_free (shown, TRUE);
  g_string_free (json, TRUE);
  g_remove (tokenizer);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_setenv ("PTERIS_MODELS", "/nowhere", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/terminal/names", test_names);
  g_test_add_func ("/terminal/errors", test_errors);
  g_test_add_func ("/terminal/json", test_json);
  g_test_add_func ("/terminal/chat", test_chat);
  return g_test_run ();
}
