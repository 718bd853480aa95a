/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/hf-lists.h"

#include <string.h>

#include "engine/base/allocate.h"

/* Most digits of an id; they cannot overflow. */
#define MAX_DIGITS 9
#define MAX_ENTRIES (2 << 20)
#define MAX_DEPTH 64

typedef struct {
  char *at, *end; /* where a zero byte is */
} Reader;

/* Range from the opening bracket of a list to behind the closing one. */
typedef struct {
  gsize begin, end;
} Place;

static char
peek (Reader *r)
{
  while (*r->at == ' ' || *r->at == '\n' || *r->at == '\r' || *r->at == '\t')
    r->at++;
  return *r->at;
}

static gboolean
accept (Reader *r, char c)
{
  if (peek (r) != c)
    return FALSE;
  r->at++;
  return TRUE;
}

/* Four hexadecimal digits. */
static gboolean
read_unit (Reader *r, gunichar *unit)
{
  *unit = 0;
  for (guint i = 0; i < 4; i++) {
    int digit = g_ascii_xdigit_value (*r->at);

    if (digit < 0)
      return FALSE;
    *unit = *unit << 4 | (gunichar) digit;
    r->at++;
  }
  return TRUE;
}

/* Parses an escape behind "\u". U+0000 is left to the JSON parser. */
static gboolean
read_escaped_character (Reader *r, char **to)
{
  gunichar c, low;

  if (!read_unit (r, &c) || c == 0 || (c >= 0xDC00 && c < 0xE000))
    return FALSE;
  if (c >= 0xD800 && c < 0xDC00) {
    if (r->at[0] != '\\' || r->at[1] != 'u')
      return FALSE;
    r->at += 2;
    if (!read_unit (r, &low) || low < 0xDC00 || low >= 0xE000)
      return FALSE;
    c = 0x10000 + ((c - 0xD800) << 10) + (low - 0xDC00);
  }
  *to += g_unichar_to_utf8 (c, *to);
  return TRUE;
}

static gboolean
read_escape (Reader *r, char **to)
{
  static const char FROM[] = "\"\\/bfnrt", TO[] = "\"\\/\b\f\n\r\t";
  const char *found = *r->at != '\0' ? strchr (FROM, *r->at) : NULL;

  if (found != NULL) {
    r->at++;
    *(*to)++ = TO[found - FROM];
    return TRUE;
  }
  if (*r->at != 'u')
    return FALSE;
  r->at++;
  return read_escaped_character (r, to);
}

/* Reads a string and removes its escapes in place, which makes it shorter. */
static gboolean
read_string (Reader *r, PtListName *name)
{
  char *to;

  if (!accept (r, '"'))
    return FALSE;
  name->text = to = r->at;
  while (*r->at != '"') {
    if ((guint8) *r->at < ' ')
      return FALSE;
    if (*r->at == '\\') {
      r->at++;
      if (!read_escape (r, &to))
        return FALSE;
    } else {
      *to++ = *r->at++;
    }
  }
  r->at++;
  name->length = (gsize) (to - name->text);
  return TRUE;
}

static gboolean
read_id (Reader *r, gint64 *id)
{
  guint n = 0;

  *id = 0;
  for (peek (r); g_ascii_isdigit (*r->at) && n <= MAX_DIGITS; r->at++, n++)
    *id = 10 * *id + (*r->at - '0');
  return n > 0 && n <= MAX_DIGITS && (peek (r) == ',' || peek (r) == '}');
}

/* ---- the lists ---- */

static gboolean
read_token (Reader *r, PtHfLists *lists)
{
  PtListToken token;

  if (!read_string (r, &token.name) || !accept (r, ':') || !read_id (r, &token.id))
    return FALSE;
  lists->tokens[lists->n_tokens++] = token;
  return TRUE;
}

/* A merge is "left right" or a list of two. */
static gboolean
read_merge (Reader *r, PtHfLists *lists)
{
  PtListMerge merge;
  const char *space;

  if (accept (r, '[')) {
    if (!read_string (r, &merge.left) || !accept (r, ',') || !read_string (r, &merge.right) ||
        !accept (r, ']'))
      return FALSE;
  } else {
    gsize all;

    if (!read_string (r, &merge.left))
      return FALSE;
    all = merge.left.length;
    space = memchr (merge.left.text, ' ', all);
    if (space == NULL)
      return FALSE;
    merge.left.length = (gsize) (space - merge.left.text);
    merge.right = (PtListName){ space + 1, all - merge.left.length - 1 };
    if (memchr (merge.right.text, ' ', merge.right.length) != NULL ||
        g_str_has_prefix (merge.left.text, "#version"))
      return FALSE;
  }
  lists->merges[lists->n_merges++] = merge;
  return TRUE;
}

static gboolean
read_list (Reader *r, PtHfLists *lists, gboolean tokens, Place *place)
{
  if (place->end > 0 || peek (r) != (tokens ? '{' : '['))
    return FALSE;
  place->begin = (gsize) (r->at++ - lists->copy);
  do {
    if (!(tokens ? read_token (r, lists) : read_merge (r, lists)))
      return FALSE;
  } while (accept (r, ','));
  if (!accept (r, tokens ? '}' : ']'))
    return FALSE;
  place->end = (gsize) (r->at - lists->copy);
  return TRUE;
}

/* ---- the rest ---- */

static gboolean
skip_string (Reader *r)
{
  for (r->at++; *r->at != '"'; r->at++)
    if (*r->at == '\0' || (*r->at == '\\' && *++r->at == '\0'))
      return FALSE;
  r->at++;
  return TRUE;
}

/* Skips a value; the JSON parser checks it later. */
static gboolean
skip_value (Reader *r)
{
  guint depth = 0;

  for (char c = peek (r); c != '\0'; c = peek (r)) {
    if (depth == 0 && (c == ',' || c == '}'))
      return TRUE;
    if (c == '"') {
      if (!skip_string (r))
        return FALSE;
      continue;
    }
    if (c == '{' || c == '[')
      depth++;
    else if (c == '}' || c == ']')
      depth--;
    if (depth > MAX_DEPTH)
      return FALSE;
    r->at++;
  }
  return FALSE;
}

static gboolean
is_key (const PtListName *name, const char *key)
{
  return name->length == strlen (key) && memcmp (name->text, key, name->length) == 0;
}

static gboolean
read_model (Reader *r, PtHfLists *lists, Place places[2])
{
  PtListName key;

  if (!accept (r, '{'))
    return FALSE;
  do {
    if (!read_string (r, &key) || !accept (r, ':'))
      return FALSE;
    if (is_key (&key, "vocab")    ? !read_list (r, lists, TRUE, &places[0])
        : is_key (&key, "merges") ? !read_list (r, lists, FALSE, &places[1])
                                  : !skip_value (r))
      return FALSE;
  } while (accept (r, ','));
  return accept (r, '}');
}

static gboolean
read_file (Reader *r, PtHfLists *lists, Place places[2])
{
  gboolean is_model, has_model = FALSE;
  PtListName key;

  if (!accept (r, '{'))
    return FALSE;
  do {
    if (!read_string (r, &key) || !accept (r, ':'))
      return FALSE;
    is_model = is_key (&key, "model");
    if ((is_model && has_model) || !(is_model ? read_model (r, lists, places) : skip_value (r)))
      return FALSE;
    has_model |= is_model;
  } while (accept (r, ','));
  return accept (r, '}') && peek (r) == '\0' && r->at == r->end && places[0].end > 0 &&
         places[1].end > 0;
}

/* Allocates room for the entries, of which there are at most the number of commas plus one. */
static gboolean
make_room (PtHfLists *lists, const char *text, gsize length)
{
  gsize n = 2;

  for (gsize i = 0; i < length; i++)
    n += text[i] == ',';
  if (n > MAX_ENTRIES)
    return FALSE;
  lists->copy = pt_allocate (length + 1, 1, NULL);
  lists->others = pt_allocate (length + 1, 1, NULL);
  lists->tokens = pt_allocate (n, sizeof *lists->tokens, NULL);
  lists->merges = pt_allocate (n, sizeof *lists->merges, NULL);
  return lists->copy != NULL && lists->others != NULL && lists->tokens != NULL &&
         lists->merges != NULL;
}

static void
add_other (PtHfLists *lists, const char *text, gsize length)
{
  memcpy (lists->others + lists->length, text, length);
  lists->length += length;
}

/* Copies the file without the entries of both lists. */
static void
copy_others (PtHfLists *lists, const char *text, gsize length, const Place places[2])
{
  const Place *first = &places[places[1].begin < places[0].begin];
  const Place *second = &places[places[1].begin > places[0].begin];

  add_other (lists, text, first->begin + 1);
  add_other (lists, text + first->end - 1, second->begin + 2 - first->end);
  add_other (lists, text + second->end - 1, length + 1 - second->end);
}

gboolean
pt_hf_lists_read (PtHfLists *lists, const char *text, gsize length)
{
  Place places[2] = { { 0, 0 }, { 0, 0 } };
  Reader r;

  *lists = (PtHfLists){ 0 };
  if (!g_utf8_validate_len (text, length, NULL) || !make_room (lists, text, length))
    return FALSE;
  memcpy (lists->copy, text, length);
  r = (Reader){ lists->copy, lists->copy + length };
  if (!read_file (&r, lists, places))
    return FALSE;
  copy_others (lists, text, length, places);
  return TRUE;
}

void
pt_hf_lists_clear (PtHfLists *lists)
{
  g_free (lists->copy);
  g_free (lists->tokens);
  g_free (lists->merges);
  g_free (lists->others);
  *lists = (PtHfLists){ 0 };
}
