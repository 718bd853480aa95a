/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/trie.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"
#include "engine/program/checked.h"

/* The largest known vocabularies need about a million; bounds the memory for hostile ones. */
#define MAX_NODES (3u << 20)

/* Nodes in breadth-first order; children of a node are adjacent, sorted by byte. */
typedef struct {
  guint32 first; /* child */
  gint32 value;
  guint16 n_children;
  guint8 byte; /* that leads here */
} Node;

struct _PtTrie {
  Node *nodes;
  guint32 roots[256]; /* child of the root for each first byte */
};

/* The words below a node. */
typedef struct {
  guint32 begin, end;
} Range;

static int
compare_words (const void *a, const void *b)
{
  const PtTrieWord *x = a, *y = b;
  int order = memcmp (x->bytes, y->bytes, MIN (x->length, y->length));

  return order != 0 ? order : (x->length > y->length) - (x->length < y->length);
}

/** Counts the nodes: one for each distinct prefix, and the root. */
static gboolean
count_nodes (const PtTrieWord *words, guint n, gsize *count)
{
  *count = 1;
  for (guint i = 0; i < n; i++) {
    guint32 shared = 0;

    while (i > 0 && shared < MIN (words[i].length, words[i - 1].length) &&
           words[i].bytes[shared] == words[i - 1].bytes[shared])
      shared++;
    if (!pt_add_size (*count, words[i].length - shared, count))
      return FALSE;
  }
  return *count <= MAX_NODES;
}

/** Adds the children of @node. Its words are @range; they share the first @depth bytes. */
static guint32
add_children (PtTrie *self, Range *ranges, guint32 node, guint32 used, guint32 depth,
              const PtTrieWord *words)
{
  Range range = ranges[node];

  if (range.begin < range.end && words[range.begin].length == depth) {
    self->nodes[node].value = words[range.begin].value;
    range.begin++;
  }
  self->nodes[node].first = used;
  while (range.begin < range.end) {
    guint8 byte = (guint8) words[range.begin].bytes[depth];
    guint32 end = range.begin + 1;

    while (end < range.end && (guint8) words[end].bytes[depth] == byte)
      end++;
    self->nodes[used] = (Node){ 0, -1, 0, byte };
    self->nodes[node].n_children++;
    ranges[used++] = (Range){ range.begin, end };
    range.begin = end;
  }
  return used;
}

PtTrie *
pt_trie_new (PtTrieWord *words, guint n, GError **error)
{
  g_autoptr (PtTrie) self = g_new0 (PtTrie, 1);
  g_autofree Range *ranges = NULL;
  guint32 used = 1, level = 1, depth = 0;
  gsize count;

  if (n > 0)
    qsort (words, n, sizeof *words, compare_words);
  if (!count_nodes (words, n, &count)) {
    pt_fail (error, PT_ERROR_TOKENIZER, "Its pieces are too many or too long.");
    return NULL;
  }
  self->nodes = pt_allocate (count, sizeof (Node), error);
  ranges = self->nodes != NULL ? pt_allocate (count, sizeof (Range), error) : NULL;
  if (ranges == NULL)
    return NULL;
  self->nodes[0] = (Node){ 0, -1, 0, 0 };
  ranges[0] = (Range){ 0, n };
  for (guint32 node = 0; node < used; node++) {
    if (node == level) {
      level = used;
      depth++;
    }
    used = add_children (self, ranges, node, used, depth, words);
  }
  for (guint32 i = 0; i < self->nodes[0].n_children; i++)
    self->roots[self->nodes[self->nodes[0].first + i].byte] = self->nodes[0].first + i;
  return g_steal_pointer (&self);
}

void
pt_trie_free (PtTrie *self)
{
  if (self == NULL)
    return;
  g_free (self->nodes);
  g_free (self);
}

guint32
pt_trie_step (const PtTrie *self, guint32 node, guint8 byte)
{
  const Node *from = &self->nodes[node];
  guint32 low = from->first, high = low + from->n_children;

  if (node == 0)
    return self->roots[byte];
  while (high - low > 8) {
    guint32 middle = low + (high - low) / 2;

    if (self->nodes[middle].byte <= byte)
      low = middle;
    else
      high = middle;
  }
  for (; low < high; low++)
    if (self->nodes[low].byte == byte)
      return low;
  return 0;
}

gint32
pt_trie_value (const PtTrie *self, guint32 node)
{
  return self->nodes[node].value;
}

gsize
pt_trie_longest (const PtTrie *self, const char *text, gsize length, gint32 *value)
{
  guint32 node = 0;
  gsize found = 0;

  for (gsize i = 0; i < length; i++) {
    node = pt_trie_step (self, node, (guint8) text[i]);
    if (node == 0)
      break;
    if (self->nodes[node].value >= 0) {
      found = i + 1;
      *value = self->nodes[node].value;
    }
  }
  return found;
}
