/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/cuda-memory-pool.h"

/*
 * Sizes are rounded up to classes, eight for each doubling: 256, 512, ... 2048, then 2304, 2560,
 * ... 4096, 4608, ... Each class has a free list. Above HUGE_SIZE, classes would waste too much
 * memory: such blocks have exact sizes, and a free block that is up to an eighth larger may be
 * reused.
 */
#define GRAIN ((gsize) 256)
#define SMALL_SIZE ((gsize) 1 << 20)
#define SLAB_SIZE ((gsize) 4 << 20)
#define HUGE_SIZE ((gsize) 64 << 20)
#define HUGE_GRAIN ((gsize) 2 << 20)
/*
 * Kernels of a graph that share a reused block would have to wait for each other. Therefore small
 * blocks of a graph's pool are reused only after this many bytes of them exist.
 */
#define FRESH_SIZE ((gsize) 32 << 20)
#define N_CLASSES 129 /* one list for each class up to HUGE_SIZE, and one for larger blocks */

/* Memory from the driver: a slab that is cut into small blocks, or one large block. */
typedef struct {
  PtCuPointer address;
  gsize size;
  gsize carved; /* bytes of the slab that have been cut into blocks */
  guint n_used; /* number of blocks in use */
} Segment;

typedef struct _Block Block;
struct _Block {
  guint64 address; /* key in the table of blocks */
  gsize size;
  Segment *segment;
  Block *next, **link; /* link of the free list that points to this block; NULL: in use */
};

struct _PtCudaPool {
  const PtCuda *cu;
  PtCudaPool *parent; /* the pool of a graph */
  Block *free_lists[N_CLASSES];
  GHashTable *blocks; /* blocks by address, used and free */
  GPtrArray *segments;
  gsize used, reserved;
  gsize fresh; /* bytes of all small blocks */
};

/* ---- Sizes ---- */

static gsize
align_up (gsize size, gsize grain)
{
  return (size + grain - 1) & ~(grain - 1);
}

/* The distance between classes at @size: an eighth of the next lower power of two. */
static gsize
class_step (gsize size)
{
  guint log2 = (guint) g_bit_storage (size - 1) - 1;

  return MAX (GRAIN, (gsize) 1 << (log2 - 3));
}

static gsize
block_size (gsize size)
{
  if (size <= 8 * GRAIN)
    return align_up (size, GRAIN);
  return align_up (size, size > HUGE_SIZE ? HUGE_GRAIN : class_step (size));
}

/* @size: as returned by block_size(). */
static guint
list_index (gsize size)
{
  guint log2;

  if (size > HUGE_SIZE)
    return N_CLASSES - 1;
  if (size <= 8 * GRAIN)
    return (guint) (size / GRAIN) - 1;
  log2 = (guint) g_bit_storage (size - 1) - 1; /* 11 after 2048 */
  return (log2 - 10) * 8 + (guint) ((size - 1) >> (log2 - 3)) - 8;
}

/* ---- Free lists ---- */

static void
list_push (PtCudaPool *pool, Block *block)
{
  Block **head = &pool->free_lists[list_index (block->size)];

  block->next = *head;
  block->link = head;
  if (*head != NULL)
    (*head)->link = &block->next;
  *head = block;
}

static void
list_remove (Block *block)
{
  *block->link = block->next;
  if (block->next != NULL)
    block->next->link = block->link;
  block->link = NULL;
}

/* A free block of @size; for huge blocks, one of up to @largest. */
static Block *
list_find (PtCudaPool *pool, gsize size, gsize largest)
{
  Block *first = pool->free_lists[list_index (size)], *best = NULL;

  if (size <= HUGE_SIZE)
    return first;
  for (Block *block = first; block != NULL; block = block->next)
    if (block->size >= size && block->size <= largest && (best == NULL || block->size < best->size))
      best = block;
  return best;
}

/* ---- Segments ---- */

static gboolean
is_of_idle_segment (gpointer key, gpointer value, gpointer user_data)
{
  Block *block = value;

  if (block->segment->n_used > 0)
    return FALSE;
  list_remove (block);
  return TRUE;
}

/* The driver waits for work that uses the memory before it frees it. */
static void
free_idle (PtCudaPool *pool)
{
  g_hash_table_foreach_remove (pool->blocks, is_of_idle_segment, NULL);
  for (guint i = pool->segments->len; i > 0; i--) {
    Segment *segment = g_ptr_array_index (pool->segments, i - 1);

    if (segment->n_used > 0)
      continue;
    pool->cu->cuMemFree (segment->address);
    pool->reserved -= segment->size;
    g_ptr_array_remove_index_fast (pool->segments, i - 1);
  }
}

static Segment *
add_segment (PtCudaPool *pool, gsize size, GError **error)
{
  PtCudaPool *idle = pool->parent != NULL ? pool->parent : pool;
  PtCuPointer address = 0;
  PtCuResult code = pool->cu->cuMemAlloc (&address, size);
  Segment *segment;

  if (code == PT_CU_OUT_OF_MEMORY) {
    free_idle (idle);
    code = pool->cu->cuMemAlloc (&address, size);
  }
  if (code == PT_CU_OUT_OF_MEMORY) {
    pt_cuda_fail_memory ("Allocating GPU memory", size, error);
    return NULL;
  }
  if (!pt_cuda_check (code, "Allocating GPU memory", error))
    return NULL;
  segment = g_new0 (Segment, 1);
  segment->address = address;
  segment->size = size;
  g_ptr_array_add (pool->segments, segment);
  pool->reserved += size;
  return segment;
}

static Segment *
find_slab (PtCudaPool *pool, gsize size)
{
  for (guint i = 0; i < pool->segments->len; i++) {
    Segment *segment = g_ptr_array_index (pool->segments, i);

    if (segment->size - segment->carved >= size)
      return segment;
  }
  return NULL;
}

/* Makes a new block, in use. */
static Block *
carve (PtCudaPool *pool, gsize size, GError **error)
{
  gboolean is_small = size <= SMALL_SIZE;
  Segment *segment = is_small ? find_slab (pool, size) : NULL;
  Block *block;

  if (segment == NULL)
    segment = add_segment (pool, is_small ? SLAB_SIZE : size, error);
  if (segment == NULL)
    return NULL;
  block = g_new0 (Block, 1);
  block->address = segment->address + segment->carved;
  block->size = size;
  block->segment = segment;
  segment->carved += size;
  pool->fresh += is_small ? size : 0;
  g_hash_table_insert (pool->blocks, &block->address, block);
  return block;
}

/* ---- The pool ---- */

PtCudaPool *
pt_cuda_pool_new (const PtCuda *cu)
{
  PtCudaPool *pool = g_new0 (PtCudaPool, 1);

  pool->cu = cu;
  pool->blocks = g_hash_table_new_full (g_int64_hash, g_int64_equal, NULL, g_free);
  pool->segments = g_ptr_array_new_with_free_func (g_free);
  return pool;
}

PtCudaPool *
pt_cuda_pool_new_graph (PtCudaPool *parent)
{
  PtCudaPool *pool = pt_cuda_pool_new (parent->cu);

  pool->parent = parent;
  return pool;
}

void
pt_cuda_pool_free (PtCudaPool *pool)
{
  g_warn_if_fail (pool->used == 0);
  for (guint i = 0; i < pool->segments->len; i++)
    pool->cu->cuMemFree (((Segment *) g_ptr_array_index (pool->segments, i))->address);
  g_hash_table_unref (pool->blocks);
  g_ptr_array_unref (pool->segments);
  g_free (pool);
}

PtCuPointer
pt_cuda_pool_allocate (PtCudaPool *pool, gsize size, GError **error)
{
  gsize rounded;
  Block *block;

  if (size == 0)
    return 0;
  if (size > G_MAXSSIZE) {
    pt_cuda_fail_memory ("Allocating GPU memory", size, error);
    return 0;
  }
  rounded = block_size (size);
  if (pool->parent != NULL && rounded <= SMALL_SIZE && pool->fresh < FRESH_SIZE)
    block = NULL;
  else
    block = list_find (pool, rounded, size + size / 8);
  if (block != NULL)
    list_remove (block);
  else
    block = carve (pool, rounded, error);
  if (block == NULL)
    return 0;
  block->segment->n_used++;
  pool->used += block->size;
  return block->address;
}

void
pt_cuda_pool_release (PtCudaPool *pool, PtCuPointer pointer)
{
  Block *block = g_hash_table_lookup (pool->blocks, &pointer);

  if (pointer == 0)
    return;
  g_return_if_fail (block != NULL && block->link == NULL);
  block->segment->n_used--;
  pool->used -= block->size;
  list_push (pool, block);
}

void
pt_cuda_pool_trim (PtCudaPool *pool, PtCuStream stream)
{
  if (pool->parent != NULL)
    return;
  pool->cu->cuStreamSynchronize (stream);
  free_idle (pool);
}

gboolean
pt_cuda_pool_find (const PtCudaPool *pool, PtCuPointer pointer, PtCuPointer *start, gsize *size)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, pool->blocks);
  while (g_hash_table_iter_next (&iter, NULL, &value)) {
    const Block *block = value;

    if (pointer >= block->address && pointer - block->address < block->size) {
      *start = block->address;
      *size = block->size;
      return TRUE;
    }
  }
  return FALSE;
}

gboolean
pt_cuda_pool_is_idle (const PtCudaPool *pool, PtCuPointer pointer)
{
  const Block *block = g_hash_table_lookup (pool->blocks, &pointer);

  return block != NULL && block->link != NULL;
}

gsize
pt_cuda_pool_used (const PtCudaPool *pool)
{
  return pool->used;
}

gsize
pt_cuda_pool_reserved (const PtCudaPool *pool)
{
  return pool->reserved;
}
