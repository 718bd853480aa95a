/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/markdown.h"

#include <string.h>

#define MAX_DEPTH 6
#define MAX_LEVEL 5

/* ---- blocks ---- */

static void
block_free (gpointer data)
{
  PterisBlock *block = data;

  g_free (block->marker);
  g_free (block->text);
  g_free (block);
}

/* One line of the text, and what its beginning says. */
typedef struct {
  const char *begin; /* of the line */
  const char *end;   /* before the newline */
  const char *text;  /* first character that is not a space */
  guint indent;      /* columns before it */
} Line;

static Line
line_at (const char *begin)
{
  Line line = { .begin = begin, .end = begin + strcspn (begin, "\n") };

  for (line.text = line.begin; line.text < line.end; line.text++) {
    if (*line.text == ' ')
      line.indent++;
    else if (*line.text == '\t')
      line.indent += 4 - line.indent % 4;
    else if (*line.text != '\r')
      break;
  }
  return line;
}

static const char *
next_line (const Line *line)
{
  return *line->end == '\n' ? line->end + 1 : line->end;
}

static gboolean
is_blank (const Line *line)
{
  return line->text == line->end;
}

/* The length of the run of fence characters that @line begins with; 0 when it is no fence. */
static gsize
fence_length (const Line *line)
{
  gsize n = 0;

  if (*line->text != '`' && *line->text != '~')
    return 0;
  while (line->text + n < line->end && line->text[n] == *line->text)
    n++;
  if (n < 3 ||
      (*line->text == '`' && memchr (line->text + n, '`', (gsize) (line->end - line->text) - n)))
    return 0;
  return n;
}

static guint
heading_level (const Line *line)
{
  guint n = 0;

  while (n < 7 && line->text + n < line->end && line->text[n] == '#')
    n++;
  return n >= 1 && n <= 6 && line->text + n < line->end && line->text[n] == ' ' ? n : 0;
}

static gboolean
is_rule (const Line *line)
{
  guint n = 0;

  if (!strchr ("-*_", *line->text) || *line->text == '\0')
    return FALSE;
  for (const char *p = line->text; p < line->end; p++) {
    if (*p == *line->text)
      n++;
    else if (*p != ' ' && *p != '\r')
      return FALSE;
  }
  return n >= 3;
}

/* The length of a list mark with its space ("- ", "12. "); 0 when there is none. */
static gsize
item_mark (const Line *line)
{
  const char *p = line->text;

  if (p < line->end && strchr ("-*+", *p) != NULL)
    return p + 1 < line->end && p[1] == ' ' ? 2 : 0;
  while (p < line->end && p - line->text < 9 && g_ascii_isdigit (*p))
    p++;
  if (p == line->text || p + 1 >= line->end || (*p != '.' && *p != ')') || p[1] != ' ')
    return 0;
  return (gsize) (p - line->text) + 2;
}

static gboolean
begins_block (const Line *line)
{
  return fence_length (line) > 0 || heading_level (line) > 0 || is_rule (line) ||
         item_mark (line) > 0 || *line->text == '>';
}

static PterisBlock *
add_block (GPtrArray *blocks, PterisBlockKind kind, const char *all, const Line *line)
{
  PterisBlock *block = g_new0 (PterisBlock, 1);

  block->kind = kind;
  block->start = (gsize) (line->begin - all);
  g_ptr_array_add (blocks, block);
  return block;
}

static void
append_line (GString *out, const char *begin, const char *end)
{
  while (end > begin && (end[-1] == ' ' || end[-1] == '\r' || end[-1] == '\t'))
    end--;
  if (out->len > 0)
    g_string_append_c (out, '\n');
  g_string_append_len (out, begin, end - begin);
}

/* Everything up to the closing fence, or to the end while it has not come. */
static const char *
read_code (PterisBlock *block, const Line *open)
{
  gsize n = fence_length (open);
  GString *code = g_string_new (NULL);
  const char *p = next_line (open);

  block->marker = g_strstrip (g_strndup (open->text + n, (gsize) (open->end - open->text) - n));
  block->marker[strcspn (block->marker, " {")] = '\0';
  while (*p != '\0') {
    Line line = line_at (p);
    const char *text = line.begin;

    p = next_line (&line);
    if (fence_length (&line) >= n && *line.text == *open->text && line.text[n] != *line.text &&
        strspn (line.text + n, " \r") >= (gsize) (line.end - line.text) - n)
      break;
    /* The fence's own indentation is not the code's. */
    for (guint i = 0; i < open->indent && (*text == ' ' || *text == '\t'); i++)
      text++;
    g_string_append_len (code, text, line.end - text);
    if (*line.end == '\n')
      g_string_append_c (code, '\n');
  }
  if (code->len > 0 && code->str[code->len - 1] == '\n')
    g_string_truncate (code, code->len - 1);
  block->text = g_string_free (code, FALSE);
  return p;
}

/* The lines from @first's @text on that belong to one block of running text. */
static const char *
read_text (PterisBlock *block, const Line *first, const char *text)
{
  GString *out = g_string_new (NULL);
  const char *p = next_line (first);

  append_line (out, text, first->end);
  while (*p != '\0') {
    Line line = line_at (p);
    const char *begin = line.text;

    if (is_blank (&line))
      break;
    if (block->kind == PTERIS_BLOCK_QUOTE && *begin == '>')
      begin += begin + 1 < line.end && begin[1] == ' ' ? 2 : 1;
    else if (begins_block (&line))
      break;
    append_line (out, begin, line.end);
    p = next_line (&line);
  }
  block->text = g_string_free (out, FALSE);
  return p;
}

static const char *
read_heading (PterisBlock *block, const Line *line, guint level)
{
  const char *end = line->end;

  while (end > line->text + level && strchr ("# \r", end[-1]) != NULL)
    end--;
  block->level = level;
  block->text = g_strstrip (g_strndup (line->text + level, (gsize) (end - line->text) - level));
  return next_line (line);
}

static const char *
read_item (PterisBlock *block, const Line *line, gsize mark)
{
  gboolean number = g_ascii_isdigit (*line->text);

  block->level = MIN (line->indent / 2, MAX_LEVEL);
  block->marker = number ? g_strndup (line->text, mark - 1) : g_strdup ("•");
  return read_text (block, line, line->text + mark);
}

GPtrArray *
pteris_markdown_parse (const char *text)
{
  GPtrArray *blocks = g_ptr_array_new_with_free_func (block_free);
  const char *p = text;

  while (*p != '\0') {
    Line line = line_at (p);
    guint level = heading_level (&line);
    gsize mark = item_mark (&line);

    if (is_blank (&line)) {
      p = next_line (&line);
    } else if (fence_length (&line) > 0) {
      p = read_code (add_block (blocks, PTERIS_BLOCK_CODE, text, &line), &line);
    } else if (level > 0) {
      p = read_heading (add_block (blocks, PTERIS_BLOCK_HEADING, text, &line), &line, level);
    } else if (is_rule (&line)) {
      add_block (blocks, PTERIS_BLOCK_RULE, text, &line)->text = g_strdup ("");
      p = next_line (&line);
    } else if (mark > 0) {
      p = read_item (add_block (blocks, PTERIS_BLOCK_ITEM, text, &line), &line, mark);
    } else if (*line.text == '>') {
      const char *begin = line.text + (line.text + 1 < line.end && line.text[1] == ' ' ? 2 : 1);

      p = read_text (add_block (blocks, PTERIS_BLOCK_QUOTE, text, &line), &line, begin);
    } else {
      PterisBlock *block = add_block (blocks, PTERIS_BLOCK_PARAGRAPH, text, &line);

      block->level = MIN (line.indent / 2, MAX_LEVEL);
      p = read_text (block, &line, line.text);
    }
  }
  return blocks;
}

/* ---- inline ---- */

/* The marks, longest first. */
static const struct {
  const char *mark;
  const char *tag;
} MARKS[] = {
  { "***", NULL }, { "**", "b" }, { "__", "b" }, { "~~", "s" }, { "*", "i" }, { "_", "i" },
};

typedef struct {
  GString *out;
  const char *begin; /* of the whole text */
  gboolean partial;
} Inline;

static void convert (Inline *self, const char *p, const char *end, guint depth);

static void
append_escaped (GString *out, const char *p, const char *end)
{
  for (; p < end; p++) {
    switch (*p) {
    case '&': g_string_append (out, "&amp;"); break;
    case '<': g_string_append (out, "&lt;"); break;
    case '>': g_string_append (out, "&gt;"); break;
    case '"': g_string_append (out, "&quot;"); break;
    case '\'': g_string_append (out, "&#39;"); break;
    default:
      /* Markup has no place for control characters. */
      if ((guchar) *p >= 0x20 || *p == '\n' || *p == '\t')
        g_string_append_c (out, *p);
    }
  }
}

static gboolean
is_word (char c)
{
  return g_ascii_isalnum (c) || (c & 0x80) != 0;
}

static gsize
run_length (const char *p, const char *end, char c)
{
  const char *q = p;

  while (q < end && *q == c)
    q++;
  return (gsize) (q - p);
}

/* The end of the code span that begins at @p, after its closing run; NULL when it is not closed. */
static const char *
code_end (const char *p, const char *end, gsize n)
{
  const char *q = p + n;

  while (q < end) {
    gsize run = run_length (q, end, '`');

    if (run == n)
      return q + n;
    q += MAX (run, 1);
  }
  return NULL;
}

/* Where the closing @mark of emphasis whose inside begins at @p lies; NULL when there is none. */
static const char *
find_close (const char *p, const char *end, const char *mark)
{
  gsize n = strlen (mark);
  const char *q = p;

  while (q < end) {
    gsize run = run_length (q, end, *q == '`' ? '`' : *mark);

    if (*q == '\\') {
      q += MIN (2, end - q);
    } else if (*q == '`') {
      const char *after = code_end (q, end, run);

      q = after != NULL ? after : q + run;
    } else if (run == 0) {
      q++;
    } else {
      gboolean fits = run == n || run == 3 || (run > n && n > 1);
      const char *close = q + run - n;

      if (fits && q > p && !g_ascii_isspace (q[-1]) &&
          !(*mark == '_' && q + run < end && is_word (q[run])))
        return close;
      q += run;
    }
  }
  return NULL;
}

static void
append_code (Inline *self, const char *p, const char *end)
{
  if (end - p > 2 && *p == ' ' && end[-1] == ' ') {
    p++;
    end--;
  }
  g_string_append (self->out, "<span font_family=\"monospace\" background=\"#808080\" "
                              "background_alpha=\"16%\">");
  append_escaped (self->out, p, end);
  g_string_append (self->out, "</span>");
}

/* The code span at *@p, or the bare marks. @hopeless has a bit for each length of run that nothing
 * closes. */
static void
take_code (Inline *self, const char **p, const char *end, guint *hopeless)
{
  gsize n = run_length (*p, end, '`');
  guint bit = 1u << MIN (n, 31);
  const char *after = *hopeless & bit ? NULL : code_end (*p, end, n);

  if (after == NULL && !(self->partial && *p + n < end)) {
    *hopeless |= bit;
    append_escaped (self->out, *p, *p + n);
    *p += n;
    return;
  }
  append_code (self, *p + n, after != NULL ? after - n : end);
  *p = after != NULL ? after : end;
}

static gboolean
take_emphasis (Inline *self, const char **p, const char *end, guint depth, guint *hopeless)
{
  for (guint i = 0; i < G_N_ELEMENTS (MARKS); i++) {
    const char *mark = MARKS[i].mark;
    gsize n = strlen (mark);
    const char *inside = *p + n;
    const char *close;

    if ((gsize) (end - *p) < n || memcmp (*p, mark, n) != 0)
      continue;
    if (inside >= end || g_ascii_isspace (*inside) ||
        (*mark == '_' && *p > self->begin && is_word ((*p)[-1])))
      return FALSE;
    close = *hopeless & (1u << i) ? NULL : find_close (inside, end, mark);
    if (close == NULL) {
      *hopeless |= 1u << i;
      if (!self->partial)
        return FALSE;
      close = end;
    }
    g_string_append (self->out, MARKS[i].tag == NULL ? "<b><i>" : "<");
    if (MARKS[i].tag != NULL)
      g_string_append_printf (self->out, "%s>", MARKS[i].tag);
    convert (self, inside, close, depth + 1);
    if (MARKS[i].tag == NULL)
      g_string_append (self->out, "</i></b>");
    else
      g_string_append_printf (self->out, "</%s>", MARKS[i].tag);
    *p = close == end ? end : close + n;
    return TRUE;
  }
  return FALSE;
}

/* "[text](https://...)"; other schemes stay text. */
static gboolean
take_link (Inline *self, const char **p, const char *end, guint depth)
{
  const char *close = memchr (*p, ']', (gsize) MIN (end - *p, 1000));
  const char *url = close != NULL ? close + 2 : NULL;
  const char *stop;

  if (url == NULL || url >= end || close[1] != '(' || close == *p + 1)
    return FALSE;
  stop = memchr (url, ')', (gsize) MIN (end - url, 2000));
  if (stop == NULL || memchr (*p + 1, '[', (gsize) (close - *p) - 1) != NULL ||
      (!g_str_has_prefix (url, "https://") && !g_str_has_prefix (url, "http://")))
    return FALSE;
  g_string_append (self->out, "<a href=\"");
  append_escaped (self->out, url, stop);
  g_string_append (self->out, "\">");
  convert (self, *p + 1, close, depth + 1);
  g_string_append (self->out, "</a>");
  *p = stop + 1;
  return TRUE;
}

static void
convert (Inline *self, const char *p, const char *end, guint depth)
{
  guint no_code = 0;
  guint no_close = 0;

  while (p < end) {
    if (*p == '\\' && p + 1 < end && g_ascii_ispunct (p[1])) {
      append_escaped (self->out, p + 1, p + 2);
      p += 2;
    } else if (*p == '`') {
      take_code (self, &p, end, &no_code);
    } else if (strchr ("*_~", *p) != NULL && depth < MAX_DEPTH) {
      char c = *p;
      gsize run = run_length (p, end, c);

      if (!take_emphasis (self, &p, end, depth, &no_close)) {
        append_escaped (self->out, p, p + run);
        p += run;
      }
    } else if (*p == '[' && depth < MAX_DEPTH && take_link (self, &p, end, depth)) {
      continue;
    } else {
      append_escaped (self->out, p, p + 1);
      p++;
    }
  }
}

char *
pteris_markdown_inline (const char *text, gboolean partial)
{
  Inline self = { .out = g_string_new (NULL), .begin = text, .partial = partial };
  const char *end = text + strlen (text);

  /* A mark that has just begun to come in says nothing yet. */
  while (partial && end > text && strchr ("*_`~", end[-1]) != NULL)
    end--;
  convert (&self, text, end, 0);
  return g_string_free (self.out, FALSE);
}
