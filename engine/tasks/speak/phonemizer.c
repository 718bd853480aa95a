/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speak/phonemizer.h"

#include "engine/base/set-error.h"
#include "engine/tasks/speak/espeak.h"
#include "engine/tasks/speak/spoken-text.h"

/* How to install espeak-ng. */
#ifdef G_OS_WIN32
#define INSTALL "its installer is on github.com/espeak-ng/espeak-ng/releases"
#else
#define INSTALL "“sudo apt install espeak-ng”, “sudo dnf install espeak-ng”"
#endif

struct _PtPhonemizer {
  const PtLanguage *language;
  char *espeak; /* path, or NULL */
};

PtPhonemizer *
pt_phonemizer_new (const char *folder, const PtLanguage *language, GError **error)
{
  g_autoptr (PtPhonemizer) self = g_new0 (PtPhonemizer, 1);

  self->language = language;
  self->espeak = pt_espeak_find ();
  if (self->espeak == NULL) {
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
  g_free (self->espeak);
  g_free (self);
}

/* Appends the phonemes of the words from @from to before @to. */
static gboolean
say_words (PtPhonemizer *self, const GPtrArray *tokens, guint from, guint to, GString *out,
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
