/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Memory for the tables resolved from one file, freed at once.
 *
 * A file may let many offsets point at one table or list, so a few bytes can describe a great
 * deal. The store therefore has a budget in proportion to the file: what is allocated and, by
 * pt_store_charge(), what is looked at. Real files need a small part of it.
 */
typedef struct {
  GPtrArray *blocks;
  guint8 *next;
  gsize left;          /* bytes of the newest block */
  gsize budget;        /* bytes */
  gboolean is_refused; /* the system had no memory, which is not the file's fault */
} PtStore;

void pt_store_init (PtStore *store, gsize file_size);
void pt_store_clear (PtStore *store);

/** FALSE when looking at @count items of @size bytes exceeds the budget. */
gboolean pt_store_charge (PtStore *store, gsize count, gsize size);

/** Zeroed memory aligned to 16; NULL when it exceeds the budget or, with is_refused, there is
 * none. */
gpointer pt_store_alloc (PtStore *store, gsize count, gsize size);

#define pt_store_new(store, type, count) ((type *) pt_store_alloc (store, count, sizeof (type)))

G_END_DECLS
