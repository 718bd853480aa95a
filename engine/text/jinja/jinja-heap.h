/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * PtJinjaHeap: memory with a budget that is freed all at once. Not for several threads.
 */
typedef struct _PtJinjaHeap PtJinjaHeap;

/** @budget: in bytes. */
PtJinjaHeap *pt_jinja_heap_new (gsize budget);
void pt_jinja_heap_free (PtJinjaHeap *heap);

/** Allocate @size zeroed bytes; NULL: over the budget, or out of memory. */
gpointer pt_jinja_heap_take (PtJinjaHeap *heap, gsize size);

G_END_DECLS
