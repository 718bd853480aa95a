/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speak/espeak.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/tasks/speak/vocabulary.h"

typedef struct {
  const char *from, *to;
} Rule;

/* Sounds of two characters that are one phoneme in every language. */
static const Rule TIED[] = {
  { "a^ɪ", "I" }, { "a^ʊ", "W" }, { "d^z", "ʣ" }, { "d^ʒ", "ʤ" }, { "e^ɪ", "A" }, { "s^s", "S" },
  { "t^s", "ʦ" }, { "t^ʃ", "ʧ" }, { "ɔ^ɪ", "Y" }, { "o^ʊ", "O" }, { "ə^ʊ", "Q" }, { NULL, NULL },
};

/* English, the longer ones first. */
static const Rule ENGLISH[] = {
  { "ʔˌn\u0329", "tᵊn" }, { "ʔn\u0329", "tᵊn" }, { "ə^l", "ᵊl" }, { "ʔn", "tᵊn" }, { "ʲo", "jo" },
  { "ʲə", "jə" },         { "ʲ", "" },           { "ʔ", "t" },    { "e", "A" },    { "ɚ", "əɹ" },
  { "r", "ɹ" },           { "x", "k" },          { "ç", "k" },    { "ɐ", "ə" },    { "ɬ", "l" },
  { "\u0303", "" },       { NULL, NULL },
};

static const Rule BRITISH[] = { { "e^ə", "ɛː" }, { "iə", "ɪə" }, { NULL, NULL } };

static const Rule AMERICAN[] = {
  { "ɜːɹ", "ɜɹ" }, { "ɜː", "ɜɹ" }, { "ɪə", "iə" }, { "ː", "" }, { NULL, NULL },
};

static const Rule SPELLING[] = { { "g", "ɡ" }, { "ɫ", "l" }, { "ˑ", "ː" }, { NULL, NULL } };

char *
pt_espeak_find (void)
{
  char *path = g_find_program_in_path ("espeak-ng");

#ifdef G_OS_WIN32
  /* Its installer does not change PATH. */
  if (path == NULL && g_getenv ("ProgramFiles") != NULL) {
    path = g_build_filename (g_getenv ("ProgramFiles"), "eSpeak NG", "espeak-ng.exe", NULL);
    if (!g_file_test (path, G_FILE_TEST_IS_EXECUTABLE))
      g_clear_pointer (&path, g_free);
  }
#endif
  return path != NULL ? path : g_find_program_in_path ("espeak");
}

static void
apply (GString *text, const Rule *rules)
{
  for (; rules->from != NULL; rules++)
    g_string_replace (text, rules->from, rules->to, 0);
}

/* Removes marks of other languages: "(^e^n)". */
static void
remove_languages (GString *text)
{
  for (;;) {
    const char *open = strchr (text->str, '(');
    const char *close = open != NULL ? strchr (open, ')') : NULL;

    if (close == NULL)
      return;
    g_string_erase (text, open - text->str, close + 1 - open);
  }
}

/* A consonant that is a syllable by itself gets a vowel in front: n̩ is ᵊn. */
static void
move_syllables (GString *text)
{
  const char *sign;

  while ((sign = strstr (text->str, "\u0329")) != NULL) {
    const char *before = g_utf8_find_prev_char (text->str, sign);
    gssize at = sign - text->str;

    g_string_erase (text, at, (gssize) strlen ("\u0329"));
    if (before != NULL && *before != ' ')
      g_string_insert (text, before - text->str, "ᵊ");
  }
}

/* Only phonemes that Kokoro knows, with single spaces between words. */
static char *
clean (const char *text)
{
  GString *out = g_string_new (NULL);

  for (const char *p = text; *p != '\0'; p = g_utf8_next_char (p)) {
    gunichar c = g_utf8_get_char (p);

    if (g_unichar_isspace (c))
      c = ' ';
    if (c == ' ' ? out->len > 0 && out->str[out->len - 1] != ' ' : pt_phoneme_token (c) != 0)
      g_string_append_unichar (out, c);
  }
  if (out->len > 0 && out->str[out->len - 1] == ' ')
    g_string_truncate (out, out->len - 1);
  return g_string_free (out, FALSE);
}

char *
pt_espeak_to_phonemes (const char *written, const PtLanguage *language)
{
  g_autoptr (GString) text = g_string_new (written);
  gboolean british = strcmp (language->id, "en-gb") == 0;

  remove_languages (text);
  if (british)
    g_string_replace (text, "e^ə", "ɛː", 0);
  apply (text, TIED);
  if (g_str_has_prefix (language->id, "en")) {
    apply (text, ENGLISH);
    move_syllables (text);
    apply (text, british ? BRITISH : AMERICAN);
  } else {
    move_syllables (text);
  }
  g_string_replace (text, "^", "", 0);
  apply (text, SPELLING);
  return clean (text->str);
}

static gboolean
fail_to_run (const char *program, const char *why, GError **error)
{
  return pt_fail (error, PT_ERROR_FILE, "The phonemes could not be found: “%s” failed%s%.200s",
                  program, why != NULL ? ": " : ".", why != NULL ? why : "");
}

gboolean
pt_espeak_run (const char *program, const PtLanguage *language, const char *clause, GString *out,
               GCancellable *cancellable, GError **error)
{
  g_autoptr (GError) reason = NULL;
  g_autoptr (GSubprocess) process =
      g_subprocess_new (G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE |
                            G_SUBPROCESS_FLAGS_STDERR_SILENCE,
                        &reason, program, "-q", "--ipa", "--tie=^", "-b", "1", "-v",
                        language->espeak, "--stdin", NULL);
  g_autofree char *written = NULL, *phonemes = NULL;

  if (process == NULL)
    return fail_to_run (program, reason->message, error);
  if (!g_subprocess_communicate_utf8 (process, clause, cancellable, &written, NULL, &reason)) {
    g_subprocess_force_exit (process);
    if (g_cancellable_is_cancelled (cancellable))
      return pt_fail (error, PT_ERROR_CANCELLED, "Stopped.");
    return fail_to_run (program, reason->message, error);
  }
  if (!g_subprocess_get_successful (process))
    return fail_to_run (program, NULL, error);
  phonemes = pt_espeak_to_phonemes (written, language);
  g_string_append (out, phonemes);
  return TRUE;
}
