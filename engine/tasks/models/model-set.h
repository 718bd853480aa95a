/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/runtime/module.h"
#include "engine/tasks/models/family.h"

G_BEGIN_DECLS

/**
 * PtModelSet: the files that make up one model: its program, its data files, its tokenizer and
 * its preprocessor. A MODEL is a program (.pte) or the folder it lies in; what is not named
 * is looked for beside the program.
 */

/** A file or a folder of a model and what it is for. */
typedef struct {
  char *role; /* "encoder", "decoder", "text", "image", "detector", "vad", … */
  char *path;
} PtSetPart;

typedef struct {
  PtFamily family;     /* of its program */
  PtModelTask task;    /* of the family */
  char *why;           /* a sentence: why its methods can only be run; or NULL */
  char *name;          /* the folder's if the program is called model.pte, else the program's */
  char *folder;        /* of the program */
  char *program;       /* path */
  char **data;         /* paths, NULL-terminated, may be empty */
  char *tokenizer;     /* path or NULL */
  char *preprocessor;  /* path or NULL */
  char *vad;           /* path of a detector of voice beside the program, or NULL */
  char *diarizer;      /* path of a diarizer beside the program, or NULL */
  GPtrArray *parts;    /* PtSetPart: of a model of several programs, with the program itself */
  GPtrArray *variants; /* PtModelVariant, the best first; with the program itself */
  gboolean streams;    /* a speech model that writes text while it hears */
  guint64 bytes;       /* size of program, data files, tokenizer and preprocessor */
  GError *missing;     /* an error: why the model cannot be used; NULL when it is complete */
  guint lacks;         /* PT_MODEL_DATA, ...: members that are missing or do not fit */

  /* Private: files that were opened to find the set, so that loading need not verify them again. */
  GHashTable *open_programs; /* canonical path -> PtProgram */
  GPtrArray *open_data;      /* PtDataFile for each of @data; NULL once a module has them */
} PtModelSet;

/**
 * Paths of the programs beside @program whose names mark them as variants for the CPU:
 * "NAME.cpu.pte" first, then all with "-xnnpack" in them. They are not opened. Free with
 * g_ptr_array_unref().
 */
GPtrArray *pt_model_cpu_variants (const char *program);

/** The files to search for; members that are NULL are looked for beside the program. */
typedef struct {
  const char *path;         /* a program or a folder */
  const char *const *data;  /* NULL-terminated */
  const char *tokenizer;    /* file or folder */
  const char *preprocessor; /* ... */
  const char *family;       /* the name of its family (family.h); NULL: it is recognised */
  const char *variant;      /* name of a PtModelVariant; NULL: the best that runs here */
  PtBackendChoice backend;  /* variants for it are preferred */
  const char *part;         /* role of the part to open, if the model has it; or NULL */
  guint size;               /* variants of this side of pictures are preferred; 0: the smallest */
  const char *language;     /* that is spoken, as pt_model_asked_language() gives; or NULL */
  gboolean best;            /* @path is a program: another variant of it may be better */
  PtProgram *program;       /* opened from @path already; the set takes a reference; or NULL */
} PtModelQuery;

/**
 * Find the files of a model. Fails when there is no such program, variant or family, or when there
 * are several models; a member that is missing only sets @missing. Blocking; any thread.
 */
PtModelSet *pt_model_set_search (const PtModelQuery *query, GError **error);

/**
 * Find the files of the model at @path. The next three arguments name members that lie elsewhere,
 * or are NULL. @family: the name of its family (family.h); NULL: it is recognised. Fails when there
 * is no such program or family; a member that is missing only sets @missing. Blocking; any thread.
 */
PtModelSet *pt_model_set_find (const char *path, const char *const *data, const char *tokenizer,
                               const char *preprocessor, const char *family, GError **error);
void pt_model_set_free (PtModelSet *set);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtModelSet, pt_model_set_free)

/**
 * The path of the part of @set that is @role, or NULL. Parts are the programs of a model that has
 * several, by pt_family_role(), and companions ("preprocessor", "vad", "diarizer"). Owned by @set.
 */
const char *pt_model_set_part (const PtModelSet *set, const char *role);

/** FALSE with a copy of @missing if that is set. */
gboolean pt_model_set_check (const PtModelSet *set, GError **error);

/** The program of @set with its data files as a module. NULL with an error. */
PtModule *pt_model_set_open (PtModelSet *set, const PtMethodOptions *options, GError **error);

/** The program at @path, which is opened and verified once. Owned by @set. NULL with an error. */
PtProgram *pt_model_set_program (PtModelSet *set, const char *path, GError **error);

/** Let @set use @program, which was opened from @path. Does nothing once the files of @set are
 * closed. */
void pt_model_set_add_program (PtModelSet *set, const char *path, PtProgram *program);

/** A companion of @set, the program at @path, as a module. NULL with an error. */
PtModule *pt_model_set_open_companion (PtModelSet *set, const char *path,
                                       const PtMethodOptions *options, GError **error);

/** Close the files that no module has taken. */
void pt_model_set_close_files (PtModelSet *set);

G_END_DECLS
