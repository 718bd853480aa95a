/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/models/model-library.h"

#include <string.h>

#include <glib/gstdio.h>

#include "engine/base/set-error.h"
#include "engine/base/folder.h"
#include "engine/tasks/models/model-files.h"
#include "engine/tasks/models/model-root.h"
#include "engine/tasks/models/model-variants.h"

/* Bytes of a model card that are read: its front matter is short. */
#define MAX_CARD (64 * 1024)
/* Entries of a folder that are looked at: one with models has some dozens, another may have any
 * number. */
#define MAX_ENTRIES 4096

const char *
pt_library_default_folder (void)
{
  static char *folder = NULL;

  if (g_once_init_enter (&folder)) {
    const char *chosen = g_getenv ("PTERIS_MODELS");

    g_once_init_leave (&folder,
                       chosen != NULL && *chosen != '\0'
                           ? g_strdup (chosen)
                           : g_build_filename (g_get_user_data_dir (), "pteris", "models", NULL));
  }
  return folder;
}

/* ---- model cards ---- */

static char *
read_card (const char *folder)
{
  g_autofree char *path = pt_model_find_file (folder, "README.md");
  g_autofree char *text = g_malloc (MAX_CARD + 1);
  FILE *file = NULL;
  gsize length;

  if (path != NULL)
    file = g_fopen (path, "rb");
  if (file == NULL)
    return NULL;
  length = fread (text, 1, MAX_CARD, file);
  fclose (file);
  text[length] = '\0';
  return g_utf8_make_valid (text, -1);
}

/** The value of "key: value" between the lines "---" at the head of a card, or NULL. */
static char *
card_value (const char *card, const char *key)
{
  g_auto (GStrv) lines = NULL;

  if (card == NULL || !g_str_has_prefix (card, "---"))
    return NULL;
  lines = g_strsplit (card, "\n", 200);
  for (guint i = 1; lines[i] != NULL && !g_str_has_prefix (lines[i], "---"); i++) {
    gsize length = strlen (key);
    char *value;

    if (strncmp (lines[i], key, length) != 0 || lines[i][length] != ':')
      continue;
    value = g_strstrip (lines[i] + length + 1);
    if (*value == '"' || *value == '\'') {
      value++;
      value[strcspn (value, "\"'")] = '\0';
    }
    return *value != '\0' ? g_strdup (value) : NULL;
  }
  return NULL;
}

/* Adds the codes of languages in @line, such as "en", "[en, de]" or "- en", to @languages. */
static void
add_languages (GString *languages, const char *line)
{
  g_auto (GStrv) words = g_strsplit_set (line, " ,[]\"'-\r\t", 64);

  for (guint i = 0; words[i] != NULL; i++) {
    gsize length = strlen (words[i]);

    if (length < 2 || length > 3 || strspn (words[i], "abcdefghijklmnopqrstuvwxyz") != length)
      continue;
    g_string_append_printf (languages, "%s%s", languages->len > 0 ? " " : "", words[i]);
  }
}

/** The languages that the front matter of a card lists at "language:", in that line or in a list
 * below it; or NULL. */
static char *
card_languages (const char *card)
{
  g_autoptr (GString) languages = g_string_new (NULL);
  g_auto (GStrv) lines = NULL;
  gboolean is_list = FALSE;

  if (card == NULL || !g_str_has_prefix (card, "---"))
    return NULL;
  lines = g_strsplit (card, "\n", 200);
  for (guint i = 1; lines[i] != NULL && !g_str_has_prefix (lines[i], "---"); i++) {
    gboolean is_key = g_str_has_prefix (lines[i], "language:");
    const char *item = lines[i] + strspn (lines[i], " ");

    if (is_key)
      add_languages (languages, lines[i] + strlen ("language:"));
    else if (is_list && *item == '-')
      add_languages (languages, item);
    is_list = is_key || (is_list && *item == '-');
  }
  return languages->len > 0 ? g_strdup (languages->str) : NULL;
}

/** The usual spelling of a license, which cards write in lower case. Takes @license. */
static char *
license_name (char *license)
{
  static const char *const known[] = { "Apache-2.0", "MIT",          "BSD-3-Clause", "BSD-2-Clause",
                                       "CC-BY-4.0",  "CC-BY-SA-4.0", "CC-BY-NC-4.0", "GPL-3.0",
                                       "OpenRAIL",   "CC0-1.0",      "AGPL-3.0",     "LGPL-3.0" };

  for (gsize i = 0; license != NULL && i < G_N_ELEMENTS (known); i++) {
    if (g_ascii_strcasecmp (license, known[i]) == 0) {
      g_free (license);
      return g_strdup (known[i]);
    }
  }
  return license;
}

static char *
find_license (const char *folder)
{
  static const char *const NAMES[] = { "LICENSE", "LICENSE.txt", "LICENSE.md", "COPYING", NULL };

  return pt_model_find_any (folder, NAMES);
}

/* Copies the variants of @set, if there are more than one. */
static void
take_variants (PtModelInfo *info, const PtModelSet *set)
{
  if (set->variants->len < 2)
    return;
  info->n_variants = set->variants->len;
  info->variants = g_new0 (PtModelVariant, info->n_variants);
  for (guint i = 0; i < info->n_variants; i++) {
    const PtModelVariant *from = set->variants->pdata[i];

    info->variants[i] = (PtModelVariant){ g_strdup (from->name),
                                          g_strdup (from->path),
                                          g_strdup (from->precision),
                                          g_strdup (from->backend),
                                          from->bytes,
                                          from->on_gpu,
                                          from->foreign,
                                          g_strdup (from->obstacle),
                                          from->chosen };
  }
}

PtModelInfo *
pt_model_info_new (const PtModelSet *set)
{
  g_autofree char *card = read_card (set->folder);
  PtModelInfo *info = g_new0 (PtModelInfo, 1);

  info->name = g_strdup (set->name);
  info->title = card_value (card, "model_name");
  if (info->title == NULL)
    info->title = g_utf8_make_valid (set->name, -1);
  info->path = g_strdup (set->program);
  info->task = g_strdup (pt_model_task_name (set->task));
  info->family = g_strdup (pt_family_info (set->family)->id);
  info->kind = g_strdup (pt_family_info (set->family)->name);
  info->why = g_strdup (set->why);
  info->streams = set->streams;
  info->takes = pt_family_info (set->family)->takes;
  info->license = license_name (card_value (card, "license"));
  info->languages = card_languages (card);
  info->missing = g_strdup (set->missing != NULL ? set->missing->message : NULL);
  info->bytes = set->bytes;
  info->lacks = set->lacks;
  info->data = set->data[0] != NULL ? g_strdupv (set->data) : NULL;
  info->tokenizer = g_strdup (set->tokenizer);
  info->preprocessor = g_strdup (set->preprocessor);
  info->license_file = find_license (set->folder);
  take_variants (info, set);
  pt_model_files_list (set, info);
  return info;
}

PtModelInfo *
pt_library_probe_set (const char *path, const char *const *data, const char *tokenizer,
                      const char *preprocessor, const char *family, GError **error)
{
  g_autoptr (PtModelSet) set =
      pt_model_set_find (path, data, tokenizer, preprocessor, family, error);

  return set != NULL ? pt_model_info_new (set) : NULL;
}

PtModelInfo *
pt_library_probe (const char *path, GError **error)
{
  return pt_library_probe_set (path, NULL, NULL, NULL, NULL, error);
}

PtModelInfo *
pt_library_probe_best (const char *path, GError **error)
{
  const PtModelQuery query = { .path = path, .best = TRUE };
  g_autoptr (PtModelSet) set = pt_model_set_search (&query, error);

  return set != NULL ? pt_model_info_new (set) : NULL;
}

/* ---- folders of models ---- */

static gboolean
holds (GPtrArray *infos, const char *path)
{
  for (guint i = 0; i < infos->len; i++)
    if (strcmp (((PtModelInfo *) infos->pdata[i])->path, path) == 0)
      return TRUE;
  return FALSE;
}

/** A model whose program cannot be read is listed too, with the reason. FALSE: @path is a folder
 * with several models. */
static gboolean
add_model (GPtrArray *infos, const char *path)
{
  const PtModelQuery query = { .path = path, .best = TRUE };
  g_autoptr (GError) error = NULL;
  g_autoptr (PtModelSet) set = pt_model_set_search (&query, &error);
  g_autoptr (PtModelInfo) info = set != NULL ? pt_model_info_new (set) : NULL;

  if (info == NULL) {
    if (g_error_matches (error, PT_ERROR, PT_ERROR_ARGUMENT))
      return FALSE;
    if (g_error_matches (error, PT_ERROR, PT_ERROR_MISSING_FILE))
      return TRUE;
    info = g_new0 (PtModelInfo, 1);
    info->path = g_strdup (path);
    info->name = g_path_get_basename (path);
    info->title = g_utf8_make_valid (info->name, -1);
    info->task = g_strdup ("program");
    info->missing = g_strdup (error->message);
    info->damaged = TRUE;
  }
  if (g_strcmp0 (info->family, "preprocessor") != 0 && !holds (infos, info->path))
    g_ptr_array_add (infos, g_steal_pointer (&info));
  return TRUE;
}

/* Lists the model in @folder or, if these are several, all of them. */
static void
add_folder (GPtrArray *infos, const char *folder)
{
  g_autoptr (GPtrArray) programs = pt_model_list_models (folder);

  if (programs->len == 0 || add_model (infos, folder))
    return;
  for (guint i = 0; i < programs->len; i++)
    add_model (infos, programs->pdata[i]);
}

/** Moves models from @system to @infos, unless a model there has the same name: the user's models
 * hide those of packages. */
static void
add_unknown_names (GPtrArray *infos, GPtrArray *system)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < infos->len; i++)
    g_hash_table_add (names, ((PtModelInfo *) infos->pdata[i])->name);
  for (guint i = 0; i < system->len; i++) {
    if (g_hash_table_contains (names, ((PtModelInfo *) system->pdata[i])->name))
      continue;
    g_ptr_array_add (infos, system->pdata[i]);
    system->pdata[i] = NULL;
  }
}

/** Lists the models in @folder: its programs, and its folders that contain a program. */
static void
scan_folder (GPtrArray *infos, const char *folder)
{
  g_autoptr (PtFolder) dir = pt_folder_open (folder);
  const char *name;

  for (guint n = 0; n < MAX_ENTRIES && (name = pt_folder_next (dir)) != NULL; n++) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    if (name[0] == '.')
      continue;
    if (g_file_test (path, G_FILE_TEST_IS_DIR))
      add_folder (infos, path);
    else if (g_str_has_suffix (name, ".pte"))
      add_model (infos, path);
  }
}

/* The folders of the library: the user's, and those of packages unless PTERIS_MODELS names one. */
static GPtrArray *
library_folders (void)
{
  const char *chosen = g_getenv ("PTERIS_MODELS");
  const char *const *shared = g_get_system_data_dirs ();
  GPtrArray *folders = g_ptr_array_new_with_free_func (g_free);

  g_ptr_array_add (folders, g_strdup (pt_library_default_folder ()));
  for (guint i = 0; (chosen == NULL || *chosen == '\0') && shared[i] != NULL; i++)
    g_ptr_array_add (folders, g_build_filename (shared[i], "pteris", "models", NULL));
  return folders;
}

/** Lists the models of packages, which all users share; none if PTERIS_MODELS names the library. */
static void
scan_system_folders (GPtrArray *infos)
{
  g_autoptr (GPtrArray) folders = library_folders ();

  for (guint i = 1; i < folders->len; i++) {
    g_autoptr (GPtrArray) found =
        g_ptr_array_new_with_free_func ((GDestroyNotify) pt_model_info_free);

    scan_folder (found, folders->pdata[i]);
    add_unknown_names (infos, found);
  }
}

/* Whether @program, opened from @path, is a complete model of @family. */
static gboolean
is_companion (PtProgram *program, const char *path, PtFamily family)
{
  const PtModelQuery query = { .path = path, .program = program };
  g_autoptr (PtModelSet) set = pt_model_set_search (&query, NULL);

  return set != NULL && set->family == family && set->missing == NULL;
}

static void
take_companion (PtModelSet *owner, const char *path, char **vad, char **fsmn, char **diarizer)
{
  g_autoptr (PtProgram) program = pt_program_open (path, NULL);
  PtFamily family = program != NULL ? pt_family_of (program, NULL) : PT_FAMILY_UNKNOWN;
  char **member = family == PT_FAMILY_VAD        ? vad
                  : family == PT_FAMILY_FSMN_VAD ? fsmn
                  : family == PT_FAMILY_DIARIZER ? diarizer
                                                 : NULL;

  if (member == NULL || *member != NULL || !is_companion (program, path, family))
    return;
  *member = g_strdup (path);
  pt_model_set_add_program (owner, path, program);
}

void
pt_library_find_companions (PtModelSet *set, char **vad, char **diarizer)
{
  g_autoptr (GPtrArray) folders = library_folders ();
  g_autofree char *own = g_canonicalize_filename (set->folder, NULL);
  g_autofree char *fsmn = NULL;

  for (guint f = 0; f < folders->len; f++) {
    g_autoptr (PtModelTree) tree = pt_model_tree_read (folders->pdata[f], PT_TREE_DEPTH);

    for (guint i = 0; i < tree->programs->len && (*vad == NULL || *diarizer == NULL); i++) {
      const PtTreeProgram *file = tree->programs->pdata[i];
      g_autofree char *path = g_canonicalize_filename (file->path, NULL);
      g_autofree char *beside = g_path_get_dirname (path);

      if (strcmp (beside, own) != 0)
        take_companion (set, path, vad, &fsmn, diarizer);
    }
  }
  if (*vad == NULL)
    *vad = g_steal_pointer (&fsmn);
}

static int
compare_infos (gconstpointer a, gconstpointer b)
{
  const PtModelInfo *x = *(const PtModelInfo *const *) a, *y = *(const PtModelInfo *const *) b;
  int order = strcmp (x->name, y->name);

  return order != 0 ? order : strcmp (x->path, y->path);
}

GPtrArray *
pt_library_scan (const char *const *folders)
{
  GPtrArray *infos = g_ptr_array_new_with_free_func ((GDestroyNotify) pt_model_info_free);

  for (guint i = 0; folders != NULL && folders[i] != NULL; i++)
    scan_folder (infos, folders[i]);
  scan_folder (infos, pt_library_default_folder ());
  scan_system_folders (infos);
  g_ptr_array_sort (infos, compare_infos);
  return infos;
}

/* ---- names ---- */

static char *
lowercase (const char *text)
{
  return g_utf8_strdown (text, -1);
}

static gboolean
unknown_model (const char *model, GPtrArray *infos, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  for (guint i = 0; i < infos->len && i < 20; i++)
    g_string_append_printf (names, "%s“%s”", i > 0 ? ", " : "",
                            ((PtModelInfo *) infos->pdata[i])->name);
  if (infos->len == 0)
    return pt_fail (error, PT_ERROR_NOT_FOUND,
                    "There is no model “%s”: no such file, and the library “%s” is empty.", model,
                    pt_library_default_folder ());
  return pt_fail (error, PT_ERROR_NOT_FOUND,
                  "There is no model “%s”: no such file, and the library has %s.", model,
                  names->str);
}

/* The program of the model in the user's folder whose folder is called @model, if that is its name
 * and it has no variants. Nothing is opened for it. */
static char *
find_by_folder (const char *model)
{
  g_autofree char *path = g_build_filename (pt_library_default_folder (), model, "model.pte", NULL);
  g_autofree char *folder = NULL;
  g_autoptr (PtModelTree) tree = NULL;
  guint n = 0; /* variants of it */

  if (*model == '\0' || *model == '.' || strpbrk (model, "/\\") != NULL ||
      pt_name_is_label (model) || !g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return NULL;
  folder = g_path_get_dirname (path);
  tree = pt_model_tree_read (folder, 0);
  for (guint i = 0; i < tree->programs->len; i++)
    n += strcmp (((PtTreeProgram *) tree->programs->pdata[i])->name.key, "model") == 0;
  return n == 1 ? g_steal_pointer (&path) : NULL;
}

/* Whether @name leads to nothing outside of the folder that it is in. */
static gboolean
stays_within (const char *name)
{
  g_auto (GStrv) parts = g_strsplit (name, "/", -1);

  for (guint i = 0; parts[i] != NULL; i++)
    if (parts[i][0] == '\0' || parts[i][0] == '.')
      return FALSE;
  return parts[0] != NULL && strpbrk (name, "\\:") == NULL;
}

/* The folder with programs in @library that is called @name; or NULL. */
static char *
folder_called (const char *library, const char *name)
{
  g_autofree char *path = g_build_filename (library, name, NULL);
  g_autoptr (PtModelTree) tree = NULL;

  if (!g_file_test (path, G_FILE_TEST_IS_DIR))
    return NULL;
  tree = pt_model_tree_read (path, PT_TREE_DEPTH);
  return tree->programs->len > 0 ? g_steal_pointer (&path) : NULL;
}

/* The folder of the library that @model names: "owner--name" as downloads are called, "owner/name"
 * as their repositories are, and folders in these. NULL: there is none. */
static char *
find_folder (const char *model)
{
  g_autoptr (GPtrArray) folders = library_folders ();
  const char *slash = strchr (model, '/');
  g_autofree char *download =
      slash != NULL ? g_strdup_printf ("%.*s--%s", (int) (slash - model), model, slash + 1) : NULL;
  char *found = NULL;

  for (guint i = 0; stays_within (model) && found == NULL && i < folders->len; i++) {
    found = folder_called (folders->pdata[i], model);
    if (found == NULL && download != NULL)
      found = folder_called (folders->pdata[i], download);
  }
  return found;
}

char *
pt_library_find (const char *model, const char *const *folders, GError **error)
{
  g_autoptr (GPtrArray) infos = NULL;
  g_autofree char *part = NULL, *folder = NULL;
  const PtModelInfo *found = NULL, *other = NULL;

  if (g_file_test (model, G_FILE_TEST_EXISTS))
    return g_strdup (model);
  if (folders == NULL && (part = find_by_folder (model)) != NULL)
    return g_steal_pointer (&part);
  infos = pt_library_scan (folders);
  part = lowercase (model);
  for (guint i = 0; i < infos->len; i++) {
    const PtModelInfo *info = infos->pdata[i];
    g_autofree char *name = lowercase (info->name);

    if (strcmp (name, part) == 0)
      return g_strdup (info->path);
  }
  folder = find_folder (model);
  if (folder != NULL)
    return g_steal_pointer (&folder);
  for (guint i = 0; i < infos->len; i++) {
    const PtModelInfo *info = infos->pdata[i];
    g_autofree char *name = lowercase (info->name);

    if (*part == '\0' || strstr (name, part) == NULL)
      continue;
    if (found == NULL)
      found = info;
    else if (other == NULL)
      other = info;
  }
  if (found == NULL) {
    unknown_model (model, infos, error);
    return NULL;
  }
  if (other != NULL) {
    pt_fail (error, PT_ERROR_NOT_FOUND,
             "“%s” matches “%s” and “%s”. Use a longer part of the name.", model, found->name,
             other->name);
    return NULL;
  }
  return g_strdup (found->path);
}
