/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/xnnpack/elementwise-chain.h"

#include "engine/xnnpack/xnn-elementwise.h"

#define MAX_CHAIN 8
/* Elements that the nodes do in turn, and of a piece of the loop. */
#define BLOCK 2048
#define GRAIN (4 * BLOCK)
/* With fewer elements than this, finding a chain costs more than it saves. */
#define LEAST_ELEMENTS (2 * GRAIN)

typedef struct {
  PtXnnElementwise nodes[MAX_CHAIN];
  guint n;
} Chain;

static gboolean
overlap (const PtXnnValue *a, const PtXnnValue *b)
{
  const guint8 *p = a->data, *q = b->data;

  return p < q + b->nbytes && q < p + a->nbytes;
}

/* Whether element i of both lies in the same place, or in none that the other has. */
static gboolean
can_interleave (const PtXnnValue *a, const PtXnnValue *b)
{
  return !overlap (a, b) || (a->data == b->data && a->numel == b->numel);
}

/*
 * Whether @later can do a block before @earlier has done the next one: it reads, of what @earlier
 * writes, only the elements of its own block, and overwrites none that @earlier still reads.
 */
static gboolean
can_follow (const PtXnnElementwise *earlier, const PtXnnElementwise *later)
{
  const PtXnnValue *before[] = { earlier->a, earlier->b }, *after[] = { later->a, later->b };

  for (guint i = 0; i < G_N_ELEMENTS (before); i++)
    if ((before[i] != NULL && !can_interleave (before[i], later->y)) ||
        (after[i] != NULL && !can_interleave (earlier->y, after[i])))
      return FALSE;
  return can_interleave (earlier->y, later->y);
}

static gboolean
can_join (const Chain *chain, const PtXnnElementwise *node)
{
  if (node->y->numel < LEAST_ELEMENTS || node->y->numel != chain->nodes[0].y->numel)
    return FALSE;
  for (guint i = 0; i < chain->n; i++)
    if (!can_follow (&chain->nodes[i], node))
      return FALSE;
  return TRUE;
}

static void
run_blocks (gpointer data, gsize begin, gsize end, guint worker)
{
  const Chain *chain = data;

  for (; begin < end; begin += MIN (BLOCK, end - begin))
    for (guint i = 0; i < chain->n; i++)
      pt_xnn_elementwise_run (&chain->nodes[i], begin, begin + MIN (BLOCK, end - begin));
}

guint
pt_xnn_run_chain (const PtXnnGraph *graph, guint i)
{
  Chain chain; /* filled as far as it goes: this is called for each node */
  guint n = 0;

  chain.n = 0;
  for (guint k = i; k < graph->n_nodes && chain.n < MAX_CHAIN; k++) {
    const PtXnnNode *node = &graph->nodes[k];
    PtXnnElementwise *next = &chain.nodes[chain.n];

    if (node->run == NULL) /* a view */
      continue;
    if (!pt_xnn_elementwise_init (next, graph, node) || !can_join (&chain, next))
      break;
    chain.n++;
    n = k + 1 - i;
  }
  if (chain.n < 2)
    return 0;
  pt_pool_run (graph->pool, chain.nodes[0].y->numel, GRAIN, run_blocks, &chain);
  return n;
}
