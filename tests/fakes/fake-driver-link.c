/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * The stubs that CUDA 13's cuda.lib links into a library for Windows (docs/formats/cuda.md, section
 * 4.6): functions of the driver that load nvcuda.dll at the first call, and get all others from its
 * cuGetProcAddress().
 */

#include <windows.h>

#include "engine/cuda/shims/names.h"

enum { VERSION = 13000, NOT_SUPPORTED = 801 };

typedef int GetAddress (const char *name, void **function, int version, uint64_t flags,
                        int *status);

static void *
find (const char *name)
{
  static GetAddress *get_address;
  void *function = NULL;

  if (get_address == NULL) {
    HMODULE driver = LoadLibraryExA ("nvcuda.dll", NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
    GetAddress *first = driver != NULL
                            ? (GetAddress *) (void *) GetProcAddress (driver, "cuGetProcAddress_v2")
                            : NULL;

    if (first == NULL || first ("cuGetProcAddress", &function, VERSION, 0, NULL) != 0)
      return NULL;
    get_address = (GetAddress *) function;
  }
  return get_address (name, &function, VERSION, 0, NULL) == 0 ? function : NULL;
}

#define DEFINE(result, name, parameters, arguments)         \
  result name parameters;                                   \
  result name parameters                                    \
  {                                                         \
    static result (*found) parameters;                      \
                                                            \
    if (found == NULL)                                      \
      found = (result (*) parameters) find (#name);         \
    return found != NULL ? found arguments : NOT_SUPPORTED; \
  }
PT_SHIM_DRIVER_FUNCTIONS (DEFINE)
