/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/markdown/markdown-tail.h"

#include <string.h>

#define MAX_OPEN 16

/* Longer numbers are years or sums rather than list markers. */
#define MAX_DIGITS 3

/* An open emphasis or code span. */
typedef struct {
  char c;
  guint n;
} Mark;

typedef struct {
  Mark marks[MAX_OPEN];
  guint n_marks;
  guint code;          /* length of the backtick run that opened code; 0: not in code */
  const char *bracket; /* the "[" of the last link */
  const char *address; /* its "](", while it is open */
  gsize loose;         /* marks at the very end that are neither open nor closed yet */
} Open;

/* Whether the rest of a line may become a marker: "-", "12", "* [x", "| :-". */
static gboolean
may_become_mark (const char *p)
{
  gsize digits;

  p += strspn (p, " \t>");
  digits = strspn (p, "0123456789");
  if (digits > 0 && digits <= MAX_DIGITS)
    p += digits + (p[digits] == '.' || p[digits] == ')');
  else if (*p != '\0' && strchr ("-+*", *p))
    p++;
  p += strspn (p, " \t");
  if (*p == '[' && (p[1] == '\0' || strchr (" xX]", p[1])))
    p += strspn (p, "[ xX]");
  return p[strspn (p, " \t-=*+_#>`~|:")] == '\0';
}

char *
pteris_markdown_hold_back (const char *text)
{
  const char *newline = strrchr (text, '\n');
  const char *line = newline != NULL ? newline + 1 : text;

  return may_become_mark (line) ? g_strndup (text, (gsize) (line - text)) : g_strdup (text);
}

/* The begin of the last paragraph: inline marks do not cross its border. */
static const char *
last_paragraph (const char *text)
{
  const char *p = text + strlen (text);

  while (p > text) {
    const char *line = p;
    const char *content;

    while (line > text && line[-1] != '\n')
      line--;
    content = line + strspn (line, " \t");
    if (content == p || *content == '\n')
      return p + (*p == '\n');
    if (strchr ("-+*#>|0123456789", *content) != NULL && !(content[0] == '*' && content[1] != ' '))
      return line;
    p = line > text ? line - 1 : text;
  }
  return text;
}

static gsize
run_length (const char *p)
{
  gsize n = 1;

  while (p[n] == *p)
    n++;
  return n;
}

static gboolean
is_space (char c)
{
  return c == '\0' || g_ascii_isspace (c);
}

static gboolean
is_word (char c)
{
  return g_ascii_isalnum (c) || (c & 0x80) != 0;
}

/* Handles a run of @n marks at @p. Returns how many of them neither open nor close. */
static gsize
take_emphasis (Open *self, const char *text, const char *p, gsize n)
{
  char c = *p, before = p > text ? p[-1] : ' ', after = p[n];
  gboolean closes = !is_space (before) && !(c == '_' && is_word (after));
  gboolean opens = !is_space (after) && !(c == '_' && is_word (before));

  while (n > 0 && !(c == '~' && n == 1)) {
    const Mark *top = self->n_marks > 0 ? &self->marks[self->n_marks - 1] : NULL;

    if (closes && top != NULL && top->c == c && top->n <= n) {
      n -= top->n;
      self->n_marks--;
    } else if (opens && self->n_marks < MAX_OPEN) {
      guint size = n >= 2 ? 2 : 1;

      self->marks[self->n_marks++] = (Mark){ c, size };
      n -= size;
    } else {
      break;
    }
  }
  return n;
}

/* The same for a run of backticks. */
static gsize
take_code (Open *self, const char *p, gsize n)
{
  if (self->code == n)
    self->code = 0;
  else if (self->code == 0 && p[n] != '\0')
    self->code = (guint) n;
  else
    return n;
  return 0;
}

static void
scan (Open *self, const char *text)
{
  const char *p = text;

  while (*p != '\0') {
    gsize n = 1, loose = 0;

    if (*p == '`') {
      n = run_length (p);
      loose = take_code (self, p, n);
    } else if (self->code != 0) {
      ;
    } else if (*p == '\\') {
      n = p[1] != '\0' ? 2 : 1;
    } else if (strchr ("*_~", *p) != NULL && self->address == NULL) {
      n = run_length (p);
      loose = take_emphasis (self, text, p, n);
    } else if (*p == '[' && self->address == NULL) {
      self->bracket = p;
    } else if (*p == ']' && p[1] == '(' && self->bracket != NULL) {
      self->address = p;
    } else if (*p == ')' && self->address != NULL) {
      self->address = self->bracket = NULL;
    }
    p += n;
    self->loose = *p == '\0' ? loose : 0;
  }
}

char *
pteris_markdown_close (const char *text)
{
  const char *paragraph = last_paragraph (text);
  Open open = { .n_marks = 0 };
  GString *out;

  scan (&open, paragraph);
  if (open.n_marks == 0 && open.code == 0 && open.address == NULL && open.loose == 0)
    return NULL;
  out = g_string_new (text);
  g_string_truncate (out, out->len - open.loose);
  if (open.address != NULL) {
    /* Of a link with an incomplete address only the text is kept. */
    g_string_truncate (out, (gsize) (open.address - text));
    g_string_erase (out, open.bracket - text, 1);
  }
  while (out->len > 0 && open.code == 0 && strchr (" \t\n", out->str[out->len - 1]))
    g_string_truncate (out, out->len - 1);
  for (guint i = 0; i < open.code; i++)
    g_string_append_c (out, '`');
  while (open.n_marks-- > 0)
    for (guint i = 0; i < open.marks[open.n_marks].n; i++)
      g_string_append_c (out, open.marks[open.n_marks].c);
  return g_string_free (out, FALSE);
}
