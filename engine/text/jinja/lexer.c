/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/jinja/lexer.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/text/jinja/text.h"

/* Most brackets that are open at the same time. */
#define MAX_OPEN 256

typedef struct {
  PtJinjaWords *words;
  const char *at, *end;
  guint line;
  char open[MAX_OPEN];
  guint n_open;
  GError **error;
} Lexer;

static gboolean
fail (Lexer *self, const char *what)
{
  return pt_fail (self->error, PT_ERROR_FORMAT, "The chat template is damaged: line %u: %s.",
                  self->line, what);
}

static void
add (Lexer *self, PtJinjaTokenKind kind, const char *text, gsize length)
{
  PtJinjaToken token = { .kind = kind, .line = self->line, .text = text, .length = length };

  g_array_append_val (self->words->tokens, token);
}

/** Moves to @to and counts lines. */
static void
advance (Lexer *self, const char *to)
{
  for (; self->at < to; self->at++)
    self->line += *self->at == '\n';
}

static gboolean
looking_at (const Lexer *self, const char *text)
{
  gsize length = strlen (text);

  return (gsize) (self->end - self->at) >= length && memcmp (self->at, text, length) == 0;
}

static const char *
skip_space (const char *at, const char *end)
{
  while (at < end && pt_jinja_is_space (g_utf8_get_char (at)))
    at = g_utf8_next_char (at);
  return at;
}

/** The end of @text without trailing white space. */
static const char *
without_space (const char *text, const char *end)
{
  while (end > text) {
    const char *before = g_utf8_prev_char (end);

    if (!pt_jinja_is_space (g_utf8_get_char (before)))
      break;
    end = before;
  }
  return end;
}

/** Adds the text before a tag. @sign: white space control of the tag ('-', '+' or other); @prints:
 * the tag is "{{". */
static void
add_data (Lexer *self, const char *begin, const char *end, char sign, gboolean prints)
{
  if (sign == '-') {
    end = without_space (begin, end);
  } else if (sign != '+' && !prints) {
    const char *space = without_space (begin, end), *line = end;

    while (line > begin && line[-1] != '\n')
      line--;
    if (space <= line && (line > begin || begin == self->words->source || begin[-1] == '\n'))
      end = line;
  }
  if (end > begin)
    add (self, PT_JINJA_TOKEN_DATA, begin, (gsize) (end - begin));
}

/* ---- inside of tags ---- */

static gboolean
read_hex (const char **at, const char *end, guint n, gunichar *value)
{
  *value = 0;
  for (guint i = 0; i < n; i++, (*at)++) {
    int digit = *at < end ? g_ascii_xdigit_value (**at) : -1;

    if (digit < 0)
      return FALSE;
    *value = *value << 4 | (gunichar) digit;
  }
  return TRUE;
}

static void
append_character (GString *out, gunichar c)
{
  if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000))
    c = 0xFFFD;
  g_string_append_unichar (out, c);
}

/** Decodes the escape at @at, behind its backslash, and appends the result. */
static const char *
read_escape (const char *at, const char *end, GString *out)
{
  static const char letters[] = "abfnrtv\\'\"", meanings[] = "\a\b\f\n\r\t\v\\'\"";
  const char *found = strchr (letters, *at), *next = at + 1;
  gunichar value = 0;
  guint digits = *at == 'x' ? 2 : *at == 'u' ? 4 : *at == 'U' ? 8 : 0;

  if (*at == '\n')
    return next;
  if (*at != '\0' && found != NULL) {
    g_string_append_c (out, meanings[found - letters]);
    return next;
  }
  if (digits > 0)
    return read_hex (&next, end, digits, &value) ? (append_character (out, value), next) : NULL;
  if (*at >= '0' && *at <= '7') {
    next = at;
    for (guint i = 0; i < 3 && next < end && *next >= '0' && *next <= '7'; i++)
      value = value * 8 + (gunichar) (*next++ - '0');
    append_character (out, value);
    return next;
  }
  g_string_append_c (out, '\\');
  return at;
}

static gboolean
read_string (Lexer *self)
{
  const char *begin = self->at + 1, *end = begin;
  g_autoptr (GString) out = NULL;

  while (end < self->end && *end != *self->at)
    end += *end == '\\' && end + 1 < self->end ? 2 : 1;
  if (end >= self->end)
    return fail (self, "a text in quotes does not end");
  if (memchr (begin, '\\', (gsize) (end - begin)) == NULL) {
    add (self, PT_JINJA_TOKEN_STRING, begin, (gsize) (end - begin));
    advance (self, end + 1);
    return TRUE;
  }
  out = g_string_new (NULL);
  for (const char *at = begin; at < end;) {
    const char *stop = memchr (at, '\\', (gsize) (end - at));

    stop = stop != NULL ? stop : end;
    g_string_append_len (out, at, stop - at);
    at = stop < end ? read_escape (stop + 1, end, out) : end;
    if (at == NULL)
      return fail (self, "a text in quotes has a damaged escape");
  }
  add (self, PT_JINJA_TOKEN_STRING,
       g_string_chunk_insert_len (self->words->strings, out->str, (gssize) out->len), out->len);
  advance (self, end + 1);
  return TRUE;
}

/** Copies digits, which may be separated by underscores. */
static const char *
copy_digits (const char *at, const char *end, GString *out)
{
  while (at < end && (g_ascii_isdigit (*at) ||
                      (*at == '_' && out->len > 0 && at + 1 < end && g_ascii_isdigit (at[1])))) {
    if (*at != '_')
      g_string_append_c (out, *at);
    at++;
  }
  return at;
}

static gboolean
read_number (Lexer *self)
{
  g_autoptr (GString) digits = g_string_new (NULL);
  const char *at = copy_digits (self->at, self->end, digits);
  PtJinjaToken token = { .kind = PT_JINJA_TOKEN_INT, .line = self->line };
  const char *exponent;

  if (at + 1 < self->end && *at == '.' && g_ascii_isdigit (at[1])) {
    token.kind = PT_JINJA_TOKEN_FLOAT;
    g_string_append_c (digits, '.');
    at = copy_digits (at + 1, self->end, digits);
  }
  exponent = at + 1;
  if (exponent < self->end && (*at == 'e' || *at == 'E')) {
    exponent += *exponent == '+' || *exponent == '-';
    if (exponent < self->end && g_ascii_isdigit (*exponent)) {
      token.kind = PT_JINJA_TOKEN_FLOAT;
      g_string_append_len (digits, at, exponent - at);
      at = copy_digits (exponent, self->end, digits);
    }
  }
  if (token.kind == PT_JINJA_TOKEN_FLOAT)
    token.real = g_ascii_strtod (digits->str, NULL);
  else if (digits->len > 18)
    return fail (self, "a number is too large");
  else
    token.integer = g_ascii_strtoll (digits->str, NULL, 10);
  g_array_append_val (self->words->tokens, token);
  advance (self, at);
  return TRUE;
}

static gboolean
count_bracket (Lexer *self, char c)
{
  static const char opening[] = "([{", closing[] = ")]}";
  const char *found;

  if (strchr (opening, c) != NULL) {
    if (self->n_open == MAX_OPEN)
      return fail (self, "its brackets are nested too deeply");
    self->open[self->n_open++] = c;
  } else if ((found = strchr (closing, c)) != NULL) {
    if (self->n_open == 0 || self->open[--self->n_open] != opening[found - closing])
      return fail (self, "a bracket closes that was not opened");
  }
  return TRUE;
}

static gboolean
read_operator (Lexer *self)
{
  static const struct {
    const char *text;
    int op;
  } longer[] = { { "==", PT_JINJA_EQ }, { "!=", PT_JINJA_NE },       { "<=", PT_JINJA_LE },
                 { ">=", PT_JINJA_GE }, { "//", PT_JINJA_FLOORDIV }, { "**", PT_JINJA_POW } };
  PtJinjaToken token = { .kind = PT_JINJA_TOKEN_OPERATOR, .line = self->line, .op = *self->at };
  gsize length = 1;

  for (gsize i = 0; i < G_N_ELEMENTS (longer); i++)
    if (looking_at (self, longer[i].text)) {
      token.op = longer[i].op;
      length = 2;
    }
  if (length == 1 && (token.op <= 0 || strchr ("+-/*%~[](){}><=.:|,;", token.op) == NULL))
    return fail (self, "a character is not understood");
  if (length == 1 && !count_bracket (self, *self->at))
    return FALSE;
  g_array_append_val (self->words->tokens, token);
  self->at += length;
  return TRUE;
}

static gboolean
is_name_byte (char c)
{
  return g_ascii_isalnum (c) || c == '_' || (guint8) c >= 0x80;
}

/** Whether a tag ends here with @mark; if so, moves behind it. */
static gboolean
take_end (Lexer *self, const char *mark)
{
  const char *end = self->at;
  gboolean prints = mark[0] == '}';
  char sign = *end;

  if (self->n_open > 0 || end == self->end)
    return FALSE;
  end += sign == '-' || (sign == '+' && !prints);
  if (self->end - end < 2 || memcmp (end, mark, 2) != 0)
    return FALSE;
  end += 2;
  if (sign == '-')
    end = skip_space (end, self->end);
  else if (sign != '+' && !prints && end < self->end && *end == '\n')
    end++;
  advance (self, end);
  return TRUE;
}

static gboolean
read_tag (Lexer *self, gboolean prints)
{
  const char *mark = prints ? "}}" : "%}";

  add (self, prints ? PT_JINJA_TOKEN_PRINT_BEGIN : PT_JINJA_TOKEN_TAG_BEGIN, NULL, 0);
  for (;;) {
    const char *end;
    gboolean ok;

    if (take_end (self, mark)) {
      add (self, prints ? PT_JINJA_TOKEN_PRINT_END : PT_JINJA_TOKEN_TAG_END, NULL, 0);
      return TRUE;
    }
    end = skip_space (self->at, self->end);
    if (end > self->at) {
      advance (self, end);
      continue;
    }
    if (self->at == self->end)
      return fail (self, "a tag does not end");
    if (g_ascii_isdigit (*self->at)) {
      ok = read_number (self);
    } else if (*self->at == '\'' || *self->at == '"') {
      ok = read_string (self);
    } else if (is_name_byte (*self->at)) {
      while (end < self->end && is_name_byte (*end))
        end++;
      add (self, PT_JINJA_TOKEN_NAME, self->at, (gsize) (end - self->at));
      self->at = end;
      ok = TRUE;
    } else {
      ok = read_operator (self);
    }
    if (!ok)
      return FALSE;
  }
}

/* ---- outside of tags ---- */

/** The end of the tag "{% @name %}" at @tag; NULL: it is another tag. @before: set to its white
 * space control. */
static const char *
end_of_raw_tag (const Lexer *self, const char *tag, const char *name, gboolean trims, char *before)
{
  const char *at = tag + 2;
  gsize length = strlen (name);
  char sign;

  *before = at < self->end ? *at : '\0';
  at += *before == '-' || *before == '+';
  at = skip_space (at, self->end);
  if ((gsize) (self->end - at) < length || memcmp (at, name, length) != 0)
    return NULL;
  at = skip_space (at + length, self->end);
  sign = at < self->end ? *at : '\0';
  at += sign == '-' || (sign == '+' && trims);
  if (self->end - at < 2 || memcmp (at, "%}", 2) != 0)
    return NULL;
  at += 2;
  if (sign == '-')
    return skip_space (at, self->end);
  return trims && sign != '+' && at < self->end && *at == '\n' ? at + 1 : at;
}

static gboolean
read_raw (Lexer *self)
{
  const char *begin = self->at;

  for (const char *at = begin; (at = g_strstr_len (at, self->end - at, "{%")) != NULL; at += 2) {
    char sign;
    const char *end = end_of_raw_tag (self, at, "endraw", TRUE, &sign);

    if (end == NULL)
      continue;
    add_data (self, begin, at, sign, FALSE);
    advance (self, end);
    return TRUE;
  }
  return fail (self, "a raw part does not end");
}

static gboolean
read_comment (Lexer *self)
{
  const char *end = g_strstr_len (self->at, self->end - self->at, "#}");
  char sign;

  if (end == NULL)
    return fail (self, "a comment does not end");
  sign = end > self->at ? end[-1] : '\0';
  end += 2;
  if (sign == '-')
    end = skip_space (end, self->end);
  else if (sign != '+' && end < self->end && *end == '\n')
    end++;
  advance (self, end);
  return TRUE;
}

/** Finds the next tag, or the end. */
static const char *
find_tag (const Lexer *self)
{
  for (const char *at = self->at; at + 1 < self->end; at++) {
    at = memchr (at, '{', (gsize) (self->end - at) - 1);
    if (at == NULL)
      break;
    if (at[1] == '{' || at[1] == '%' || at[1] == '#')
      return at;
  }
  return self->end;
}

static gboolean
read_next (Lexer *self)
{
  const char *begin = self->at, *tag = find_tag (self), *raw = NULL;
  char kind, sign;

  if (tag == self->end) {
    add (self, PT_JINJA_TOKEN_DATA, begin, (gsize) (tag - begin));
    advance (self, tag);
    return TRUE;
  }
  kind = tag[1];
  sign = tag + 2 < self->end ? tag[2] : '\0';
  if (kind == '%')
    raw = end_of_raw_tag (self, tag, "raw", FALSE, &sign);
  add_data (self, begin, tag, sign, kind == '{');
  if (raw != NULL) {
    advance (self, raw);
    return read_raw (self);
  }
  advance (self, tag + 2 + (sign == '-' || sign == '+'));
  return kind == '#' ? read_comment (self) : read_tag (self, kind == '{');
}

/** Converts all newlines to
 * and drops the last one. */
static char *
normalize_newlines (const char *text, gsize length, gsize *new_length)
{
  char *out = g_malloc (length + 1);
  gsize n = 0;

  for (gsize i = 0; i < length; i++) {
    if (text[i] == '\r' && i + 1 < length && text[i + 1] == '\n')
      continue;
    out[n++] = text[i] == '\r' ? '\n' : text[i];
  }
  if (n > 0 && out[n - 1] == '\n')
    n--;
  out[n] = '\0';
  *new_length = n;
  return out;
}

PtJinjaWords *
pt_jinja_lex (const char *text, gsize length, GError **error)
{
  g_autoptr (PtJinjaWords) words = g_new0 (PtJinjaWords, 1);
  Lexer self = { .words = words, .line = 1, .error = error };
  gsize size;

  words->source = normalize_newlines (text, length, &size);
  words->strings = g_string_chunk_new (1024);
  words->tokens = g_array_new (FALSE, FALSE, sizeof (PtJinjaToken));
  self.at = words->source;
  self.end = words->source + size;
  while (self.at < self.end)
    if (!read_next (&self))
      return NULL;
  add (&self, PT_JINJA_TOKEN_END, NULL, 0);
  return g_steal_pointer (&words);
}

void
pt_jinja_words_free (PtJinjaWords *words)
{
  if (words == NULL)
    return;
  g_free (words->source);
  g_clear_pointer (&words->strings, g_string_chunk_free);
  g_clear_pointer (&words->tokens, g_array_unref);
  g_free (words);
}
