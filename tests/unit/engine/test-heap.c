/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/heap.h"

/* A sanitizer checks that the last reference frees the memory. */
static void
test_all (void)
{
  g_autoptr (PtHeap) heap = pt_heap_new ();
  g_autoptr (PtHeap) other = pt_heap_ref (heap);
  GArray *array = g_array_new (FALSE, FALSE, sizeof (guint));
  guint *zeros = pt_heap_new0 (heap, guint, 3), *items;
  guint n = 7;

  g_assert_cmpuint (zeros[2], ==, 0);
  g_assert_null (pt_heap_take_array (heap, g_array_new (FALSE, FALSE, 4), &n));
  g_assert_cmpuint (n, ==, 0);
  for (guint i = 0; i < 100; i++)
    g_array_append_val (array, i);
  items = pt_heap_take_array (heap, array, &n);
  g_assert_cmpuint (n, ==, 100);
  g_clear_pointer (&other, pt_heap_unref);
  g_assert_cmpuint (items[99], ==, 99);
  g_assert_null (pt_heap_take (heap, NULL));
}

static void
test_texts (void)
{
  g_autoptr (PtHeap) heap = pt_heap_new ();

  g_assert_null (pt_heap_text (heap, NULL));
  g_assert_cmpstr (pt_heap_text (heap, "ä"), ==, "ä");
  g_assert_cmpstr (pt_heap_text (heap, "a\xff"), ==, "a\xef\xbf\xbd");
  g_assert_cmpstr (pt_heap_bytes (heap, "abc", 2), ==, "ab");
  g_assert_cmpstr (pt_heap_bytes (heap, NULL, 0), ==, "");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/heap/all", test_all);
  g_test_add_func ("/engine/heap/texts", test_texts);
  return g_test_run ();
}
