/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/model-symbols.h"
#include "engine/cuda/private-file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#ifdef G_OS_UNIX
#include <unistd.h>
#endif

#include <glib/gstdio.h>

typedef struct {
  char *data;
  gsize size;
} Bytes;

static Bytes
load (const char *path)
{
  Bytes bytes;

  g_assert_true (g_file_get_contents (path, &bytes.data, &bytes.size, NULL));
  return bytes;
}

static PtModelLibrary *
open_library (const char *path, GError **error)
{
  Bytes bytes = load (path);
  PtModelLibrary *library = pt_model_library_open ((const guint8 *) bytes.data, bytes.size, error);

  g_free (bytes.data);
  return library;
}

/* ---- private files ---- */

static void
test_contents (void)
{
  for (guint place = 0; place < PT_PRIVATE_PLACES; place++) {
    g_autoptr (GError) error = NULL;
    g_autoptr (PtPrivateFile) file =
        pt_private_file_new_in ((PtPrivatePlace) place, "bytes", 5, &error);
    Bytes bytes;

    /* Some systems lack some of the places. */
    if (file == NULL) {
      g_assert_true (error->domain == PT_ERROR);
      continue;
    }
    bytes = load (pt_private_file_path (file));
    g_assert_cmpmem (bytes.data, bytes.size, "bytes", 5);
    g_free (bytes.data);
  }
}

static void
test_default (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PtPrivateFile) file = pt_private_file_new ("bytes", 5, &error);

  g_assert_no_error (error);
  g_assert_true (g_file_test (pt_private_file_path (file), G_FILE_TEST_EXISTS));
}

#ifdef G_OS_WIN32

/* The private copy cannot be written, replaced or removed, and is deleted at the end. */
static void
test_locked (void)
{
  PtPrivateFile *file = pt_private_file_new ("bytes", 5, NULL);
  g_autofree char *path = g_strdup (pt_private_file_path (file));
  g_autofree char *folder = g_path_get_dirname (path);
  g_autofree char *other = g_build_filename (folder, "other", NULL);

  g_assert_cmpint (g_open (path, O_WRONLY, 0), <, 0);
  g_assert_cmpint (g_unlink (path), !=, 0);
  g_assert_true (g_file_set_contents (other, "other", -1, NULL));
  g_assert_cmpint (g_rename (other, path), !=, 0);
  g_assert_cmpint (g_unlink (other), ==, 0);
  pt_private_file_free (file);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_false (g_file_test (folder, G_FILE_TEST_EXISTS));
}

#endif

#ifdef G_OS_UNIX

/* A descriptor is used again, a path never. */
static void
test_unique (void)
{
  g_autoptr (GHashTable) paths = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < 300; i++) {
    PtPrivateFile *file = pt_private_file_new ("x", 1, NULL);

    g_assert_cmpuint (strlen (pt_private_file_path (file)), <, 200);
    g_assert_true (g_hash_table_add (paths, g_strdup (pt_private_file_path (file))));
    pt_private_file_free (file);
  }
}

static void
test_sealed (void)
{
  g_autoptr (PtPrivateFile) file = pt_private_file_new_in (PT_PRIVATE_MEMORY, "bytes", 5, NULL);
  int fd;

  if (file == NULL) {
    g_test_skip ("no files in memory here");
    return;
  }
  fd = g_open (pt_private_file_path (file), O_WRONLY | O_CLOEXEC, 0);
  g_assert_true (fd < 0 || (write (fd, "x", 1) < 0 && errno == EPERM));
  if (fd >= 0)
    close (fd);
}

static guint
count_files (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  guint n = 0;

  while (g_dir_read_name (dir) != NULL)
    n++;
  return n;
}

/* No name stays behind, and none is there while it is used where descriptors have paths. */
static void
test_nothing_left (void)
{
  g_autofree char *folder = g_dir_make_tmp ("pteris-test-XXXXXX", NULL);
  g_autoptr (GError) error = NULL;
  PtPrivateFile *file;

  g_setenv ("XDG_RUNTIME_DIR", folder, TRUE);
  file = pt_private_file_new_in (PT_PRIVATE_RUNTIME, "bytes", 5, &error);
  if (file == NULL)
    g_assert_nonnull (strstr (error->message, "allows no code"));
  else if (g_str_has_prefix (pt_private_file_path (file), "/proc/"))
    g_assert_cmpuint (count_files (folder), ==, 0);
  g_clear_pointer (&file, pt_private_file_free);
  g_assert_cmpuint (count_files (folder), ==, 0);
  g_assert_null (pt_private_file_new_in (PT_PRIVATE_RUNTIME, NULL, G_MAXINT64, NULL));
  g_assert_cmpuint (count_files (folder), ==, 0);
  g_rmdir (folder);
  g_setenv ("XDG_RUNTIME_DIR", "/nonexistent", TRUE);
  g_assert_null (pt_private_file_new_in (PT_PRIVATE_RUNTIME, "bytes", 5, NULL));
}

#endif

/* ---- libraries ---- */

static void
test_symbols (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PtModelLibrary) library = open_library (MODEL_CODE, &error);
  const PtModelSymbols *symbols;
  size_t n = 0;

  g_assert_no_error (error);
  symbols = pt_model_library_symbols (library);
  g_assert_cmpint (symbols->get_num_inputs (NULL, &n), ==, 0);
  g_assert_cmpuint (n, ==, 2);
  g_assert_cmpint (symbols->run (NULL, NULL, 0, NULL, 0, NULL, NULL), ==, 1);
  g_assert_null (symbols->run_single_threaded);
  g_assert_null (symbols->get_last_error);
}

static guint
create (const PtModelLibrary *library)
{
  PtModelContainer container = NULL;

  pt_model_library_symbols (library)->create_with_device (&container, 1, "cuda:0", NULL);
  return GPOINTER_TO_UINT (container);
}

/* Each has its own state, also one that takes the place of another. */
static void
test_copies (void)
{
  g_autoptr (PtModelLibrary) a = open_library (MODEL_CODE, NULL);
  g_autoptr (PtModelLibrary) b = open_library (MODEL_CODE, NULL);

  g_assert_cmpuint (create (a), ==, 1);
  g_assert_cmpuint (create (a), ==, 2);
  g_assert_cmpuint (create (b), ==, 1);
  for (guint i = 0; i < 40; i++) {
    g_autoptr (PtModelLibrary) c = open_library (MODEL_CODE, NULL);

    g_assert_cmpuint (create (c), ==, 1);
  }
  g_assert_cmpuint (create (a), ==, 3);
}

static void
test_refused (void)
{
  g_autoptr (GError) lacking = NULL, imports = NULL, text = NULL;

  g_assert_null (open_library (MODEL_LACKING, &lacking));
  g_assert_error (lacking, PT_ERROR, PT_ERROR_DELEGATE);
  g_assert_nonnull (strstr (lacking->message, "lacks AOTInductorModelContainerRun."));
  g_assert_null (open_library (MODEL_LIBRARY, &imports));
  g_assert_error (imports, PT_ERROR, PT_ERROR_DELEGATE);
  g_assert_null (pt_model_library_open ((const guint8 *) "text", 4, &text));
  g_assert_error (text, PT_ERROR, PT_ERROR_DELEGATE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cuda/private-file/contents", test_contents);
  g_test_add_func ("/cuda/private-file/default", test_default);
#ifdef G_OS_WIN32
  g_test_add_func ("/cuda/private-file/locked", test_locked);
#endif
#ifdef G_OS_UNIX
  g_test_add_func ("/cuda/private-file/unique", test_unique);
  g_test_add_func ("/cuda/private-file/sealed", test_sealed);
  g_test_add_func ("/cuda/private-file/nothing-left", test_nothing_left);
#endif
  g_test_add_func ("/cuda/library/symbols", test_symbols);
  g_test_add_func ("/cuda/library/copies", test_copies);
  g_test_add_func ("/cuda/library/refused", test_refused);
  return g_test_run ();
}
