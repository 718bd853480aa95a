/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Memory for the tables that are resolved from one file; it is freed at once.
 *
 * In a file many offsets may point at the same table or list, so that a few bytes describe huge
 * tables. Therefore the store has a budget in proportion to the size of the file. Allocations
 * count, and elements that are only visited count through pt_store_charge(). Real files use a small
 * part of the budget.
 */
typedef struct {
  GPtrArray *blocks;
  guint8 *next;
  gsize left;          /* bytes of the newest block */
  gsize budget;        /* bytes */
  gboolean is_refused; /* an allocation failed because the system had no memory, not because of the
                          budget */
} PtStore;

void pt_store_init (PtStore *store, gsize file_size);
void pt_store_clear (PtStore *store);

/** Charge the budget for visiting @count items of @size bytes. FALSE when it is exceeded. */
gboolean pt_store_charge (PtStore *store, gsize count, gsize size);

/**
 * Allocate zeroed memory, aligned to 16. NULL when the budget is exceeded, or the system has no
 * memory (then is_refused is set).
 */
gpointer pt_store_alloc (PtStore *store, gsize count, gsize size);

#define pt_store_new(store, type, count) ((type *) pt_store_alloc (store, count, sizeof (type)))

G_END_DECLS
