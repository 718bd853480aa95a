/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/models/model-set.h"

#include <string.h>

#include <glib/gstdio.h>

#include "engine/base/set-error.h"
#include "engine/base/folder.h"
#include "engine/program/data-file.h"
#include "engine/tasks/models/model-parts.h"
#include "engine/tasks/models/model-root.h"
#include "engine/tasks/models/model-variants.h"
#include "engine/tasks/models/program-names.h"
#include "engine/text/tokenizer.h"

/* A folder with more programs than this is no model. */
#define MAX_PROGRAMS 64

/* ---- files ---- */

static int
compare_paths (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/** Paths of the files in @folder whose name ends in @suffix, sorted. */
static GPtrArray *
list_files (const char *folder, const char *suffix)
{
  GPtrArray *paths = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (PtFolder) dir = pt_folder_open (folder);
  const char *name;

  while (paths->len < MAX_PROGRAMS && (name = pt_folder_next (dir)) != NULL) {
    g_autofree char *path = NULL;

    if (name[0] == '.' || !g_str_has_suffix (name, suffix))
      continue;
    path = g_build_filename (folder, name, NULL);
    if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
      g_ptr_array_add (paths, g_steal_pointer (&path));
  }
  g_ptr_array_sort (paths, compare_paths);
  return paths;
}

static char *
stem_of (const char *path)
{
  char *name = g_path_get_basename (path);
  char *dot = strrchr (name, '.');

  if (dot != NULL && dot != name)
    *dot = '\0';
  return name;
}

static guint64
file_size (const char *path)
{
  GStatBuf status;

  return path != NULL && g_stat (path, &status) == 0 ? (guint64) status.st_size : 0;
}

/* ---- the program ---- */

GPtrArray *
pt_model_cpu_variants (const char *program)
{
  g_autofree char *folder = g_path_get_dirname (program);
  g_autofree char *stem = stem_of (program);
  g_autofree char *name = g_strconcat (stem, ".cpu.pte", NULL);
  g_autofree char *first = g_build_filename (folder, name, NULL);
  g_autofree char *own = g_path_get_basename (program);
  g_autoptr (GPtrArray) all = list_files (folder, ".pte");
  GPtrArray *variants = g_ptr_array_new_with_free_func (g_free);

  if (g_file_test (first, G_FILE_TEST_IS_REGULAR))
    g_ptr_array_add (variants, g_strdup (first));
  for (guint i = 0; i < all->len; i++) {
    g_autofree char *other = g_path_get_basename (all->pdata[i]);

    if ((strstr (other, "-xnnpack") != NULL || strstr (other, "_xnnpack") != NULL) &&
        strcmp (other, own) != 0)
      g_ptr_array_add (variants, g_strdup (all->pdata[i]));
  }
  return variants;
}

PtProgram *
pt_model_set_program (PtModelSet *set, const char *path, GError **error)
{
  g_autofree char *key = g_canonicalize_filename (path, NULL);
  PtProgram *program = g_hash_table_lookup (set->open_programs, key);

  if (program != NULL)
    return program;
  program = pt_program_open (path, error);
  if (program != NULL)
    g_hash_table_insert (set->open_programs, g_steal_pointer (&key), program);
  return program;
}

void
pt_model_set_add_program (PtModelSet *set, const char *path, PtProgram *program)
{
  if (set->open_programs != NULL)
    g_hash_table_insert (set->open_programs, g_canonicalize_filename (path, NULL),
                         pt_program_ref (program));
}

/* ---- data files ---- */

/* The tensors of a program whose bytes are in data files. Delegates need more entries, under keys
 * that only they know. */
typedef struct {
  GHashTable *missing; /* names that no file has had so far */
  guint n_names;
} Needs;

static void
needs_init (Needs *needs, const PtProgram *program)
{
  needs->missing = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  for (guint p = 0; p < pt_program_n_plans (program); p++) {
    const PtPlan *plan = pt_program_plan (program, p);

    for (guint v = 0; v < plan->n_values; v++) {
      const PtTensorSpec *tensor =
          plan->values[v].kind == PT_VALUE_TENSOR ? plan->values[v].as_tensor : NULL;

      if (tensor != NULL && (tensor->storage == PT_STORAGE_EXTERNAL_CONSTANT ||
                             tensor->storage == PT_STORAGE_EXTERNAL_PLANNED))
        g_hash_table_add (needs->missing, g_strndup (tensor->name, tensor->name_length));
    }
  }
  needs->n_names = g_hash_table_size (needs->missing);
}

/** Removes the names that @file has from the missing ones. Returns whether it may belong to the
 * program. */
static gboolean
needs_take (Needs *needs, PtDataFile *file)
{
  gboolean useful = FALSE, opaque = FALSE;

  for (guint i = 0; i < pt_data_file_n_entries (file); i++) {
    const PtDataEntry *entry = pt_data_file_entry (file, i);
    g_autofree char *key = g_strndup (entry->key, entry->key_length);

    useful |= g_hash_table_remove (needs->missing, key);
    opaque |= !entry->has_layout;
  }
  return useful || opaque || needs->n_names == 0;
}

static const char *
any_missing (const Needs *needs)
{
  GHashTableIter iter;
  gpointer name, best = NULL;

  g_hash_table_iter_init (&iter, needs->missing);
  while (g_hash_table_iter_next (&iter, &name, NULL))
    if (best == NULL || strcmp (name, best) < 0)
      best = name;
  return best;
}

/** Lists the data files beside the program, first that with its stem: model.ptd for model.pte. */
static GPtrArray *
data_candidates (const PtModelSet *set)
{
  GPtrArray *paths = list_files (set->folder, ".ptd");
  g_autofree char *stem = stem_of (set->program);

  for (guint i = 1; i < paths->len; i++) {
    g_autofree char *other = stem_of (paths->pdata[i]);

    if (strcmp (stem, other) == 0)
      g_ptr_array_insert (paths, 0, g_ptr_array_steal_index (paths, i));
  }
  return paths;
}

static void
explain_missing_data (PtModelSet *set, const Needs *needs, const char *first)
{
  g_autofree char *program = g_path_get_basename (set->program);
  guint n = g_hash_table_size (needs->missing);

  if (first != NULL && n == needs->n_names) {
    g_autofree char *name = g_path_get_basename (first);

    pt_fail (&set->missing, PT_ERROR_DATA,
             "The data file “%s” belongs to another model: it has none of the %u tensors that “%s” "
             "needs, such as “%.80s”.",
             name, n, program, any_missing (needs));
  } else if (set->data[0] == NULL) {
    pt_fail (&set->missing, PT_ERROR_MISSING_FILE,
             "“%s” keeps its weights in a data file (.ptd), and there is none beside it in “%s”. "
             "Put it there, or name it.",
             program, set->folder);
  } else {
    pt_fail (&set->missing, PT_ERROR_DATA,
             "The data files of “%s” lack %u of the %u tensors it needs, such as “%.80s”.", program,
             n, needs->n_names, any_missing (needs));
  }
}

/** Finds the data files of the program. @given: the files that the user named, or NULL: those
 * beside the program are candidates. */
static void
find_data (PtModelSet *set, const PtProgram *program, const char *const *given)
{
  g_autoptr (GPtrArray) candidates = NULL;
  g_autoptr (GPtrArray) taken = g_ptr_array_new ();
  const char *first = NULL;
  Needs needs;

  if (given != NULL && given[0] != NULL) {
    candidates = g_ptr_array_new_with_free_func (g_free);
    for (guint i = 0; given[i] != NULL; i++)
      g_ptr_array_add (candidates, g_strdup (given[i]));
  } else {
    given = NULL;
    candidates = data_candidates (set);
  }
  needs_init (&needs, program);
  for (guint i = 0; i < candidates->len; i++) {
    char *path = candidates->pdata[i];
    g_autoptr (GError) error = NULL;
    g_autoptr (PtDataFile) file = NULL;

    if (given == NULL && taken->len > 0 && g_hash_table_size (needs.missing) == 0)
      break;
    file = pt_data_file_open (path, &error);
    if (file == NULL && set->missing == NULL)
      set->missing = g_steal_pointer (&error);
    if (file == NULL)
      continue;
    if (needs_take (&needs, file) || given != NULL) {
      g_ptr_array_add (taken, g_strdup (path));
      g_ptr_array_add (set->open_data, g_steal_pointer (&file));
    }
    if (first == NULL)
      first = path;
  }
  g_ptr_array_add (taken, NULL);
  g_strfreev (set->data);
  set->data = (char **) g_ptr_array_free (g_steal_pointer (&taken), FALSE);
  if (set->missing == NULL && g_hash_table_size (needs.missing) > 0)
    explain_missing_data (set, &needs, first);
  if (set->missing != NULL)
    set->lacks |= PT_MODEL_DATA;
  g_hash_table_unref (needs.missing);
}

/* ---- tokenizer and companions ---- */

static void
find_tokenizer (PtModelSet *set, const char *given)
{
  g_autofree char *program = NULL;

  if (given != NULL) {
    set->tokenizer =
        g_file_test (given, G_FILE_TEST_IS_DIR) ? pt_tokenizer_find_file (given) : g_strdup (given);
    if (set->tokenizer == NULL)
      set->tokenizer = g_build_filename (given, "tokenizer.json", NULL);
    if (g_file_test (set->tokenizer, G_FILE_TEST_IS_REGULAR))
      return;
    set->lacks |= PT_MODEL_TOKENIZER;
    if (set->missing == NULL)
      pt_fail (&set->missing, PT_ERROR_MISSING_FILE, "There is no tokenizer “%s”.", set->tokenizer);
    return;
  }
  set->tokenizer = pt_model_find_tokenizer (set->folder);
  if (set->tokenizer != NULL || (pt_family_info (set->family)->needs & PT_MODEL_TOKENIZER) == 0)
    return;
  set->lacks |= PT_MODEL_TOKENIZER;
  if (set->missing != NULL)
    return;
  program = g_path_get_basename (set->program);
  pt_fail (
      &set->missing, PT_ERROR_MISSING_FILE,
      "“%s” needs its tokenizer, and there is no tokenizer.json, tekken.json, tokenizer.model, "
      "tokenizer.bin or *.tiktoken beside it in “%s”, nor in the model's folders above. Put one "
      "there, or name it.",
      program, set->folder);
}

static void
part_free (PtSetPart *part)
{
  g_free (part->role);
  g_free (part->path);
  g_free (part);
}

/* Of several files of a role the first one is used. */
static void
add_part (PtModelSet *set, const char *role, const char *path)
{
  PtSetPart *part;

  if (pt_model_set_part (set, role) != NULL)
    return;
  part = g_new0 (PtSetPart, 1);
  part->role = g_strdup (role);
  part->path = g_strdup (path);
  g_ptr_array_add (set->parts, part);
}

/* Adds the part at @path; of several detectors of writing that for the usual side is used. */
static void
take_part (PtModelSet *set, PtFamily family, const char *role, const char *path)
{
  for (guint i = 0; family == PT_FAMILY_TEXT_DETECTOR && i < set->parts->len; i++) {
    PtSetPart *part = set->parts->pdata[i];

    if (strcmp (part->role, role) == 0 &&
        pt_model_side_distance (path) < pt_model_side_distance (part->path)) {
      g_free (part->path);
      part->path = g_strdup (path);
    }
  }
  add_part (set, role, path);
}

/* Uses the companion @program; of several of a family the first one is used. */
static void
take_companion (PtModelSet *set, const PtProgram *program, const char *path)
{
  PtFamily family = pt_family_of (program, NULL);
  char **member;

  if (pt_family_info (family)->obstacle != NULL)
    return;
  member = family == PT_FAMILY_PREPROCESSOR                          ? &set->preprocessor
           : family == PT_FAMILY_VAD || family == PT_FAMILY_FSMN_VAD ? &set->vad
                                                                     : &set->diarizer;
  if (*member == NULL)
    *member = g_strdup (path);
  add_part (set, pt_family_info (family)->id, path);
}

/* How well the file at @path goes with the program at @program, by their names: 0 to 3. */
static guint
name_likeness (const char *path, const char *program)
{
  g_autofree char *name = g_path_get_basename (path), *own = g_path_get_basename (program);
  g_auto (PtProgramName) a = { 0 }, b = { 0 };

  pt_program_name_read (&a, name);
  pt_program_name_read (&b, own);
  return (strcmp (a.key, b.key) == 0) + (g_strcmp0 (a.extra, b.extra) == 0) +
         (g_strcmp0 (a.precision, b.precision) == 0);
}

/* Sorts @paths by how well they go with @program, the best first. */
static int
compare_likeness (gconstpointer a, gconstpointer b, gpointer program)
{
  guint x = name_likeness (*(const char *const *) a, program);
  guint y = name_likeness (*(const char *const *) b, program);

  return x != y ? (x > y ? -1 : 1) : compare_paths (a, b);
}

/* Finds the folders that a speech synthesis model needs beside its programs. */
static void
find_folders (PtModelSet *set)
{
  static const char *const NAMES[] = { "voices", "voice_embedding", "phonemizer", "scheduler" };
  g_auto (GStrv) folders = pt_model_folders (set->folder);

  for (guint f = 0; folders[f] != NULL; f++)
    for (gsize i = 0; i < G_N_ELEMENTS (NAMES); i++) {
      g_autofree char *path = g_build_filename (folders[f], NAMES[i], NULL);

      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        add_part (set, NAMES[i], path);
    }
}

/* Programs in other folders of the model, whose parts may lie apart; those with the alphabet of the
 * user's language first. */
static void
add_apart (PtModelSet *set, GPtrArray *all, const char *path)
{
  g_auto (GStrv) folders = pt_model_folders (set->folder);
  const char *root = folders[g_strv_length (folders) - 1];
  gboolean is_folder = g_file_test (path, G_FILE_TEST_IS_DIR);
  g_autoptr (PtModelTree) tree = NULL;

  if (!is_folder && !pt_model_is_root (root))
    return;
  tree = pt_model_tree_read (pt_model_is_root (root) ? root : path, PT_TREE_DEPTH);
  for (guint rank = 0; rank <= 3; rank++)
    for (guint i = 0; i < tree->programs->len; i++) {
      const PtTreeProgram *file = tree->programs->pdata[i];

      if (pt_model_alphabet_rank (file->relative) == rank)
        g_ptr_array_add (all, g_strdup (file->path));
    }
}

/** Finds the other programs of the model: its parts, and companions of a model that hears. They lie
 * in the same folder; @path, which the user named, may have others. */
static void
find_parts (PtModelSet *set, const PtProgram *program, const char *path)
{
  const PtFamilyInfo *info = pt_family_info (set->family);
  const char *role = pt_family_role (program, set->family);
  gboolean hears = info->task == PT_TASK_TRANSCRIBE || (info->takes & PT_MODEL_AUDIO) != 0;
  g_autoptr (GPtrArray) all = NULL;

  if (role != NULL)
    add_part (set, role, set->program);
  if (!hears && role == NULL)
    return;
  if (pt_model_parts_needed (set->family) != NULL)
    find_folders (set);
  all = list_files (set->folder, ".pte");
  g_ptr_array_sort_with_data (all, compare_likeness, set->program);
  if (pt_model_parts_apart (set->family))
    add_apart (set, all, path);
  for (guint i = 0; i < all->len; i++) {
    const PtProgram *other;
    PtFamily family;

    other = pt_model_set_program (set, all->pdata[i], NULL);
    if (other == NULL || other == program)
      continue;
    family = pt_family_of (other, NULL);
    if (pt_family_info (family)->task == PT_TASK_COMPANION && hears)
      take_companion (set, other, all->pdata[i]);
    else if (pt_model_parts_match (program, other))
      take_part (set, family, pt_family_role (other, family), all->pdata[i]);
  }
}

/* A model of several programs needs all of them. */
static void
check_parts (PtModelSet *set)
{
  const char *const *roles = pt_model_parts_needed (set->family);

  for (guint i = 0; roles != NULL && roles[i] != NULL; i++) {
    g_autofree char *name = g_path_get_basename (set->program);

    if (set->missing == NULL && pt_model_set_part (set, roles[i]) == NULL)
      pt_fail (&set->missing, PT_ERROR_MISSING_FILE,
               "“%s” is a part of a model of several programs, and there is no “%s” beside it in "
               "“%s”. Put it there.",
               name, roles[i], set->folder);
  }
}

/* Uses the preprocessor that the user named, instead of one beside the program. */
static void
name_preprocessor (PtModelSet *set, const char *given)
{
  if (given == NULL)
    return;
  g_free (set->preprocessor);
  set->preprocessor = g_strdup (given);
  if (g_file_test (given, G_FILE_TEST_IS_REGULAR))
    return;
  set->lacks |= PT_MODEL_PREPROCESSOR;
  if (set->missing == NULL)
    pt_fail (&set->missing, PT_ERROR_MISSING_FILE, "There is no preprocessor “%s”.", given);
}

/* Sets the family's obstacle as the error, unless something is missing. */
static void
find_obstacle (PtModelSet *set)
{
  const PtFamilyInfo *info = pt_family_info (set->family);
  g_autofree char *program = g_path_get_basename (set->program);

  if (set->missing == NULL && info->obstacle != NULL && info->task != PT_TASK_PROGRAM)
    pt_fail (&set->missing, PT_ERROR_UNSUPPORTED, "“%s” cannot be used here. %s", program,
             info->obstacle);
}

/* The name of the repository that @folder, a commit in the cache of huggingface_hub, is of. */
static char *
name_in_cache (const char *folder)
{
  g_autofree char *above = g_path_get_dirname (folder), *repository = NULL, *name = NULL;
  g_autofree char *base = g_path_get_basename (above);
  char *last;

  if (strcmp (base, "snapshots") != 0)
    return NULL;
  repository = g_path_get_dirname (above);
  name = g_path_get_basename (repository);
  last = g_strrstr (name, "--");
  return last != NULL && last[2] != '\0' ? g_strdup (last + 2) : NULL;
}

/* The program's name; of "model.pte" that of the first folder above it that says more than where it
 * runs. */
static char *
model_name (const char *program)
{
  g_autofree char *stem = stem_of (program);
  g_autofree char *absolute = g_canonicalize_filename (program, NULL);
  g_autofree char *folder = g_path_get_dirname (absolute);
  char *name;

  if (strcmp (stem, "model") != 0)
    return g_steal_pointer (&stem);
  for (guint level = 0; level < PT_ROOT_LEVELS; level++) {
    g_autofree char *base = g_path_get_basename (folder);
    char *above;

    if (!pt_name_is_label (base))
      break;
    above = g_path_get_dirname (folder);
    g_free (folder);
    folder = above;
  }
  name = name_in_cache (folder);
  return name != NULL ? name : g_path_get_basename (folder);
}

static gboolean
is_companion_role (const char *role)
{
  PtFamily family;

  return pt_family_find (role, &family, NULL) && pt_family_info (family)->task == PT_TASK_COMPANION;
}

static void
add_sizes (PtModelSet *set)
{
  set->bytes =
      file_size (set->program) + file_size (set->tokenizer) + file_size (set->preprocessor);
  for (guint i = 0; set->data[i] != NULL; i++)
    set->bytes += file_size (set->data[i]);
  for (guint i = 0; i < set->parts->len; i++) {
    const PtSetPart *part = set->parts->pdata[i];

    if (!is_companion_role (part->role) && strcmp (part->path, set->program) != 0 &&
        g_file_test (part->path, G_FILE_TEST_IS_REGULAR))
      set->bytes += file_size (part->path);
  }
}

static gboolean
recognise (PtModelSet *set, const PtProgram *program, const char *family, GError **error)
{
  if (family == NULL)
    set->family = pt_family_of (program, &set->why);
  else if (!pt_family_find (family, &set->family, error))
    return FALSE;
  set->task = pt_family_info (set->family)->task;
  return TRUE;
}

static PtModelSet *
set_new (void)
{
  PtModelSet *set = g_new0 (PtModelSet, 1);

  set->data = g_new0 (char *, 1);
  set->parts = g_ptr_array_new_with_free_func ((GDestroyNotify) part_free);
  set->variants = g_ptr_array_new_with_free_func ((GDestroyNotify) pt_model_variant_free);
  set->open_programs =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) pt_program_unref);
  set->open_data = g_ptr_array_new_with_free_func ((GDestroyNotify) pt_data_file_free);
  return set;
}

/* The path of the part of @set that @query asks for, if it is another program than that of @set;
 * or NULL. */
static const char *
other_part (const PtModelSet *set, const PtModelQuery *query)
{
  const char *path = query->part != NULL ? pt_model_set_part (set, query->part) : NULL;

  return g_strcmp0 (path, set->program) != 0 ? path : NULL;
}

PtModelSet *
pt_model_set_search (const PtModelQuery *query, GError **error)
{
  g_autoptr (PtModelSet) set = set_new ();
  PtModelQuery other = *query;
  const PtProgram *program;

  if (!g_file_test (query->path, G_FILE_TEST_EXISTS)) {
    pt_fail (error, PT_ERROR_FILE, "There is no model “%s”.", query->path);
    return NULL;
  }
  if (query->program != NULL)
    pt_model_set_add_program (set, query->path, query->program);
  set->program = g_file_test (query->path, G_FILE_TEST_IS_DIR)
                     ? pt_model_choose_in_folder (set, query, error)
                     : pt_model_choose_for_file (set, query, error);
  if (set->program == NULL)
    return NULL;
  set->folder = g_path_get_dirname (set->program);
  program = pt_model_set_program (set, set->program, error);
  if (program == NULL || !recognise (set, program, query->family, error))
    return NULL;
  find_parts (set, program, query->path);
  other.path = other_part (set, query);
  other.part = NULL;
  other.program = NULL;
  if (other.path != NULL)
    return pt_model_set_search (&other, error);
  set->streams = set->family == PT_FAMILY_VOXTRAL_REALTIME &&
                 pt_program_find_plan (program, "encode_audio_chunk") != NULL;
  set->name = model_name (set->program);
  find_data (set, program, query->data);
  check_parts (set);
  find_tokenizer (set, query->tokenizer);
  name_preprocessor (set, query->preprocessor);
  find_obstacle (set);
  add_sizes (set);
  return g_steal_pointer (&set);
}

PtModelSet *
pt_model_set_find (const char *path, const char *const *data, const char *tokenizer,
                   const char *preprocessor, const char *family, GError **error)
{
  const PtModelQuery query = { .path = path,
                               .data = data,
                               .tokenizer = tokenizer,
                               .preprocessor = preprocessor,
                               .family = family };

  return pt_model_set_search (&query, error);
}

void
pt_model_set_free (PtModelSet *set)
{
  if (set == NULL)
    return;
  pt_model_set_close_files (set);
  g_free (set->name);
  g_free (set->folder);
  g_free (set->program);
  g_strfreev (set->data);
  g_free (set->tokenizer);
  g_free (set->preprocessor);
  g_free (set->vad);
  g_free (set->diarizer);
  g_clear_pointer (&set->parts, g_ptr_array_unref);
  g_clear_pointer (&set->variants, g_ptr_array_unref);
  g_free (set->why);
  g_clear_error (&set->missing);
  g_free (set);
}

const char *
pt_model_set_part (const PtModelSet *set, const char *role)
{
  for (guint i = 0; i < set->parts->len; i++) {
    const PtSetPart *part = set->parts->pdata[i];

    if (strcmp (part->role, role) == 0)
      return part->path;
  }
  return NULL;
}

gboolean
pt_model_set_check (const PtModelSet *set, GError **error)
{
  if (set->missing == NULL)
    return TRUE;
  if (error != NULL)
    *error = g_error_copy (set->missing);
  return FALSE;
}

/* ---- opening ---- */

PtModule *
pt_model_set_open_companion (PtModelSet *set, const char *path, const PtMethodOptions *options,
                             GError **error)
{
  PtProgram *program;

  if (set->open_programs == NULL)
    return pt_module_open (path, NULL, options, error);
  program = pt_model_set_program (set, path, error);
  return program != NULL ? pt_module_new_for_data (program, NULL, options, error) : NULL;
}

PtModule *
pt_model_set_open (PtModelSet *set, const PtMethodOptions *options, GError **error)
{
  g_autoptr (PtDataMap) data = NULL;
  PtProgram *program;

  if (set->open_programs == NULL || set->open_data == NULL)
    return pt_module_open (set->program, (const char *const *) set->data, options, error);
  program = pt_model_set_program (set, set->program, error);
  if (program == NULL)
    return NULL;
  if (set->open_data->len > 0) {
    data = pt_data_map_new (g_steal_pointer (&set->open_data), error);
    if (data == NULL)
      return NULL;
  }
  return pt_module_new_for_data (program, data, options, error);
}

void
pt_model_set_close_files (PtModelSet *set)
{
  g_clear_pointer (&set->open_programs, g_hash_table_unref);
  g_clear_pointer (&set->open_data, g_ptr_array_unref);
}
