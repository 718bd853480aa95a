/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/speech/languages.h"

#include "ui/i18n.h"

static const struct {
  const char *code;
  const char *name;
} LANGUAGES[] = {
  { "af", N_ ("Afrikaans") },
  { "sq", N_ ("Albanian") },
  { "am", N_ ("Amharic") },
  { "ar", N_ ("Arabic") },
  { "hy", N_ ("Armenian") },
  { "as", N_ ("Assamese") },
  { "az", N_ ("Azerbaijani") },
  { "ba", N_ ("Bashkir") },
  { "eu", N_ ("Basque") },
  { "be", N_ ("Belarusian") },
  { "bn", N_ ("Bengali") },
  { "bs", N_ ("Bosnian") },
  { "br", N_ ("Breton") },
  { "bg", N_ ("Bulgarian") },
  { "my", N_ ("Burmese") },
  { "ca", N_ ("Catalan") },
  { "zh", N_ ("Chinese") },
  { "hr", N_ ("Croatian") },
  { "cs", N_ ("Czech") },
  { "da", N_ ("Danish") },
  { "nl", N_ ("Dutch") },
  { "en", N_ ("English") },
  { "et", N_ ("Estonian") },
  { "fo", N_ ("Faroese") },
  { "fi", N_ ("Finnish") },
  { "fr", N_ ("French") },
  { "gl", N_ ("Galician") },
  { "ka", N_ ("Georgian") },
  { "de", N_ ("German") },
  { "el", N_ ("Greek") },
  { "gu", N_ ("Gujarati") },
  { "ht", N_ ("Haitian Creole") },
  { "ha", N_ ("Hausa") },
  { "haw", N_ ("Hawaiian") },
  { "he", N_ ("Hebrew") },
  { "hi", N_ ("Hindi") },
  { "hu", N_ ("Hungarian") },
  { "is", N_ ("Icelandic") },
  { "id", N_ ("Indonesian") },
  { "it", N_ ("Italian") },
  { "ja", N_ ("Japanese") },
  { "jw", N_ ("Javanese") },
  { "kn", N_ ("Kannada") },
  { "kk", N_ ("Kazakh") },
  { "km", N_ ("Khmer") },
  { "ko", N_ ("Korean") },
  { "lo", N_ ("Lao") },
  { "la", N_ ("Latin") },
  { "lv", N_ ("Latvian") },
  { "ln", N_ ("Lingala") },
  { "lt", N_ ("Lithuanian") },
  { "lb", N_ ("Luxembourgish") },
  { "mk", N_ ("Macedonian") },
  { "mg", N_ ("Malagasy") },
  { "ms", N_ ("Malay") },
  { "ml", N_ ("Malayalam") },
  { "mt", N_ ("Maltese") },
  { "mr", N_ ("Marathi") },
  { "mn", N_ ("Mongolian") },
  { "mi", N_ ("Māori") },
  { "ne", N_ ("Nepali") },
  { "no", N_ ("Norwegian") },
  { "nn", N_ ("Norwegian Nynorsk") },
  { "oc", N_ ("Occitan") },
  { "ps", N_ ("Pashto") },
  { "fa", N_ ("Persian") },
  { "pl", N_ ("Polish") },
  { "pt", N_ ("Portuguese") },
  { "pa", N_ ("Punjabi") },
  { "ro", N_ ("Romanian") },
  { "ru", N_ ("Russian") },
  { "sa", N_ ("Sanskrit") },
  { "sr", N_ ("Serbian") },
  { "sn", N_ ("Shona") },
  { "sd", N_ ("Sindhi") },
  { "si", N_ ("Sinhala") },
  { "sk", N_ ("Slovak") },
  { "sl", N_ ("Slovenian") },
  { "so", N_ ("Somali") },
  { "es", N_ ("Spanish") },
  { "su", N_ ("Sundanese") },
  { "sw", N_ ("Swahili") },
  { "sv", N_ ("Swedish") },
  { "tl", N_ ("Tagalog") },
  { "tg", N_ ("Tajik") },
  { "ta", N_ ("Tamil") },
  { "tt", N_ ("Tatar") },
  { "te", N_ ("Telugu") },
  { "th", N_ ("Thai") },
  { "bo", N_ ("Tibetan") },
  { "tr", N_ ("Turkish") },
  { "tk", N_ ("Turkmen") },
  { "uk", N_ ("Ukrainian") },
  { "ur", N_ ("Urdu") },
  { "uz", N_ ("Uzbek") },
  { "vi", N_ ("Vietnamese") },
  { "cy", N_ ("Welsh") },
  { "yi", N_ ("Yiddish") },
  { "yo", N_ ("Yoruba") },
};

char **
pteris_languages_new_names (void)
{
  char **names = g_new0 (char *, G_N_ELEMENTS (LANGUAGES) + 2);

  names[0] = g_strdup (_ ("Detect language"));
  for (guint i = 0; i < G_N_ELEMENTS (LANGUAGES); i++)
    names[i + 1] = g_strdup (_ (LANGUAGES[i].name));
  return names;
}

guint
pteris_languages_find (const char *code)
{
  for (guint i = 0; i < G_N_ELEMENTS (LANGUAGES); i++)
    if (g_strcmp0 (LANGUAGES[i].code, code) == 0)
      return i + 1;
  return 0;
}

const char *
pteris_languages_get_code (guint position)
{
  if (position == 0 || position > G_N_ELEMENTS (LANGUAGES))
    return NULL;
  return LANGUAGES[position - 1].code;
}

const char *
pteris_languages_get_name (const char *code)
{
  for (guint i = 0; i < G_N_ELEMENTS (LANGUAGES); i++)
    if (g_strcmp0 (LANGUAGES[i].code, code) == 0)
      return _ (LANGUAGES[i].name);
  return code;
}
