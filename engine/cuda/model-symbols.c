/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/model-symbols.h"

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/cuda/elf-local.h"
#include "engine/cuda/private-file.h"

#ifdef G_OS_WIN32
#include <windows.h>

#include "engine/cuda/model-imports.h"
#else
#include <dlfcn.h>
#endif

typedef struct {
  const char *name;
  gsize offset; /* offset of the pointer in PtModelSymbols */
  gboolean needed;
} Symbol;

#define SYMBOL(member, name, needed, arguments) \
  { "AOTInductor" name, G_STRUCT_OFFSET (PtModelSymbols, member), needed },
static const Symbol symbols[] = { PT_MODEL_FUNCTIONS (SYMBOL) };
#undef SYMBOL

struct _PtModelLibrary {
  PtModelSymbols symbols;
  gpointer handle;
  PtPrivateFile *file;
};

#ifdef G_OS_WIN32

/* Imports are resolved only by libraries that are loaded, by name, or by the system's folder. */
static gpointer
load (const char *path, GError **error)
{
  g_autofree gunichar2 *wide = g_utf8_to_utf16 (path, -1, NULL, NULL, NULL);
  HMODULE handle = LoadLibraryExW ((const wchar_t *) wide, NULL, LOAD_LIBRARY_SEARCH_SYSTEM32);
  g_autofree char *why = NULL;

  if (handle == NULL) {
    why = g_win32_error_message ((int) GetLastError ());
    pt_fail (error, PT_ERROR_DELEGATE, "The model's library cannot be loaded: %s", why);
    return NULL;
  }
  if (!pt_model_imports_lead (handle, error)) {
    FreeLibrary (handle);
    return NULL;
  }
  return handle;
}

static gpointer
find (gpointer handle, const char *name)
{
  return (gpointer) GetProcAddress (handle, name);
}

static void
unload (gpointer handle)
{
  FreeLibrary (handle);
}

#else

/*
 * RTLD_LOCAL: otherwise the C++ functions of a second model would be bound to the first. RTLD_NOW:
 * otherwise a missing function would end the process when it is called.
 *
 * The C++ library is loaded first and stays in the process: otherwise it would bind to functions of
 * the model and keep the model loaded. OpenMP, if a model loads it, stays too, because its idle
 * threads wait in its code.
 */
static gpointer
load (const char *path, GError **error)
{
  static gpointer cxx;
  gpointer handle;

  if (cxx == NULL)
    cxx = dlopen ("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
  handle = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  if (handle == NULL)
    pt_fail (error, PT_ERROR_DELEGATE, "The model's library cannot be loaded: %s.", dlerror ());
  else
    dlopen ("libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD);
  return handle;
}

static gpointer
find (gpointer handle, const char *name)
{
  return dlsym (handle, name);
}

static void
unload (gpointer handle)
{
  dlclose (handle);
}

#endif

static gboolean
resolve (PtModelLibrary *library, GError **error)
{
  g_autoptr (GString) missing = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (symbols); i++) {
    gpointer address = find (library->handle, symbols[i].name);

    memcpy ((guint8 *) &library->symbols + symbols[i].offset, &address, sizeof address);
    if (address == NULL && symbols[i].needed)
      g_string_append_printf (missing, "%s%s", missing->len > 0 ? ", " : "", symbols[i].name);
  }
  return missing->len == 0 ||
         pt_fail (error, PT_ERROR_DELEGATE, "The model's library lacks %s. Export the model again.",
                  missing->str);
}

PtModelLibrary *
pt_model_library_open (const guint8 *bytes, gsize size, GError **error)
{
  g_autoptr (PtModelLibrary) library = g_new0 (PtModelLibrary, 1);
  g_autofree guint8 *copy = pt_allocate (size, 1, error);

  if (copy == NULL)
    return NULL;
  memcpy (copy, bytes, size);
  pt_elf_make_local (copy, size);
  library->file = pt_private_file_new (copy, size, error);
  if (library->file == NULL)
    return NULL;
  library->handle = load (pt_private_file_path (library->file), error);
  if (library->handle == NULL)
    return NULL;
#ifndef G_OS_WIN32
  g_clear_pointer (&library->file, pt_private_file_free);
#endif
  return resolve (library, error) ? g_steal_pointer (&library) : NULL;
}

const PtModelSymbols *
pt_model_library_symbols (const PtModelLibrary *library)
{
  return &library->symbols;
}

void
pt_model_library_free (PtModelLibrary *library)
{
  if (library->handle != NULL)
    unload (library->handle);
  g_clear_pointer (&library->file, pt_private_file_free);
  g_free (library);
}
