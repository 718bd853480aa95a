/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/*
 * Output files whose path the user chose. An existing file is replaced completely, and only when it
 * is of the same kind: a transcript may replace a text file, never a recording or a model.
 */

typedef enum {
  PT_OUTPUT_TEXT,
  PT_OUTPUT_ARRAY, /* .npy */
  PT_OUTPUT_PNG,   /* .png */
  PT_OUTPUT_WAV,   /* .wav */
} PtOutputKind;

/** A block of bytes of an output. */
typedef struct {
  gconstpointer data;
  gsize size;
} PtOutputPart;

/**
 * Check that writing to @path destroys nothing. FALSE with PT_ERROR_FILE when @path is one of the
 * files @inputs (NULL-terminated, or NULL), also under another name or through a link, or an
 * existing file that is not of @kind. Blocking; any thread.
 */
gboolean pt_output_check (const char *path, PtOutputKind kind, const char *const *inputs,
                          GError **error);

/**
 * Repeat the check and write @n parts, one after the other. A regular file gets its name when it is
 * complete: until then it has none, or a temporary one where the system has no files without a
 * name. When @path is a symbolic link, its target is replaced. Pipes and devices are written to
 * directly. Blocking; any thread.
 */
gboolean pt_output_write (const char *path, PtOutputKind kind, const char *const *inputs,
                          const PtOutputPart *parts, guint n, GError **error);

/** The same without the check. Returns 0 or the number of the system's error (errno). */
int pt_output_replace (const char *path, const PtOutputPart *parts, guint n);

/** The same for a new file: EEXIST if there is one at @path. */
int pt_output_create (const char *path, const PtOutputPart *parts, guint n);

G_END_DECLS
