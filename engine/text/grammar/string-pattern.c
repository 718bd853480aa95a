/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/grammar/string-pattern.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/text/grammar/code-points.h"
#include "engine/text/grammar/json-text.h"

#define MAX_PATTERN 4096
#define MAX_NESTING 64
#define MAX_COUNT 10000
/* Copies of a part that may be empty, in place of a repetition. */
#define MAX_COPIES 32

typedef enum {
  PART_EMPTY,
  PART_SET,    /* one character of @set */
  PART_SERIES, /* @a, then @b */
  PART_CHOICE, /* @a or @b */
  PART_REPEAT, /* @a, @least to @most times */
  PART_BEGIN,  /* ^ */
  PART_END,    /* $ */
} PartKind;

typedef struct {
  PartKind kind;
  guint a, b;
  guint32 least, most;
  GArray *set;
  gboolean is_nullable; /* it matches the empty text */
  gboolean has_anchor;
} Part;

typedef struct {
  const char *pattern, *at;
  GArray *parts; /* Part */
  guint depth;
  GError **error;
  gboolean failed;
} Parser;

static void
clear_part (gpointer data)
{
  g_clear_pointer (&((Part *) data)->set, g_array_unref);
}

static guint
fail (Parser *self, const char *what)
{
  if (!self->failed)
    pt_fail (self->error, PT_ERROR_ARGUMENT, "%s at character %ld of the pattern “%.200s”.", what,
             g_utf8_pointer_to_offset (self->pattern, self->at) + 1, self->pattern);
  self->failed = TRUE;
  return 0;
}

static Part *
part_at (const Parser *self, guint i)
{
  return &g_array_index (self->parts, Part, i);
}

static guint
add_part (Parser *self, Part part)
{
  g_array_append_val (self->parts, part);
  return self->parts->len - 1;
}

static guint
add_pair (Parser *self, PartKind kind, guint a, guint b)
{
  const Part *x = part_at (self, a), *y = part_at (self, b);

  return add_part (self,
                   (Part){ .kind = kind,
                           .a = a,
                           .b = b,
                           .is_nullable = kind == PART_SERIES ? x->is_nullable && y->is_nullable
                                                              : x->is_nullable || y->is_nullable,
                           .has_anchor = x->has_anchor || y->has_anchor });
}

static gunichar
take (Parser *self)
{
  gunichar c = g_utf8_get_char (self->at);

  if (c != 0)
    self->at = g_utf8_next_char (self->at);
  return c;
}

static gboolean
takes (Parser *self, const char *text)
{
  if (!g_str_has_prefix (self->at, text))
    return FALSE;
  self->at += strlen (text);
  return TRUE;
}

/* ---- characters ---- */

static const PtCodeRange ALL_SPACES[] = {
  { 9, 13 },          { 0x1C, ' ' },      { 0x85, 0x85 },     { 0xA0, 0xA0 },
  { 0x1680, 0x1680 }, { 0x180E, 0x180E }, { 0x2000, 0x200D }, { 0x2028, 0x2029 },
  { 0x202F, 0x202F }, { 0x205F, 0x2060 }, { 0x3000, 0x3000 }, { 0xFEFF, 0xFEFF }
};

/* Adds the characters of \d, \s, \w; FALSE: @c is none of these. */
static gboolean
add_class (gunichar c, GArray *set)
{
  g_autoptr (GArray) class = pt_code_points_new ();
  gunichar lower = c < 128 ? (gunichar) g_ascii_tolower ((char) c) : c;

  if (lower == 'd' || lower == 'w')
    pt_code_points_add (class, '0', '9');
  if (lower == 'w') {
    pt_code_points_add (class, 'A', 'Z');
    pt_code_points_add (class, '_', '_');
    pt_code_points_add (class, 'a', 'z');
  }
  /* Readers differ in what they take for a space: \s is what is one to all of them, and \S what is
   * one to none. */
  if (c == 's') {
    pt_code_points_add (class, 9, 13);
    pt_code_points_add (class, ' ', ' ');
  }
  if (c == 'S')
    g_array_append_vals (class, ALL_SPACES, G_N_ELEMENTS (ALL_SPACES));
  if (class->len == 0)
    return FALSE;
  if (lower != c)
    pt_code_points_invert (class);
  pt_code_points_add_all (set, class);
  return TRUE;
}

static guint32
take_hex (Parser *self, guint n)
{
  guint32 value = 0;

  for (; n > 0; n--) {
    int digit = g_ascii_xdigit_value (*self->at);

    if (digit < 0)
      return fail (self, "A hexadecimal digit is missing");
    value = value * 16 + (guint32) digit;
    self->at++;
  }
  return value;
}

/* The character that a backslash and @c stand for. */
static guint32
escaped (Parser *self, gunichar c)
{
  switch (c) {
  case 't': return '\t';
  case 'n': return '\n';
  case 'v': return '\v';
  case 'f': return '\f';
  case 'r': return '\r';
  case 'x': return take_hex (self, 2);
  case 'u': return take_hex (self, 4);
  default: break;
  }
  if (c == 0)
    return fail (self, "Nothing follows the backslash");
  if (c < 128 && g_ascii_isalnum ((char) c)) {
    self->at--;
    return fail (self, "This escape is not supported");
  }
  return c;
}

/* A character of a [class], or FALSE after a class of its own such as \d, which
 * is in @set then. */
static gboolean
take_member (Parser *self, GArray *set, guint32 *point)
{
  gunichar c = take (self);

  *point = c;
  if (c != '\\')
    return TRUE;
  c = take (self);
  if (add_class (c, set))
    return FALSE;
  *point = c == 'b' ? '\b' : escaped (self, c);
  return TRUE;
}

static guint
take_bracket (Parser *self)
{
  GArray *set = pt_code_points_new ();
  guint part = add_part (self, (Part){ .kind = PART_SET, .set = set });
  gboolean inverted = takes (self, "^");

  while (!self->failed && *self->at != ']') {
    guint32 low, high;

    if (*self->at == '\0')
      return fail (self, "“]” is missing");
    if (!take_member (self, set, &low))
      continue;
    high = low;
    if (self->at[0] == '-' && self->at[1] != ']' && self->at[1] != '\0') {
      self->at++;
      if (!take_member (self, set, &high) || high < low)
        return fail (self, "A range of characters is faulty");
    }
    pt_code_points_add (set, low, high);
  }
  takes (self, "]");
  pt_code_points_sort (set);
  if (inverted)
    pt_code_points_invert (set);
  return part;
}

static guint
single (Parser *self, guint32 point)
{
  GArray *set = pt_code_points_new ();

  pt_code_points_add (set, point, point);
  return add_part (self, (Part){ .kind = PART_SET, .set = set });
}

static guint
any_but_lines (Parser *self)
{
  GArray *set = pt_code_points_new ();

  pt_code_points_add (set, '\n', '\n');
  pt_code_points_add (set, '\r', '\r');
  pt_code_points_add (set, 0x2028, 0x2029);
  pt_code_points_invert (set);
  return add_part (self, (Part){ .kind = PART_SET, .set = set });
}

/* ---- groups and repetitions ---- */

static guint take_choice (Parser *self);

static guint
take_group (Parser *self)
{
  guint part;

  if (takes (self, "?:")) {
  } else if (g_str_has_prefix (self->at, "?<") && self->at[2] != '=' && self->at[2] != '!') {
    self->at = strchr (self->at, '>') != NULL ? strchr (self->at, '>') + 1 : self->at;
  } else if (*self->at == '?') {
    return fail (self, "Looking ahead or back is not supported");
  }
  if (++self->depth > MAX_NESTING)
    return fail (self, "The groups are nested too deeply");
  part = take_choice (self);
  self->depth--;
  if (!self->failed && !takes (self, ")"))
    return fail (self, "“)” is missing");
  return part;
}

static guint
take_atom (Parser *self)
{
  gunichar c = take (self);
  GArray *set;

  switch (c) {
  case '(': return take_group (self);
  case '[': return take_bracket (self);
  case '.': return any_but_lines (self);
  case '^':
    return add_part (self, (Part){ .kind = PART_BEGIN, .is_nullable = TRUE, .has_anchor = TRUE });
  case '$':
    return add_part (self, (Part){ .kind = PART_END, .is_nullable = TRUE, .has_anchor = TRUE });
  case '*':
  case '+':
  case '?': self->at--; return fail (self, "There is nothing to repeat");
  case '\\': break;
  default: return single (self, c);
  }
  c = take (self);
  set = pt_code_points_new ();
  if (add_class (c, set)) {
    pt_code_points_sort (set);
    return add_part (self, (Part){ .kind = PART_SET, .set = set });
  }
  g_array_unref (set);
  return single (self, escaped (self, c));
}

/* A number of at most MAX_COUNT. */
static gboolean
take_count (Parser *self, guint32 *count)
{
  if (!g_ascii_isdigit (*self->at))
    return FALSE;
  for (*count = 0; g_ascii_isdigit (*self->at); self->at++) {
    *count = *count * 10 + (guint32) (*self->at - '0');
    if (*count > MAX_COUNT) {
      fail (self, "The repetition is too long");
      return FALSE;
    }
  }
  return TRUE;
}

static gboolean
take_counts (Parser *self, guint32 *least, guint32 *most)
{
  if (takes (self, "*")) {
    *least = 0;
    *most = PT_UNBOUNDED;
  } else if (takes (self, "+")) {
    *least = 1;
    *most = PT_UNBOUNDED;
  } else if (takes (self, "?")) {
    *least = 0;
    *most = 1;
  } else if (takes (self, "{")) {
    if (!take_count (self, least))
      return fail (self, "A number is missing") != 0;
    *most = *least;
    if (takes (self, ",") && !take_count (self, most))
      *most = PT_UNBOUNDED;
    if (!takes (self, "}") || *most < *least)
      return fail (self, "The repetition is faulty") != 0;
  } else {
    return FALSE;
  }
  takes (self, "?"); /* lazy: the same texts */
  return !self->failed;
}

static guint
take_repeated (Parser *self)
{
  guint part = take_atom (self);
  guint32 least, most;

  if (self->failed || !take_counts (self, &least, &most))
    return part;
  if (part_at (self, part)->has_anchor)
    return fail (self, "An anchor cannot be repeated");
  if (part_at (self, part)->is_nullable) {
    least = 0;
    if (most != PT_UNBOUNDED && most > MAX_COPIES)
      return fail (self, "A part that may be empty is repeated too often");
  }
  return add_part (self, (Part){ .kind = PART_REPEAT,
                                 .a = part,
                                 .least = least,
                                 .most = most,
                                 .is_nullable = least == 0 });
}

static guint
take_series (Parser *self)
{
  guint series = add_part (self, (Part){ .kind = PART_EMPTY, .is_nullable = TRUE });

  while (!self->failed && *self->at != '\0' && *self->at != '|' && *self->at != ')') {
    guint part = take_repeated (self);

    if (!self->failed)
      series = add_pair (self, PART_SERIES, series, part);
  }
  return series;
}

static guint
take_choice (Parser *self)
{
  guint choice = take_series (self);

  while (!self->failed && takes (self, "|")) {
    guint other = take_series (self);

    if (!self->failed)
      choice = add_pair (self, PART_CHOICE, choice, other);
  }
  return choice;
}

/* ---- nodes ---- */

static PtNode make (Parser *self, PtGrammar *g, guint part, PtNode next);

static PtNode
make_repeat (Parser *self, PtGrammar *g, const Part *part, PtNode next)
{
  guint repeat;
  PtNode loop, node = next;

  if (part_at (self, part->a)->is_nullable && part->most != PT_UNBOUNDED) {
    for (guint i = 0; i < part->most && !g->is_full; i++) {
      PtNode before = node;

      node = pt_grammar_choice (g, next, make (self, g, part->a, node));
      if (node == before) /* it reads nothing */
        break;
    }
    return node;
  }
  loop = pt_grammar_begin_repeat (g, part->least, part->most, next, &repeat);
  return pt_grammar_end_repeat (g, repeat, make (self, g, part->a, loop));
}

static PtNode
make (Parser *self, PtGrammar *g, guint number, PtNode next)
{
  while (!g->is_full) {
    const Part *part = part_at (self, number);

    switch (part->kind) {
    case PART_EMPTY: return next;
    case PART_SET: return pt_json_characters (g, part->set, next);
    case PART_CHOICE:
      return pt_grammar_choice (g, make (self, g, part->a, next), make (self, g, part->b, next));
    case PART_REPEAT: return make_repeat (self, g, part, next);
    case PART_SERIES: /* to the left, so that long series do not recurse */
      next = make (self, g, part->b, next);
      number = part->a;
      break;
    case PART_BEGIN:
    case PART_END:
    default: fail (self, "“^” and “$” are supported only at the ends"); return PT_NODE_NEVER;
    }
  }
  return PT_NODE_NEVER;
}

static PtNode
any_text (PtGrammar *g, PtNode next)
{
  g_autoptr (GArray) all = pt_code_points_new ();
  PtNode loop;
  guint repeat;

  pt_code_points_add (all, 0, PT_MAX_CODE_POINT);
  loop = pt_grammar_begin_repeat (g, 0, PT_UNBOUNDED, next, &repeat);
  return pt_grammar_end_repeat (g, repeat, pt_json_characters (g, all, loop));
}

/* The leftmost part of a series that is not empty. */
static Part *
first_of (const Parser *self, guint number)
{
  Part *part = part_at (self, number);

  while (part->kind == PART_SERIES)
    part = part_at (self, part_at (self, part->a)->kind == PART_EMPTY ? part->b : part->a);
  return part;
}

static Part *
last_of (const Parser *self, guint number)
{
  Part *part = part_at (self, number);

  return part->kind == PART_SERIES ? part_at (self, part->b) : part;
}

/* One choice of the whole pattern: without an anchor, any text may be at that
 * end. */
static PtNode
make_anchored (Parser *self, PtGrammar *g, guint number, PtNode next)
{
  Part *first = first_of (self, number), *last = last_of (self, number);
  gboolean begins = first->kind == PART_BEGIN, ends = last->kind == PART_END;
  PtNode node;

  if (begins)
    first->kind = PART_EMPTY;
  if (ends)
    last->kind = PART_EMPTY;
  node = make (self, g, number, ends ? next : any_text (g, next));
  return begins ? node : any_text (g, node);
}

static PtNode
make_all (Parser *self, PtGrammar *g, guint number, PtNode next)
{
  PtNode node = PT_NODE_NEVER;

  for (;;) {
    const Part *part = part_at (self, number);

    if (part->kind != PART_CHOICE)
      return pt_grammar_choice (g, node, make_anchored (self, g, number, next));
    node = pt_grammar_choice (g, node, make_anchored (self, g, part->b, next));
    number = part->a;
  }
}

PtNode
pt_string_pattern (PtGrammar *g, const char *pattern, PtNode next, GError **error)
{
  Parser self = { .pattern = pattern, .at = pattern, .error = error };
  PtNode node = PT_NODE_NEVER;
  guint whole;

  if (strlen (pattern) > MAX_PATTERN) {
    pt_fail (error, PT_ERROR_ARGUMENT, "The pattern is longer than %d bytes.", MAX_PATTERN);
    return PT_NODE_NEVER;
  }
  self.parts = g_array_new (FALSE, FALSE, sizeof (Part));
  g_array_set_clear_func (self.parts, clear_part);
  whole = take_choice (&self);
  if (!self.failed && *self.at != '\0')
    fail (&self, "A group is closed that was not opened");
  if (!self.failed)
    node = make_all (&self, g, whole, pt_grammar_literal (g, "\"", 1, next));
  g_array_unref (self.parts);
  return self.failed ? PT_NODE_NEVER : pt_grammar_literal (g, "\"", 1, node);
}

/* ---- formats ---- */

#define YEAR "([1-9]\\d{3}|0[1-9]\\d{2}|00[1-9]\\d|000[1-9])"
#define DATE                                                                \
  YEAR "-((0[13578]|1[02])-(0[1-9]|[12]\\d|3[01])|(0[469]|11)-(0[1-9]|[12]" \
       "\\d|30)"                                                            \
       "|02-(0[1-9]|1\\d|2[0-8]))"
#define TIME                                                                  \
  "([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(\\.\\d{1,6})?(Z|[+-]([01]\\d|2[0-3]):[" \
  "0-5]\\d)"
#define BYTE "(25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)"
#define LABEL "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
#define HOST LABEL "(\\." LABEL "){0,3}"
#define HEX "[0-9a-fA-F]"
#define GROUP HEX "{1,4}"

const char *
pt_format_pattern (const char *format)
{
  static const char *const formats[][2] = {
    { "date", "^" DATE "$" },
    { "time", "^" TIME "$" },
    { "date-time", "^" DATE "T" TIME "$" },
    { "duration", "^P((\\d{1,9}Y(\\d{1,9}M(\\d{1,9}D)?)?|\\d{1,9}M(\\d{1,9}D)?|\\d{1,9}D)"
                  "(T(\\d{1,9}H(\\d{1,9}M(\\d{1,9}S)?)?|\\d{1,9}M(\\d{1,9}S)?|\\d{1,9}S))?"
                  "|T(\\d{1,9}H(\\d{1,9}M(\\d{1,9}S)?)?|\\d{1,9}M(\\d{1,9}S)?|\\d{1,9}S)"
                  "|\\d{1,9}W)$" },
    { "email",
      "^[A-Za-z0-9_+-]{1,32}(\\.[A-Za-z0-9_+-]{1,16}){0,1}@" LABEL "(\\." LABEL "){1,3}$" },
    { "hostname", "^" HOST "$" },
    { "ipv4", "^" BYTE "(\\." BYTE "){3}$" },
    { "ipv6", "^(" GROUP ":){7}" GROUP "$|^(" GROUP ":){1,3}(:" GROUP "){1,3}$|^::(" GROUP
              "(:" GROUP "){0,5})?$" },
    { "uuid", "^" HEX "{8}-" HEX "{4}-" HEX "{4}-" HEX "{4}-" HEX "{12}$" },
    { "uri", "^[a-z][a-z0-9+.-]{1,15}://" HOST "(:[1-9]\\d{1,3})?(/[A-Za-z0-9._~-]{0,64}){0,8}"
             "(\\?[A-Za-z0-9._~&=-]{0,128})?(#[A-Za-z0-9._~-]{0,64})?$" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (formats); i++)
    if (g_str_equal (formats[i][0], format))
      return formats[i][1];
  return NULL;
}
