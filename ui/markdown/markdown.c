/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/markdown/markdown.h"

#include <md4c.h>
#include <string.h>

#include "ui/markdown/markdown-tail.h"

/* GitHub's dialect without bare links, for which the parser's spans may overlap. */
#define FLAGS (MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS | MD_FLAG_NOHTML)

/* Deeper blocks are shown at this depth. */
#define MAX_DEPTH 8

typedef struct {
  gboolean ordered;
  guint next;
  char delimiter;
} List;

/* A top-level block and the range of its text. */
typedef struct {
  MD_BLOCKTYPE type;
  guint first;    /* its first PterisBlock */
  gsize min, max; /* offsets of its text; min > max: it has none */
  gboolean fenced;
} Top;

typedef struct {
  const char *text;
  gsize size;
  GPtrArray *blocks;

  GArray *tops; /* of Top */
  guint nesting;
  GArray *lists; /* of List */
  guint n_items, n_quotes;
  char *marker; /* of the next block */

  PterisBlock *leaf; /* the block that gets text, or NULL */
  GPtrArray *row;    /* of the table that it is */
  gboolean in_list_text;
  GString *out;         /* the text of the leaf, or of a cell */
  GPtrArray *end_marks; /* static strings that close the open marks */
  guint n_links;
} Parser;

static void
block_free (gpointer data)
{
  PterisBlock *block = data;

  g_free (block->marker);
  g_free (block->text);
  g_free (block->language);
  g_clear_pointer (&block->aligns, g_array_unref);
  g_clear_pointer (&block->rows, g_ptr_array_unref);
  g_free (block);
}

/* ---- text ---- */

static void
append_unichar (GString *out, gunichar c)
{
  switch (c) {
  case '&': g_string_append (out, "&amp;"); break;
  case '<': g_string_append (out, "&lt;"); break;
  case '>': g_string_append (out, "&gt;"); break;
  case '"': g_string_append (out, "&quot;"); break;
  case '\'': g_string_append (out, "&#39;"); break;
  default:
    /* Markup must not contain control characters. */
    if ((c >= 0x20 && c != 0x7f) || c == '\n' || c == '\t')
      g_string_append_unichar (out, c);
  }
}

static void
append_escaped (GString *out, const char *text, gsize size)
{
  for (gsize i = 0; i < size; i++) {
    if ((guchar) text[i] >= 0x80)
      g_string_append_c (out, text[i]);
    else
      append_unichar (out, (guchar) text[i]);
  }
}

static gboolean
end_break (GString *out)
{
  static const char *const BREAKS[] = { "&lt;br", "&lt;br/", "&lt;br /" };

  for (guint i = 0; i < G_N_ELEMENTS (BREAKS); i++) {
    if (!g_str_has_suffix (out->str, BREAKS[i]))
      continue;
    g_string_truncate (out, out->len - strlen (BREAKS[i]));
    g_string_append_c (out, '\n');
    return TRUE;
  }
  return FALSE;
}

/* The length of the bare link at the start of @text; 0: none. */
static gsize
link_length (const char *text, gsize size)
{
  static const char *const SCHEMES[] = { "https://", "http://" };
  gsize n = 0, scheme = 0;

  for (guint i = 0; i < G_N_ELEMENTS (SCHEMES) && scheme == 0; i++)
    if (size > strlen (SCHEMES[i]) && memcmp (text, SCHEMES[i], strlen (SCHEMES[i])) == 0)
      scheme = strlen (SCHEMES[i]);
  if (scheme == 0)
    return 0;
  while (n < size && (guchar) text[n] > ' ' && !strchr ("<>\"`|\\^{}[]", text[n]))
    n++;
  /* Punctuation at the end of a sentence does not belong to the link, nor does a bracket opened
     before it. */
  while (n > scheme &&
         (strchr (".,:;!?'", text[n - 1]) || (text[n - 1] == ')' && memchr (text, '(', n) == NULL)))
    n--;
  return n > scheme ? n : 0;
}

static void
append_link (GString *out, const char *text, gsize size)
{
  g_autoptr (GString) url = g_string_new (NULL);

  append_escaped (url, text, size);
  g_string_append_printf (out, "<a href=\"%s\" title=\"%s\">%s</a>", url->str, url->str, url->str);
}

/* Appends running text. The only HTML tag that is used is the line break, which tables need. */
static void
append_text (Parser *self, const char *text, gsize size)
{
  for (gsize i = 0; i < size; i++) {
    gboolean may_link =
        text[i] == 'h' && self->n_links == 0 && (i == 0 || !g_ascii_isalnum (text[i - 1]));
    gsize n = may_link ? link_length (text + i, size - i) : 0;

    if (n > 0) {
      append_link (self->out, text + i, n);
      i += n - 1;
    } else if (text[i] != '>' || !end_break (self->out)) {
      append_escaped (self->out, text + i, 1);
    }
  }
}

static gunichar
named_entity (const char *name, gsize size)
{
  static const struct {
    const char *name;
    gunichar c;
  } NAMES[] = {
    { "amp", '&' },       { "lt", '<' },       { "gt", '>' },       { "quot", '"' },
    { "apos", '\'' },     { "nbsp", 0xa0 },    { "copy", 0xa9 },    { "reg", 0xae },
    { "deg", 0xb0 },      { "plusmn", 0xb1 },  { "middot", 0xb7 },  { "times", 0xd7 },
    { "divide", 0xf7 },   { "ndash", 0x2013 }, { "mdash", 0x2014 }, { "lsquo", 0x2018 },
    { "rsquo", 0x2019 },  { "ldquo", 0x201c }, { "rdquo", 0x201d }, { "bull", 0x2022 },
    { "hellip", 0x2026 }, { "euro", 0x20ac },  { "trade", 0x2122 }, { "larr", 0x2190 },
    { "rarr", 0x2192 },   { "harr", 0x2194 },  { "minus", 0x2212 }, { "infin", 0x221e },
    { "asymp", 0x2248 },  { "ne", 0x2260 },    { "le", 0x2264 },    { "ge", 0x2265 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (NAMES); i++)
    if (strlen (NAMES[i].name) == size && memcmp (NAMES[i].name, name, size) == 0)
      return NAMES[i].c;
  return 0;
}

/* Appends the entity @text: "&name;", "&#12;" or "&#x1f;". */
static void
append_entity (GString *out, const char *text, gsize size)
{
  gunichar c = 0;

  if (size > 3 && text[1] == '#') {
    gboolean hex = (text[2] | 0x20) == 'x';

    c = (gunichar) g_ascii_strtoull (text + (hex ? 3 : 2), NULL, hex ? 16 : 10);
    if (c == 0 || !g_unichar_validate (c))
      c = 0xfffd;
  } else if (size > 2) {
    c = named_entity (text + 1, size - 2);
  }
  if (c != 0)
    append_unichar (out, c);
  else
    append_escaped (out, text, size);
}

static char *
attribute_text (const MD_ATTRIBUTE *attribute)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; attribute->text != NULL && attribute->substr_offsets[i] < attribute->size;
       i++) {
    const char *text = attribute->text + attribute->substr_offsets[i];
    gsize size = attribute->substr_offsets[i + 1] - attribute->substr_offsets[i];

    switch (attribute->substr_types[i]) {
    case MD_TEXT_ENTITY: append_entity (out, text, size); break;
    case MD_TEXT_NULLCHAR: break;
    default: append_escaped (out, text, size);
    }
  }
  return g_string_free (out, FALSE);
}

/* ---- blocks ---- */

/* Closes marks until @n are open. The markup must be well-formed whatever the parser reports. */
static void
close_marks (Parser *self, guint n)
{
  while (self->end_marks->len > n) {
    g_string_append (self->out, self->end_marks->pdata[self->end_marks->len - 1]);
    g_ptr_array_set_size (self->end_marks, (int) self->end_marks->len - 1);
  }
}

static void
end_leaf (Parser *self)
{
  if (self->leaf == NULL)
    return;
  close_marks (self, 0);
  /* The last newline of code belongs to the fence. */
  if (self->leaf->kind == PTERIS_BLOCK_CODE && g_str_has_suffix (self->out->str, "\n"))
    g_string_truncate (self->out, self->out->len - 1);
  self->leaf->text = g_strdup (self->leaf->kind == PTERIS_BLOCK_TABLE ? "" : self->out->str);
  g_string_truncate (self->out, 0);
  self->leaf = NULL;
  self->in_list_text = FALSE;
}

static void
begin_leaf (Parser *self, PterisBlockKind kind)
{
  PterisBlock *block = g_new0 (PterisBlock, 1);

  end_leaf (self);
  block->kind = kind;
  block->depth = MIN (self->n_items, MAX_DEPTH);
  block->quotes = MIN (self->n_quotes, MAX_DEPTH);
  block->marker = g_steal_pointer (&self->marker);
  block->start = PTERIS_NO_START;
  g_ptr_array_add (self->blocks, block);
  self->leaf = block;
}

static void
begin_list (Parser *self, gboolean ordered, guint first, char delimiter)
{
  List list = { ordered, first, delimiter };

  g_array_append_val (self->lists, list);
}

static void
begin_item (Parser *self, const MD_BLOCK_LI_DETAIL *detail)
{
  List *list = &g_array_index (self->lists, List, self->lists->len - 1);

  /* An item without text has only its marker. */
  if (self->marker != NULL)
    begin_leaf (self, PTERIS_BLOCK_PARAGRAPH);
  end_leaf (self);
  self->n_items++;
  if (detail->is_task)
    self->marker = g_strdup (detail->task_mark == ' ' ? "☐" : "☑");
  else if (list->ordered)
    self->marker = g_strdup_printf ("%u%c", list->next, list->delimiter);
  else
    self->marker = g_strdup ("•");
  list->next++;
}

static void
end_item (Parser *self)
{
  if (self->marker != NULL)
    begin_leaf (self, PTERIS_BLOCK_PARAGRAPH);
  end_leaf (self);
  self->n_items--;
}

static void
begin_code (Parser *self, const MD_BLOCK_CODE_DETAIL *detail)
{
  g_autofree char *language = attribute_text (&detail->lang);

  begin_leaf (self, PTERIS_BLOCK_CODE);
  language[strcspn (language, " {,:")] = '\0';
  self->leaf->language = g_steal_pointer (&language);
  if (self->nesting == 1)
    g_array_index (self->tops, Top, self->tops->len - 1).fenced = detail->fence_char != 0;
}

static void
begin_table (Parser *self)
{
  begin_leaf (self, PTERIS_BLOCK_TABLE);
  self->leaf->aligns = g_array_new (FALSE, FALSE, sizeof (PterisAlign));
  self->leaf->rows = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
}

static void
begin_row (Parser *self)
{
  self->row = g_ptr_array_new_with_free_func (g_free);
  g_ptr_array_add (self->leaf->rows, self->row);
}

static void
begin_cell (Parser *self, const MD_BLOCK_TD_DETAIL *detail)
{
  PterisAlign align = detail->align == MD_ALIGN_CENTER  ? PTERIS_ALIGN_CENTER
                      : detail->align == MD_ALIGN_RIGHT ? PTERIS_ALIGN_END
                                                        : PTERIS_ALIGN_START;

  if (self->leaf->rows->len == 1)
    g_array_append_val (self->leaf->aligns, align);
}

static void
end_cell (Parser *self)
{
  close_marks (self, 0);
  g_ptr_array_add (self->row, g_strdup (self->out->str));
  g_string_truncate (self->out, 0);
}

static int
enter_block (MD_BLOCKTYPE type, void *detail, void *data)
{
  Parser *self = data;

  if (type != MD_BLOCK_DOC && self->nesting++ == 0) {
    Top top = { .type = type, .first = self->blocks->len, .min = G_MAXSIZE };

    g_array_append_val (self->tops, top);
  }
  switch (type) {
  case MD_BLOCK_QUOTE:
    end_leaf (self);
    self->n_quotes++;
    break;
  case MD_BLOCK_UL:
    end_leaf (self);
    begin_list (self, FALSE, 0, 0);
    break;
  case MD_BLOCK_OL:
    end_leaf (self);
    begin_list (self, TRUE, ((MD_BLOCK_OL_DETAIL *) detail)->start,
                ((MD_BLOCK_OL_DETAIL *) detail)->mark_delimiter);
    break;
  case MD_BLOCK_LI: begin_item (self, detail); break;
  case MD_BLOCK_HR: begin_leaf (self, PTERIS_BLOCK_RULE); break;
  case MD_BLOCK_H:
    begin_leaf (self, PTERIS_BLOCK_HEADING);
    self->leaf->level = ((MD_BLOCK_H_DETAIL *) detail)->level;
    break;
  case MD_BLOCK_CODE: begin_code (self, detail); break;
  case MD_BLOCK_P: begin_leaf (self, PTERIS_BLOCK_PARAGRAPH); break;
  case MD_BLOCK_TABLE: begin_table (self); break;
  case MD_BLOCK_TR: begin_row (self); break;
  case MD_BLOCK_TH:
  case MD_BLOCK_TD: begin_cell (self, detail); break;
  default: break;
  }
  return 0;
}

static int
leave_block (MD_BLOCKTYPE type, void *detail, void *data)
{
  Parser *self = data;

  if (type != MD_BLOCK_DOC)
    self->nesting--;
  switch (type) {
  case MD_BLOCK_QUOTE:
    end_leaf (self);
    self->n_quotes--;
    break;
  case MD_BLOCK_UL:
  case MD_BLOCK_OL: g_array_set_size (self->lists, self->lists->len - 1); break;
  case MD_BLOCK_LI: end_item (self); break;
  case MD_BLOCK_TH:
  case MD_BLOCK_TD: end_cell (self); break;
  case MD_BLOCK_HR:
  case MD_BLOCK_H:
  case MD_BLOCK_CODE:
  case MD_BLOCK_P:
  case MD_BLOCK_TABLE: end_leaf (self); break;
  default: break;
  }
  return 0;
}

/* ---- spans ---- */

static gboolean
is_allowed (const char *url)
{
  return g_ascii_strncasecmp (url, "https://", 8) == 0 ||
         g_ascii_strncasecmp (url, "http://", 7) == 0 ||
         g_ascii_strncasecmp (url, "mailto:", 7) == 0;
}

static void
open_mark (Parser *self, const char *mark, const char *end)
{
  g_string_append (self->out, mark);
  g_ptr_array_add (self->end_marks, (gpointer) end);
}

static void
open_link (Parser *self, const MD_ATTRIBUTE *address)
{
  g_autofree char *url = attribute_text (address);

  if (self->n_links++ > 0 || !is_allowed (url)) {
    open_mark (self, "", "");
    return;
  }
  g_string_append_printf (self->out, "<a href=\"%s\" title=\"%s\">", url, url);
  g_ptr_array_add (self->end_marks, (gpointer) "</a>");
}

/* The text of a tight item has no block of its own. */
static void
need_leaf (Parser *self)
{
  if (self->leaf != NULL)
    return;
  begin_leaf (self, PTERIS_BLOCK_PARAGRAPH);
  self->in_list_text = TRUE;
}

static int
enter_span (MD_SPANTYPE type, void *detail, void *data)
{
  Parser *self = data;

  need_leaf (self);
  switch (type) {
  case MD_SPAN_EM: open_mark (self, "<i>", "</i>"); break;
  case MD_SPAN_STRONG: open_mark (self, "<b>", "</b>"); break;
  case MD_SPAN_DEL: open_mark (self, "<s>", "</s>"); break;
  case MD_SPAN_CODE:
    open_mark (self,
               "<span font_family=\"monospace\" background=\"#808080\" "
               "background_alpha=\"16%\">",
               "</span>");
    break;
  case MD_SPAN_A: open_link (self, &((MD_SPAN_A_DETAIL *) detail)->href); break;
  case MD_SPAN_IMG: open_link (self, &((MD_SPAN_IMG_DETAIL *) detail)->src); break;
  default: open_mark (self, "", ""); break;
  }
  return 0;
}

static int
leave_span (MD_SPANTYPE type, void *detail, void *data)
{
  Parser *self = data;

  /* An image without a description. */
  if (type == MD_SPAN_IMG && g_str_has_suffix (self->out->str, ">"))
    g_string_append (self->out, "🖼");
  if ((type == MD_SPAN_A || type == MD_SPAN_IMG) && self->n_links > 0)
    self->n_links--;
  close_marks (self, MAX (self->end_marks->len, 1) - 1);
  return 0;
}

static void
note_position (Parser *self, const char *text, gsize size)
{
  Top *top;
  gsize offset;

  if (self->tops->len == 0 || text < self->text || text >= self->text + self->size)
    return;
  top = &g_array_index (self->tops, Top, self->tops->len - 1);
  offset = (gsize) (text - self->text);
  top->min = MIN (top->min, offset);
  top->max = MAX (top->max, offset + size);
}

static int
add_text (MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *data)
{
  Parser *self = data;

  note_position (self, text, size);
  need_leaf (self);
  if (self->leaf->kind == PTERIS_BLOCK_CODE) {
    g_string_append_len (self->out, text, size);
    return 0;
  }
  switch (type) {
  case MD_TEXT_NULLCHAR: break;
  case MD_TEXT_BR:
  case MD_TEXT_SOFTBR: g_string_append_c (self->out, '\n'); break;
  case MD_TEXT_ENTITY: append_entity (self->out, text, size); break;
  case MD_TEXT_NORMAL: append_text (self, text, size); break;
  default: append_escaped (self->out, text, size); break;
  }
  return 0;
}

/* ---- where parsing can resume ---- */

static gboolean
is_blank_before (const char *text, gsize line)
{
  gsize i = line;

  if (line == 0)
    return TRUE;
  /* Before the newline that ends the previous line. */
  for (i = line - 1; i > 0 && text[i - 1] != '\n'; i--)
    if (!strchr (" \t\r", text[i - 1]))
      return FALSE;
  return TRUE;
}

/*
 * Finds where parsing can resume: a block without indent after an empty line does not depend on the
 * text before it, if no earlier block reaches behind its start and its first line is complete (an
 * incomplete line may become another item of the list before). The offsets of a code block do not
 * include its fence, so parsing never resumes at code. @reach: the end of the blocks before.
 */
static gsize
find_start (Parser *self, const Top *top, gsize reach)
{
  gsize line = top->min;

  if (top->min > top->max || top->fenced)
    return PTERIS_NO_START;
  while (line > 0 && self->text[line - 1] != '\n')
    line--;
  if (reach > line || strchr (" \t", self->text[line]) || !is_blank_before (self->text, line) ||
      memchr (self->text + line, '\n', self->size - line) == NULL)
    return PTERIS_NO_START;
  return line;
}

static void
set_starts (Parser *self)
{
  gsize reach = 0;

  for (guint i = 0; i < self->tops->len; i++) {
    const Top *top = &g_array_index (self->tops, Top, i);

    if (top->first < self->blocks->len)
      ((PterisBlock *) self->blocks->pdata[top->first])->start = find_start (self, top, reach);
    if (top->min <= top->max)
      reach = MAX (reach, top->max);
    else if (top->type == MD_BLOCK_CODE)
      return; /* it may go on for ever */
  }
}

/* ---- parsing ---- */

static GPtrArray *
parse (const char *text)
{
  static const MD_PARSER PARSER = {
    .flags = FLAGS,
    .enter_block = enter_block,
    .leave_block = leave_block,
    .enter_span = enter_span,
    .leave_span = leave_span,
    .text = add_text,
  };
  Parser self = {
    .text = text,
    .size = MIN (strlen (text), G_MAXINT),
    .blocks = g_ptr_array_new_with_free_func (block_free),
    .tops = g_array_new (FALSE, FALSE, sizeof (Top)),
    .lists = g_array_new (FALSE, FALSE, sizeof (List)),
    .out = g_string_new (NULL),
    .end_marks = g_ptr_array_new (),
  };

  md_parse (text, (MD_SIZE) self.size, &PARSER, &self);
  end_leaf (&self);
  set_starts (&self);
  g_array_unref (self.tops);
  g_array_unref (self.lists);
  g_string_free (self.out, TRUE);
  g_ptr_array_unref (self.end_marks);
  g_free (self.marker);
  return self.blocks;
}

GPtrArray *
pteris_markdown_parse (const char *text, gboolean partial)
{
  g_autofree char *whole = partial ? pteris_markdown_hold_back (text) : NULL;
  GPtrArray *blocks = parse (whole != NULL ? whole : text);
  const PterisBlock *last = blocks->len > 0 ? blocks->pdata[blocks->len - 1] : NULL;
  g_autofree char *closed = NULL;

  if (!partial || last == NULL || last->kind == PTERIS_BLOCK_CODE)
    return blocks;
  closed = pteris_markdown_close (whole);
  if (closed != NULL) {
    g_ptr_array_unref (blocks);
    blocks = parse (closed);
  }
  return blocks;
}
