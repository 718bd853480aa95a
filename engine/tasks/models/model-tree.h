/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/tasks/models/program-names.h"

G_BEGIN_DECLS

/* PtModelTree: the programs in a folder and in those below it, without opening any. Links to
 * folders are not followed, hidden folders are left out; depth and number are limited. */

#define PT_TREE_DEPTH 3
#define PT_TREE_PROGRAMS 256
#define PT_TREE_ENTRIES 16384

typedef struct {
  char *path;
  char *relative; /* to the folder of the tree, with "/" */
  PtProgramName name;
} PtTreeProgram;

typedef struct {
  GPtrArray *programs; /* PtTreeProgram, sorted by @relative */
  gboolean is_cut;     /* there is more than the limits allow */
} PtModelTree;

/** @depth: levels of folders below @folder; 0: @folder alone. Never NULL. Blocking; any thread. */
PtModelTree *pt_model_tree_read (const char *folder, guint depth);
void pt_model_tree_free (PtModelTree *tree);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtModelTree, pt_model_tree_free)

G_END_DECLS
