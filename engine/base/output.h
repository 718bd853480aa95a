/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/*
 * Files that Pteris writes where the user says. What is already there is replaced as a whole, and
 * only by its like: a transcript takes the place of a text, never of a recording or a model.
 */

typedef enum {
  PT_OUTPUT_TEXT,
  PT_OUTPUT_ARRAY, /* .npy */
} PtOutputKind;

/** Bytes of an output. */
typedef struct {
  gconstpointer data;
  gsize size;
} PtOutputPart;

/**
 * FALSE with an error when writing to @path would destroy something: one of the files @inputs
 * (NULL-terminated, or NULL), also by another name or through a link, or a file of another kind.
 * Blocking; any thread.
 */
gboolean pt_output_check (const char *path, PtOutputKind kind, const char *const *inputs,
                          GError **error);

/**
 * After that check: write @n parts, one after the other. A regular file gets them under another
 * name that becomes its own when all is written; a link stays, and what it names is written; a pipe
 * or a device is written to.
 */
gboolean pt_output_write (const char *path, PtOutputKind kind, const char *const *inputs,
                          const PtOutputPart *parts, guint n, GError **error);

G_END_DECLS
