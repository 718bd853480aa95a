/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/runtime/memory.h"

#include <string.h>

#include "tests/unit/under-qemu.h"

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

#define KB ((gsize) 1024)

static gboolean
is_filled (const guint8 *data, gsize size, guint8 value)
{
  for (gsize i = 0; i < size; i++)
    if (data[i] != value)
      return FALSE;
  return TRUE;
}

static void
map (PtPages *pages, gsize size)
{
  GError *error = NULL;

  pt_pages_map (pages, size, &error);
  g_assert_no_error (error);
}

/* Small ones are cleared in place, large ones given back. */
static void
test_clear (void)
{
  const gsize sizes[] = { 0, 1, 5000, 256 * KB, 3 * KB * KB + 17 };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++) {
    PtPages pages;

    map (&pages, sizes[i]);
    g_assert_true (is_filled (pages.data, pages.size, 0));
    if (pages.size > 0)
      memset (pages.data, 7, pages.size);
    pt_pages_clear (&pages);
    g_assert_true (is_filled (pages.data, pages.size, 0));
    pt_pages_unmap (&pages);
  }
}

#if defined(__linux__) && defined(MADV_POPULATE_WRITE)

static gsize
count_resident (guint8 *data, gsize size)
{
  unsigned char resident[1024];
  gsize page = (gsize) sysconf (_SC_PAGESIZE), n = 0;

  g_assert_cmpuint (size / page, <=, sizeof resident);
  g_assert_cmpint (mincore (data, size, resident), ==, 0);
  for (gsize i = 0; i < size / page; i++)
    n += resident[i] & 1;
  return n * page;
}

/* Rows of 3 KB are written one after the other, as into a cache. */
static void
test_grow (void)
{
  const gsize row = 3 * KB, size = 512 * KB, end = 300 * KB;
  guint8 *block;
  PtPages pages;

  map (&pages, size + 64 * KB);
  block = pages.data + (64 * KB - (guintptr) pages.data % (64 * KB)) % (64 * KB);
  if (under_qemu () || madvise (block + size - 4 * KB, 4 * KB, MADV_POPULATE_WRITE) != 0) {
    g_test_skip ("The system gives no pages in advance.");
    pt_pages_unmap (&pages);
    return;
  }
  for (gsize at = 0; at + row <= end; at += row) {
    pt_pages_grow (block, block + at, row, block + end);
    g_assert_cmpuint (count_resident (block, end), >=,
                      MIN (((at + row - 1) / (64 * KB) + 1) * 64 * KB, end));
    memset (block + at, 9, row);
  }
  g_assert_true (is_filled (block, end, 9));
  g_assert_cmpuint (count_resident (block, size), <=, end + 64 * KB); /* and the last page */
  pt_pages_unmap (&pages);
}

/* Kilobytes of large pages in this process. */
static guint64
count_large (void)
{
  g_autofree char *text = NULL;
  const char *line;

  if (!g_file_get_contents ("/proc/self/smaps_rollup", &text, NULL, NULL))
    return 0;
  line = strstr (text, "AnonHugePages:");
  return line != NULL ? g_ascii_strtoull (line + strlen ("AnonHugePages:"), NULL, 10) : 0;
}

/* Whether the system gives large pages for any memory, at the first write. */
static gboolean
gives_large_at_once (void)
{
  g_autofree char *text = NULL;

  return g_file_get_contents ("/sys/kernel/mm/transparent_hugepage/enabled", &text, NULL, NULL) &&
         strstr (text, "[always]") != NULL;
}

/* Full pages are joined where the system can do that; no byte changes, in any order of the rows. */
static void
test_grow_large (void)
{
  const gsize large = 2048 * KB, row = 3 * KB, rows[] = { 1, 700, 1, 1, 340, 682, 300 };
  const guint8 *begin;
  gsize at = 0;
  guint64 before;
  guint8 *block;
  PtPages pages;

  map (&pages, 5 * large);
  block = pages.data + (large - (guintptr) pages.data % large) % large;
  before = count_large ();
  memset (block + 3 * large, 1, large);
  if (under_qemu () || madvise (block + 3 * large, large, 25 /* MADV_COLLAPSE */) != 0 ||
      count_large () < before + 2048) {
    g_test_skip ("The system joins no pages.");
    pt_pages_unmap (&pages);
    return;
  }
  before = count_large ();
  begin = block + 5 * KB; /* in front of it is memory of others, which stays as it is */
  for (gsize i = 0; i < G_N_ELEMENTS (rows); at += rows[i++] * row) {
    pt_pages_grow (begin, (guint8 *) begin + at, rows[i] * row, block + 3 * large);
    memset ((guint8 *) begin + at, 9, rows[i] * row);
  }
  g_assert_cmpuint (at, >, 2 * large);
  g_assert_true (is_filled (begin, at, 9));
  g_assert_true (is_filled (block, 5 * KB, 0));
  g_assert_true (is_filled (begin + at, (gsize) (block + 3 * large - begin) - at, 0));
  if (count_large () < before + 2048) /* the second page; the system may have become unable to */
    g_assert_cmpint (madvise (block + large, large, 25), !=, 0);
  if (!gives_large_at_once ())
    g_assert_cmpuint (count_large (), <=, before + 2048); /* not the first */
  pt_pages_unmap (&pages);
}

#endif

/* Nothing to write, and the last bytes of all. */
static void
test_grow_ends (void)
{
  PtPages pages;

  map (&pages, 128 * KB);
  pt_pages_grow (pages.data, pages.data, 0, pages.data + pages.size);
  pt_pages_grow (pages.data, pages.data + pages.size, 0, pages.data + pages.size);
  pt_pages_grow (pages.data, pages.data + pages.size - 1, 1, pages.data + pages.size);
  pt_pages_grow (pages.data, pages.data, pages.size, pages.data + pages.size);
  g_assert_true (is_filled (pages.data, pages.size, 0));
  pt_pages_unmap (&pages);
}

static void
test_arena (void)
{
  guint8 *pieces[40];
  GError *error = NULL;
  PtArena arena;

  pt_arena_init (&arena, &error);
  g_assert_no_error (error);
  for (guint round = 0; round < 2; round++) {
    for (guint i = 0; i < G_N_ELEMENTS (pieces); i++) {
      guint8 *piece = pt_arena_take (&arena, 100 * KB + i, &error);

      g_assert_no_error (error);
      g_assert_cmpuint ((guintptr) piece % 64, ==, 0);
      g_assert_true (round == 0 || piece == pieces[i]);
      pieces[i] = memset (piece, (int) i, 100 * KB + i);
    }
    for (guint i = 0; i < G_N_ELEMENTS (pieces); i++)
      g_assert_true (is_filled (pieces[i], 100 * KB + i, (guint8) i));
    pt_arena_reset (&arena);
  }
  pt_arena_clear (&arena);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/memory/clear", test_clear);
#if defined(__linux__) && defined(MADV_POPULATE_WRITE)
  g_test_add_func ("/memory/grow", test_grow);
  g_test_add_func ("/memory/grow-large", test_grow_large);
#endif
  g_test_add_func ("/memory/grow-ends", test_grow_ends);
  g_test_add_func ("/memory/arena", test_arena);
  return g_test_run ();
}
