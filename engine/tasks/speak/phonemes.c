/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/tasks/speak/phonemes.h"

typedef struct {
  gunichar c;
  guint8 token;
} Phoneme;

/* In the order of their tokens, which is also that of the classes of phonemizer programs. */
static const Phoneme PHONEMES[] = {
  { U';', 1 },   { U':', 2 },   { U',', 3 },       { U'.', 4 },   { U'!', 5 },   { U'?', 6 },
  { U'—', 9 },   { U'…', 10 },  { U'"', 11 },      { U'(', 12 },  { U')', 13 },  { U'“', 14 },
  { U'”', 15 },  { U' ', 16 },  { U'\u0303', 17 }, { U'ʣ', 18 },  { U'ʥ', 19 },  { U'ʦ', 20 },
  { U'ʨ', 21 },  { U'ᵝ', 22 },  { U'\uAB67', 23 }, { U'A', 24 },  { U'I', 25 },  { U'O', 31 },
  { U'Q', 33 },  { U'S', 35 },  { U'T', 36 },      { U'W', 39 },  { U'Y', 41 },  { U'ᵊ', 42 },
  { U'a', 43 },  { U'b', 44 },  { U'c', 45 },      { U'd', 46 },  { U'e', 47 },  { U'f', 48 },
  { U'h', 50 },  { U'i', 51 },  { U'j', 52 },      { U'k', 53 },  { U'l', 54 },  { U'm', 55 },
  { U'n', 56 },  { U'o', 57 },  { U'p', 58 },      { U'q', 59 },  { U'r', 60 },  { U's', 61 },
  { U't', 62 },  { U'u', 63 },  { U'v', 64 },      { U'w', 65 },  { U'x', 66 },  { U'y', 67 },
  { U'z', 68 },  { U'ɑ', 69 },  { U'ɐ', 70 },      { U'ɒ', 71 },  { U'æ', 72 },  { U'β', 75 },
  { U'ɔ', 76 },  { U'ɕ', 77 },  { U'ç', 78 },      { U'ɖ', 80 },  { U'ð', 81 },  { U'ʤ', 82 },
  { U'ə', 83 },  { U'ɚ', 85 },  { U'ɛ', 86 },      { U'ɜ', 87 },  { U'ɟ', 90 },  { U'ɡ', 92 },
  { U'ɥ', 99 },  { U'ɨ', 101 }, { U'ɪ', 102 },     { U'ʝ', 103 }, { U'ɯ', 110 }, { U'ɰ', 111 },
  { U'ŋ', 112 }, { U'ɳ', 113 }, { U'ɲ', 114 },     { U'ɴ', 115 }, { U'ø', 116 }, { U'ɸ', 118 },
  { U'θ', 119 }, { U'œ', 120 }, { U'ɹ', 123 },     { U'ɾ', 125 }, { U'ɻ', 126 }, { U'ʁ', 128 },
  { U'ɽ', 129 }, { U'ʂ', 130 }, { U'ʃ', 131 },     { U'ʈ', 132 }, { U'ʧ', 133 }, { U'ʊ', 135 },
  { U'ʋ', 136 }, { U'ʌ', 138 }, { U'ɣ', 139 },     { U'ɤ', 140 }, { U'χ', 142 }, { U'ʎ', 143 },
  { U'ʒ', 147 }, { U'ʔ', 148 }, { U'ˈ', 156 },     { U'ˌ', 157 }, { U'ː', 158 }, { U'ʰ', 162 },
  { U'ʲ', 164 }, { U'↓', 169 }, { U'→', 171 },     { U'↗', 172 }, { U'↘', 173 }, { U'ᵻ', 177 },
};

/* Phonemizer programs know one more phoneme than Kokoro. */
#define LAST_CLASS (G_N_ELEMENTS (PHONEMES) + 1)

/* The letters that phonemizer programs read, in the order of their numbers. */
static const char LETTERS[] =
    "'abcdefghijklmnopqrstuvwxyzßàáâãäåæçèéêëìíîïðñòóôõöøùúûüýþÿāăąćĉċčďđēĕėęěĝğġģħĩīĭįıĵķĺļľłńņňŋō"
    "ŏőœŗřśşšţťũūŭůűųŵŷźżžƅƒƚơƭưƿǎǐǒǔǘǝǣǧǫǭǰǵșțȝȟȧȯȳḍḏ";

guint
pt_phoneme_token (gunichar c)
{
  for (gsize i = 0; i < G_N_ELEMENTS (PHONEMES); i++)
    if (PHONEMES[i].c == c)
      return PHONEMES[i].token;
  return 0;
}

gunichar
pt_phoneme_of_class (guint class)
{
  if (class == LAST_CLASS)
    return U'ʑ';
  return class >= 1 && class <= G_N_ELEMENTS (PHONEMES) ? PHONEMES[class - 1].c : 0;
}

guint
pt_letter_token (gunichar c)
{
  guint i = 1;

  for (const char *p = LETTERS; *p != '\0'; p = g_utf8_next_char (p), i++)
    if (g_utf8_get_char (p) == c)
      return i;
  return 0;
}

PtBreak
pt_phoneme_break (gunichar c)
{
  switch (c) {
  case U'.':
  case U'?':
  case U'!':
  case U';':
  case U'…':
  case U'|':
  case U'।':
  case U'॥':
  case U'¿':
  case U'¡': return PT_BREAK_SENTENCE;
  case U',':
  case U':':
  case U'-':
  case U'—':
  case U'«':
  case U'»': return PT_BREAK_PAUSE;
  default: return c < 256 && g_unichar_isspace (c) ? PT_BREAK_SPACE : PT_BREAK_NONE;
  }
}

guint
pt_phoneme_pause (gunichar c)
{
  switch (c) {
  case U'.':
  case U'|':
  case U'।': return 375;
  case U'?':
  case U'॥': return 500;
  case U'!':
  case U':':
  case U'—': return 250;
  case U';': return 400;
  case U'…': return 600;
  case U',': return 130;
  case U'-': return 200;
  case U'»': return 100;
  case U'¿':
  case U'¡':
  case U'«': return 50;
  default: return 0;
  }
}
