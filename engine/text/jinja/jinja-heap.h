/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * PtJinjaHeap: memory that is given back all at once, and of which there is only so much. Not for
 * several threads.
 */
typedef struct _PtJinjaHeap PtJinjaHeap;

/** @budget: in bytes. */
PtJinjaHeap *pt_jinja_heap_new (gsize budget);
void pt_jinja_heap_free (PtJinjaHeap *heap);

/** @size bytes of zeroes, or NULL: above the budget, or no memory. */
gpointer pt_jinja_heap_take (PtJinjaHeap *heap, gsize size);

G_END_DECLS
