/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Renaming of small blocks. Libraries reuse one block for several values, which costs nothing when
 * kernels run in sequence. In parallel, a writer would have to wait for the readers of the previous
 * value. Here the writers alternate between several blocks. The conditions make sure that results
 * do not change:
 *
 * - The block is temporary: its content comes from the graph and is not used after it.
 * - All its writers are launches of one kernel with equal numbers, which differ only in the
 * addresses they read. The bytes that a launch writes do not depend on memory that it reads
 * (ptx.c), and it does not read the block. So all writers write the same range of the block, and no
 * launch writes outside of it. Every reader gets the value of the last writer before it, wherever
 * that value was written, or bytes that were never written.
 * - All accesses of all nodes are known: a graph with a barrier is left unchanged.
 */

#include "engine/cuda/graph-edges-private.h"

#include <string.h>

/* A block, and the maximum number of blocks that replace it. */
#define MAX_SIZE ((gsize) 64 << 10)
#define MAX_COPIES 4
#define ALIGNMENT 256
#define MAX_PARAMETERS 64
#define MAX_PARAMETER_SIZE 4096

static PtEdgeRange *
range_at (const PtEdgeSearch *r, guint i)
{
  return &g_array_index (r->ranges, PtEdgeRange, i);
}

/* ---- conditions ---- */

/* Words that may differ between launches of one kernel: addresses that are only read. */
static guint64
find_free_words (const PtPtxEffects *effects)
{
  guint64 words = 0, bound = effects->control;

  for (guint i = 0; i < effects->n_accesses; i++)
    if (effects->accesses[i].is_write)
      bound |= effects->accesses[i].words;
    else
      words |= effects->accesses[i].words;
  return words & ~bound;
}

/* Whether byte @at of parameter @index belongs to one of @words. */
static gboolean
is_of_words (const PtPtxEffects *effects, guint64 words, guint index, gsize at)
{
  for (guint i = 0; i < effects->n_words; i++)
    if ((words >> i & 1) != 0 && effects->words[i].parameter == index &&
        at >= effects->words[i].offset && at < (gsize) effects->words[i].offset + 8)
      return TRUE;
  return FALSE;
}

static gboolean
same_numbers (const PtCuda *cu, const PtEdgeNode *a, const PtEdgeNode *b)
{
  guint64 words = find_free_words (a->effects);
  gsize offset, size;

  for (guint i = 0; cu->cuFuncGetParamInfo (a->kernel.function, i, &offset, &size) == PT_CU_SUCCESS;
       i++) {
    const guint8 *left = a->kernel.arguments[i], *right = b->kernel.arguments[i];

    if (i == MAX_PARAMETERS || size > MAX_PARAMETER_SIZE)
      return FALSE;
    for (gsize k = 0; k < size; k++)
      if (left[k] != right[k] && !is_of_words (a->effects, words, i, k))
        return FALSE;
  }
  return TRUE;
}

static gboolean
same_launch (const PtCuda *cu, const PtEdgeNode *a, const PtEdgeNode *b)
{
  return a->kernel.function == b->kernel.function &&
         memcmp (a->kernel.grid, b->kernel.grid, sizeof a->kernel.grid) == 0 &&
         memcmp (a->kernel.block, b->kernel.block, sizeof a->kernel.block) == 0 &&
         a->kernel.shared_bytes == b->kernel.shared_bytes && same_numbers (cu, a, b);
}

typedef enum { USE_NONE, USE_READ, USE_WRITE, USE_BOTH } Use;

static Use
use_of (const PtEdgeSearch *r, const PtEdgeNode *node, PtCuPointer start, PtCuPointer end)
{
  Use use = USE_NONE;

  for (guint i = 0; i < node->n; i++) {
    const PtEdgeRange *range = range_at (r, node->first + i);

    if (range->start < end && start < range->end)
      use |= range->is_write ? USE_WRITE : USE_READ;
  }
  return use;
}

/* The number of writers if renaming is safe, else 0. */
static guint
count_writers (const PtEdgeSearch *r, PtCuPointer start, PtCuPointer end)
{
  const PtEdgeNode *first = NULL;
  guint n = 0;

  for (gsize i = 0; i < r->n; i++) {
    const PtEdgeNode *node = &r->nodes[i];
    Use use = use_of (r, node, start, end);

    if (use == USE_NONE || (use == USE_READ && first != NULL))
      continue;
    if (use != USE_WRITE || !node->effects->is_fixed ||
        (first != NULL && !same_launch (r->cu, first, node)))
      return 0;
    if (first == NULL)
      first = node;
    n++;
  }
  return n;
}

/* ---- renaming ---- */

typedef struct {
  guint8 *bytes[MAX_PARAMETERS]; /* sizes of the parameters; NULL: no more parameters */
} Arguments;

static void
arguments_clear (Arguments *arguments)
{
  for (guint i = 0; i < MAX_PARAMETERS; i++)
    g_free (arguments->bytes[i]);
}

static gboolean
copy_arguments (const PtCuda *cu, const PtCuKernelNode *kernel, Arguments *copy)
{
  gsize offset, size;

  memset (copy, 0, sizeof *copy);
  for (guint i = 0; cu->cuFuncGetParamInfo (kernel->function, i, &offset, &size) == PT_CU_SUCCESS;
       i++) {
    if (i == MAX_PARAMETERS || size > MAX_PARAMETER_SIZE)
      return FALSE;
    copy->bytes[i] = g_memdup2 (kernel->arguments[i], size);
  }
  return TRUE;
}

/* Moves every address of @node that lies in the block at @start to the block at @to. */
static gboolean
move_node (PtEdgeSearch *r, PtEdgeNode *node, PtCuPointer start, PtCuPointer end, PtCuPointer to)
{
  PtCuKernelNode kernel = node->kernel;
  guint64 done = 0;
  Arguments arguments;
  gboolean ok = copy_arguments (r->cu, &kernel, &arguments);

  for (guint i = 0; ok && i < node->n; i++) {
    PtEdgeRange *range = range_at (r, node->first + i);
    const PtPtxWord *word = &node->effects->words[range->word];
    PtCuPointer pointer;

    if (range->start != start || range->end != end)
      continue;
    range->end += to - start;
    range->start = to;
    if ((done >> range->word & 1) != 0)
      continue;
    done |= G_GUINT64_CONSTANT (1) << range->word;
    memcpy (&pointer, arguments.bytes[word->parameter] + word->offset, sizeof pointer);
    pointer += to - start;
    memcpy (arguments.bytes[word->parameter] + word->offset, &pointer, sizeof pointer);
  }
  kernel.arguments = (void **) arguments.bytes;
  ok = ok && r->cu->cuGraphKernelNodeSetParams (node->node, &kernel) == PT_CU_SUCCESS &&
       r->cu->cuGraphKernelNodeGetParams (node->node, &node->kernel) == PT_CU_SUCCESS &&
       node->kernel.arguments != NULL;
  arguments_clear (&arguments);
  return ok;
}

/* @copies: the blocks; the first one is the one at @start. */
static gboolean
take_turns (PtEdgeSearch *r, PtCuPointer start, PtCuPointer end, const PtCuPointer *copies,
            guint n_copies, PtCudaGraphEdges *result)
{
  guint n_writers = 0;
  PtCuPointer now = start;

  for (gsize i = 0; i < r->n; i++) {
    Use use = use_of (r, &r->nodes[i], start, end);

    if (use == USE_WRITE)
      now = copies[n_writers++ % n_copies];
    if (use == USE_NONE || now == start)
      continue;
    result->n_moved += use == USE_WRITE;
    if (!move_node (r, &r->nodes[i], start, end, now))
      return FALSE;
  }
  return TRUE;
}

static gboolean
rename_block (PtEdgeSearch *r, PtCuPointer start, PtCuPointer end, gsize *spare_used,
              PtCudaGraphEdges *result)
{
  gsize size = (end - start + ALIGNMENT - 1) & ~(gsize) (ALIGNMENT - 1);
  PtCuPointer copies[MAX_COPIES] = { start };
  guint n_writers = count_writers (r, start, end), n = 1;

  while (n < MIN (n_writers, MAX_COPIES) && r->view->spare_size - *spare_used >= size) {
    copies[n++] = r->view->spare + *spare_used;
    *spare_used += size;
  }
  return n < 2 || take_turns (r, start, end, copies, n, result);
}

gboolean
pt_edges_rename_buffers (PtEdgeSearch *r, PtCudaGraphEdges *result)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  guint n_ranges = r->ranges->len;
  gsize spare_used = 0;

  if (r->view->is_passing == NULL || r->view->spare == 0 || result->n_barriers > 0 ||
      r->cu->cuFuncGetParamInfo == NULL || r->cu->cuGraphKernelNodeSetParams == NULL)
    return TRUE;
  for (guint i = 0; i < n_ranges; i++) {
    const PtEdgeRange range = *range_at (r, i);

    if (!range.is_write || range.end - range.start > MAX_SIZE ||
        !g_hash_table_add (seen, (gpointer) (guintptr) range.start) ||
        !r->view->is_passing (range.start, r->view->user_data))
      continue;
    if (!rename_block (r, range.start, range.end, &spare_used, result)) {
      result->is_broken = TRUE;
      return FALSE;
    }
  }
  return TRUE;
}
