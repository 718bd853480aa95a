/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/binary-image-private.h"

#ifdef G_OS_UNIX
#include <dlfcn.h>
#endif
#ifdef G_OS_WIN32
#include <windows.h>
#endif
#ifdef __GLIBC__
#include <link.h>
#endif

static PtCudaCpu
cpu_here (void)
{
#if defined(__x86_64__) || defined(_M_X64)
  return PT_CUDA_CPU_X86_64;
#elif defined(__aarch64__) || defined(_M_ARM64)
  return PT_CUDA_CPU_AARCH64;
#else
  return PT_CUDA_CPU_OTHER;
#endif
}

#ifdef __GLIBC__

/* The path that the loader has for @name. */
static char *
library_path (const char *name)
{
  void *handle = dlopen (name, RTLD_LAZY | RTLD_LOCAL);
  struct link_map *map = NULL;
  char *path = NULL;

  if (handle == NULL)
    return NULL;
  if (dlinfo (handle, RTLD_DI_LINKMAP, &map) == 0 && map->l_name[0] == '/')
    path = g_strdup (map->l_name);
  dlclose (handle);
  return path;
}

static void
add_offers (GPtrArray *out, const char *library)
{
  g_autofree char *path = library_path (library);
  g_autoptr (GMappedFile) file = path != NULL ? g_mapped_file_new (path, FALSE, NULL) : NULL;
  char **names;

  if (file == NULL)
    return;
  names = pt_image_offers ((const guint8 *) g_mapped_file_get_contents (file),
                           g_mapped_file_get_length (file));
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    g_ptr_array_add (out, names[i]);
  g_free (names);
}

/*
 * The exported versions of the system's libraries, read once per process. NULL when they cannot be
 * found.
 */
static const char *const *
versions_here (void)
{
  static const char *const libraries[] = { "libc.so.6", "libm.so.6", "libstdc++.so.6",
                                           "libgcc_s.so.1" };
  static const char *const *versions;

  if (g_once_init_enter (&versions)) {
    GPtrArray *out = g_ptr_array_new ();

    for (guint i = 0; i < G_N_ELEMENTS (libraries); i++)
      add_offers (out, libraries[i]);
    g_ptr_array_sort (out, pt_image_compare_names);
    g_ptr_array_add (out, NULL);
    g_once_init_leave (&versions, (const char *const *) g_ptr_array_free (out, FALSE));
  }
  return versions[0] != NULL ? versions : NULL;
}

#else

static const char *const *
versions_here (void)
{
  return NULL;
}

#endif

#ifdef G_OS_WIN32

/* API sets of Windows, which need not exist as files. */
static gboolean
is_contract (const char *name)
{
  return g_ascii_strncasecmp (name, "api-ms-win-", 11) == 0 ||
         g_ascii_strncasecmp (name, "ext-ms-", 7) == 0;
}

/* Our library, and the driver's, whose absence is reported elsewhere. */
static gboolean
is_known (const char *name)
{
  static const char *const known[] = { "aoti_cuda_shims.dll", "cudart64_12.dll", "cudart64_13.dll",
                                       "nvcuda.dll" };

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_ascii_strcasecmp (name, known[i]) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
is_in_system (const wchar_t *name)
{
  wchar_t folder[MAX_PATH];
  g_autofree wchar_t *path = NULL;
  UINT length = GetSystemDirectoryW (folder, MAX_PATH);

  if (length == 0 || length >= MAX_PATH)
    return FALSE;
  path = g_new (wchar_t, length + wcslen (name) + 2);
  memcpy (path, folder, length * sizeof *path);
  path[length] = L'\\';
  wcscpy (path + length + 1, name);
  return GetFileAttributesW (path) != INVALID_FILE_ATTRIBUTES;
}

/* Searches in the way of the loader (model-symbols.c). */
static gboolean
has_library (const char *name)
{
  g_autofree gunichar2 *wide = g_utf8_to_utf16 (name, -1, NULL, NULL, NULL);

  if (is_contract (name) || is_known (name))
    return TRUE;
  /* Refuse names with a path: a file from outside must not choose folders. */
  if (wide == NULL || name[0] == 0 || name[strcspn (name, "/\\:*?")] != 0)
    return FALSE;
  return GetModuleHandleW ((const wchar_t *) wide) != NULL || is_in_system ((const wchar_t *) wide);
}

#endif

PtCudaMachine
pt_cuda_machine_here (void)
{
  PtCudaMachine machine = { .cpu = cpu_here (), .versions = versions_here () };

#ifdef G_OS_WIN32
  machine.kind = PT_CUDA_IMAGE_PE;
  machine.has_library = has_library;
#else
  machine.kind = PT_CUDA_IMAGE_ELF;
#endif
  return machine;
}
