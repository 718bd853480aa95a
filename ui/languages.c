/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/languages.h"

static const struct {
  const char *code;
  const char *name;
} LANGUAGES[] = {
  { "af", "Afrikaans" },
  { "sq", "Albanian" },
  { "am", "Amharic" },
  { "ar", "Arabic" },
  { "hy", "Armenian" },
  { "as", "Assamese" },
  { "az", "Azerbaijani" },
  { "ba", "Bashkir" },
  { "eu", "Basque" },
  { "be", "Belarusian" },
  { "bn", "Bengali" },
  { "bs", "Bosnian" },
  { "br", "Breton" },
  { "bg", "Bulgarian" },
  { "my", "Burmese" },
  { "ca", "Catalan" },
  { "zh", "Chinese" },
  { "hr", "Croatian" },
  { "cs", "Czech" },
  { "da", "Danish" },
  { "nl", "Dutch" },
  { "en", "English" },
  { "et", "Estonian" },
  { "fo", "Faroese" },
  { "fi", "Finnish" },
  { "fr", "French" },
  { "gl", "Galician" },
  { "ka", "Georgian" },
  { "de", "German" },
  { "el", "Greek" },
  { "gu", "Gujarati" },
  { "ht", "Haitian Creole" },
  { "ha", "Hausa" },
  { "haw", "Hawaiian" },
  { "he", "Hebrew" },
  { "hi", "Hindi" },
  { "hu", "Hungarian" },
  { "is", "Icelandic" },
  { "id", "Indonesian" },
  { "it", "Italian" },
  { "ja", "Japanese" },
  { "jw", "Javanese" },
  { "kn", "Kannada" },
  { "kk", "Kazakh" },
  { "km", "Khmer" },
  { "ko", "Korean" },
  { "lo", "Lao" },
  { "la", "Latin" },
  { "lv", "Latvian" },
  { "ln", "Lingala" },
  { "lt", "Lithuanian" },
  { "lb", "Luxembourgish" },
  { "mk", "Macedonian" },
  { "mg", "Malagasy" },
  { "ms", "Malay" },
  { "ml", "Malayalam" },
  { "mt", "Maltese" },
  { "mr", "Marathi" },
  { "mn", "Mongolian" },
  { "mi", "Māori" },
  { "ne", "Nepali" },
  { "no", "Norwegian" },
  { "nn", "Norwegian Nynorsk" },
  { "oc", "Occitan" },
  { "ps", "Pashto" },
  { "fa", "Persian" },
  { "pl", "Polish" },
  { "pt", "Portuguese" },
  { "pa", "Punjabi" },
  { "ro", "Romanian" },
  { "ru", "Russian" },
  { "sa", "Sanskrit" },
  { "sr", "Serbian" },
  { "sn", "Shona" },
  { "sd", "Sindhi" },
  { "si", "Sinhala" },
  { "sk", "Slovak" },
  { "sl", "Slovenian" },
  { "so", "Somali" },
  { "es", "Spanish" },
  { "su", "Sundanese" },
  { "sw", "Swahili" },
  { "sv", "Swedish" },
  { "tl", "Tagalog" },
  { "tg", "Tajik" },
  { "ta", "Tamil" },
  { "tt", "Tatar" },
  { "te", "Telugu" },
  { "th", "Thai" },
  { "bo", "Tibetan" },
  { "tr", "Turkish" },
  { "tk", "Turkmen" },
  { "uk", "Ukrainian" },
  { "ur", "Urdu" },
  { "uz", "Uzbek" },
  { "vi", "Vietnamese" },
  { "cy", "Welsh" },
  { "yi", "Yiddish" },
  { "yo", "Yoruba" },
};

char **
pteris_languages_new_names (void)
{
  char **names = g_new0 (char *, G_N_ELEMENTS (LANGUAGES) + 2);

  names[0] = g_strdup ("Detect language");
  for (guint i = 0; i < G_N_ELEMENTS (LANGUAGES); i++)
    names[i + 1] = g_strdup (LANGUAGES[i].name);
  return names;
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
      return LANGUAGES[i].name;
  return code;
}
