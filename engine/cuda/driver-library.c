/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/driver-library.h"

#include <string.h>

#include "engine/base/set-error.h"

#ifdef G_OS_WIN32
#include <windows.h>

#include <shlobj.h>
#endif

#ifdef G_OS_WIN32

/* The path in UTF-8 of the file that @library was loaded from. */
static char *
file_of (HMODULE library)
{
  g_autofree wchar_t *path = g_new (wchar_t, G_MAXINT16);
  DWORD length = GetModuleFileNameW (library, path, G_MAXINT16);

  return length > 0 && length < G_MAXINT16
             ? g_utf16_to_utf8 ((const gunichar2 *) path, (glong) length, NULL, NULL, NULL)
             : NULL;
}

/* Opens a loaded library by its path as a GModule. */
static GModule *
load (const char *name, DWORD folders)
{
  g_autofree gunichar2 *wide = g_utf8_to_utf16 (name, -1, NULL, NULL, NULL);
  HMODULE library = wide != NULL ? LoadLibraryExW ((const wchar_t *) wide, NULL, folders) : NULL;
  g_autofree char *path = library != NULL ? file_of (library) : NULL;
  GModule *module = path != NULL ? g_module_open (path, G_MODULE_BIND_LOCAL) : NULL;

  if (library != NULL)
    FreeLibrary (library);
  return module;
}

/* Drivers before 2018 installed NVML in a folder for programs. */
static GModule *
load_from_programs (const char *name)
{
  wchar_t folder[MAX_PATH];
  g_autofree char *programs = NULL, *path = NULL;

  if (SHGetFolderPathW (NULL, CSIDL_PROGRAM_FILES, NULL, SHGFP_TYPE_CURRENT, folder) != S_OK)
    return NULL;
  programs = g_utf16_to_utf8 ((const gunichar2 *) folder, -1, NULL, NULL, NULL);
  if (programs == NULL)
    return NULL;
  path = g_build_filename (programs, "NVIDIA Corporation", "NVSMI", name, NULL);
  return load (path, LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32);
}

/*
 * Searches a bare name, and the libraries that it needs, in the system's folder only: never in the
 * current folder or in those of PATH.
 */
static GModule *
open_driver (const char *name)
{
  GModule *module = load (name, LOAD_LIBRARY_SEARCH_SYSTEM32);

  return module != NULL ? module : load_from_programs (name);
}

/* The loader accepts only an absolute path when it searches the folder of the library, too. */
static GModule *
open_replacement (const char *path)
{
  g_autofree char *full = g_canonicalize_filename (path, NULL);

  g_strdelimit (full, "/", '\\');
  return load (full, LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32);
}

const char *
pt_library_hint (void)
{
  return "";
}

static const char *
missing_hint (void)
{
  return " If it has an NVIDIA GPU, install the driver from nvidia.com.";
}

#else

/* The folder where Windows puts its driver's libraries for WSL. */
#define WSL_FOLDER "/usr/lib/wsl/lib"

static gboolean
is_wsl (void)
{
  g_autofree char *version = NULL;

  return g_file_get_contents ("/proc/version", &version, NULL, NULL) &&
         strstr (version, "icrosoft") != NULL;
}

static gboolean
is_container (void)
{
  return g_file_test ("/.dockerenv", G_FILE_TEST_EXISTS) ||
         g_file_test ("/run/.containerenv", G_FILE_TEST_EXISTS) ||
         g_file_test ("/.flatpak-info", G_FILE_TEST_EXISTS) || g_getenv ("container") != NULL;
}

const char *
pt_library_hint (void)
{
  if (is_wsl ())
    return " In WSL the NVIDIA driver is installed on Windows, and its libraries are found in "
           "/usr/lib/wsl/lib.";
  if (is_container ())
    return " This is a container: start it with access to the GPU.";
  return "";
}

/* Distributions have separate packages for these libraries. */
static const char *
missing_hint (void)
{
  const char *hint = pt_library_hint ();

  if (hint[0] == 0 && g_file_test ("/proc/driver/nvidia/version", G_FILE_TEST_EXISTS))
    return " The driver itself runs: install the package with its libraries for CUDA.";
  return hint;
}

static GModule *
open_replacement (const char *path)
{
  return g_module_open (path, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
}

/* In WSL the folder may be missing in the loader's configuration. */
static GModule *
open_driver (const char *name)
{
  GModule *module = open_replacement (name);
  g_autofree char *path = NULL;

  if (module == NULL && !g_path_is_absolute (name)) {
    path = g_build_filename (WSL_FOLDER, name, NULL);
    module = open_replacement (path);
  }
  return module;
}

#endif

GModule *
pt_library_open (const char *variable, const char *linux_name, const char *windows_name,
                 GError **error)
{
  const char *path = g_getenv (variable);
  GModule *module;

  if (path != NULL) {
    module = open_replacement (path);
  } else {
#ifdef G_OS_WIN32
    path = windows_name;
#else
    path = linux_name;
#endif
    module = open_driver (path);
  }
  if (module == NULL)
    pt_fail (error, PT_ERROR_NOT_FOUND,
             "There is no NVIDIA driver on this machine (%s cannot be loaded).%s", path,
             missing_hint ());
  return module;
}

static gpointer
find_symbol (GModule *module, const PtSymbol *symbol)
{
  gpointer address = NULL;

  for (guint i = 0; i < PT_SYMBOL_NAMES && symbol->names[i] != NULL; i++)
    if (g_module_symbol (module, symbol->names[i], &address) && address != NULL)
      return address;
  return NULL;
}

gboolean
pt_library_resolve (GModule *module, const PtSymbol *symbols, guint n_symbols, gpointer functions)
{
  gboolean complete = TRUE;

  for (guint i = 0; i < n_symbols; i++) {
    gpointer address = find_symbol (module, &symbols[i]);

    memcpy ((guint8 *) functions + symbols[i].offset, &address, sizeof address);
    complete &= address != NULL || !symbols[i].needed;
  }
  return complete;
}
