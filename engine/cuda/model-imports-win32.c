/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/set-error.h"
#include "engine/cuda/model-imports.h"

#include <string.h>
#include <windows.h>

#include "engine/cuda/shims-private.h"

/* When an older version is asked for, the driver returns the function with fewer arguments. */
#define PROC_ADDRESS_VERSION 12000

/* Result codes of functions that look up a function by name. */
typedef union {
  FARPROC function;
  gpointer address;
} Address;

static BOOL WINAPI get_module_handle (DWORD flags, LPCWSTR name, HMODULE *module);
static BOOL WINAPI free_library (HMODULE module);
static FARPROC WINAPI get_proc_address (HMODULE module, LPCSTR name);
static PtCuResult PT_CUDA_CALL get_driver_address (const char *name, void **function, int version,
                                                   guint64 flags, int *status);

typedef struct {
  const char *name;
  Address ours;
} Lead;

#define OURS(function_)                        \
  {                                            \
    .function = (FARPROC) (gpointer) function_ \
  }
static const Lead of_windows[] = {
  { "GetModuleHandleExW", OURS (get_module_handle) },
  { "FreeLibrary", OURS (free_library) },
  { "GetProcAddress", OURS (get_proc_address) },
};
static const Lead of_driver[] = {
#define LEAD(result, name, parameters, arguments) { #name, OURS (pt_##name) },
  PT_SHIM_DRIVER_FUNCTIONS (LEAD)
#undef LEAD
      { "cuGetProcAddress_v2", OURS (get_driver_address) },
};
#undef OURS

static gpointer
find (const Lead *leads, guint n, const char *name)
{
  for (guint i = 0; i < n; i++)
    if (strcmp (name, leads[i].name) == 0)
      return leads[i].ours.address;
  return NULL;
}

/* The replacement of the function @theirs; @theirs itself when there is none. */
static gpointer
lead_driver (const char *name, gpointer theirs)
{
  gpointer ours = theirs != NULL ? find (of_driver, G_N_ELEMENTS (of_driver), name) : NULL;

  return ours != NULL ? ours : theirs;
}

static gpointer
lead (const char *name, gpointer theirs)
{
  gpointer ours = find (of_windows, G_N_ELEMENTS (of_windows), name);

  return ours != NULL ? ours : lead_driver (name, theirs);
}

/* ---- letting the library be unloaded ---- */

/* Whether the code at @address belongs to @module. */
static gboolean
is_own (gpointer address, HMODULE module)
{
  const DWORD flags =
      GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS | GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT;
  HMODULE own = NULL;

  return GetModuleHandleExW (flags, address, &own) && own == module;
}

static BOOL WINAPI
get_module_handle (DWORD flags, LPCWSTR name, HMODULE *module)
{
  const DWORD uncounted =
      GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT | GET_MODULE_HANDLE_EX_FLAG_PIN;
  gpointer caller = __builtin_return_address (0);

  if (!GetModuleHandleExW (flags, name, module))
    return FALSE;
  if ((flags & uncounted) == 0 && is_own (caller, *module))
    FreeLibrary (*module);
  return TRUE;
}

static BOOL WINAPI
free_library (HMODULE module)
{
  return is_own (__builtin_return_address (0), module) || FreeLibrary (module);
}

/* ---- functions of the driver ---- */

static FARPROC WINAPI
get_proc_address (HMODULE module, LPCSTR name)
{
  Address address = { .function = GetProcAddress (module, name) };

  if (!IS_INTRESOURCE (name)) /* it is an ordinal number, not a name */
    address.address = lead_driver (name, address.address);
  return address.function;
}

static PtCuResult PT_CUDA_CALL
get_driver_address (const char *name, void **function, int version, guint64 flags, int *status)
{
  const PtCuda *cu = pt_cuda_driver (NULL);
  PtCuResult code;

  if (cu == NULL || cu->cuGetProcAddress == NULL)
    return PT_CU_NOT_INITIALIZED;
  code = cu->cuGetProcAddress (name, function, version, flags, status);
  if (code != PT_CU_SUCCESS || *function == NULL)
    return code;
  if (strcmp (name, "cuGetProcAddress") != 0)
    *function = lead_driver (name, *function);
  else if (version >= PROC_ADDRESS_VERSION)
    *function = (gpointer) get_driver_address;
  return code;
}

/* ---- the table ---- */

/* The import table may lie in a read-only section. */
static gboolean
put (gpointer *slot, gpointer address)
{
  DWORD protection, unused;

  if (!VirtualProtect (slot, sizeof *slot, PAGE_READWRITE, &protection))
    return FALSE;
  *slot = address;
  return VirtualProtect (slot, sizeof *slot, protection, &unused);
}

/* The loader has already read these tables, so they are valid. */
static gboolean
lead_module (guint8 *base, const IMAGE_IMPORT_DESCRIPTOR *module)
{
  const IMAGE_THUNK_DATA64 *names =
      (const IMAGE_THUNK_DATA64 *) (gpointer) (base + module->OriginalFirstThunk);
  gpointer *slots = (gpointer *) (gpointer) (base + module->FirstThunk);

  for (guint i = 0; module->OriginalFirstThunk != 0 && names[i].u1.AddressOfData != 0; i++) {
    const IMAGE_IMPORT_BY_NAME *name;
    gpointer ours;

    if (IMAGE_SNAP_BY_ORDINAL64 (names[i].u1.Ordinal))
      continue;
    name = (const IMAGE_IMPORT_BY_NAME *) (gpointer) (base + names[i].u1.AddressOfData);
    ours = lead ((const char *) name->Name, slots[i]);
    if (ours != slots[i] && !put (&slots[i], ours))
      return FALSE;
  }
  return TRUE;
}

gboolean
pt_model_imports_lead (gpointer library, GError **error)
{
  guint8 *base = library;
  const IMAGE_DOS_HEADER *dos = (const IMAGE_DOS_HEADER *) (gpointer) base;
  const IMAGE_NT_HEADERS64 *nt = (const IMAGE_NT_HEADERS64 *) (gpointer) (base + dos->e_lfanew);
  const IMAGE_DATA_DIRECTORY *imports =
      &nt->OptionalHeader.DataDirectory[IMAGE_DIRECTORY_ENTRY_IMPORT];
  const IMAGE_IMPORT_DESCRIPTOR *module =
      (const IMAGE_IMPORT_DESCRIPTOR *) (gpointer) (base + imports->VirtualAddress);

  for (; imports->VirtualAddress != 0 && module->Name != 0; module++)
    if (!lead_module (base, module))
      return pt_fail (error, PT_ERROR_DELEGATE,
                      "The model's library cannot be prepared for use (Windows error %lu).",
                      GetLastError ());
  return TRUE;
}
