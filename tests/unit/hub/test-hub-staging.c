/* SPDX-License-Identifier: BSD-3-Clause */

/* Files of a download are moved and deleted, also where another program holds them for a while. */

#include <glib/gstdio.h>

#include "engine/hub/staging.h"

#ifdef G_OS_WIN32
#include <windows.h>
#endif

static char *home;

static char *
make_file (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (home, folder, NULL);
  char *file = g_build_filename (path, name, NULL);

  g_assert_cmpint (g_mkdir_with_parents (path, 0700), ==, 0);
  g_assert_true (g_file_set_contents (file, "model", -1, NULL));
  return file;
}

static void
test_move (void)
{
  g_autofree char *from = make_file ("a", "model.pte");
  g_autofree char *to = make_file ("b", "model.pte");
  g_autofree char *folder = g_build_filename (home, "a", NULL);
  g_autofree char *other = g_build_filename (home, "c", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (pt_hub_move (from, to, &error));
  g_assert_no_error (error);
  g_assert_false (g_file_test (from, G_FILE_TEST_EXISTS));
  g_assert_true (pt_hub_move (folder, other, &error));
  g_assert_false (pt_hub_move (folder, other, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_FILE);
}

static void
test_delete (void)
{
  g_autofree char *file = make_file ("d" G_DIR_SEPARATOR_S "e", "model.pte");
  g_autofree char *folder = g_build_filename (home, "d", NULL);
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 2; i++) {
    g_assert_true (pt_hub_delete (folder, &error));
    g_assert_no_error (error);
    g_assert_false (g_file_test (file, G_FILE_TEST_EXISTS));
    g_assert_false (g_file_test (folder, G_FILE_TEST_EXISTS));
  }
}

#ifdef G_OS_WIN32

static HANDLE held;
static guint pauses, pauses_left;

/* Lets go at the third time; so nothing depends on how fast anybody is. */
static void
let_go (void)
{
  pauses++;
  if (pauses_left > 0 && --pauses_left == 0)
    CloseHandle (held);
}

/* As a scanner does, which reads the file: nobody may rename or delete it meanwhile. */
static void
hold (const char *path, guint n)
{
  g_autofree gunichar2 *wide = g_utf8_to_utf16 (path, -1, NULL, NULL, NULL);

  held = CreateFileW ((const wchar_t *) wide, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0,
                      NULL);
  g_assert_true (held != INVALID_HANDLE_VALUE);
  pauses = 0;
  pauses_left = n;
}

static void
test_held (void)
{
  g_autofree char *from = make_file ("f", "model.pte");
  g_autofree char *to = g_build_filename (home, "moved.pte", NULL);
  g_autoptr (GError) error = NULL;

  hold (from, 3);
  g_assert_true (pt_hub_move (from, to, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (pauses, ==, 3);
  hold (to, 3);
  g_assert_true (pt_hub_delete (to, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (pauses, ==, 3);
}

/* Who never lets go does not stop the program. */
static void
test_held_for_ever (void)
{
  g_autofree char *from = make_file ("g", "model.pte");
  g_autofree char *to = g_build_filename (home, "never.pte", NULL);
  g_autoptr (GError) error = NULL;

  hold (from, 0);
  g_assert_false (pt_hub_move (from, to, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_FILE);
  g_assert_cmpuint (pauses, >, 3);
  CloseHandle (held);
}

#endif

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  home = g_dir_make_tmp ("pteris-test-XXXXXX", NULL);
  g_test_add_func ("/hub/staging/move", test_move);
  g_test_add_func ("/hub/staging/delete", test_delete);
#ifdef G_OS_WIN32
  pt_hub_pause_for_holder = let_go;
  g_test_add_func ("/hub/staging/held", test_held);
  g_test_add_func ("/hub/staging/held-for-ever", test_held_for_ever);
#endif
  return g_test_run ();
}
