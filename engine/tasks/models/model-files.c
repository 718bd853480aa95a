/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/models/model-files.h"

#include <string.h>

#include "engine/tasks/models/model-root.h"
#include "engine/tasks/models/model-tree.h"

/* Appends a file; the texts are copied. What is listed already stays as it is. */
static void
add (GArray *files, const char *path, const char *role, const char *reason)
{
  PtModelFile file = { NULL, NULL, NULL };

  if (path == NULL)
    return;
  for (guint i = 0; i < files->len; i++)
    if (strcmp (g_array_index (files, PtModelFile, i).path, path) == 0)
      return;
  file.path = g_strdup (path);
  file.role = g_strdup (role);
  file.reason = g_strdup (reason);
  g_array_append_val (files, file);
}

/* Files that are found by their name. */
static void
add_named (GArray *files, const PtModelSet *set)
{
  static const char *const TEXT[] = { "chat_template.jinja", "tokenizer_config.json",
                                      "chat_template.json" };
  static const struct {
    const char *name, *role;
  } OTHERS[] = { { "generation_config.json", "settings" },
                 { "preprocessor_config.json", "settings" },
                 { "README.md", "model card" },
                 { "LICENSE", "license" } };
  g_autofree char *folder = pt_model_text_folder (set->folder, set->tokenizer);

  for (gsize i = 0; i < G_N_ELEMENTS (TEXT); i++) {
    g_autofree char *path = g_build_filename (folder, TEXT[i], NULL);

    if (set->tokenizer != NULL && g_file_test (path, G_FILE_TEST_IS_REGULAR))
      add (files, path, "chat template", NULL);
  }
  for (gsize i = 0; i < G_N_ELEMENTS (OTHERS); i++) {
    g_autofree char *path = pt_model_find_file (set->folder, OTHERS[i].name);

    add (files, path, OTHERS[i].role, NULL);
  }
}

/* Programs of the model that were not chosen, and why. */
static void
add_variants (GArray *files, const PtModelSet *set)
{
  for (guint i = 0; i < set->variants->len; i++) {
    const PtModelVariant *variant = set->variants->pdata[i];
    g_autofree char *reason =
        variant->obstacle != NULL
            ? g_strdup_printf ("It is the variant “%s”. %s", variant->name, variant->obstacle)
            : g_strdup_printf ("It is the variant “%s”; another one was chosen.", variant->name);

    if (!variant->chosen)
      add (files, variant->path, NULL, reason);
  }
}

/* Other programs in the folder, which stay closed unless the search has opened them. */
static void
add_others (GArray *files, const PtModelSet *set)
{
  g_autoptr (PtModelTree) tree = pt_model_tree_read (set->folder, 0);

  for (guint i = 0; i < tree->programs->len; i++) {
    const PtTreeProgram *file = tree->programs->pdata[i];
    const PtProgram *program =
        set->open_programs != NULL ? g_hash_table_lookup (set->open_programs, file->path) : NULL;
    const PtFamilyInfo *info =
        program != NULL ? pt_family_info (pt_family_of (program, NULL)) : NULL;
    g_autofree char *reason = info == NULL ? g_strdup ("It is a program of its own.")
                              : info->obstacle != NULL
                                  ? g_strdup (info->obstacle)
                                  : g_strdup_printf ("It is a program of its own: %s.", info->name);

    add (files, file->path, NULL, reason);
  }
}

void
pt_model_files_list (const PtModelSet *set, PtModelInfo *info)
{
  GArray *files = g_array_new (FALSE, FALSE, sizeof (PtModelFile));

  for (guint i = 0; i < set->parts->len; i++) {
    const PtSetPart *part = set->parts->pdata[i];

    add (files, part->path, part->role, NULL);
  }
  add (files, set->program, "program", NULL);
  for (guint i = 0; set->data[i] != NULL; i++)
    add (files, set->data[i], "data", NULL);
  add (files, set->tokenizer, "tokenizer", NULL);
  add (files, set->preprocessor, "preprocessor", NULL);
  add_named (files, set);
  add_variants (files, set);
  add_others (files, set);
  info->n_files = files->len;
  info->files = (PtModelFile *) (gpointer) g_array_free (files, FALSE);
}
