/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/tasks/models/family.h"

G_BEGIN_DECLS

/**
 * PtModelSet: the files that make up one model: its program, its data files, its tokenizer and
 * its preprocessor. A MODEL is a program (.pte) or the folder it lies in; what is not named
 * is looked for beside the program.
 */

typedef struct {
  PtFamily family;
  PtModelTask task;   /* of the family */
  char *why;          /* why it is nothing but a program, a sentence; or NULL */
  char *name;         /* of the folder when the program is called model.pte, else the program's */
  char *folder;       /* where the program lies */
  char *program;      /* path */
  char **data;        /* paths, NULL-terminated, may be empty */
  char *tokenizer;    /* path or NULL */
  char *preprocessor; /* path or NULL */
  char *vad;          /* path of a detector of voice beside it, or NULL */
  char *diarizer;     /* path of one that tells speakers apart, beside it, or NULL */
  gboolean streams;   /* a speech model that writes while it hears */
  guint64 bytes;      /* of all of them */
  GError *missing;    /* what keeps the model from being used, as an error; NULL when complete */
  guint lacks;        /* PT_MODEL_DATA, ...: which of its members are missing or do not fit */
} PtModelSet;

/**
 * Paths of the programs beside @program whose names say that they are the same for the CPU:
 * "NAME.cpu.pte" first, then all with "-xnnpack" in them. Not opened. Free with
 * g_ptr_array_unref().
 */
GPtrArray *pt_model_cpu_variants (const char *program);

/**
 * Find the files of the model at @path. The next three name companions that lie elsewhere, or are
 * NULL. @family: what it is by name (family.h); NULL: as recognised. Fails when there is no such
 * program or family; a lacking companion only sets @missing. Blocking; any thread.
 */
PtModelSet *pt_model_set_find (const char *path, const char *const *data, const char *tokenizer,
                               const char *preprocessor, const char *family, GError **error);
void pt_model_set_free (PtModelSet *set);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtModelSet, pt_model_set_free)

/** FALSE with a copy of @missing when something is. */
gboolean pt_model_set_check (const PtModelSet *set, GError **error);

G_END_DECLS
