/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/*
 * Opening files and recognising their kind.
 *
 * A file is mapped read-only and never copied, so its size costs nothing (mapping.h).
 */

typedef enum {
  PT_FILE_PROGRAM,   /* .pte */
  PT_FILE_DATA,      /* .ptd */
  PT_FILE_BUNDLE,    /* .bpte */
  PT_N_WANTED_FILES, /* the kinds below cannot be opened; they are known only for better messages */
  PT_FILE_UNKNOWN = PT_N_WANTED_FILES,
  PT_FILE_PROGRAM_VERSION, /* a program of another format version */
  PT_FILE_DATA_VERSION,
  PT_FILE_BUNDLE_VERSION,
  PT_FILE_ETDUMP,
  PT_FILE_ZIP,
  PT_FILE_GGUF,
} PtFileKind;

/** Map @path, which must be a regular file that is not empty. */
GBytes *pt_file_map (const char *path, GError **error);

/** Map @path, which must be a regular file; it may be empty. */
GBytes *pt_file_map_any (const char *path, GError **error);

/** FALSE when the file @path has been shortened since it was mapped to @bytes. */
gboolean pt_file_check_intact (GBytes *bytes, const char *path, GError **error);

/**
 * Check the map again after reading it. Returns @ok with its error when the map is intact. When
 * bytes of the map were lost while it was read, the findings mean nothing: FALSE, and the error
 * says that the file was shortened.
 *
 * @bytes: the map of the file @path.
 * @ok: the result of reading it; @error is set when FALSE.
 */
gboolean pt_file_settle (gboolean ok, GBytes *bytes, const char *path, GError **error);

/** Recognise the kind of file by its first bytes (docs/formats/program.md, section 1). */
PtFileKind pt_file_kind (const guint8 *data, gsize size);

/**
 * Check that the first bytes are those of kind @wanted. FALSE with an error that names the actual
 * kind.
 *
 * @name: the name of the file in UTF-8, for messages.
 */
gboolean pt_file_expect (const guint8 *data, gsize size, PtFileKind wanted, const char *name,
                         GError **error);

/** FALSE, with an error that says how many bytes are missing, when @needed > @size. */
gboolean pt_file_check_length (guint64 size, guint64 needed, PtError code, const char *name,
                               GError **error);

G_END_DECLS
