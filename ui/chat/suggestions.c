/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/chat/suggestions.h"

#include <string.h>

#include "ui/i18n.h"

static const char *const SUGGESTIONS[PTERIS_N_SUGGESTIONS] = {
  N_ ("What is the capital of France? Answer briefly."),
  N_ ("What is a volcano? Answer in two sentences."),
  N_ ("Name the seven days of the week."),
};

gboolean
pteris_suggestions_match (const char *languages, const char *const *locales)
{
  g_auto (GStrv) spoken = NULL;
  g_autofree char *code = NULL;

  if (languages == NULL || locales[0] == NULL)
    return FALSE;
  spoken = g_strsplit (languages, " ", -1);
  code = g_strndup (locales[0], strcspn (locales[0], "_.@"));
  return g_strv_contains ((const char *const *) spoken, code);
}

const char *
pteris_suggestions_get (guint i, const char *languages)
{
  g_return_val_if_fail (i < PTERIS_N_SUGGESTIONS, NULL);
  return pteris_suggestions_match (languages, g_get_language_names ()) ? _ (SUGGESTIONS[i])
                                                                       : SUGGESTIONS[i];
}
