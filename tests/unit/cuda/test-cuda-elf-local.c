/* SPDX-License-Identifier: BSD-3-Clause */

#include <string.h>

#include <glib/gstdio.h>
#include <gmodule.h>

#include "engine/cuda/elf-local.h"

#ifdef FAKE_UNIQUE_PATH

typedef int *Address (void);
typedef void Count (int *n);

static int n_destroyed;

static guint8 *
read_library (gsize *size)
{
  char *bytes = NULL;

  g_assert_true (g_file_get_contents (FAKE_UNIQUE_PATH, &bytes, size, NULL));
  return (guint8 *) bytes;
}

/* A copy of its own of the library, loaded; @path is its name. */
static GModule *
load_copy (const char *folder, const char *name, const guint8 *bytes, gsize size, char **path)
{
  GModule *module;

  *path = g_build_filename (folder, name, NULL);
  g_assert_true (g_file_set_contents (*path, (const char *) bytes, (gssize) size, NULL));
  module = g_module_open (*path, G_MODULE_BIND_LOCAL);
  g_assert_nonnull (module);
  return module;
}

static int *
address_in (GModule *module)
{
  gpointer symbol = NULL;

  g_assert_true (g_module_symbol (module, "unique_address", &symbol));
  return ((Address *) symbol) ();
}

static void
use_thread (GModule *module)
{
  gpointer symbol = NULL;

  g_assert_true (g_module_symbol (module, "count_destroyed", &symbol));
  ((Count *) symbol) (&n_destroyed);
}

static gboolean
is_mapped (const char *path)
{
  g_autofree char *maps = NULL;

  g_assert_true (g_file_get_contents ("/proc/self/maps", &maps, NULL, NULL));
  return strstr (maps, path) != NULL;
}

/* Two copies of one library: their variables, and what stays after both are closed. */
static void
check_copies (const guint8 *bytes, gsize size, gboolean are_local)
{
  g_autofree char *folder = g_dir_make_tmp ("pteris-XXXXXX", NULL), *a_path = NULL, *b_path = NULL;
  GModule *a = load_copy (folder, "a.so", bytes, size, &a_path);
  GModule *b = load_copy (folder, "b.so", bytes, size, &b_path);

  g_assert_cmpint (*address_in (a), ==, 7);
  if (are_local)
    g_assert_true (address_in (a) != address_in (b));
  else
    g_assert_true (address_in (a) == address_in (b));
  n_destroyed = 0;
  use_thread (a);
  use_thread (b);
  g_module_close (a);
  g_module_close (b);
  g_assert_cmpint (n_destroyed, ==, are_local ? 2 : 0);
  g_assert_cmpint (is_mapped (a_path), ==, !are_local);
  g_unlink (a_path);
  g_unlink (b_path);
  g_rmdir (folder);
}

static void
test_unique (void)
{
  gsize size;
  g_autofree guint8 *bytes = read_library (&size);

  check_copies (bytes, size, FALSE);
  g_assert_cmpuint (pt_elf_make_local (bytes, size), >=, 2);
  check_copies (bytes, size, TRUE);
  g_assert_cmpuint (pt_elf_make_local (bytes, size), ==, 0);
}

static void
test_damaged (void)
{
  gsize size;
  g_autofree guint8 *bytes = read_library (&size);

  for (guint round = 0; round < 2000; round++) {
    gsize length = g_test_rand_bit () ? size : (gsize) g_test_rand_int_range (0, (gint32) size);
    g_autofree guint8 *copy = g_memdup2 (bytes, length);

    for (guint i = 0; i < 4 && length > 0; i++) {
      gsize header = MIN (length, 64);
      gsize at = g_test_rand_bit () ? (gsize) g_test_rand_int_range (0, (gint32) header)
                                    : length - 1 - (gsize) g_test_rand_int_range (0, 1800) % length;

      copy[at] = (guint8) g_test_rand_int ();
    }
    pt_elf_make_local (copy, length);
  }
}

#endif

static void
test_others (void)
{
  guint8 zeros[128] = { 0 };

  g_assert_cmpuint (pt_elf_make_local (zeros, sizeof zeros), ==, 0);
  g_assert_cmpuint (pt_elf_make_local (zeros, 0), ==, 0);
  memcpy (zeros, "MZ", 2);
  g_assert_cmpuint (pt_elf_make_local (zeros, sizeof zeros), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cuda/elf-local/others", test_others);
#ifdef FAKE_UNIQUE_PATH
  g_test_add_func ("/cuda/elf-local/unique", test_unique);
  g_test_add_func ("/cuda/elf-local/damaged", test_damaged);
#endif
  return g_test_run ();
}
