/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/models/model-tree.h"

#include <string.h>

#include "engine/base/folder.h"

/* A folder of Kokoro with programs that only it can use. */
#define PHONEMIZER "phonemizer"

typedef struct {
  PtModelTree *tree;
  guint n_entries;
} Walk;

static void
tree_program_free (PtTreeProgram *program)
{
  g_free (program->path);
  g_free (program->relative);
  pt_program_name_clear (&program->name);
  g_free (program);
}

static void
add_program (PtModelTree *tree, const char *path, const char *relative)
{
  PtTreeProgram *program;

  if (tree->programs->len >= PT_TREE_PROGRAMS) {
    tree->is_cut = TRUE;
    return;
  }
  program = g_new0 (PtTreeProgram, 1);
  program->path = g_strdup (path);
  program->relative = g_strdup (relative);
  pt_program_name_read (&program->name, relative);
  g_ptr_array_add (tree->programs, program);
}

static void
walk (Walk *w, const char *folder, const char *relative, guint depth)
{
  g_autoptr (PtFolder) dir = pt_folder_open (folder);
  const char *name;

  while ((name = pt_folder_next (dir)) != NULL) {
    g_autofree char *path = NULL, *inner = NULL;

    if (++w->n_entries > PT_TREE_ENTRIES) {
      w->tree->is_cut = TRUE;
      return;
    }
    if (name[0] == '.')
      continue;
    path = g_build_filename (folder, name, NULL);
    inner = *relative != '\0' ? g_strconcat (relative, "/", name, NULL) : g_strdup (name);
    if (g_str_has_suffix (name, ".pte") && g_file_test (path, G_FILE_TEST_IS_REGULAR))
      add_program (w->tree, path, inner);
    else if (depth > 0 && g_ascii_strcasecmp (name, PHONEMIZER) != 0 &&
             g_file_test (path, G_FILE_TEST_IS_DIR) && !g_file_test (path, G_FILE_TEST_IS_SYMLINK))
      walk (w, path, inner, depth - 1);
  }
}

static int
compare_programs (gconstpointer a, gconstpointer b)
{
  const PtTreeProgram *x = *(const PtTreeProgram *const *) a;
  const PtTreeProgram *y = *(const PtTreeProgram *const *) b;

  return strcmp (x->relative, y->relative);
}

PtModelTree *
pt_model_tree_read (const char *folder, guint depth)
{
  PtModelTree *tree = g_new0 (PtModelTree, 1);
  Walk w = { tree, 0 };

  tree->programs = g_ptr_array_new_with_free_func ((GDestroyNotify) tree_program_free);
  walk (&w, folder, "", depth);
  g_ptr_array_sort (tree->programs, compare_programs);
  return tree;
}

void
pt_model_tree_free (PtModelTree *tree)
{
  if (tree == NULL)
    return;
  g_ptr_array_unref (tree->programs);
  g_free (tree);
}
