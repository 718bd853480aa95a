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
  PT_N_WANTED_FILES, /* the rest is never what we want */
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

/** The same for a file that may be empty. */
GBytes *pt_file_map_any (const char *path, GError **error);

/** FALSE when the file @path, of which @bytes are a map, has been shortened since. */
gboolean pt_file_check_intact (GBytes *bytes, const char *path, GError **error);

/**
 * The result of reading the map @bytes of the file @path: @ok with its error, unless bytes of the
 * map were lost meanwhile. What was found in a map with lost bytes means nothing, so the loss is
 * then the error.
 */
gboolean pt_file_settle (gboolean ok, GBytes *bytes, const char *path, GError **error);

/** The kind of file that the first bytes tell (docs/formats/program.md, section 1). */
PtFileKind pt_file_kind (const guint8 *data, gsize size);

/**
 * FALSE with an error that says what the file is, unless its first bytes are those of @wanted.
 *
 * @name: of the file, in UTF-8, for messages.
 */
gboolean pt_file_expect (const guint8 *data, gsize size, PtFileKind wanted, const char *name,
                         GError **error);

/** FALSE, with an error that says how many bytes are missing, when @needed > @size. */
gboolean pt_file_check_length (guint64 size, guint64 needed, PtError code, const char *name,
                               GError **error);

G_END_DECLS
