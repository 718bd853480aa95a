/* SPDX-License-Identifier: BSD-3-Clause */

/* Finds and loads libpteris-cuda-shims, which exports the functions that model libraries import. */

#include <stdlib.h>
#include <string.h>

#include <gmodule.h>
#ifdef G_OS_WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

#include "engine/base/set-error.h"
#include "engine/cuda/shims-private.h"

#include "engine/base/folder.h"

#ifdef G_OS_WIN32
#define LIBRARY "aoti_cuda_shims.dll"
#else
#define LIBRARY "libpteris-cuda-shims." G_MODULE_SUFFIX
#endif

/* In a process with PyTorch, this symbol is PyTorch's. */
#define TELLTALE "aoti_torch_create_tensor_from_blob_v2"

static const PtShimTable table = { .size = sizeof table,
#define MEMBER(result, name, parameters, arguments) .name = pt_##name,
                                   PT_SHIM_FUNCTIONS (MEMBER)
#undef MEMBER
};

static const char *names[] = {
#define NAME(result, name, parameters, arguments) #name,
  PT_SHIM_FUNCTIONS (NAME)
#undef NAME
};

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

const char *const *
pt_shims_names (guint *n)
{
  static gsize sorted;

  if (g_once_init_enter (&sorted)) {
    qsort (names, G_N_ELEMENTS (names), sizeof names[0], compare_names);
    g_once_init_leave (&sorted, 1);
  }
  *n = G_N_ELEMENTS (names);
  return names;
}

/* The folder of the executable, or NULL. */
static char *
own_folder (void)
{
#ifdef G_OS_WIN32
  g_autofree wchar_t *wide = g_new (wchar_t, G_MAXINT16);
  DWORD length = GetModuleFileNameW (NULL, wide, G_MAXINT16);
  g_autofree char *path = NULL;

  if (length > 0 && length < G_MAXINT16)
    path = g_utf16_to_utf8 ((const gunichar2 *) wide, (glong) length, NULL, NULL, NULL);
#else
  g_autofree char *path = g_file_read_link ("/proc/self/exe", NULL);
#endif

  return path != NULL ? g_path_get_dirname (path) : NULL;
}

/* Returns @path if the file exists; else frees it and returns NULL. */
static char *
existing (char *path)
{
  if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return path;
  g_free (path);
  return NULL;
}

/*
 * The library in the folder pteris beside libpteris.so, for other programs that use libpteris. NULL
 * when it is absent, or this code is linked into an executable.
 */
static char *
find_beside_engine (void)
{
#ifndef G_OS_WIN32
  Dl_info info;
  g_autofree char *folder = NULL;

  if (dladdr (&table, &info) != 0 && info.dli_fname != NULL &&
      g_path_is_absolute (info.dli_fname)) {
    folder = g_path_get_dirname (info.dli_fname);
    return existing (g_build_filename (folder, "pteris", LIBRARY, NULL));
  }
#endif
  return NULL;
}

/* PREFIX/lib/ARCHITECTURE/pteris, the layout of Debian. */
static char *
find_in_architectures (const char *library_folder)
{
  g_autoptr (PtFolder) dir = pt_folder_open (library_folder);
  char *path = NULL;
  const char *name;

  while (path == NULL && (name = pt_folder_next (dir)) != NULL)
    path = existing (g_build_filename (library_folder, name, "pteris", LIBRARY, NULL));
  return path;
}

/* Path of the library, or NULL. In the build folder the executable is in app/. */
static char *
find_library (void)
{
  const char *replacement = g_getenv ("PTERIS_CUDA_SHIMS");
  g_autofree char *folder = own_folder (), *libraries = NULL;
  char *path;

  if (replacement != NULL)
    return g_strdup (replacement);
  path = find_beside_engine ();
  if (path != NULL || folder == NULL)
    return path;
  libraries = g_build_filename (folder, "..", "lib", NULL);
  path = existing (g_build_filename (folder, LIBRARY, NULL));
  if (path == NULL)
    path = existing (g_build_filename (libraries, "pteris", LIBRARY, NULL));
  if (path == NULL)
    path = existing (g_build_filename (folder, "..", "engine", "cuda", "shims", LIBRARY, NULL));
  return path != NULL ? path : find_in_architectures (libraries);
}

/* Whether this process already contains these functions from another library. */
static gboolean
has_torch (void)
{
  GModule *self = g_module_open (NULL, 0);
  gpointer address = NULL;

  if (self != NULL && !g_module_symbol (self, TELLTALE, &address))
    address = NULL;
  if (self != NULL)
    g_module_close (self);
  return address != NULL;
}

/*
 * Models import the functions of the CUDA runtime from libraries with these names, which lie beside
 * the other library.
 */
static void
open_runtime (const char *path)
{
#ifdef G_OS_WIN32
  const char *const runtimes[] = { "cudart64_12.dll", "cudart64_13.dll" };
  g_autofree char *folder = g_path_get_dirname (path);

  for (guint i = 0; i < G_N_ELEMENTS (runtimes); i++) {
    g_autofree char *runtime = g_build_filename (folder, runtimes[i], NULL);

    g_module_open (runtime, 0);
  }
#endif
}

static gboolean
open_library (GError **error)
{
  g_autofree char *path = find_library ();
  GModule *module;
  gpointer install;

  if (path == NULL)
    return pt_fail (error, PT_ERROR_MISSING_BACKEND,
                    "This installation has no CUDA support: %s is missing.", LIBRARY);
  if (has_torch ())
    return pt_fail (error, PT_ERROR_MISSING_BACKEND,
                    "PyTorch is loaded in this process, and its functions have the names of those "
                    "that CUDA models need.");
  module = g_module_open (path, 0); /* RTLD_GLOBAL: visible for libraries that are loaded later */
  if (module == NULL)
    return pt_fail (error, PT_ERROR_MISSING_BACKEND, "%s cannot be loaded: %s", path,
                    g_module_error ());
  if (!g_module_symbol (module, "pt_shims_install", &install) ||
      ((PtShimInstall) install) (&table) != 0) {
    g_module_close (module);
    return pt_fail (error, PT_ERROR_MISSING_BACKEND, "%s belongs to another version of Pteris.",
                    path);
  }
  g_module_make_resident (module);
  open_runtime (path);
  return TRUE;
}

gboolean
pt_shims_open (GError **error)
{
  static GMutex mutex;
  static gboolean is_open;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&mutex);

  if (!is_open)
    is_open = open_library (error);
  return is_open;
}
