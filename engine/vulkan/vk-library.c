/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/vulkan/vk-library.h"

#include <gmodule.h>

#include "engine/base/set-error.h"

#ifdef G_OS_WIN32
#include <windows.h>

#define LIBRARY "vulkan-1.dll"

/* Searches the system's folder only, never the current folder or those of PATH. */
static PFN_vkGetInstanceProcAddr
open_library (const char *path)
{
  g_autofree gunichar2 *wide = g_utf8_to_utf16 (path, -1, NULL, NULL, NULL);
  DWORD folders = LOAD_LIBRARY_SEARCH_SYSTEM32;
  HMODULE library;

  if (g_path_is_absolute (path))
    folders |= LOAD_LIBRARY_SEARCH_DLL_LOAD_DIR;
  library = wide != NULL ? LoadLibraryExW ((const wchar_t *) wide, NULL, folders) : NULL;
  if (library == NULL)
    return NULL;
  return (PFN_vkGetInstanceProcAddr) (gpointer) GetProcAddress (library, "vkGetInstanceProcAddr");
}

#else

#define LIBRARY "libvulkan.so.1"

static PFN_vkGetInstanceProcAddr
open_library (const char *path)
{
  GModule *module = g_module_open (path, G_MODULE_BIND_LAZY | G_MODULE_BIND_LOCAL);
  gpointer symbol = NULL;

  if (module == NULL)
    return NULL;
  /* Threads of drivers may still run in it when the process ends. */
  g_module_make_resident (module);
  return g_module_symbol (module, "vkGetInstanceProcAddr", &symbol)
             ? (PFN_vkGetInstanceProcAddr) symbol
             : NULL;
}

#endif

PFN_vkGetInstanceProcAddr
pt_vk_library_open (GError **error)
{
  const char *path = g_getenv ("PTERIS_VULKAN");
  PFN_vkGetInstanceProcAddr get;

  get = open_library (path != NULL ? path : LIBRARY);
  if (get == NULL)
    pt_fail (error, PT_ERROR_GPU,
             "There is no Vulkan on this machine: %s cannot be loaded. Install the driver of the "
             "GPU%s.",
             path != NULL ? path : LIBRARY,
#ifdef G_OS_WIN32
             ""
#else
             " and the Vulkan loader (package libvulkan1 or vulkan-loader)"
#endif
    );
  return get;
}
