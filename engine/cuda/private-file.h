/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/**
 * PtPrivateFile: a copy of bytes under a path that the loader can open and nobody else can change
 * (docs/formats/cuda.md, section 4.4). No part of the path comes from a model file. No path is used
 * twice in a process, because a loader returns the old library for a path that it knows.
 */
typedef struct _PtPrivateFile PtPrivateFile;

typedef enum {
  PT_PRIVATE_MEMORY,  /* a sealed file in memory, without a name */
  PT_PRIVATE_RUNTIME, /* the user's runtime folder */
  PT_PRIVATE_SHARED,  /* /dev/shm */
  PT_PRIVATE_TEMP,    /* the folder for temporary files; the only place on Windows */
  PT_PRIVATE_PLACES
} PtPrivatePlace;

/** Copy @bytes to the first place that allows code to be loaded from it. Any thread. */
PtPrivateFile *pt_private_file_new (gconstpointer bytes, gsize size, GError **error);

/** Copy @bytes to one given place only. */
PtPrivateFile *pt_private_file_new_in (PtPrivatePlace place, gconstpointer bytes, gsize size,
                                       GError **error);

/** The path for the loader; UTF-8 on Windows. */
const char *pt_private_file_path (const PtPrivateFile *file);

/**
 * Delete the file. A library that was loaded from it stays usable; on Windows unload the library
 * first.
 */
void pt_private_file_free (PtPrivateFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtPrivateFile, pt_private_file_free)

G_END_DECLS
