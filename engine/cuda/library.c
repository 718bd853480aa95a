/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/library.h"

#include <string.h>

#ifdef G_OS_WIN32
#include <windows.h>
#endif

/* On Windows only from the system's folder: a bare name would be looked for in the current one
 * too. */
static char *
library_path (const char *linux_name, const char *windows_name)
{
#ifdef G_OS_WIN32
  wchar_t folder[MAX_PATH];
  UINT length = GetSystemDirectoryW (folder, MAX_PATH);
  g_autofree char *utf8 = NULL;

  if (length > 0 && length < MAX_PATH)
    utf8 = g_utf16_to_utf8 ((const gunichar2 *) folder, (glong) length, NULL, NULL, NULL);
  return g_build_filename (utf8 != NULL ? utf8 : "C:\\Windows\\System32", windows_name, NULL);
#else
  return g_strdup (linux_name);
#endif
}

#ifdef G_OS_WIN32

const char *
pt_library_hint (void)
{
  return "";
}

static const char *
missing_hint (void)
{
  return " Install the driver from NVIDIA.";
}

#else

/* Where Windows puts its driver's libraries for Linux. */
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

/* Distributions have packages of their own for the libraries. */
static const char *
missing_hint (void)
{
  const char *hint = pt_library_hint ();

  if (hint[0] == 0 && g_file_test ("/proc/driver/nvidia/version", G_FILE_TEST_EXISTS))
    return " The driver itself runs: install the package with its libraries for CUDA.";
  return hint;
}

#endif

/* In WSL the folder may be missing in the loader's configuration. */
static GModule *
open_by_name (const char *name)
{
  GModule *module = g_module_open (name, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
#ifndef G_OS_WIN32
  g_autofree char *path = NULL;

  if (module == NULL && !g_path_is_absolute (name)) {
    path = g_build_filename (WSL_FOLDER, name, NULL);
    module = g_module_open (path, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
  }
#endif
  return module;
}

GModule *
pt_library_open (const char *variable, const char *linux_name, const char *windows_name,
                 GError **error)
{
  const char *replacement = g_getenv (variable);
  g_autofree char *path =
      replacement != NULL ? g_strdup (replacement) : library_path (linux_name, windows_name);
  GModule *module = open_by_name (path);

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
