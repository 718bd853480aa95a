/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * PtHeap: the memory of one report, which is freed at once with the last reference.
 *
 * One thread fills it; then nothing in it changes any more, and any thread may read it, and take
 * and give back references.
 */
typedef struct _PtHeap PtHeap;

/** With one reference, for pt_heap_unref(). */
PtHeap *pt_heap_new (void);
PtHeap *pt_heap_ref (PtHeap *heap);
void pt_heap_unref (PtHeap *heap);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtHeap, pt_heap_unref)

/** @heap owns @memory, which is of g_malloc(), from now on. Returns it. */
gpointer pt_heap_take (PtHeap *heap, gpointer memory);

/** @heap owns @memory from now on, and frees it with @free. */
void pt_heap_hold (PtHeap *heap, gpointer memory, GDestroyNotify free);

/** A struct or array of zeros. */
#define pt_heap_new0(heap, type, n) ((type *) pt_heap_take ((heap), g_new0 (type, (n))))

/** The items of @array, which is freed; @n: how many. NULL when there are none. */
gpointer pt_heap_take_array (PtHeap *heap, GArray *array, guint *n);

/** A copy of @text, made valid UTF-8 where it is not; NULL for NULL. */
const char *pt_heap_text (PtHeap *heap, const char *text);
/** The same for @length bytes of a file, which need not end at a zero. A zero ends the text. */
const char *pt_heap_bytes (PtHeap *heap, const char *bytes, gsize length);

/** A copy of @texts, a list that ends with NULL, each as pt_heap_text() makes it. */
const char *const *pt_heap_texts (PtHeap *heap, const char *const *texts);
/** The texts in @list, which belong to @heap already, as a list that ends with NULL. Frees @list.
 */
const char *const *pt_heap_take_texts (PtHeap *heap, GPtrArray *list);

G_END_DECLS
