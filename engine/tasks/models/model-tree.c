/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/models/model-tree.h"

#include <string.h>

#include "engine/base/folder.h"
#include "engine/tasks/models/model-config.h"

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

/* The program of @tree that is @name in @folder (relative, "" or with a slash at the end). */
static PtTreeProgram *
find_in_tree (const PtModelTree *tree, const char *folder, const char *name)
{
  g_autofree char *relative = g_strconcat (folder, name, NULL);

  for (guint i = 0; i < tree->programs->len; i++) {
    PtTreeProgram *program = tree->programs->pdata[i];

    if (strcmp (program->relative, relative) == 0)
      return program;
  }
  return NULL;
}

/* Gives @program the key of @first, which is of the same model; returns the first one. */
static PtTreeProgram *
join_model (PtTreeProgram *first, PtTreeProgram *program)
{
  if (first == NULL || program == NULL)
    return first != NULL ? first : program;
  g_free (program->name.key);
  program->name.key = g_strdup (first->name.key);
  return first;
}

/* The programs that a config.json lists are one model, whatever their names are. */
static void
read_config (PtModelTree *tree, const char *path, const char *folder)
{
  g_autoptr (PtModelConfig) config = pt_model_config_read (path, NULL);
  PtTreeProgram *first = NULL;

  for (guint i = 0; config != NULL && i < config->variants->len; i++) {
    const PtConfigVariant *variant = config->variants->pdata[i];

    if (variant->file != NULL)
      first = join_model (first, find_in_tree (tree, folder, variant->file));
    for (guint k = 0; k < variant->components->len; k++) {
      const PtConfigComponent *component = variant->components->pdata[k];

      first = join_model (first, find_in_tree (tree, folder, component->path));
    }
  }
}

static void
read_configs (PtModelTree *tree)
{
  g_autofree char *last = NULL;

  /* Programs of one folder follow each other, unless there are folders between them. */
  for (guint i = 0; i < tree->programs->len; i++) {
    const PtTreeProgram *program = tree->programs->pdata[i];
    const char *slash = strrchr (program->relative, '/');
    g_autofree char *folder =
        slash != NULL ? g_strndup (program->relative, (gsize) (slash + 1 - program->relative))
                      : g_strdup ("");
    g_autofree char *path = g_path_get_dirname (program->path);

    if (g_strcmp0 (folder, last) == 0)
      continue;
    read_config (tree, path, folder);
    g_free (last);
    last = g_steal_pointer (&folder);
  }
}

PtModelTree *
pt_model_tree_read (const char *folder, guint depth)
{
  PtModelTree *tree = g_new0 (PtModelTree, 1);
  Walk w = { tree, 0 };

  tree->programs = g_ptr_array_new_with_free_func ((GDestroyNotify) tree_program_free);
  walk (&w, folder, "", depth);
  g_ptr_array_sort (tree->programs, compare_programs);
  read_configs (tree);
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
