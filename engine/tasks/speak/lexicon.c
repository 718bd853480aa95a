/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speak/lexicon.h"

#include "engine/base/json.h"
#include "engine/base/set-error.h"

/* The largest published one has 6 MB. */
#define MAX_BYTES (10 * 1000 * 1000)
/* The phonemes of a word that has several, by what it is in a sentence. */
#define USUAL "DEFAULT"

struct _PtLexicon {
  json_t *words;
};

PtLexicon *
pt_lexicon_read (const char *path, GError **error)
{
  g_autoptr (json_t) words = pt_json_load (path, MAX_BYTES, error);
  PtLexicon *self;

  if (words == NULL)
    return NULL;
  if (!json_is_object (words)) {
    pt_fail (error, PT_ERROR_FORMAT,
             "“%s” is not a lexicon: it must be a JSON object of words and their phonemes. "
             "Download it again.",
             path);
    return NULL;
  }
  self = g_new (PtLexicon, 1);
  self->words = g_steal_pointer (&words);
  return self;
}

void
pt_lexicon_free (PtLexicon *self)
{
  if (self == NULL)
    return;
  json_decref (self->words);
  g_free (self);
}

static const char *
look_up (const PtLexicon *self, const char *word)
{
  const json_t *value = json_object_get (self->words, word);
  const char *phonemes =
      json_is_object (value) ? pt_json_string (value, USUAL) : json_string_value (value);

  return phonemes != NULL && *phonemes != '\0' ? phonemes : NULL;
}

const char *
pt_lexicon_find (const PtLexicon *self, const char *word)
{
  const char *phonemes = look_up (self, word);
  g_autofree char *lower = NULL;

  if (phonemes != NULL)
    return phonemes;
  lower = g_utf8_strdown (word, -1);
  return look_up (self, lower);
}
