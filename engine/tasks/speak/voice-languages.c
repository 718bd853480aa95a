/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speak/voice-languages.h"

#include <string.h>

#include "engine/base/set-error.h"

static const PtLanguage LANGUAGES[] = {
  { "en-us", "en-us", "af_heart", 'a' }, { "en-gb", "en-gb", "bf_emma", 'b' },
  { "es", "es", "ef_dora", 'e' },        { "fr", "fr-fr", "ff_siwis", 'f' },
  { "hi", "hi", "hf_alpha", 'h' },       { "it", "it", "if_sara", 'i' },
  { "pt", "pt-br", "pf_dora", 'p' },     { "pl", "pl", "pm_mateusz", 'p' },
  { "de", "de", "df_anna", 'd' },
};

static char *
normal_name (const char *name)
{
  return g_strdelimit (g_ascii_strdown (name, -1), "_", '-');
}

const PtLanguage *
pt_language_find (const char *name, GError **error)
{
  g_autofree char *wanted = normal_name (name);
  g_autoptr (GString) all = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (LANGUAGES); i++)
    if (strcmp (wanted, LANGUAGES[i].id) == 0 || strcmp (wanted, LANGUAGES[i].espeak) == 0)
      return &LANGUAGES[i];
  /* "en", "de-at" */
  for (gsize i = 0; i < G_N_ELEMENTS (LANGUAGES); i++)
    if (strncmp (wanted, LANGUAGES[i].id, 2) == 0 && (wanted[2] == '\0' || wanted[2] == '-'))
      return &LANGUAGES[i];
  for (gsize i = 0; i < G_N_ELEMENTS (LANGUAGES); i++)
    g_string_append_printf (all, "%s%s",
                            i == 0                              ? ""
                            : i + 1 == G_N_ELEMENTS (LANGUAGES) ? " and "
                                                                : ", ",
                            LANGUAGES[i].id);
  pt_fail (error, PT_ERROR_ARGUMENT, "Kokoro does not speak “%.40s”. Use one of %s.", name,
           all->str);
  return NULL;
}

const PtLanguage *
pt_language_of_program (const char *name)
{
  if (g_str_has_suffix (name, "_pl"))
    return pt_language_find ("pl", NULL);
  return g_str_has_suffix (name, "_de") ? pt_language_find ("de", NULL) : NULL;
}

const PtLanguage *
pt_language_of_voice (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (LANGUAGES); i++)
    if (strcmp (name, LANGUAGES[i].voice) == 0)
      return &LANGUAGES[i];
  for (gsize i = 0; i < G_N_ELEMENTS (LANGUAGES); i++)
    if (name[0] == LANGUAGES[i].letter && (name[1] == 'f' || name[1] == 'm') && name[2] == '_')
      return &LANGUAGES[i];
  return &LANGUAGES[0];
}
