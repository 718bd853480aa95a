/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/markdown/highlight.h"

#include <string.h>

#include "ui/markdown/highlight-languages.h"

/* Longer words are not in the lists. */
#define MAX_WORD 24

typedef struct {
  const char *begin;
  GArray *spans;
} Lexer;

static void
add (Lexer *self, const char *start, const char *end, PterisCodeKind kind)
{
  PterisCodeSpan span = { (guint) (start - self->begin), (guint) (end - self->begin), kind };

  if (end > start)
    g_array_append_val (self->spans, span);
}

static const char *
line_end (const char *p)
{
  return p + strcspn (p, "\n");
}

static const char *
skip_spaces (const char *p)
{
  return p + strspn (p, " \t");
}

static gboolean
begins_word (char c)
{
  return g_ascii_isalpha (c) || c == '_' || (c & 0x80) != 0;
}

static const char *
word_end (const char *p)
{
  while (begins_word (*p) || g_ascii_isdigit (*p))
    p++;
  return p;
}

/* Whether @list contains the word from @p to @end. */
static gboolean
has_word (const char *list, const char *p, const char *end, gboolean any_case)
{
  char word[MAX_WORD + 3];
  gsize n = (gsize) (end - p);

  if (n == 0 || n > MAX_WORD)
    return FALSE;
  word[0] = ' ';
  for (gsize i = 0; i < n; i++)
    word[i + 1] = any_case ? g_ascii_tolower (p[i]) : p[i];
  word[n + 1] = ' ';
  word[n + 2] = '\0';
  return strstr (list, word) != NULL;
}

/* The end of the string that begins at @p with @quote. */
static const char *
string_end (const char *p, char quote, gboolean long_one)
{
  for (p++; *p != '\0'; p++) {
    if (*p == '\\' && p[1] != '\0')
      p++;
    else if (*p == quote)
      return p + 1;
    else if (*p == '\n' && !long_one)
      return p;
  }
  return p;
}

static const char *
after (const char *p, const char *mark)
{
  const char *end = strstr (p, mark);

  return end != NULL ? end + strlen (mark) : p + strlen (p);
}

static const char *
number_end (const char *p)
{
  while (g_ascii_isalnum (*p) || *p == '_' || (*p == '.' && g_ascii_isdigit (p[1])) ||
         ((*p == '+' || *p == '-') && (p[-1] == 'e' || p[-1] == 'E') && g_ascii_isdigit (p[1])))
    p++;
  return p;
}

/* ---- languages with keywords ---- */

static gboolean
begins_comment (const LexLanguage *language, const char *p, const char *begin)
{
  char mark[5] = { ' ', p[0], ' ' };

  if (strstr (language->comments, mark) != NULL)
    return p == begin || !strchr ("$&", p[-1]);
  mark[2] = p[1];
  mark[3] = ' ';
  return p[0] != ' ' && p[1] != ' ' && p[1] != '\0' && strstr (language->comments, mark) != NULL;
}

static const char *
take_string (Lexer *self, const LexLanguage *language, const char *p)
{
  const char *end;
  char triple[4] = { *p, *p, *p, '\0' };

  if ((language->flags & LEX_TRIPLE_STRINGS) && g_str_has_prefix (p, triple))
    end = after (p + 3, triple);
  else
    end = string_end (p, *p, *p == '`' || (language->flags & LEX_LONG_STRINGS));
  add (self, p, end,
       (language->flags & LEX_KEYS) && *skip_spaces (end) == ':' ? PTERIS_CODE_FUNCTION
                                                                 : PTERIS_CODE_STRING);
  return end;
}

static const char *
take_word (Lexer *self, const LexLanguage *language, const char *p)
{
  const char *end = word_end (p);
  gboolean any_case = (language->flags & LEX_ANY_CASE) != 0;

  if (has_word (language->keywords, p, end, any_case))
    add (self, p, end, PTERIS_CODE_KEYWORD);
  else if (has_word (language->types, p, end, any_case) ||
           ((language->flags & LEX_CAPITALS) && g_ascii_isupper (*p) && *end != '('))
    add (self, p, end, PTERIS_CODE_TYPE);
  else if (*skip_spaces (end) == '(')
    add (self, p, end, PTERIS_CODE_FUNCTION);
  return end;
}

/* $word, ${word}, $1, $? */
static const char *
take_dollar (Lexer *self, const char *p)
{
  const char *end = p + 1;

  if (*end == '{')
    end = string_end (end, '}', FALSE);
  else if (begins_word (*end))
    end = word_end (end);
  else if (*end != '\0' && *end != '(' && !g_ascii_isspace (*end))
    end++;
  add (self, p, end, PTERIS_CODE_META);
  return end;
}

/* 'a and 'static, but not 'x'. */
static gboolean
is_lifetime (const char *p)
{
  return begins_word (p[1]) && *word_end (p + 1) != '\'';
}

static void
lex (Lexer *self, const LexLanguage *language)
{
  const char *p = self->begin;
  gboolean line_begins = TRUE;

  while (*p != '\0') {
    const char *begin = p;

    if (g_ascii_isspace (*p)) {
      line_begins |= *p++ == '\n';
      continue;
    }
    if (line_begins && *p == '#' && (language->flags & LEX_HASH_DIRECTIVES)) {
      p = word_end (skip_spaces (p + 1));
      add (self, begin, p, PTERIS_CODE_META);
    } else if (begins_comment (language, p, self->begin)) {
      p = line_end (p);
      add (self, begin, p, PTERIS_CODE_COMMENT);
    } else if (language->begin_comment != NULL && g_str_has_prefix (p, language->begin_comment)) {
      p = after (p + strlen (language->begin_comment), language->end_comment);
      add (self, begin, p, PTERIS_CODE_COMMENT);
    } else if (*p == '\'' && (language->flags & LEX_LIFETIMES) && is_lifetime (p)) {
      p = word_end (p + 1);
      add (self, begin, p, PTERIS_CODE_META);
    } else if (strchr (language->quotes, *p)) {
      p = take_string (self, language, p);
    } else if (*p == '$' && (language->flags & LEX_DOLLARS)) {
      p = take_dollar (self, p);
    } else if (*p == '@' && (language->flags & LEX_DECORATORS) && begins_word (p[1])) {
      p = word_end (p + 1);
      add (self, begin, p, PTERIS_CODE_META);
    } else if (g_ascii_isdigit (*p)) {
      p = number_end (p);
      add (self, begin, p, PTERIS_CODE_NUMBER);
    } else if (begins_word (*p)) {
      p = take_word (self, language, p);
    } else {
      p++;
    }
    line_begins = FALSE;
  }
}

/* ---- markup languages ---- */

/* Highlights attribute names and values, from behind "<name" to behind ">". */
static const char *
take_attributes (Lexer *self, const char *p)
{
  while (*p != '\0' && *p != '>') {
    const char *begin = p;

    if (*p == '"' || *p == '\'') {
      p = string_end (p, *p, TRUE);
      add (self, begin, p, PTERIS_CODE_STRING);
    } else if (begins_word (*p)) {
      while (begins_word (*p) || g_ascii_isdigit (*p) || *p == '-' || *p == ':')
        p++;
      add (self, begin, p, PTERIS_CODE_FUNCTION);
    } else {
      p++;
    }
  }
  return *p == '>' ? p + 1 : p;
}

static void
lex_markup (Lexer *self)
{
  const char *p = self->begin;

  while (*p != '\0') {
    const char *begin = p;

    if (g_str_has_prefix (p, "<!--")) {
      p = after (p + 4, "-->");
      add (self, begin, p, PTERIS_CODE_COMMENT);
    } else if (*p == '<' && (begins_word (p[1]) || strchr ("/!?", p[1])) && p[1] != '\0') {
      p += 2;
      while (begins_word (*p) || g_ascii_isdigit (*p) || *p == '-' || *p == ':')
        p++;
      add (self, begin, p, PTERIS_CODE_TYPE);
      begin = take_attributes (self, p);
      if (begin > p && begin[-1] == '>')
        add (self, begin - 1, begin, PTERIS_CODE_TYPE);
      p = begin;
    } else if (*p == '&') {
      p += 1 + strcspn (p + 1, "; \n<&");
      p += *p == ';';
      add (self, begin, p, PTERIS_CODE_META);
    } else {
      p++;
    }
  }
}

static void
lex_css (Lexer *self)
{
  const char *p = self->begin;
  gboolean value = FALSE;
  guint depth = 0;

  while (*p != '\0') {
    const char *begin = p;

    if (g_str_has_prefix (p, "/*")) {
      p = after (p + 2, "*/");
      add (self, begin, p, PTERIS_CODE_COMMENT);
    } else if (*p == '"' || *p == '\'') {
      p = string_end (p, *p, FALSE);
      add (self, begin, p, PTERIS_CODE_STRING);
    } else if (*p == '@') {
      p = word_end (p + 1);
      add (self, begin, p, PTERIS_CODE_META);
    } else if (g_ascii_isdigit (*p) || (*p == '#' && value)) {
      p = number_end (p + 1);
      p += *p == '%';
      add (self, begin, p, PTERIS_CODE_NUMBER);
    } else if (begins_word (*p) || (*p == '-' && !value)) {
      while (begins_word (*p) || g_ascii_isdigit (*p) || *p == '-')
        p++;
      if (depth == 0)
        add (self, begin, p, PTERIS_CODE_TYPE);
      else if (!value)
        add (self, begin, p, PTERIS_CODE_FUNCTION);
    } else {
      value = (value || (*p == ':' && depth > 0)) && !strchr (";{}", *p);
      depth += *p == '{';
      depth -= *p == '}' && depth > 0;
      p++;
    }
  }
}

/* ---- line-based languages ---- */

static void
yaml_value (Lexer *self, const char *p, const char *end)
{
  p = skip_spaces (p);
  if (p >= end)
    return;
  if (*p == '"' || *p == '\'')
    add (self, p, MIN (string_end (p, *p, FALSE), end), PTERIS_CODE_STRING);
  else if (g_ascii_isdigit (*p) || (*p == '-' && g_ascii_isdigit (p[1])))
    add (self, p, MIN (number_end (p + 1), end), PTERIS_CODE_NUMBER);
  else if (has_word (" true false null yes no on off ", p, word_end (p), TRUE))
    add (self, p, word_end (p), PTERIS_CODE_KEYWORD);
  else if (strchr ("&*!|>", *p))
    add (self, p, p + 1, PTERIS_CODE_META);
}

/* The beginning of a comment in the line from @p to @end; @end: none. */
static const char *
yaml_comment (const char *p, const char *end)
{
  const char *begin = p;

  for (; p < end; p++)
    if (*p == '#' && (p == begin || g_ascii_isspace (p[-1])))
      return p;
  return end;
}

static void
lex_yaml_line (Lexer *self, const char *p, const char *end)
{
  const char *comment = yaml_comment (p, end), *key;

  p = skip_spaces (p);
  while (p[0] == '-' && p[1] == ' ')
    p = skip_spaces (p + 1);
  for (key = p; key < comment && !(*key == ':' && g_ascii_isspace (key[1])) &&
                !(*key == ':' && key[1] == '\0');)
    key++;
  if (key < comment) {
    add (self, p, key, PTERIS_CODE_FUNCTION);
    p = key + 1;
  }
  if (p < comment)
    yaml_value (self, p, comment);
  add (self, comment, end, PTERIS_CODE_COMMENT);
}

static void
lex_diff_line (Lexer *self, const char *p, const char *end)
{
  if (g_str_has_prefix (p, "+++") || g_str_has_prefix (p, "---") || g_str_has_prefix (p, "@@") ||
      g_str_has_prefix (p, "diff ") || g_str_has_prefix (p, "index "))
    add (self, p, end, PTERIS_CODE_META);
  else if (*p == '+')
    add (self, p, end, PTERIS_CODE_ADDED);
  else if (*p == '-')
    add (self, p, end, PTERIS_CODE_REMOVED);
}

static void
lex_markdown_line (Lexer *self, const char *p, const char *end)
{
  const char *q = skip_spaces (p);

  if (*q == '#') {
    add (self, q, end, PTERIS_CODE_TYPE);
    return;
  }
  if (*q == '>' || g_str_has_prefix (q, "```")) {
    add (self, q, end, PTERIS_CODE_COMMENT);
    return;
  }
  if (*q != '\0' && strchr ("-+*", *q) && q[1] == ' ') {
    add (self, q, q + 1, PTERIS_CODE_KEYWORD);
    q++;
  }
  while (q < end) {
    const char *close = *q == '`' ? memchr (q + 1, '`', (gsize) (end - q) - 1) : NULL;

    if (close != NULL) {
      add (self, q, close + 1, PTERIS_CODE_STRING);
      q = close;
    }
    q++;
  }
}

static void
lex_lines (Lexer *self, void (*lex_line) (Lexer *, const char *, const char *))
{
  const char *p = self->begin;

  while (*p != '\0') {
    const char *end = line_end (p);

    lex_line (self, p, end);
    p = *end == '\n' ? end + 1 : end;
  }
}

static const struct {
  const char *names;
  void (*lex) (Lexer *);
  void (*lex_line) (Lexer *, const char *, const char *);
} OTHERS[] = {
  { " html xml svg xhtml vue ui ", lex_markup, NULL }, { " css scss less ", lex_css, NULL },
  { " yaml yml toml ini ", NULL, lex_yaml_line },      { " diff patch ", NULL, lex_diff_line },
  { " markdown md ", NULL, lex_markdown_line },
};

gboolean
pteris_highlight (const char *language, const char *code, GArray *spans)
{
  Lexer self = { code, spans };
  const char *end = language + strlen (language);

  for (guint i = 0; i < G_N_ELEMENTS (LANGUAGES); i++) {
    if (has_word (LANGUAGES[i].names, language, end, TRUE)) {
      lex (&self, &LANGUAGES[i]);
      return TRUE;
    }
  }
  for (guint i = 0; i < G_N_ELEMENTS (OTHERS); i++) {
    if (!has_word (OTHERS[i].names, language, end, TRUE))
      continue;
    if (OTHERS[i].lex != NULL)
      OTHERS[i].lex (&self);
    else
      lex_lines (&self, OTHERS[i].lex_line);
    return TRUE;
  }
  return FALSE;
}
