/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/hostile/hostile.h"

#include <sys/stat.h>
#include <sys/wait.h>

/*
 * Runs the program (PTERIS) on damaged files. It must print errors in lines that begin with its
 * name, and exit with 1.
 */

static void
run (const char *const *arguments)
{
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();
  g_autofree char *out = NULL, *err = NULL;
  g_autoptr (GError) error = NULL;
  int status;

  g_ptr_array_add (argv, (gpointer) g_getenv ("PTERIS"));
  for (guint i = 0; arguments[i] != NULL; i++)
    g_ptr_array_add (argv, (gpointer) arguments[i]);
  g_ptr_array_add (argv, NULL);
  g_assert_true (g_spawn_sync (NULL, (char **) argv->pdata, NULL, G_SPAWN_STDIN_FROM_DEV_NULL, NULL,
                               NULL, &out, &err, &status, &error));
  g_assert_no_error (error);
  g_test_message ("%s %s: %s", arguments[0], arguments[1], err);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, 1);
  g_assert_true (g_str_has_prefix (err, "pteris: "));
  g_assert_true (g_utf8_validate (err, -1, NULL));
  g_assert_cmpstr (out, ==, "");
}

static void
test_commands (void)
{
  gsize size;
  g_autofree guint8 *good = hostile_data ("tiny/linear/model.pte", &size);
  g_autofree char *cut = hostile_file ("cut.pte", good, size / 2);
  g_autofree char *empty = hostile_file ("empty.pte", NULL, 0);
  g_autofree char *fifo = hostile_path ("fifo.pte");
  g_autofree char *model = hostile_data_path ("tiny/linear/model.pte");
  const char *const paths[] = { cut, empty, fifo, "/dev/zero" };

  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++) {
    run ((const char *[]){ "inspect", paths[i], NULL });
    run ((const char *[]){ "run", paths[i], NULL });
    run ((const char *[]){ "chat", paths[i], "--prompt", "Hi", NULL });
    run ((const char *[]){ "transcribe", paths[i], paths[i], NULL });
    run ((const char *[]){ "bench", paths[i], NULL });
    run ((const char *[]){ "run", model, "--input", paths[i], NULL });
    run ((const char *[]){ "run", model, "--steps", paths[i], NULL });
  }
  hostile_clean_up ();
}

int
main (int argc, char **argv)
{
  g_setenv ("XDG_DATA_HOME", "/nonexistent", TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/hostile/cli/commands", test_commands);
  return g_test_run ();
}
