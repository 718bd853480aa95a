/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/models/model-root.h"

#include <string.h>

#include <pteris/models.h>

#include "engine/base/folder.h"
#include "engine/tasks/models/model-config.h"
#include "engine/text/tokenizer.h"

/* Entries of a folder that are looked at for a program. */
#define MAX_ENTRIES 4096

gboolean
pt_model_is_root (const char *folder)
{
  static const char *const SIGNS[] = { "README.md",      "LICENSE", "LICENSE.txt", "LICENSE.md",
                                       ".gitattributes", ".git",    ".gitignore" };

  for (gsize i = 0; i < G_N_ELEMENTS (SIGNS); i++) {
    g_autofree char *path = g_build_filename (folder, SIGNS[i], NULL);

    if (g_file_test (path, G_FILE_TEST_EXISTS))
      return TRUE;
  }
  return FALSE;
}

static gboolean
holds_programs (const char *folder)
{
  g_autoptr (PtFolder) dir = pt_folder_open (folder);
  const char *name;

  for (guint n = 0; n < MAX_ENTRIES && (name = pt_folder_next (dir)) != NULL; n++)
    if (g_str_has_suffix (name, ".pte"))
      return TRUE;
  return FALSE;
}

static gboolean
is_same (const char *folder, const char *other)
{
  g_autofree char *path = other != NULL ? g_canonicalize_filename (other, NULL) : NULL;

  return path != NULL && strcmp (folder, path) == 0;
}

gboolean
pt_model_is_common (const char *folder)
{
  const char *const *shared = g_get_system_data_dirs ();
  const char *own[] = { g_get_home_dir (),        g_get_tmp_dir (),
                        g_get_user_data_dir (),   g_get_user_cache_dir (),
                        g_get_user_config_dir (), pt_library_default_folder () };
  g_autofree char *home = g_canonicalize_filename (g_get_home_dir (), NULL);
  g_autofree char *within = g_strconcat (folder, G_DIR_SEPARATOR_S, NULL);

  if (*g_path_skip_root (folder) == '\0' || g_str_has_prefix (home, within))
    return TRUE;
  for (gsize i = 0; i < G_N_ELEMENTS (own); i++)
    if (is_same (folder, own[i]))
      return TRUE;
  for (int i = 0; i < G_USER_N_DIRECTORIES; i++)
    if (is_same (folder, g_get_user_special_dir ((GUserDirectory) i)))
      return TRUE;
  for (guint i = 0; shared[i] != NULL; i++) {
    g_autofree char *library = g_build_filename (shared[i], "pteris", "models", NULL);

    if (is_same (folder, shared[i]) || is_same (folder, library))
      return TRUE;
  }
  return FALSE;
}

char **
pt_model_folders (const char *folder)
{
  GPtrArray *folders = g_ptr_array_new ();
  g_autofree char *here = g_canonicalize_filename (folder, NULL);

  g_ptr_array_add (folders, g_strdup (folder));
  for (guint level = 0; level < PT_ROOT_LEVELS && !pt_model_is_root (here); level++) {
    char *above = g_path_get_dirname (here);

    g_free (here);
    here = above;
    if (pt_model_is_common (here) || (holds_programs (here) && !pt_model_is_root (here)))
      break;
    g_ptr_array_add (folders, g_strdup (here));
  }
  g_ptr_array_add (folders, NULL);
  return (char **) g_ptr_array_free (folders, FALSE);
}

char *
pt_model_find_any (const char *folder, const char *const *names)
{
  g_auto (GStrv) folders = pt_model_folders (folder);

  for (guint f = 0; folders[f] != NULL; f++) {
    for (guint i = 0; names[i] != NULL; i++) {
      g_autofree char *path = g_build_filename (folders[f], names[i], NULL);

      if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
        return g_steal_pointer (&path);
    }
  }
  return NULL;
}

char *
pt_model_find_file (const char *folder, const char *name)
{
  const char *const names[] = { name, NULL };

  return pt_model_find_any (folder, names);
}

/* The file at @path, relative to @folder, if that is within the model's @folders; or NULL. */
static char *
file_within (const char *folder, const char *path, char **folders)
{
  g_autofree char *here = g_canonicalize_filename (folder, NULL);
  g_autofree char *full = g_canonicalize_filename (path, here);
  g_autofree char *root = g_canonicalize_filename (folders[g_strv_length (folders) - 1], NULL);
  g_autofree char *within = g_strconcat (root, G_DIR_SEPARATOR_S, NULL);

  return g_str_has_prefix (full, within) && g_file_test (full, G_FILE_TEST_IS_REGULAR)
             ? g_steal_pointer (&full)
             : NULL;
}

char *
pt_model_find_tokenizer (const char *folder)
{
  g_auto (GStrv) folders = pt_model_folders (folder);
  g_autoptr (PtModelConfig) config = pt_model_config_read (folder, NULL);
  char *found = NULL;

  if (config != NULL && config->tokenizer != NULL)
    found = file_within (folder, config->tokenizer, folders);
  for (guint i = 0; found == NULL && folders[i] != NULL; i++) {
    g_autofree char *inside = g_build_filename (folders[i], "tokenizer", NULL);

    found = pt_tokenizer_find_file (folders[i]);
    if (found == NULL && g_file_test (inside, G_FILE_TEST_IS_DIR))
      found = pt_tokenizer_find_file (inside);
  }
  return found;
}

static gboolean
has_any (const char *folder, const char *const *names)
{
  for (guint i = 0; names[i] != NULL; i++) {
    g_autofree char *path = g_build_filename (folder, names[i], NULL);

    if (g_file_test (path, G_FILE_TEST_IS_REGULAR))
      return TRUE;
  }
  return FALSE;
}

char *
pt_model_text_folder (const char *folder, const char *tokenizer)
{
  static const char *const NAMES[] = { "chat_template.jinja", "tokenizer_config.json",
                                       "chat_template.json", NULL };
  g_autofree char *own = tokenizer != NULL ? g_path_get_dirname (tokenizer) : g_strdup (folder);
  g_autofree char *found = NULL;

  if (has_any (own, NAMES))
    return g_steal_pointer (&own);
  found = pt_model_find_any (folder, NAMES);
  return found != NULL ? g_path_get_dirname (found) : g_steal_pointer (&own);
}

char *
pt_model_settings_folder (const char *folder)
{
  g_autofree char *found = pt_model_find_file (folder, "generation_config.json");

  return found != NULL ? g_path_get_dirname (found) : g_strdup (folder);
}
