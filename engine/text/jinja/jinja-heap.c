/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/jinja/jinja-heap.h"

#define BLOCK 32768
#define ALIGNMENT 16

typedef struct _Block Block;

struct _Block {
  Block *next;
  gsize size, used;
};

struct _PtJinjaHeap {
  Block *blocks;
  gsize left;
};

G_STATIC_ASSERT (sizeof (Block) <= 2 * ALIGNMENT);

PtJinjaHeap *
pt_jinja_heap_new (gsize budget)
{
  PtJinjaHeap *self = g_new0 (PtJinjaHeap, 1);

  self->left = budget;
  return self;
}

void
pt_jinja_heap_free (PtJinjaHeap *self)
{
  if (self == NULL)
    return;
  for (Block *block = self->blocks, *next; block != NULL; block = next) {
    next = block->next;
    g_free (block);
  }
  g_free (self);
}

static Block *
add_block (PtJinjaHeap *self, gsize size)
{
  Block *block;

  if (size > self->left)
    return NULL;
  block = g_try_malloc0 (2 * ALIGNMENT + size);
  if (block == NULL)
    return NULL;
  self->left -= size;
  block->size = size;
  block->next = self->blocks;
  self->blocks = block;
  return block;
}

gpointer
pt_jinja_heap_take (PtJinjaHeap *self, gsize size)
{
  Block *block = self->blocks;
  gpointer memory;

  if (size > self->left + BLOCK)
    return NULL;
  size = MAX (size + ALIGNMENT - 1, ALIGNMENT) & ~(gsize) (ALIGNMENT - 1);
  if (block == NULL || size > block->size - block->used) {
    block = add_block (self, MAX (size, BLOCK));
    if (block == NULL)
      return NULL;
  }
  memory = (char *) block + 2 * ALIGNMENT + block->used;
  block->used += size;
  return memory;
}
