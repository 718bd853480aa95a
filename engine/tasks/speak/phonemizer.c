/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speak/phonemizer.h"

#include "engine/base/set-error.h"
#include "engine/tasks/models/model-root.h"
#include "engine/tasks/speak/espeak.h"
#include "engine/tasks/speak/lexicon.h"
#include "engine/tasks/speak/numbers.h"
#include "engine/tasks/speak/spoken-text.h"
#include "engine/tasks/speak/word-program.h"

/* How to install espeak-ng. */
#ifdef G_OS_WIN32
#define INSTALL "its installer is on github.com/espeak-ng/espeak-ng/releases"
#else
#define INSTALL "“sudo apt install espeak-ng”, “sudo dnf install espeak-ng”"
#endif

struct _PtPhonemizer {
  const PtLanguage *language;
  PtLexicon *lexicon;     /* of the model's folder; or NULL */
  PtWordProgram *program; /* ... */
  char *espeak;           /* path, or NULL */
};

/* ---- opening ---- */

/* Path of a file in the folder of @language's phonemizer; NULL: there is none. Free with
 * g_free(). */
static char *
find (const char *folder, const PtLanguage *language, const char *name)
{
  g_autofree char *relative = g_build_filename ("phonemizer", language->id, name, NULL);

  return pt_model_find_file (folder, relative);
}

/* Opens what the model's folder has. */
static gboolean
open_files (PtPhonemizer *self, const char *folder, const PtMethodOptions *options, GError **error)
{
  g_autofree char *id = g_strdelimit (g_strdup (self->language->id), "-", '_');
  g_autofree char *name = g_strdup_printf ("phonemizer_%s.pte", id);
  g_autofree char *program = find (folder, self->language, name);
  g_autofree char *lexicon = find (folder, self->language, "lexicon.json");

  if (lexicon != NULL && (self->lexicon = pt_lexicon_read (lexicon, error)) == NULL)
    return FALSE;
  return program == NULL ||
         (self->program = pt_word_program_open (program, options, error)) != NULL;
}

PtPhonemizer *
pt_phonemizer_new (const char *folder, const PtLanguage *language, const PtMethodOptions *options,
                   GError **error)
{
  g_autoptr (PtPhonemizer) self = g_new0 (PtPhonemizer, 1);

  self->language = language;
  self->espeak = pt_espeak_find ();
  if (!open_files (self, folder, options, error))
    return NULL;
  if (self->espeak == NULL && self->program == NULL) {
    pt_fail (error, PT_ERROR_MISSING_FILE,
             "Reading texts in “%s” needs a phonemizer. Install espeak-ng (%s), or put the folder "
             "“phonemizer/%s” of the model's repository beside the model.",
             language->id, INSTALL, language->id);
    return NULL;
  }
  return g_steal_pointer (&self);
}

void
pt_phonemizer_free (PtPhonemizer *self)
{
  if (self == NULL)
    return;
  g_clear_pointer (&self->lexicon, pt_lexicon_free);
  g_clear_pointer (&self->program, pt_word_program_free);
  g_free (self->espeak);
  g_free (self);
}

/* ---- words ---- */

/* English words for signs that are read. */
static const char *
sign_word (gunichar c, const PtLanguage *language)
{
  if (!g_str_has_prefix (language->id, "en"))
    return NULL;
  switch (c) {
  case '%': return "percent";
  case '&': return "and";
  case '+': return "plus";
  case '=': return "equals";
  case '@': return "at";
  case '$': return "dollars";
  case U'€': return "euros";
  case U'£': return "pounds";
  default: return NULL;
  }
}

static gboolean
is_letter (gunichar c)
{
  return g_unichar_isalpha (c) || g_unichar_ismark (c) || c == '\'';
}

/* Whether @p belongs to a number that it does not begin. */
static gboolean
goes_on (const char *p)
{
  return g_ascii_isdigit (*p) || ((*p == '.' || *p == ',') && g_ascii_isdigit (p[1]));
}

/* Appends a space if a word is before it. */
static void
part_words (GString *out)
{
  if (out->len > 0 && out->str[out->len - 1] != ' ')
    g_string_append_c (out, ' ');
}

/* Appends the phonemes of @part, which is letters only. Letters without a phoneme are left out. */
static gboolean
say_letters (PtPhonemizer *self, const char *part, GString *out, GCancellable *cancellable,
             GError **error)
{
  const char *phonemes = self->lexicon != NULL ? pt_lexicon_find (self->lexicon, part) : NULL;
  gboolean knows = FALSE;

  if (phonemes != NULL) {
    g_string_append (out, phonemes);
    return TRUE;
  }
  if (self->program != NULL &&
      !pt_word_program_say (self->program, part, out, &knows, cancellable, error))
    return FALSE;
  return knows || self->espeak == NULL ||
         pt_espeak_run (self->espeak, self->language, part, out, cancellable, error);
}

/* Says words with spaces between them. */
static gboolean
say_all (PtPhonemizer *self, const char *words, GString *out, GCancellable *cancellable,
         GError **error)
{
  g_auto (GStrv) parts = g_strsplit (words, " ", -1);

  for (guint i = 0; parts[i] != NULL; i++) {
    part_words (out);
    if (!say_letters (self, parts[i], out, cancellable, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
say_number (PtPhonemizer *self, const char *number, GString *out, GCancellable *cancellable,
            GError **error)
{
  g_autofree char *words = pt_number_words (number, self->language);

  part_words (out);
  /* espeak-ng reads numbers as such in all its languages. */
  if (self->espeak != NULL && !g_str_has_prefix (self->language->id, "en"))
    return pt_espeak_run (self->espeak, self->language, number, out, cancellable, error);
  return words == NULL || say_all (self, words, out, cancellable, error);
}

/* Says a word that may have digits and signs in it: "3rd", "well-known", "50%". */
static gboolean
say_parts (PtPhonemizer *self, const char *word, GString *out, GCancellable *cancellable,
           GError **error)
{
  for (const char *p = word, *end; *p != '\0'; p = end) {
    gboolean letters = is_letter (g_utf8_get_char (p)), digits = g_ascii_isdigit (*p);
    const char *sign = sign_word (g_utf8_get_char (p), self->language);
    g_autofree char *part = NULL;

    end = g_utf8_next_char (p);
    while (letters ? is_letter (g_utf8_get_char (end)) : digits && goes_on (end))
      end = g_utf8_next_char (end);
    part = g_strndup (p, (gsize) (end - p));
    if (letters || sign != NULL) {
      part_words (out);
      if (!say_letters (self, sign != NULL ? sign : part, out, cancellable, error))
        return FALSE;
    } else if (digits && !say_number (self, part, out, cancellable, error)) {
      return FALSE;
    }
  }
  return TRUE;
}

/* Appends the phonemes of a word by the files of the model's folder. */
static gboolean
say_word (PtPhonemizer *self, const char *word, GString *out, GCancellable *cancellable,
          GError **error)
{
  const char *phonemes = self->lexicon != NULL ? pt_lexicon_find (self->lexicon, word) : NULL;
  g_autoptr (GString) said = g_string_new (NULL);

  if (phonemes != NULL) {
    g_string_append (out, phonemes);
    return TRUE;
  }
  if (!say_parts (self, word, said, cancellable, error))
    return FALSE;
  g_string_append (out, g_strchomp (said->str));
  return TRUE;
}

/* ---- passages ---- */

/* Appends the phonemes of the words from @from to before @to by espeak-ng. */
static gboolean
say_clause (PtPhonemizer *self, const GPtrArray *tokens, guint from, guint to, GString *out,
            GCancellable *cancellable, GError **error)
{
  g_autoptr (GString) clause = g_string_new (NULL);

  for (guint i = from; i < to; i++) {
    const PtSpokenToken *token = tokens->pdata[i];

    if (i > from && token->is_spaced)
      g_string_append_c (clause, ' ');
    g_string_append (clause, token->text);
  }
  return pt_espeak_run (self->espeak, self->language, clause->str, out, cancellable, error);
}

static gboolean
say_words (PtPhonemizer *self, const GPtrArray *tokens, guint from, guint to, GString *out,
           GCancellable *cancellable, GError **error)
{
  if (self->program == NULL && self->lexicon == NULL)
    return say_clause (self, tokens, from, to, out, cancellable, error);
  for (guint i = from; i < to; i++) {
    const PtSpokenToken *token = tokens->pdata[i];

    if (i > from && token->is_spaced)
      part_words (out);
    if (!say_word (self, token->text, out, cancellable, error))
      return FALSE;
  }
  return TRUE;
}

static void
append_space (GString *out, const PtSpokenToken *token)
{
  if (token->is_spaced && out->len > 0)
    g_string_append_c (out, ' ');
}

char *
pt_phonemizer_run (PtPhonemizer *self, const char *passage, GCancellable *cancellable,
                   GError **error)
{
  g_autoptr (GPtrArray) tokens = pt_spoken_tokens (passage);
  g_autoptr (GString) out = g_string_new (NULL);

  for (guint i = 0; i < tokens->len;) {
    const PtSpokenToken *token = tokens->pdata[i];
    guint end = i;

    append_space (out, token);
    if (token->is_mark) {
      g_string_append (out, token->text);
      i++;
      continue;
    }
    while (end < tokens->len && !((const PtSpokenToken *) tokens->pdata[end])->is_mark)
      end++;
    if (!say_words (self, tokens, i, end, out, cancellable, error))
      return NULL;
    i = end;
  }
  return g_string_free (g_steal_pointer (&out), FALSE);
}
