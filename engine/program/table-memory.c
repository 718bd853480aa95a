/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/program/table-memory.h"

#include "engine/program/checked.h"

#define BUDGET_PER_BYTE 16
#define BUDGET_BASE (1u << 20)
#define BLOCK_BYTES (16u << 10)
#define ALIGNMENT 16

void
pt_store_init (PtStore *store, gsize file_size)
{
  store->blocks = g_ptr_array_new_with_free_func (g_free);
  store->next = NULL;
  store->left = 0;
  store->is_refused = FALSE;
  if (!pt_mul_size (file_size, BUDGET_PER_BYTE, &store->budget) ||
      !pt_add_size (store->budget, BUDGET_BASE, &store->budget))
    store->budget = G_MAXSIZE;
}

void
pt_store_clear (PtStore *store)
{
  g_clear_pointer (&store->blocks, g_ptr_array_unref);
}

gboolean
pt_store_charge (PtStore *store, gsize count, gsize size)
{
  gsize bytes;

  if (!pt_mul_size (count, size, &bytes) || bytes > store->budget)
    return FALSE;
  store->budget -= bytes;
  return TRUE;
}

gpointer
pt_store_alloc (PtStore *store, gsize count, gsize size)
{
  gsize bytes;
  guint8 *result;

  if (!pt_mul_size (count, size, &bytes) || !pt_add_size (bytes, ALIGNMENT - 1, &bytes))
    return NULL;
  bytes -= bytes % ALIGNMENT;
  if (!pt_store_charge (store, 1, bytes))
    return NULL;
  if (bytes > store->left || store->next == NULL) {
    gsize block = MAX (bytes, BLOCK_BYTES);

    store->next = g_try_malloc0 (block);
    store->left = store->next != NULL ? block : 0;
    if (store->next == NULL) {
      store->is_refused = TRUE;
      return NULL;
    }
    g_ptr_array_add (store->blocks, store->next);
  }
  result = store->next;
  store->next += bytes;
  store->left -= bytes;
  return result;
}
