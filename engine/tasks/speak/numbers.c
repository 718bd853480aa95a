/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speak/numbers.h"

#include <string.h>

/* More digits are read one by one. */
#define MAX_DIGITS 12

static const char *const SMALL[] = {
  "zero",     "one",     "two",     "three",     "four",     "five",     "six",
  "seven",    "eight",   "nine",    "ten",       "eleven",   "twelve",   "thirteen",
  "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
};

static const char *const TENS[] = { "",      "",      "twenty",  "thirty", "forty",
                                    "fifty", "sixty", "seventy", "eighty", "ninety" };

/* The digits from 0 to 9, and what stands between whole numbers and decimals. */
static const struct {
  const char *language;
  const char *digits[10];
  const char *point;
} WORDS[] = {
  { "en",
    { "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine" },
    "point" },
  { "de",
    { "null", "eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun" },
    "komma" },
  { "fr",
    { "zéro", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf" },
    "virgule" },
  { "es",
    { "cero", "uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve" },
    "coma" },
  { "it",
    { "zero", "uno", "due", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove" },
    "virgola" },
  { "pt",
    { "zero", "um", "dois", "três", "quatro", "cinco", "seis", "sete", "oito", "nove" },
    "vírgula" },
  { "pl",
    { "zero", "jeden", "dwa", "trzy", "cztery", "pięć", "sześć", "siedem", "osiem", "dziewięć" },
    "przecinek" },
};

static void
add_word (GString *out, const char *word)
{
  if (out->len > 0)
    g_string_append_c (out, ' ');
  g_string_append (out, word);
}

static void
add_below_thousand (GString *out, guint n)
{
  if (n >= 100) {
    add_word (out, SMALL[n / 100]);
    add_word (out, "hundred");
    n %= 100;
    if (n == 0)
      return;
  }
  if (n < G_N_ELEMENTS (SMALL)) {
    add_word (out, SMALL[n]);
    return;
  }
  add_word (out, TENS[n / 10]);
  if (n % 10 != 0)
    add_word (out, SMALL[n % 10]);
}

static void
add_english (GString *out, guint64 n)
{
  static const struct {
    guint64 size;
    const char *name;
  } SCALES[] = { { G_GUINT64_CONSTANT (1000000000), "billion" },
                 { 1000000, "million" },
                 { 1000, "thousand" } };

  if (n == 0)
    add_word (out, SMALL[0]);
  for (guint i = 0; i < G_N_ELEMENTS (SCALES); i++) {
    if (n < SCALES[i].size)
      continue;
    add_below_thousand (out, (guint) (n / SCALES[i].size));
    add_word (out, SCALES[i].name);
    n %= SCALES[i].size;
  }
  if (n > 0)
    add_below_thousand (out, (guint) n);
}

/* Whether @p begins groups of three digits behind commas: "000" of "1,000". */
static gboolean
is_group (const char *p)
{
  return g_ascii_isdigit (p[0]) && g_ascii_isdigit (p[1]) && g_ascii_isdigit (p[2]) &&
         !g_ascii_isdigit (p[3]);
}

/* The digits at *@p, without commas of groups in English; *@p moves behind them. */
static char *
take_digits (const char **p, gboolean english)
{
  GString *digits = g_string_new (NULL);

  for (; **p != '\0'; (*p)++) {
    if (g_ascii_isdigit (**p))
      g_string_append_c (digits, **p);
    else if (!(english && **p == ',' && digits->len > 0 && is_group (*p + 1)))
      break;
  }
  return g_string_free (digits, FALSE);
}

static void
add_digits (GString *out, const char *digits, const char *const *names)
{
  for (; *digits != '\0'; digits++)
    add_word (out, names[*digits - '0']);
}

char *
pt_number_words (const char *text, const PtLanguage *language)
{
  gboolean english = g_str_has_prefix (language->id, "en");
  g_autoptr (GString) out = g_string_new (NULL);
  gsize k = 0;

  while (k < G_N_ELEMENTS (WORDS) && strncmp (WORDS[k].language, language->id, 2) != 0)
    k++;
  if (k == G_N_ELEMENTS (WORDS) || !g_ascii_isdigit (*text))
    return NULL;
  while (*text != '\0') {
    g_autofree char *digits = take_digits (&text, english);
    gsize n = strlen (digits);

    if (n == 0)
      return NULL;
    if (english && out->len == 0 && n <= MAX_DIGITS && (n == 1 || digits[0] != '0'))
      add_english (out, g_ascii_strtoull (digits, NULL, 10));
    else
      add_digits (out, digits, WORDS[k].digits);
    if (*text == '\0')
      break;
    if ((*text != '.' && *text != ',') || text[1] == '\0')
      return NULL;
    add_word (out, WORDS[k].point);
    text++;
  }
  return g_string_free (g_steal_pointer (&out), FALSE);
}
