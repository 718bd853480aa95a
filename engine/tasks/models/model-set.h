/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/engine.h"
#include "engine/program/program.h"

G_BEGIN_DECLS

/**
 * PtModelSet: the files that make up one model: its program, its data files, its tokenizer and
 * its preprocessor. A MODEL is a program (.pte) or the folder it lies in; what is not named
 * is looked for beside the program.
 */

typedef enum {
  PT_TASK_PROGRAM,      /* anything else: pteris run and inspect */
  PT_TASK_CHAT,         /* a text model (runners, section 3.1) */
  PT_TASK_TRANSCRIBE,   /* an encoder and a text decoder (section 6.1) */
  PT_TASK_PREPROCESSOR, /* sound to mel (section 11.2) */
} PtModelTask;

typedef struct {
  PtModelTask task;
  char *name;         /* of the folder when the program is called model.pte, else the program's */
  char *folder;       /* where the program lies */
  char *program;      /* path */
  char **data;        /* paths, NULL-terminated, may be empty */
  char *tokenizer;    /* path or NULL */
  char *preprocessor; /* path or NULL */
  guint64 bytes;      /* of all of them */
  GError *missing;    /* what keeps the model from being used, as an error; NULL when complete */
  guint lacks;        /* PT_MODEL_DATA, ...: which of its members are missing or do not fit */
} PtModelSet;

/** "chat", "transcribe", "program", "preprocessor" */
const char *pt_model_task_name (PtModelTask task);

/** What @program is for, by its methods and their inputs. */
PtModelTask pt_model_task_of (const PtProgram *program);

/**
 * Paths of the programs beside @program whose names say that they are the same for the CPU:
 * "NAME.cpu.pte" first, then all with "-xnnpack" in them. Not opened. Free with
 * g_ptr_array_unref().
 */
GPtrArray *pt_model_cpu_variants (const char *program);

/**
 * Find the files of the model at @path. The last three name companions that lie elsewhere, or are
 * NULL. Fails when there is no such program; a lacking companion only sets @missing. Blocking; any
 * thread.
 */
PtModelSet *pt_model_set_find (const char *path, const char *const *data, const char *tokenizer,
                               const char *preprocessor, GError **error);
void pt_model_set_free (PtModelSet *set);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtModelSet, pt_model_set_free)

/** FALSE with a copy of @missing when something is. */
gboolean pt_model_set_check (const PtModelSet *set, GError **error);

G_END_DECLS
