/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/characters.h"

/** Maps character @c: appends it, other characters or nothing to @out. */
typedef void (*MapFunc) (GString *out, gunichar c);

static void
map_characters (GString *text, MapFunc map)
{
  g_autoptr (GString) out = g_string_sized_new (text->len + 16);
  const char *end = text->str + text->len;

  for (const char *at = text->str; at < end; at = g_utf8_next_char (at))
    map (out, g_utf8_get_char (at));
  g_string_truncate (text, 0);
  g_string_append_len (text, out->str, (gssize) out->len);
}

static void
map_accent (GString *out, gunichar c)
{
  if (c < 0x80 || g_unichar_type (c) != G_UNICODE_NON_SPACING_MARK)
    g_string_append_unichar (out, c);
}

static void
map_mark (GString *out, gunichar c)
{
  if (c < 0x80 || !g_unichar_ismark (c))
    g_string_append_unichar (out, c);
}

void
pt_drop_marks (GString *text)
{
  map_characters (text, map_mark);
}

void
pt_drop_accents (GString *text)
{
  map_characters (text, map_accent);
}

static void
map_nmt (GString *out, gunichar c)
{
  if ((c >= 0x01 && c <= 0x08) || c == 0x0B || (c >= 0x0E && c <= 0x1F) || c == 0x7F || c == 0x8F ||
      c == 0x9F)
    return;
  if (c == 0x09 || c == 0x0A || c == 0x0C || c == 0x0D || c == 0x1680 ||
      (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 || c == 0x2581 || c == 0xFEFF ||
      c == 0xFFFD)
    c = ' ';
  g_string_append_unichar (out, c);
}

void
pt_clean_nmt (GString *text)
{
  map_characters (text, map_nmt);
}

gboolean
pt_is_white (gunichar c)
{
  return (c >= 9 && c <= 13) || c == ' ' || c == 0x85 || c == 0xA0 || c == 0x1680 ||
         (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
         c == 0x3000;
}

static gboolean
is_control (gunichar c)
{
  GUnicodeType type = g_unichar_type (c);

  return type == G_UNICODE_CONTROL || type == G_UNICODE_FORMAT || type == G_UNICODE_PRIVATE_USE ||
         type == G_UNICODE_SURROGATE;
}

static void
map_bert (GString *out, gunichar c)
{
  if (c == '\t' || c == '\n' || c == '\r' || c == ' ')
    g_string_append_c (out, ' ');
  else if (c != 0 && c != 0xFFFD && !is_control (c))
    g_string_append_unichar (out, pt_is_white (c) ? ' ' : c);
}

void
pt_clean_bert (GString *text)
{
  map_characters (text, map_bert);
}

static void
map_chinese (GString *out, gunichar c)
{
  gboolean chinese = (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
                     (c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2B73F) ||
                     (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
                     (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);

  if (chinese)
    g_string_append_c (out, ' ');
  g_string_append_unichar (out, c);
  if (chinese)
    g_string_append_c (out, ' ');
}

void
pt_space_chinese (GString *text)
{
  map_characters (text, map_chinese);
}

static void
map_lower (GString *out, gunichar c)
{
  /* GLib's tolower covers letters only; Roman numerals and circled letters have lower case, too. */
  if (c >= 0x2160 && c <= 0x216F)
    c += 0x10;
  else if (c >= 0x24B6 && c <= 0x24CF)
    c += 0x1A;
  /* The only character whose lower case has two characters. */
  if (c == 0x130)
    g_string_append (out, "i\xCC\x87");
  else
    g_string_append_unichar (out, g_unichar_tolower (c));
}

void
pt_lower (GString *text)
{
  map_characters (text, map_lower);
}
