/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/heap.h"

struct _PtHeap {
  gatomicrefcount references;
  GPtrArray *blocks;
  GArray *held; /* Held; NULL: none */
};

/* Memory that g_free() does not free. */
typedef struct {
  gpointer memory;
  GDestroyNotify free;
} Held;

PtHeap *
pt_heap_new (void)
{
  PtHeap *heap = g_new0 (PtHeap, 1);

  g_atomic_ref_count_init (&heap->references);
  heap->blocks = g_ptr_array_new_with_free_func (g_free);
  return heap;
}

PtHeap *
pt_heap_ref (PtHeap *heap)
{
  g_atomic_ref_count_inc (&heap->references);
  return heap;
}

void
pt_heap_unref (PtHeap *heap)
{
  if (!g_atomic_ref_count_dec (&heap->references))
    return;
  g_ptr_array_unref (heap->blocks);
  for (guint i = 0; heap->held != NULL && i < heap->held->len; i++) {
    const Held *held = &g_array_index (heap->held, Held, i);

    held->free (held->memory);
  }
  g_clear_pointer (&heap->held, g_array_unref);
  g_free (heap);
}

void
pt_heap_hold (PtHeap *heap, gpointer memory, GDestroyNotify free)
{
  const Held held = { memory, free };

  if (heap->held == NULL)
    heap->held = g_array_new (FALSE, FALSE, sizeof (Held));
  g_array_append_val (heap->held, held);
}

gpointer
pt_heap_take (PtHeap *heap, gpointer memory)
{
  if (memory != NULL)
    g_ptr_array_add (heap->blocks, memory);
  return memory;
}

gpointer
pt_heap_take_array (PtHeap *heap, GArray *array, guint *n)
{
  *n = array->len;
  /* An empty array has a block, too. */
  if (array->len > 0)
    return pt_heap_take (heap, g_array_free (array, FALSE));
  g_array_unref (array);
  return NULL;
}

const char *
pt_heap_bytes (PtHeap *heap, const char *bytes, gsize length)
{
  return pt_heap_take (heap, g_utf8_make_valid (length > 0 ? bytes : "", (gssize) length));
}

const char *
pt_heap_text (PtHeap *heap, const char *text)
{
  return text != NULL ? pt_heap_take (heap, g_utf8_make_valid (text, -1)) : NULL;
}

const char *const *
pt_heap_take_texts (PtHeap *heap, GPtrArray *list)
{
  g_ptr_array_add (list, NULL);
  return pt_heap_take (heap, g_ptr_array_free (list, FALSE));
}

const char *const *
pt_heap_texts (PtHeap *heap, const char *const *texts)
{
  GPtrArray *list = g_ptr_array_new ();

  for (guint i = 0; texts[i] != NULL; i++)
    g_ptr_array_add (list, (gpointer) pt_heap_text (heap, texts[i]));
  return pt_heap_take_texts (heap, list);
}
