/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/image-private.h"

#ifdef G_OS_UNIX
#include <dlfcn.h>
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

/* Where the loader has @name from. */
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

/* What the system's libraries offer stays the same while we run: asked once. NULL: not to be
 * found out. */
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

PtCudaMachine
pt_cuda_machine_here (void)
{
  PtCudaMachine machine = { .cpu = cpu_here (), .versions = versions_here () };

#ifdef G_OS_WIN32
  machine.kind = PT_CUDA_IMAGE_PE;
#else
  machine.kind = PT_CUDA_IMAGE_ELF;
#endif
  return machine;
}
