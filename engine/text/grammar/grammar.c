/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/grammar/grammar.h"

#include <string.h>

#include "engine/base/set-error.h"
#include "engine/text/grammar/code-points.h"

/* Limits of memory and time for hostile schemas. Large real ones have 20,000
 * nodes. */
#define MAX_NODES 200000
#define MAX_RULES 4096

PtGrammar *
pt_grammar_new (void)
{
  PtGrammar *self = g_new0 (PtGrammar, 1);
  const PtGrammarNode end = { .kind = PT_NODE_IS_END };

  self->nodes = g_array_new (FALSE, TRUE, sizeof (PtGrammarNode));
  self->repeats = g_array_new (FALSE, TRUE, sizeof (PtRepeat));
  self->rules = g_array_new (FALSE, TRUE, sizeof (PtNode));
  g_array_append_val (self->nodes, end);
  return self;
}

void
pt_grammar_free (PtGrammar *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->nodes);
  g_array_unref (self->repeats);
  g_array_unref (self->rules);
  g_free (self);
}

/* ---- building ---- */

static PtNode
add_node (PtGrammar *self, PtNodeKind kind, guint8 low, guint8 high, PtNode next, guint32 other)
{
  const PtGrammarNode node = {
    .kind = (guint8) kind, .low = low, .high = high, .next = next, .other = other
  };

  if (next == PT_NODE_NEVER)
    return PT_NODE_NEVER;
  if (self->nodes->len >= MAX_NODES) {
    self->is_full = TRUE;
    return PT_NODE_NEVER;
  }
  g_array_append_val (self->nodes, node);
  return self->nodes->len - 1;
}

PtNode
pt_grammar_range (PtGrammar *self, guint8 low, guint8 high, PtNode next)
{
  return add_node (self, PT_NODE_IS_RANGE, low, high, next, 0);
}

PtNode
pt_grammar_literal (PtGrammar *self, const char *bytes, gssize length, PtNode next)
{
  gsize n = length < 0 ? strlen (bytes) : (gsize) length;

  while (n-- > 0)
    next = pt_grammar_range (self, (guint8) bytes[n], (guint8) bytes[n], next);
  return next;
}

PtNode
pt_grammar_choice (PtGrammar *self, PtNode a, PtNode b)
{
  if (a == PT_NODE_NEVER || a == b)
    return b;
  if (b == PT_NODE_NEVER)
    return a;
  return add_node (self, PT_NODE_IS_CHOICE, 0, 0, a, b);
}

guint
pt_grammar_new_rule (PtGrammar *self)
{
  PtNode none = PT_NODE_NEVER;

  if (self->rules->len >= MAX_RULES)
    self->is_full = TRUE;
  else
    g_array_append_val (self->rules, none);
  return self->rules->len - 1;
}

void
pt_grammar_set_rule (PtGrammar *self, guint rule, PtNode start)
{
  g_array_index (self->rules, PtNode, rule) = start;
}

PtNode
pt_grammar_call (PtGrammar *self, guint rule, PtNode next)
{
  return add_node (self, PT_NODE_IS_CALL, 0, 0, next, rule);
}

PtNode
pt_grammar_begin_repeat (PtGrammar *self, guint32 least, guint32 most, PtNode next, guint *number)
{
  const PtRepeat repeat = { .least = least, .most = most, .body = PT_NODE_NEVER, .exit = next };

  *number = self->repeats->len;
  g_array_append_val (self->repeats, repeat);
  return add_node (self, PT_NODE_IS_LOOP, 0, 0, next, *number);
}

PtNode
pt_grammar_end_repeat (PtGrammar *self, guint number, PtNode body)
{
  PtRepeat *repeat = &g_array_index (self->repeats, PtRepeat, number);

  repeat->body = body;
  if (body == PT_NODE_NEVER || repeat->most == 0)
    return repeat->least == 0 ? repeat->exit : PT_NODE_NEVER;
  return repeat->least <= repeat->most
             ? add_node (self, PT_NODE_IS_REPEAT, 0, 0, repeat->exit, number)
             : PT_NODE_NEVER;
}

/* ---- UTF-8 ---- */

/* Bytes of @n characters between two that have the same length. */
static PtNode
add_sequences (PtGrammar *self, const guint8 *low, const guint8 *high, guint n, PtNode next)
{
  static const guint8 least[] = { 0x80, 0x80, 0x80 }, most[] = { 0xBF, 0xBF, 0xBF };
  guint first = low[0], last = high[0];
  PtNode node = PT_NODE_NEVER;

  if (n == 1)
    return pt_grammar_range (self, low[0], high[0], next);
  if (first == last)
    return pt_grammar_range (self, low[0], low[0],
                             add_sequences (self, low + 1, high + 1, n - 1, next));
  if (memcmp (low + 1, least, n - 1) != 0)
    node = pt_grammar_range (self, (guint8) first, (guint8) first,
                             add_sequences (self, low + 1, most, n - 1, next)),
    first++;
  if (memcmp (high + 1, most, n - 1) != 0)
    node =
        pt_grammar_choice (self, node,
                           pt_grammar_range (self, (guint8) last, (guint8) last,
                                             add_sequences (self, least, high + 1, n - 1, next))),
    last--;
  if (first <= last)
    node = pt_grammar_choice (self, node,
                              pt_grammar_range (self, (guint8) first, (guint8) last,
                                                add_sequences (self, least, most, n - 1, next)));
  return node;
}

PtNode
pt_grammar_characters (PtGrammar *self, const GArray *set, PtNode next)
{
  /* Characters of as many bytes, without surrogates. */
  static const PtCodeRange lengths[] = {
    { 0, 0x7F }, { 0x80, 0x7FF }, { 0x800, 0xD7FF }, { 0xE000, 0xFFFF }, { 0x10000, 0x10FFFF }
  };
  PtNode node = PT_NODE_NEVER;

  for (guint i = 0; i < set->len; i++) {
    PtCodeRange range = g_array_index (set, PtCodeRange, i);

    for (guint j = 0; j < G_N_ELEMENTS (lengths); j++) {
      guint32 from = MAX (range.low, lengths[j].low), to = MIN (range.high, lengths[j].high);
      char low[6], high[6];
      int n;

      if (from > to)
        continue;
      n = g_unichar_to_utf8 (from, low);
      g_unichar_to_utf8 (to, high);
      node = pt_grammar_choice (
          self, node,
          add_sequences (self, (const guint8 *) low, (const guint8 *) high, (guint) n, next));
    }
  }
  return node;
}

/* ---- what can be completed ---- */

static gboolean
is_live (const PtGrammar *self, PtNode node)
{
  return node != PT_NODE_NEVER && g_array_index (self->nodes, PtGrammarNode, node).is_live;
}

static gboolean
becomes_live (const PtGrammar *self, const PtGrammarNode *node)
{
  const PtRepeat *repeat;

  switch ((PtNodeKind) node->kind) {
  case PT_NODE_IS_END: return TRUE;
  case PT_NODE_IS_RANGE: return is_live (self, node->next);
  case PT_NODE_IS_CHOICE: return is_live (self, node->next) || is_live (self, node->other);
  case PT_NODE_IS_CALL:
    return is_live (self, node->next) &&
           is_live (self, g_array_index (self->rules, PtNode, node->other));
  case PT_NODE_IS_REPEAT:
  case PT_NODE_IS_LOOP:
    /* A loop is reached from its body only, which then can be read once more,
     * too. */
    repeat = &g_array_index (self->repeats, PtRepeat, node->other);
    return is_live (self, repeat->exit) &&
           (node->kind == PT_NODE_IS_LOOP || repeat->least == 0 || is_live (self, repeat->body));
  default: return FALSE;
  }
}

/* The nodes that decide whether @node is live. */
static guint
list_causes (const PtGrammar *self, const PtGrammarNode *node, PtNode causes[2])
{
  const PtRepeat *repeat;
  guint n = 0;

  switch ((PtNodeKind) node->kind) {
  case PT_NODE_IS_RANGE: causes[n++] = node->next; break;
  case PT_NODE_IS_CHOICE:
    causes[n++] = node->next;
    causes[n++] = node->other;
    break;
  case PT_NODE_IS_CALL:
    causes[n++] = node->next;
    causes[n++] = g_array_index (self->rules, PtNode, node->other);
    break;
  case PT_NODE_IS_REPEAT:
  case PT_NODE_IS_LOOP:
    repeat = &g_array_index (self->repeats, PtRepeat, node->other);
    causes[n++] = repeat->exit;
    causes[n++] = repeat->body;
    break;
  case PT_NODE_IS_END:
  default: break;
  }
  return n;
}

/* Lists for each node those that it decides about: those of node i are from @first[i] on. */
static GArray *
list_effects (const PtGrammar *self, guint32 *first)
{
  GArray *effects = g_array_new (FALSE, FALSE, sizeof (PtNode));
  guint n = self->nodes->len;
  PtNode causes[2];

  for (guint i = 0; i < n; i++)
    for (guint k = list_causes (self, &g_array_index (self->nodes, PtGrammarNode, i), causes);
         k-- > 0;)
      if (causes[k] != PT_NODE_NEVER)
        first[causes[k] + 1]++;
  for (guint i = 0; i < n; i++)
    first[i + 1] += first[i];
  g_array_set_size (effects, first[n]);
  /* From the end of each list, so that @first is right when all are filled. */
  for (guint i = n; i-- > 0;)
    for (guint k = list_causes (self, &g_array_index (self->nodes, PtGrammarNode, i), causes);
         k-- > 0;)
      if (causes[k] != PT_NODE_NEVER)
        g_array_index (effects, PtNode, --first[causes[k] + 1]) = i;
  return effects;
}

/* Finds the nodes from which a text can be completed: rules may call each other without an end. */
static void
find_live (PtGrammar *self)
{
  guint n = self->nodes->len;
  g_autofree guint32 *first = g_new0 (guint32, n + 2);
  g_autoptr (GArray) effects = list_effects (self, first);
  g_autoptr (GArray) todo = g_array_new (FALSE, FALSE, sizeof (PtNode));
  PtNode end = PT_NODE_END;

  g_array_index (self->nodes, PtGrammarNode, end).is_live = TRUE;
  g_array_append_val (todo, end);
  while (todo->len > 0) {
    PtNode at = g_array_index (todo, PtNode, todo->len - 1);

    g_array_set_size (todo, todo->len - 1);
    for (guint32 i = first[at + 1]; i < first[at + 2]; i++) {
      PtNode other = g_array_index (effects, PtNode, i);
      PtGrammarNode *node = &g_array_index (self->nodes, PtGrammarNode, other);

      if (node->is_live || !becomes_live (self, node))
        continue;
      node->is_live = TRUE;
      g_array_append_val (todo, other);
    }
  }
}

/* ---- rules that call themselves first ---- */

typedef struct {
  PtGrammar *grammar;
  guint8 *colors; /* of rules: 0 new, 1 being searched, 2 done */
  guint32 *marks; /* of nodes: the rule that saw them last, plus 1 */
  GArray *path;   /* guint: rules to search, and the ones being searched */
} Search;

/* Appends the rules that @rule calls before it has read anything. */
static void
find_first_calls (Search *search, guint rule, GArray *found)
{
  PtGrammar *self = search->grammar;
  g_autoptr (GArray) nodes = g_array_new (FALSE, FALSE, sizeof (PtNode));

  g_array_append_val (nodes, g_array_index (self->rules, PtNode, rule));
  while (nodes->len > 0) {
    PtNode at = g_array_index (nodes, PtNode, nodes->len - 1);
    const PtGrammarNode *node;

    g_array_set_size (nodes, nodes->len - 1);
    if (!is_live (self, at) || search->marks[at] == rule + 1)
      continue;
    search->marks[at] = rule + 1;
    node = &g_array_index (self->nodes, PtGrammarNode, at);
    if (node->kind == PT_NODE_IS_CALL)
      g_array_append_val (found, node->other);
    if (node->kind == PT_NODE_IS_CHOICE) {
      g_array_append_val (nodes, node->next);
      g_array_append_val (nodes, node->other);
    }
    if (node->kind == PT_NODE_IS_REPEAT) {
      const PtRepeat *repeat = &g_array_index (self->repeats, PtRepeat, node->other);

      g_array_append_val (nodes, repeat->body);
      if (repeat->least == 0)
        g_array_append_val (nodes, repeat->exit);
    }
  }
}

/* Depth first without recursion: a rule stays on the path until all that it
 * calls is done. */
static gboolean
has_left_recursion (Search *search, guint rule)
{
  g_array_append_val (search->path, rule);
  while (search->path->len > 0) {
    guint at = g_array_index (search->path, guint, search->path->len - 1), before;

    if (search->colors[at] != 0) {
      search->colors[at] = 2;
      g_array_set_size (search->path, search->path->len - 1);
      continue;
    }
    search->colors[at] = 1;
    before = search->path->len;
    find_first_calls (search, at, search->path);
    for (guint i = before; i < search->path->len;) {
      guint8 color = search->colors[g_array_index (search->path, guint, i)];

      if (color == 1)
        return TRUE;
      if (color == 2)
        g_array_remove_index_fast (search->path, i);
      else
        i++;
    }
  }
  return FALSE;
}

static gboolean
check_recursion (PtGrammar *self, GError **error)
{
  g_autofree guint8 *colors = g_new0 (guint8, self->rules->len + 1);
  g_autofree guint32 *marks = g_new0 (guint32, self->nodes->len);
  g_autoptr (GArray) path = g_array_new (FALSE, FALSE, sizeof (guint));
  Search search = { self, colors, marks, path };

  for (guint i = 0; i < self->rules->len; i++)
    if (colors[i] == 0 && has_left_recursion (&search, i))
      return pt_fail (error, PT_ERROR_ARGUMENT,
                      "A $ref leads back to itself without anything in between.");
  return TRUE;
}

/* ---- classes of bytes ---- */

static void
find_classes (PtGrammar *self)
{
  gboolean begins[257] = { TRUE };
  guint class = 0;

  for (guint i = 0; i < self->nodes->len; i++) {
    const PtGrammarNode *node = &g_array_index (self->nodes, PtGrammarNode, i);

    if (node->kind == PT_NODE_IS_RANGE)
      begins[node->low] = begins[node->high + 1] = TRUE;
  }
  for (guint byte = 0; byte < 256; byte++) {
    if (byte > 0 && begins[byte])
      class ++;
    self->classes[byte] = (guint8) class;
  }
  self->n_classes = class + 1;
}

gboolean
pt_grammar_finish (PtGrammar *self, PtNode start, GError **error)
{
  if (self->is_full)
    return pt_fail (error, PT_ERROR_ARGUMENT,
                    "The schema is too large: it needs more than %d nodes or %d rules.", MAX_NODES,
                    MAX_RULES);
  self->start = start;
  find_live (self);
  if (!is_live (self, start))
    return pt_fail (error, PT_ERROR_ARGUMENT, "No text can satisfy the schema.");
  find_classes (self);
  return check_recursion (self, error);
}
