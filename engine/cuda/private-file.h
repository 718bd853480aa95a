/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/**
 * PtPrivateFile: bytes under a path that the loader can open, where nobody else can change them
 * (docs/formats/cuda.md, section 4.4). No name comes from a file, and no path is used twice in one
 * process: a loader answers a path that it has seen with the library that it has loaded.
 */
typedef struct _PtPrivateFile PtPrivateFile;

typedef enum {
  PT_PRIVATE_MEMORY,  /* a sealed file without a name */
  PT_PRIVATE_RUNTIME, /* the user's folder for running programs */
  PT_PRIVATE_SHARED,  /* /dev/shm */
  PT_PRIVATE_TEMP,    /* the folder for temporary files; the only place on Windows */
  PT_PRIVATE_PLACES
} PtPrivatePlace;

/** A copy of @bytes in the first place that allows code to be loaded from it. Any thread. */
PtPrivateFile *pt_private_file_new (gconstpointer bytes, gsize size, GError **error);

/** The same in one place only. */
PtPrivateFile *pt_private_file_new_in (PtPrivatePlace place, gconstpointer bytes, gsize size,
                                       GError **error);

/** UTF-8 on Windows. */
const char *pt_private_file_path (const PtPrivateFile *file);

/**
 * Remove it. A library that was loaded from it stays as it is, except on Windows, where it has to
 * be unloaded before.
 */
void pt_private_file_free (PtPrivateFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtPrivateFile, pt_private_file_free)

G_END_DECLS
