/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/models/model-files.h"

#include <string.h>

#include "engine/base/folder.h"
#include "engine/tasks/models/model-config.h"
#include "engine/tasks/models/model-root.h"
#include "engine/tasks/models/model-tree.h"

/* Other files that are listed, at most, and names that are read for them. */
#define MAX_REST 64
#define MAX_NAMES 4096

typedef struct {
  GArray *files;    /* of PtModelFile */
  GHashTable *seen; /* their canonical paths: one file may be spelt in several ways */
} Listing;

/* Appends a file, with copies of the texts, unless it is in the list. */
static void
add (Listing *listing, const char *path, const char *role, const char *reason)
{
  PtModelFile file = { NULL, NULL, NULL };

  if (path == NULL || !g_hash_table_add (listing->seen, g_canonicalize_filename (path, NULL)))
    return;
  file.path = g_strdup (path);
  file.role = g_strdup (role);
  file.reason = g_strdup (reason);
  g_array_append_val (listing->files, file);
}

/* Settings and names of classes that only some families read. */
static void
add_settings (Listing *listing, const PtModelSet *set)
{
  static const char *const LABELS[] = { "labels.txt", "classes.txt", "imagenet_classes.txt", NULL };
  const PtFamilyInfo *info = pt_family_info (set->family);
  g_autoptr (PtModelConfig) config = pt_model_config_read (set->folder, NULL);

  if (config != NULL) {
    g_autofree char *path = g_build_filename (set->folder, "config.json", NULL);

    add (listing, path, "settings", NULL);
  }
  if (info->task == PT_TASK_CLASSIFY || info->task == PT_TASK_LOOK) {
    g_autofree char *path = pt_model_find_any (set->folder, LABELS);

    add (listing, path, "class names", NULL);
  }
  if (info->task == PT_TASK_EMBED) {
    g_autofree char *path = pt_model_find_file (set->folder, "config_sentence_transformers.json");

    add (listing, path, "settings", NULL);
  }
}

/* Files that are found by their name. */
static void
add_named (Listing *listing, const PtModelSet *set)
{
  static const char *const TEXT[] = { "chat_template.jinja", "tokenizer_config.json",
                                      "chat_template.json" };
  static const struct {
    const char *name, *role;
  } OTHERS[] = { { "generation_config.json", "settings" },
                 { "preprocessor_config.json", "settings" },
                 { "processor_config.json", "settings" },
                 { "README.md", "model card" },
                 { "LICENSE", "license" } };
  g_autofree char *folder = pt_model_text_folder (set->folder, set->tokenizer);

  for (gsize i = 0; i < G_N_ELEMENTS (TEXT); i++) {
    g_autofree char *path = g_build_filename (folder, TEXT[i], NULL);

    if (set->tokenizer != NULL && g_file_test (path, G_FILE_TEST_IS_REGULAR))
      add (listing, path, "chat template", NULL);
  }
  for (gsize i = 0; i < G_N_ELEMENTS (OTHERS); i++) {
    g_autofree char *path = pt_model_find_file (set->folder, OTHERS[i].name);

    add (listing, path, OTHERS[i].role, NULL);
  }
}

/* Programs of the model that were not chosen, and why. */
static void
add_variants (Listing *listing, const PtModelSet *set)
{
  for (guint i = 0; i < set->variants->len; i++) {
    const PtModelVariant *variant = set->variants->pdata[i];
    g_autofree char *reason =
        variant->obstacle != NULL
            ? g_strdup_printf ("It is the variant “%s”. %s", variant->name, variant->obstacle)
            : g_strdup_printf ("It is the variant “%s”; another one was chosen.", variant->name);

    if (!variant->chosen)
      add (listing, variant->path, NULL, reason);
  }
}

/* Other programs in the folder, which stay closed unless the search has opened them. */
static void
add_others (Listing *listing, const PtModelSet *set)
{
  g_autoptr (PtModelTree) tree = pt_model_tree_read (set->folder, 0);

  for (guint i = 0; i < tree->programs->len; i++) {
    const PtTreeProgram *file = tree->programs->pdata[i];
    g_autofree char *key = g_canonicalize_filename (file->path, NULL);
    const PtProgram *program =
        set->open_programs != NULL ? g_hash_table_lookup (set->open_programs, key) : NULL;
    const PtFamilyInfo *info =
        program != NULL ? pt_family_info (pt_family_of (program, NULL)) : NULL;
    g_autofree char *reason = info == NULL ? g_strdup ("It is a program of its own.")
                              : info->obstacle != NULL
                                  ? g_strdup (info->obstacle)
                                  : g_strdup_printf ("It is a program of its own: %s.", info->name);

    add (listing, file->path, NULL, reason);
  }
}

/* ---- the rest ---- */

/* Why a file called @name is not used. */
static const char *
why_unused (const char *name)
{
  static const char *const CHECKPOINTS[] = {
    ".safetensors", ".bin", ".gguf", ".pth", ".pt", ".onnx"
  };

  for (gsize i = 0; i < G_N_ELEMENTS (CHECKPOINTS); i++)
    if (g_str_has_suffix (name, CHECKPOINTS[i]))
      return "It is a checkpoint, and no program (.pte).";
  if (g_str_has_suffix (name, ".ptd"))
    return "It is the data file of another program.";
  if (strcmp (name, "config.json") == 0)
    return "Only names of classes are read from it, where the model has some.";
  return "This model does not need it.";
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* The names in @folder, sorted. Free with g_ptr_array_unref(). */
static GPtrArray *
names_in (const char *folder)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (PtFolder) dir = pt_folder_open (folder);
  const char *name;

  while (names->len < MAX_NAMES && (name = pt_folder_next (dir)) != NULL)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, compare_names);
  return names;
}

/* What else lies beside the program and, above it, up to the tokenizer. Nothing in a folder that is
 * not the model's alone. */
static void
add_rest (Listing *listing, const PtModelSet *set)
{
  g_auto (GStrv) folders = pt_model_folders (set->folder);
  g_autofree char *own = g_canonicalize_filename (set->folder, NULL);
  g_autofree char *text = g_path_get_dirname (set->tokenizer != NULL ? set->tokenizer : own);
  g_autofree char *highest = g_canonicalize_filename (text, NULL);
  guint most = listing->files->len + MAX_REST;

  for (guint f = 0; !pt_model_is_common (own) && folders[f] != NULL; f++) {
    g_autofree char *here = g_canonicalize_filename (folders[f], NULL);
    g_autoptr (GPtrArray) names = NULL;

    if (f > 0 && (set->tokenizer == NULL || !g_str_has_prefix (here, highest)))
      break;
    names = names_in (folders[f]);
    for (guint i = 0; i < names->len && listing->files->len < most; i++) {
      const char *name = names->pdata[i];
      g_autofree char *path = g_build_filename (folders[f], name, NULL);

      if (name[0] != '.' && !g_str_has_suffix (name, ".pte") &&
          g_file_test (path, G_FILE_TEST_IS_REGULAR))
        add (listing, path, NULL, why_unused (name));
    }
  }
}

void
pt_model_files_list (const PtModelSet *set, PtModelInfo *info)
{
  g_autoptr (GHashTable) seen = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Listing listing = { g_array_new (FALSE, FALSE, sizeof (PtModelFile)), seen };

  for (guint i = 0; i < set->parts->len; i++) {
    const PtSetPart *part = set->parts->pdata[i];

    add (&listing, part->path, part->role, NULL);
  }
  add (&listing, set->program, "program", NULL);
  for (guint i = 0; set->data[i] != NULL; i++)
    add (&listing, set->data[i], "data", NULL);
  add (&listing, set->tokenizer, "tokenizer", NULL);
  add (&listing, set->preprocessor, "preprocessor", NULL);
  add_named (&listing, set);
  add_settings (&listing, set);
  add_variants (&listing, set);
  add_others (&listing, set);
  add_rest (&listing, set);
  info->n_files = listing.files->len;
  info->files = (PtModelFile *) (gpointer) g_array_free (listing.files, FALSE);
}
