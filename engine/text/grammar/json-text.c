/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/grammar/json-text.h"

#include <string.h>

#include "engine/text/grammar/code-points.h"

#define MAX_INDENT 16
#define MAX_DIGITS 15
#define MAX_FRACTION 16

static PtNode
one_of (PtGrammar *g, const char *bytes, PtNode next)
{
  PtNode node = PT_NODE_NEVER;

  for (const char *byte = bytes; *byte != '\0'; byte++)
    node = pt_grammar_choice (g, node, pt_grammar_literal (g, byte, 1, next));
  return node;
}

PtNode
pt_json_space (PtGrammar *g, PtNode next)
{
  guint repeat;
  PtNode loop = pt_grammar_begin_repeat (g, 0, MAX_INDENT, next, &repeat);
  PtNode indent = pt_grammar_end_repeat (g, repeat, one_of (g, " \t", loop));

  return pt_grammar_choice (g, next,
                            pt_grammar_choice (g, pt_grammar_literal (g, " ", 1, next),
                                               pt_grammar_literal (g, "\n", 1, indent)));
}

/* ---- strings ---- */

static PtNode
hex_digits (PtGrammar *g, guint n, PtNode next)
{
  for (; n > 0; n--)
    next = pt_grammar_choice (g, pt_grammar_range (g, '0', '9', next),
                              pt_grammar_choice (g, pt_grammar_range (g, 'a', 'f', next),
                                                 pt_grammar_range (g, 'A', 'F', next)));
  return next;
}

/* The four digits of a \u that is no surrogate and not U+0000, or the pair of
 * two surrogates. */
static PtNode
escaped_unit (PtGrammar *g, PtNode next)
{
  PtNode two = hex_digits (g, 2, next);
  PtNode low = pt_grammar_literal (g, "\\u", 2, one_of (g, "dD", one_of (g, "cCdDeEfF", two)));
  PtNode surrogates = one_of (g, "89aAbB", hex_digits (g, 2, low));
  PtNode behind_d = pt_grammar_choice (g, pt_grammar_range (g, '0', '7', two), surrogates);
  PtNode three = hex_digits (g, 3, next);
  PtNode last = one_of (g, "123456789abcdefABCDEF", next), digit = hex_digits (g, 1, next);
  PtNode behind_00 = pt_grammar_choice (g, pt_grammar_literal (g, "0", 1, last),
                                        one_of (g, "123456789abcdefABCDEF", digit));
  PtNode behind_0 = pt_grammar_choice (g, pt_grammar_literal (g, "0", 1, behind_00),
                                       one_of (g, "123456789abcdefABCDEF", two));

  return pt_grammar_choice (
      g, pt_grammar_literal (g, "0", 1, behind_0),
      pt_grammar_choice (g, one_of (g, "123456789abcefABCEF", three), one_of (g, "dD", behind_d)));
}

/* Adds what needs no escape. */
static void
add_plain (GArray *set)
{
  pt_code_points_add (set, 0x20, '"' - 1);
  pt_code_points_add (set, '"' + 1, '\\' - 1);
  pt_code_points_add (set, '\\' + 1, PT_MAX_CODE_POINT);
}

static PtNode
any_character (PtGrammar *g, PtNode next)
{
  g_autoptr (GArray) plain = pt_code_points_new ();
  PtNode unit = pt_grammar_literal (g, "u", 1, escaped_unit (g, next));
  PtNode escape = pt_grammar_choice (g, one_of (g, "\"\\/bfnrt", next), unit);

  add_plain (plain);
  return pt_grammar_choice (g, pt_grammar_characters (g, plain, next),
                            pt_grammar_literal (g, "\\", 1, escape));
}

PtNode
pt_json_characters (PtGrammar *g, const GArray *set, PtNode next)
{
  static const char shorts[] = "\bb\tt\nn\ff\rr\"\"\\\\";
  g_autoptr (GArray) plain = pt_code_points_new ();
  PtNode node = PT_NODE_NEVER;

  for (guint i = 0; i < set->len; i++) {
    PtCodeRange range = g_array_index (set, PtCodeRange, i);

    if (range.high >= 0x20)
      pt_code_points_add (plain, MAX (range.low, 0x20), range.high);
  }
  pt_code_points_invert (plain);
  pt_code_points_add (plain, '"', '"');
  pt_code_points_add (plain, '\\', '\\');
  pt_code_points_sort (plain);
  pt_code_points_invert (plain);
  node = pt_grammar_characters (g, plain, next);
  for (const char *pair = shorts; *pair != '\0'; pair += 2)
    if (pt_code_points_have (set, (guint8) *pair))
      node = pt_grammar_choice (
          g, node, pt_grammar_literal (g, "\\", 1, pt_grammar_literal (g, pair + 1, 1, next)));
  for (guint32 point = 1; point < 0x20; point++)
    if (pt_code_points_have (set, point) && strchr ("\b\t\n\f\r", (int) point) == NULL) {
      char text[7];

      g_snprintf (text, sizeof text, "\\u%04x", point);
      node = pt_grammar_choice (g, node, pt_grammar_literal (g, text, -1, next));
    }
  return node;
}

PtNode
pt_json_string_of (PtGrammar *g, guint32 least, guint32 most, PtNode next)
{
  PtNode end = pt_grammar_literal (g, "\"", 1, next), loop;
  guint repeat;

  loop = pt_grammar_begin_repeat (g, least, most, end, &repeat);
  end = pt_grammar_end_repeat (g, repeat, any_character (g, loop));
  g_array_index (g->repeats, PtRepeat, repeat).is_text = TRUE;
  return pt_grammar_literal (g, "\"", 1, end);
}

/* ---- keys ---- */

static PtNode
colon (PtGrammar *g, PtNode next)
{
  return pt_grammar_literal (g, ":", 1, pt_json_space (g, next));
}

/* A text in the form of pt_json_characters(). */
static PtNode
quoted (PtGrammar *g, const char *text, PtNode next)
{
  gsize n = strlen (text);

  next = pt_grammar_literal (g, "\"", 1, next);
  for (const char *at = text + n; at > text;) {
    g_autoptr (GArray) one = pt_code_points_new ();
    gunichar point;

    at = g_utf8_prev_char (at);
    point = g_utf8_get_char (at);
    pt_code_points_add (one, point, point);
    next = pt_json_characters (g, one, next);
  }
  return pt_grammar_literal (g, "\"", 1, next);
}

PtNode
pt_json_key (PtGrammar *g, const char *key, PtNode next)
{
  return quoted (g, key, colon (g, next));
}

static int
compare_texts (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* What may follow the first @depth bytes, which all of @keys have, if the key
 * shall be none of them. @any: the rest of a key that differs already. */
static PtNode
other_rest (PtGrammar *g, const char *const *keys, guint n, gsize depth, PtNode any, PtNode end)
{
  g_autoptr (GArray) plain = pt_code_points_new ();
  PtNode node = PT_NODE_NEVER;
  guint first = 0;

  while (first < n && keys[first][depth] == '\0')
    first++;
  if (first == 0)
    node = end;
  add_plain (plain);
  pt_code_points_invert (plain);
  for (guint i = first, next; i < n; i = next) {
    gunichar point = g_utf8_get_char (keys[i] + depth);
    gsize length = (gsize) g_unichar_to_utf8 (point, NULL);

    for (next = i + 1; next < n && g_utf8_get_char (keys[next] + depth) == point; next++)
      ;
    /* A key with an escape is never written by pt_json_other_key(). */
    if (point >= 0x20 && point != '"' && point != '\\')
      node = pt_grammar_choice (
          g, node,
          pt_grammar_literal (g, keys[i] + depth, (gssize) length,
                              other_rest (g, keys + i, next - i, depth + length, any, end)));
    pt_code_points_add (plain, point, point);
  }
  pt_code_points_sort (plain);
  pt_code_points_invert (plain);
  return pt_grammar_choice (g, node, pt_grammar_characters (g, plain, any));
}

PtNode
pt_json_other_key (PtGrammar *g, const char *const *keys, guint n, PtNode next)
{
  g_autofree const char **sorted = g_new (const char *, n + 1);
  g_autoptr (GArray) plain = pt_code_points_new ();
  PtNode end = pt_grammar_literal (g, "\"", 1, colon (g, next)), loop, any;
  guint repeat;

  for (guint i = 0; i < n; i++)
    sorted[i] = keys[i];
  qsort (sorted, n, sizeof *sorted, compare_texts);
  add_plain (plain);
  loop = pt_grammar_begin_repeat (g, 0, PT_UNBOUNDED, end, &repeat);
  any = pt_grammar_end_repeat (g, repeat, pt_grammar_characters (g, plain, loop));
  g_array_index (g->repeats, PtRepeat, repeat).is_text = TRUE;
  if (n > 0)
    any = other_rest (g, sorted, n, 0, any, end);
  return pt_grammar_literal (g, "\"", 1, any);
}

/* ---- numbers ---- */

static PtNode
digits (PtGrammar *g, guint32 least, guint32 most, PtNode next)
{
  guint repeat;
  PtNode loop = pt_grammar_begin_repeat (g, least, most, next, &repeat);

  return pt_grammar_end_repeat (g, repeat, pt_grammar_range (g, '0', '9', loop));
}

static PtNode
signed_whole (PtGrammar *g, PtNode next)
{
  PtNode number =
      pt_grammar_choice (g, pt_grammar_literal (g, "0", 1, next),
                         pt_grammar_range (g, '1', '9', digits (g, 0, MAX_DIGITS - 1, next)));

  return pt_grammar_choice (g, number, pt_grammar_literal (g, "-", 1, number));
}

PtNode
pt_json_integer (PtGrammar *g, PtNode next)
{
  return signed_whole (g, next);
}

PtNode
pt_json_number (PtGrammar *g, PtNode next)
{
  PtNode power = pt_grammar_choice (g, pt_grammar_literal (g, "0", 1, next),
                                    pt_grammar_range (g, '1', '9', digits (g, 0, 1, next)));
  PtNode exponent = one_of (g, "eE", pt_grammar_choice (g, power, one_of (g, "+-", power)));
  PtNode end = pt_grammar_choice (g, next, exponent);
  PtNode fraction = pt_grammar_literal (g, ".", 1, digits (g, 1, MAX_FRACTION, end));

  return signed_whole (g, pt_grammar_choice (g, end, fraction));
}

/* Numbers with the digits from those of @low to those of @high, which are as
 * many. */
static PtNode
digits_between (PtGrammar *g, const char *low, const char *high, gsize n, PtNode next)
{
  PtNode node = PT_NODE_NEVER;
  char first, last;

  if (n == 0)
    return next;
  first = low[0];
  last = high[0];
  if (first == last)
    return pt_grammar_range (g, (guint8) first, (guint8) first,
                             digits_between (g, low + 1, high + 1, n - 1, next));
  if (strspn (low + 1, "0") < n - 1) {
    PtNode rest = digits_between (g, low + 1, "9999999999999999999", n - 1, next);

    node = pt_grammar_range (g, (guint8) first, (guint8) first, rest);
    first++;
  }
  if (strspn (high + 1, "9") < n - 1) {
    PtNode rest = digits_between (g, "0000000000000000000", high + 1, n - 1, next);

    node = pt_grammar_choice (g, node, pt_grammar_range (g, (guint8) last, (guint8) last, rest));
    last--;
  }
  if (first <= last)
    node =
        pt_grammar_choice (g, node,
                           pt_grammar_range (g, (guint8) first, (guint8) last,
                                             digits (g, (guint32) n - 1, (guint32) n - 1, next)));
  return node;
}

/* Whole numbers from @low to @high without a sign. */
static PtNode
magnitudes (PtGrammar *g, guint64 low, guint64 high, PtNode next)
{
  PtNode node = PT_NODE_NEVER;
  guint64 from = low;

  while (from <= high) {
    char a[24], b[24];
    guint64 to = 9;
    gsize n;

    g_snprintf (a, sizeof a, "%" G_GUINT64_FORMAT, from);
    n = strlen (a);
    for (gsize i = 1; i < n && to <= (G_MAXUINT64 - 9) / 10; i++)
      to = to * 10 + 9;
    to = MIN (to, high);
    g_snprintf (b, sizeof b, "%" G_GUINT64_FORMAT, to);
    node = pt_grammar_choice (g, node, digits_between (g, a, b, n, next));
    from = to + 1;
  }
  return node;
}

PtNode
pt_json_integer_between (PtGrammar *g, gint64 low, gint64 high, PtNode next)
{
  PtNode node = PT_NODE_NEVER;

  if (low > high)
    return PT_NODE_NEVER;
  if (high >= 0)
    node = magnitudes (g, (guint64) MAX (low, 0), (guint64) high, next);
  if (low < 0)
    node = pt_grammar_choice (
        g, node,
        pt_grammar_literal (g, "-", 1,
                            magnitudes (g, (guint64) -MIN (high, -1), (guint64) -low, next)));
  return node;
}

static PtNode more_fraction (PtGrammar *g, const char *low, const char *high, gsize n, PtNode next);

/* One digit or more, up to @n, from the digits of @low to those of @high, where
 * missing digits count as 0. */
static PtNode
fraction_between (PtGrammar *g, const char *low, const char *high, gsize n, PtNode next)
{
  static const char zeros[] = "000000", nines[] = "999999";
  char first = low[0], last = high[0];
  PtNode node = PT_NODE_NEVER;

  if (first == last)
    return pt_grammar_literal (g, low, 1, more_fraction (g, low + 1, high + 1, n - 1, next));
  if (strspn (low + 1, "0") < n - 1) {
    node = pt_grammar_literal (g, low, 1, more_fraction (g, low + 1, nines, n - 1, next));
    first++;
  }
  if (strspn (high + 1, "9") < n - 1) {
    node = pt_grammar_choice (
        g, node, pt_grammar_literal (g, high, 1, more_fraction (g, zeros, high + 1, n - 1, next)));
    last--;
  }
  if (first <= last)
    node = pt_grammar_choice (g, node,
                              pt_grammar_range (g, (guint8) first, (guint8) last,
                                                more_fraction (g, zeros, nines, n - 1, next)));
  return node;
}

/* The same, or no digit where @low has zeros only. */
static PtNode
more_fraction (PtGrammar *g, const char *low, const char *high, gsize n, PtNode next)
{
  if (n == 0)
    return next;
  return pt_grammar_choice (g, strspn (low, "0") >= n ? next : PT_NODE_NEVER,
                            fraction_between (g, low, high, n, next));
}

/* The point and a fraction, which may be missing where it may be 0. */
static PtNode
point_between (PtGrammar *g, const char *low, const char *high, PtNode next)
{
  return pt_grammar_choice (
      g, strspn (low, "0") >= 6 ? next : PT_NODE_NEVER,
      pt_grammar_literal (g, ".", 1, fraction_between (g, low, high, 6, next)));
}

/* Numbers from @low to @high millionths, without a sign. */
static PtNode
decimals (PtGrammar *g, guint64 low, guint64 high, PtNode next)
{
  static const char zeros[] = "000000", nines[] = "999999";
  guint64 first = low / 1000000, last = high / 1000000;
  char from[16], to[16];
  PtNode node = PT_NODE_NEVER;

  g_snprintf (from, sizeof from, "%06u", (guint) (low % 1000000));
  g_snprintf (to, sizeof to, "%06u", (guint) (high % 1000000));
  if (first == last)
    return magnitudes (g, first, first, point_between (g, from, to, next));
  if (strcmp (from, zeros) != 0) {
    node = magnitudes (g, first, first, point_between (g, from, nines, next));
    first++;
  }
  if (strcmp (to, nines) != 0) {
    node =
        pt_grammar_choice (g, node, magnitudes (g, last, last, point_between (g, zeros, to, next)));
    last--;
  }
  if (first <= last)
    node = pt_grammar_choice (g, node,
                              magnitudes (g, first, last, point_between (g, zeros, nines, next)));
  return node;
}

PtNode
pt_json_decimal_between (PtGrammar *g, gint64 low, gint64 high, PtNode next)
{
  PtNode node = PT_NODE_NEVER;

  if (high >= 0)
    node = decimals (g, (guint64) MAX (low, 0), (guint64) high, next);
  if (low < 0)
    node = pt_grammar_choice (
        g, node,
        pt_grammar_literal (g, "-", 1,
                            decimals (g, (guint64) -MIN (high, -1), (guint64) -low, next)));
  return node;
}

/* ---- literals ---- */

/* The number of bytes from @depth on that two texts have in common. */
static gsize
common_length (const char *a, const char *b, gsize depth)
{
  gsize n = depth;

  while (a[n] != '\0' && a[n] == b[n])
    n++;
  return n - depth;
}

/* Literals of a group share the bytes before @depth. Sorted texts share what
 * the first and the last one do. */
static PtNode
rest_of_literals (PtGrammar *g, const char *const *literals, guint n, gsize depth, PtNode next)
{
  PtNode node = PT_NODE_NEVER;

  for (guint i = 0, end; i < n; i = end) {
    const char *rest = literals[i] + depth;
    gsize shared;
    PtNode behind = next;

    for (end = i + 1; end < n && *rest != '\0' && literals[end][depth] == *rest; end++)
      ;
    shared = end > i + 1 ? common_length (literals[i], literals[end - 1], depth) : strlen (rest);
    if (end > i + 1)
      behind = rest_of_literals (g, literals + i, end - i, depth + shared, next);
    node = pt_grammar_choice (g, node, pt_grammar_literal (g, rest, (gssize) shared, behind));
  }
  return node;
}

PtNode
pt_json_literals (PtGrammar *g, const char *const *literals, guint n, PtNode next)
{
  return rest_of_literals (g, literals, n, 0, next);
}
