/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * What a confined process can and cannot do on Windows. The attempts run in a process of their own,
 * because the confinement cannot be undone. Wine does not enforce all of it: there, only that the
 * process goes on.
 */
#include "engine/confine/confine.h"

#include <windows.h>

#include <glib.h>
#include <glib/gstdio.h>

#include "tests/unit/under-wine.h"

static const char *own_path;

/* Bits of the exit status of a confined process. */
enum {
  CONFINED = 1 << 0,
  WROTE_INSIDE = 1 << 1,
  WROTE_OUTSIDE = 1 << 2,
  STARTED_PROGRAM = 1 << 3,
  LOADED_LIBRARY = 1 << 4,
};

static gboolean
can_write (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "written", NULL);

  return g_file_set_contents (path, "x", 1, NULL);
}

static gboolean
can_start (void)
{
  const char *arguments[] = { own_path, "--version", NULL };

  return g_spawn_sync (NULL, (char **) arguments, NULL,
                       G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, NULL,
                       NULL, NULL, NULL);
}

static int
confined_process (const char *inside, const char *outside, gboolean writes)
{
  const char *writable[] = { inside, NULL };
  PtConfinement allowed = { .writable = writes ? writable : NULL, .gpu = TRUE };
  g_autoptr (GError) error = NULL;
  PtConfined done;
  int status = 0;

  if (!pt_confine (&allowed, &done, &error)) {
    g_printerr ("%s\n", error->message);
    return 0;
  }
  if ((done & PT_CONFINED_LIMITS) != 0 && ((done & PT_CONFINED_WRITING) != 0) == !writes &&
      (done & ~pt_confine_means ()) == 0)
    status |= CONFINED;
  status |= can_write (inside) ? WROTE_INSIDE : 0;
  status |= can_write (outside) ? WROTE_OUTSIDE : 0;
  status |= can_start () ? STARTED_PROGRAM : 0;
  status |= LoadLibraryW (L"winmm.dll") != NULL ? LOADED_LIBRARY : 0;
  return status;
}

static void
remove_with (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "written", NULL);

  g_remove (path);
  g_rmdir (folder);
}

/* One that writes to folders of the user keeps its integrity. */
static void
test_confined (gconstpointer writes)
{
  g_autofree char *inside = g_dir_make_tmp ("pteris-inside-XXXXXX", NULL);
  g_autofree char *outside = g_dir_make_tmp ("pteris-outside-XXXXXX", NULL);
  const char *arguments[] = { own_path, writes != NULL ? "--writes" : "--reads", inside, outside,
                              NULL };
  g_autoptr (GError) error = NULL;
  int status = -1;

  g_assert_true (g_spawn_sync (NULL, (char **) arguments, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL,
                               NULL, &status, &error));
  g_assert_no_error (error);
  remove_with (inside);
  remove_with (outside);
  g_assert_cmpint (status & CONFINED, !=, 0);
  if (writes != NULL)
    g_assert_cmpint (status & WROTE_INSIDE, !=, 0);
  g_assert_cmpint (status & LOADED_LIBRARY, !=, 0);
  if (!under_wine ()) {
    g_assert_true (((status & WROTE_OUTSIDE) != 0) == (writes != NULL));
    g_assert_cmpint (status & STARTED_PROGRAM, ==, 0);
  }
}

int
main (int argc, char **argv)
{
  own_path = argv[0];
  if (argc == 2)
    return 0;
  if (argc == 4)
    return confined_process (argv[2], argv[3], g_str_equal (argv[1], "--writes"));
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/confine/windows/reads", NULL, test_confined);
  g_test_add_data_func ("/confine/windows/writes", GINT_TO_POINTER (TRUE), test_confined);
  return g_test_run ();
}
