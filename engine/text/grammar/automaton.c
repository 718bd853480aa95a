/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/grammar/automaton.h"

#include <string.h>

/* Limits for hostile schemas. A usual step visits a few nodes, at most some
 * hundreds. */
#define MAX_WORK (4 * 1000 * 1000)    /* nodes visited for one token */
#define MAX_PLACES 4096               /* of a state */
#define MAX_DEPTH 1000                /* of the stack; readers of JSON have limits of this size */
#define MAX_MEMORY (96 * 1024 * 1024) /* of all states */

/* A transition that was not computed yet. */
#define UNKNOWN (G_MAXUINT32 - 1)

/* A stack is its top, by the number of a frame; 0: empty. Equal stacks have the
 * same number. */
typedef struct {
  guint32 below;
  guint32 node;  /* where a call goes on; not used by repetitions */
  guint32 count; /* rounds of a repetition that are over */
  guint32 depth;
} Frame;

/* Where a text may have led: a node that reads a byte. */
typedef struct {
  PtNode node;
  guint32 stack;
} Place;

typedef struct {
  guint32 first, n; /* in the list of places */
  guint32 hash;
  guint32 room;
  gboolean may_end;
  guint32 *row; /* states behind each class of bytes; NULL: none is known */
} State;

/* A set of numbers by their hash: finds frames and states again. */
typedef struct {
  guint32 *slots; /* numbers, 0: free */
  guint mask, n;
} Table;

struct _PtAutomaton {
  const PtGrammar *grammar;
  const PtGrammarNode *nodes;
  GArray *frames, *places, *states; /* Frame, Place, State */
  Table frame_table, state_table;
  gsize n_rows;
  guint64 work, most_work;
  gboolean is_lost;

  /* The state that is being made. */
  GArray *fresh; /* Place: its places */
  GArray *todo;  /* Place: nodes to visit */
  guint64 *seen; /* [seen_mask + 1]: nodes that were visited, with their stacks */
  guint32 *ages; /* when: entries of older states do not count */
  guint seen_mask, n_seen;
  guint32 age;
  guint32 room;
  gboolean may_end;
};

/* ---- tables ---- */

static guint32
mix (guint64 value)
{
  value *= G_GUINT64_CONSTANT (0x9E3779B97F4A7C15);
  value ^= value >> 29;
  value *= G_GUINT64_CONSTANT (0xBF58476D1CE4E5B9);
  return (guint32) (value >> 32);
}

static void
table_init (Table *table, guint size)
{
  g_free (table->slots);
  table->slots = g_new0 (guint32, size);
  table->mask = size - 1;
  table->n = 0;
}

static guint32
hash_frame (const Frame *frame)
{
  return mix (((guint64) frame->below << 32 | frame->node) ^ (guint64) mix (frame->count) << 16);
}

static guint32
hash_places (const Place *places, guint n, gboolean may_end)
{
  guint64 hash = n * 2 + (may_end ? 1 : 0);

  for (guint i = 0; i < n; i++)
    hash = (hash << 7 | hash >> 57) ^ mix ((guint64) places[i].node << 32 | places[i].stack) ^
           (hash * 31);
  return mix (hash);
}

static guint32
hash_of (const PtAutomaton *self, const Table *table, guint32 number)
{
  return table == &self->frame_table ? hash_frame (&g_array_index (self->frames, Frame, number))
                                     : g_array_index (self->states, State, number).hash;
}

static void
table_insert (PtAutomaton *self, Table *table, guint32 hash, guint32 number)
{
  guint at;

  if (2 * ++table->n > table->mask) {
    guint32 *old = g_steal_pointer (&table->slots);
    guint n = table->mask + 1, kept = table->n;

    table_init (table, 2 * n);
    table->n = kept;
    for (guint i = 0; i < n; i++) {
      if (old[i] == 0)
        continue;
      for (at = hash_of (self, table, old[i]) & table->mask; table->slots[at] != 0;)
        at = (at + 1) & table->mask;
      table->slots[at] = old[i];
    }
    g_free (old);
  }
  for (at = hash & table->mask; table->slots[at] != 0;)
    at = (at + 1) & table->mask;
  table->slots[at] = number;
}

/* The stack with a frame on top of @below; 0 when it becomes too deep. */
static guint32
push (PtAutomaton *self, guint32 below, guint32 node, guint32 count)
{
  guint32 depth = g_array_index (self->frames, Frame, below).depth + 1;
  const Frame frame = { below, node, count, depth };
  guint32 hash = hash_frame (&frame);
  Table *table = &self->frame_table;

  if (depth > MAX_DEPTH)
    return 0;
  for (guint at = hash & table->mask; table->slots[at] != 0; at = (at + 1) & table->mask)
    if (memcmp (&g_array_index (self->frames, Frame, table->slots[at]), &frame, sizeof frame) == 0)
      return table->slots[at];
  g_array_append_val (self->frames, frame);
  table_insert (self, table, hash, self->frames->len - 1);
  return self->frames->len - 1;
}

/* ---- making a state ---- */

static void
begin_state (PtAutomaton *self)
{
  g_array_set_size (self->fresh, 0);
  g_array_set_size (self->todo, 0);
  self->age++;
  self->n_seen = 0;
  self->room = 0;
  self->may_end = FALSE;
}

static void
grow_seen (PtAutomaton *self)
{
  guint n = self->seen_mask + 1;
  guint64 *old = self->seen;
  guint32 *ages = self->ages;

  self->seen = g_new0 (guint64, 2 * n);
  self->ages = g_new0 (guint32, 2 * n);
  self->seen_mask = 2 * n - 1;
  for (guint i = 0; i < n; i++) {
    guint at;

    if (ages[i] != self->age)
      continue;
    for (at = mix (old[i]) & self->seen_mask; self->ages[at] == self->age;)
      at = (at + 1) & self->seen_mask;
    self->seen[at] = old[i];
    self->ages[at] = self->age;
  }
  g_free (old);
  g_free (ages);
}

/* Whether this is the first visit of @node with @stack for this state. */
static gboolean
is_new (PtAutomaton *self, PtNode node, guint32 stack)
{
  guint64 key = (guint64) node << 32 | stack;
  guint at;

  if (2 * self->n_seen > self->seen_mask)
    grow_seen (self);
  for (at = mix (key) & self->seen_mask; self->ages[at] == self->age;
       at = (at + 1) & self->seen_mask)
    if (self->seen[at] == key)
      return FALSE;
  self->seen[at] = key;
  self->ages[at] = self->age;
  self->n_seen++;
  return TRUE;
}

static void
visit_later (PtAutomaton *self, PtNode node, guint32 stack)
{
  const Place place = { node, stack };

  if (node != PT_NODE_NEVER && self->nodes[node].is_live && is_new (self, node, stack))
    g_array_append_val (self->todo, place);
}

/* @rounds of @repeat are over, and @stack is the one around it. */
static void
visit_repeat (PtAutomaton *self, const PtRepeat *repeat, guint32 stack, guint32 rounds)
{
  if (rounds >= repeat->least)
    visit_later (self, repeat->exit, stack);
  if (rounds < repeat->most) {
    guint32 inside = push (self, stack, 0, rounds);

    if (inside == 0)
      return;
    visit_later (self, repeat->body, inside);
    if (repeat->is_text)
      self->room =
          MAX (self->room, repeat->most == PT_UNBOUNDED ? PT_ROOM_ANY : repeat->most - rounds);
  }
}

static void
visit (PtAutomaton *self, Place place)
{
  const PtGrammar *grammar = self->grammar;
  const PtGrammarNode *node = &self->nodes[place.node];
  Frame top = g_array_index (self->frames, Frame, place.stack);
  const PtRepeat *repeat;

  switch ((PtNodeKind) node->kind) {
  case PT_NODE_IS_RANGE: g_array_append_val (self->fresh, place); break;
  case PT_NODE_IS_CHOICE:
    visit_later (self, node->next, place.stack);
    visit_later (self, node->other, place.stack);
    break;
  case PT_NODE_IS_CALL: {
    guint32 inside =
        node->next == PT_NODE_END ? place.stack : push (self, place.stack, node->next, 0);

    if (inside != 0 || node->next == PT_NODE_END)
      visit_later (self, g_array_index (grammar->rules, PtNode, node->other), inside);
    break;
  }
  case PT_NODE_IS_END:
    if (place.stack == 0)
      self->may_end = TRUE;
    else
      visit_later (self, top.node, top.below);
    break;
  case PT_NODE_IS_REPEAT:
    visit_repeat (self, &g_array_index (grammar->repeats, PtRepeat, node->other), place.stack, 0);
    break;
  case PT_NODE_IS_LOOP:
    repeat = &g_array_index (grammar->repeats, PtRepeat, node->other);
    /* Without an upper bound it does not matter how many rounds there were
     * above the lower one. */
    visit_repeat (self, repeat, top.below,
                  repeat->most == PT_UNBOUNDED ? MIN (top.count + 1, repeat->least)
                                               : top.count + 1);
    break;
  default: break;
  }
}

static gboolean
visit_all (PtAutomaton *self)
{
  while (self->todo->len > 0) {
    Place place = g_array_index (self->todo, Place, self->todo->len - 1);

    g_array_set_size (self->todo, self->todo->len - 1);
    visit (self, place);
    self->work++;
    if (self->fresh->len > MAX_PLACES || self->work > self->most_work)
      return FALSE;
  }
  return TRUE;
}

static int
compare_places (gconstpointer a, gconstpointer b)
{
  const Place *x = a, *y = b;

  if (x->node != y->node)
    return x->node < y->node ? -1 : 1;
  return x->stack < y->stack ? -1 : x->stack > y->stack;
}

/* The number of the state with the places that were found. */
static PtState
end_state (PtAutomaton *self)
{
  State state = {
    .first = self->places->len, .n = self->fresh->len, .room = self->room, .may_end = self->may_end
  };
  const Place *places = (const Place *) (gconstpointer) self->fresh->data;
  Table *table = &self->state_table;

  if (state.n == 0 && !state.may_end)
    return PT_STATE_DEAD;
  g_array_sort (self->fresh, compare_places);
  state.hash = hash_places (places, state.n, state.may_end);
  for (guint at = state.hash & table->mask; table->slots[at] != 0; at = (at + 1) & table->mask) {
    const State *other = &g_array_index (self->states, State, table->slots[at]);

    /* The room follows from the places. */
    if (other->hash == state.hash && other->n == state.n && other->may_end == state.may_end &&
        (state.n == 0 || memcmp (&g_array_index (self->places, Place, other->first), places,
                                 state.n * sizeof *places) == 0))
      return table->slots[at];
  }
  g_array_append_vals (self->places, places, state.n);
  g_array_append_val (self->states, state);
  table_insert (self, table, state.hash, self->states->len - 1);
  return self->states->len - 1;
}

static PtState
complete_state (PtAutomaton *self)
{
  if (self->is_lost || !visit_all (self) || pt_automaton_memory (self) > MAX_MEMORY) {
    self->is_lost = TRUE;
    return PT_STATE_LOST;
  }
  return end_state (self);
}

/* ---- the automaton ---- */

static void
clear_state (gpointer data)
{
  g_free (((State *) data)->row);
}

static void
reset (PtAutomaton *self)
{
  const State dead = { 0 };
  const Frame empty = { 0 };

  g_array_set_size (self->frames, 0);
  g_array_set_size (self->places, 0);
  g_array_set_size (self->states, 0);
  g_array_append_val (self->states, dead);
  g_array_append_val (self->frames, empty);
  table_init (&self->frame_table, 1024);
  table_init (&self->state_table, 1024);
  self->n_rows = 0;
}

PtAutomaton *
pt_automaton_new (const PtGrammar *grammar)
{
  PtAutomaton *self = g_new0 (PtAutomaton, 1);

  self->grammar = grammar;
  self->nodes = (const PtGrammarNode *) (gconstpointer) grammar->nodes->data;
  self->frames = g_array_new (FALSE, FALSE, sizeof (Frame));
  self->places = g_array_new (FALSE, FALSE, sizeof (Place));
  self->states = g_array_new (FALSE, FALSE, sizeof (State));
  self->fresh = g_array_new (FALSE, FALSE, sizeof (Place));
  self->todo = g_array_new (FALSE, FALSE, sizeof (Place));
  g_array_set_clear_func (self->states, clear_state);
  self->seen_mask = 255;
  self->seen = g_new0 (guint64, 256);
  self->ages = g_new0 (guint32, 256);
  reset (self);
  pt_automaton_begin (self);
  return self;
}

void
pt_automaton_free (PtAutomaton *self)
{
  if (self == NULL)
    return;
  g_array_unref (self->frames);
  g_array_unref (self->places);
  g_array_unref (self->states);
  g_array_unref (self->fresh);
  g_array_unref (self->todo);
  g_free (self->frame_table.slots);
  g_free (self->state_table.slots);
  g_free (self->seen);
  g_free (self->ages);
  g_free (self);
}

PtState
pt_automaton_start (PtAutomaton *self)
{
  begin_state (self);
  visit_later (self, self->grammar->start, 0);
  return complete_state (self);
}

static PtState
find_step (PtAutomaton *self, PtState number, guint8 byte)
{
  State state = g_array_index (self->states, State, number);

  begin_state (self);
  self->work++;
  for (guint i = 0; i < state.n; i++) {
    Place place = g_array_index (self->places, Place, state.first + i);
    const PtGrammarNode *node = &self->nodes[place.node];

    if (byte >= node->low && byte <= node->high)
      visit_later (self, node->next, place.stack);
  }
  return complete_state (self);
}

PtState
pt_automaton_step (PtAutomaton *self, PtState number, guint8 byte)
{
  State *state = &g_array_index (self->states, State, number);
  guint class = self->grammar->classes[byte];
  PtState next;

  if (state->row == NULL) {
    state->row = g_new (guint32, self->grammar->n_classes);
    for (guint i = 0; i < self->grammar->n_classes; i++)
      state->row[i] = UNKNOWN;
    self->n_rows++;
  }
  if (state->row[class] != UNKNOWN)
    return state->row[class];
  next = find_step (self, number, byte);
  if (next != PT_STATE_LOST)
    g_array_index (self->states, State, number).row[class] = next;
  return next;
}

PtStateInfo
pt_automaton_info (const PtAutomaton *self, PtState number)
{
  const State *state = &g_array_index (self->states, State, number);

  return (PtStateInfo){ .may_end = state->may_end,
                        .must_end = state->may_end && state->n == 0,
                        .room = state->room };
}

void
pt_automaton_begin (PtAutomaton *self)
{
  self->most_work = self->work + MAX_WORK;
  self->is_lost = FALSE;
}

gsize
pt_automaton_memory (const PtAutomaton *self)
{
  return (gsize) self->frames->len * (sizeof (Frame) + 3 * sizeof (guint32)) +
         (gsize) self->places->len * sizeof (Place) +
         (gsize) self->states->len * (sizeof (State) + 3 * sizeof (guint32)) +
         self->n_rows * self->grammar->n_classes * sizeof (guint32);
}

guint
pt_automaton_n_states (const PtAutomaton *self)
{
  return self->states->len;
}

/* ---- forgetting ---- */

/* The frames of @stack, the lowest first, as a stack of the new automaton. */
static guint32
rebuild_stack (PtAutomaton *self, const GArray *old, guint32 stack)
{
  Frame frames[MAX_DEPTH];
  guint n = 0;
  guint32 top = 0;

  for (; stack != 0; stack = g_array_index (old, Frame, stack).below)
    frames[n++] = g_array_index (old, Frame, stack);
  while (n-- > 0)
    top = push (self, top, frames[n].node, frames[n].count);
  return top;
}

PtState
pt_automaton_forget (PtAutomaton *self, PtState number)
{
  State state = g_array_index (self->states, State, number);
  g_autoptr (GArray) frames = g_steal_pointer (&self->frames);
  g_autoptr (GArray) places = g_steal_pointer (&self->places);

  self->frames = g_array_new (FALSE, FALSE, sizeof (Frame));
  self->places = g_array_new (FALSE, FALSE, sizeof (Place));
  reset (self);
  begin_state (self);
  self->room = state.room;
  self->may_end = state.may_end;
  for (guint i = 0; i < state.n; i++) {
    Place place = g_array_index (places, Place, state.first + i);

    place.stack = rebuild_stack (self, frames, place.stack);
    g_array_append_val (self->fresh, place);
  }
  return end_state (self);
}
