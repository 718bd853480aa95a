/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

/*
 * Instead of the fuzzer's own main(): every file of a corpus folder goes through the target once.
 * A file that does harm ends the program, whose last line then names it.
 */

static void
replay (const char *folder, const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);
  g_autofree char *data = NULL;
  gsize size;

  /* On standard output a target's own first line is that of TAP. */
  fprintf (stderr, "# %s\n", name);
  if (!g_file_get_contents (path, &data, &size, NULL))
    g_error ("cannot read %s", path);
  LLVMFuzzerTestOneInput ((const guint8 *) data, size);
}

int
main (int argc, char **argv)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = NULL;
  const char *name;

  g_assert (argc == 2);
  dir = g_dir_open (argv[1], 0, NULL);
  g_assert (dir != NULL);
  while ((name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_strdup (name));
  g_assert (names->len > 0);
  LLVMFuzzerInitialize (&argc, &argv);
  for (guint i = 0; i < names->len; i++)
    replay (argv[1], names->pdata[i]);
  printf ("1..1\nok 1 %u files\n", names->len);
  return 0;
}
