/* SPDX-License-Identifier: BSD-3-Clause */

/* Tells the family of a program by its config.json and its name, where its methods fit several. */

#include <string.h>

#include "engine/tasks/models/family-private.h"
#include "engine/tasks/models/model-root.h"

static PtFamily
hint_of_config (const char *folder, const PtFamilyHint *hints, gsize n)
{
  g_autoptr (PtModelConfig) config = pt_model_config_read (folder, NULL);

  for (gsize i = 0; config != NULL && i < n; i++)
    if ((hints[i].can & config->capabilities) != 0)
      return hints[i].family;
  return PT_FAMILY_UNKNOWN;
}

/* Whether @name has @word with no letter before and behind it. */
static gboolean
has_word (const char *name, const char *word)
{
  gsize length = strlen (word);

  for (const char *at = strstr (name, word); at != NULL; at = strstr (at + 1, word))
    if ((at == name || !g_ascii_isalpha (at[-1])) && !g_ascii_isalpha (at[length]))
      return TRUE;
  return FALSE;
}

static PtFamily
hint_of_name (const char *path, const PtFamilyHint *hints, gsize n)
{
  g_autofree char *base = g_path_get_basename (path);
  g_autofree char *name = g_ascii_strdown (base, -1);

  for (gsize i = 0; i < n; i++)
    if (hints[i].word != NULL && has_word (name, hints[i].word))
      return hints[i].family;
  return PT_FAMILY_UNKNOWN;
}

PtFamily
pt_family_hint (const PtProgram *program, const PtFamilyHint *hints, gsize n)
{
  const char *path = pt_program_path (program);
  g_autofree char *folder = g_path_get_dirname (path);
  g_auto (GStrv) folders = NULL;
  PtFamily family = hint_of_config (folder, hints, n);

  if (family == PT_FAMILY_UNKNOWN)
    family = hint_of_name (path, hints, n);
  if (family != PT_FAMILY_UNKNOWN)
    return family;
  folders = pt_model_folders (folder);
  for (guint i = 0; folders[i] != NULL && family == PT_FAMILY_UNKNOWN; i++)
    family = hint_of_name (folders[i], hints, n);
  return family;
}
