/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/runtime/memory.h"

#include <string.h>

#ifdef G_OS_WIN32
#include <windows.h>
#else
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "engine/base/set-error.h"
#include "engine/program/checked.h"

#define ALIGNMENT 64
/* For fewer bytes, clearing is faster than returning the pages and faulting them in again. */
#define CLEAR_IN_PLACE (256 * 1024)
#define ARENA_CHUNK (1024 * 1024)
/* Bytes that pt_pages_grow() requests at a time; a multiple of every page size. */
#define GROWTH (64 * 1024)
/* Bytes of a large page of most processors; what has other large pages refuses them. */
#define LARGE_PAGE (2 * 1024 * 1024)
#if defined __linux__ && !defined MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

/* Reserve more on 64-bit systems, which have plenty of address space. */
#if GLIB_SIZEOF_SIZE_T >= 8
#define ARENA_RESERVE ((gsize) 64 * 1024 * 1024 * 1024)
#else
#define ARENA_RESERVE ((gsize) 256 * 1024 * 1024)
#endif
#define ARENA_RESERVE_MIN ((gsize) 64 * 1024 * 1024)

#ifdef G_OS_WIN32

static gpointer
system_map (gsize size)
{
  return VirtualAlloc (NULL, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

static gpointer
system_reserve (gsize size)
{
  return VirtualAlloc (NULL, size, MEM_RESERVE, PAGE_NOACCESS);
}

static gboolean
system_commit (gpointer data, gsize size)
{
  return VirtualAlloc (data, size, MEM_COMMIT, PAGE_READWRITE) != NULL;
}

static void
system_unmap (gpointer data, gsize size)
{
  VirtualFree (data, 0, MEM_RELEASE);
}

static gboolean
system_clear (gpointer data, gsize size)
{
  return VirtualFree (data, size, MEM_DECOMMIT) && system_commit (data, size);
}

static void
system_touch (gpointer data, gsize size)
{
}

static void
system_collapse (gpointer data, gsize size)
{
}

guint64
pt_physical_memory (void)
{
  MEMORYSTATUSEX status = { .dwLength = sizeof status };

  return GlobalMemoryStatusEx (&status) ? status.ullTotalPhys : 0;
}

#else

#ifndef MAP_NORESERVE
#define MAP_NORESERVE 0
#endif

static gpointer
system_map_protected (gsize size, int protection)
{
  gpointer data = mmap (NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

  return data != MAP_FAILED ? data : NULL;
}

static gpointer
system_map (gsize size)
{
  return system_map_protected (size, PROT_READ | PROT_WRITE);
}

static gpointer
system_reserve (gsize size)
{
  return system_map_protected (size, PROT_NONE);
}

static gboolean
system_commit (gpointer data, gsize size)
{
  return mprotect (data, size, PROT_READ | PROT_WRITE) == 0;
}

static void
system_unmap (gpointer data, gsize size)
{
  munmap (data, size);
}

static gboolean
system_clear (gpointer data, gsize size)
{
#ifdef __linux__
  return madvise (data, size, MADV_DONTNEED) == 0; /* the pages read as zeros again */
#else
  return FALSE;
#endif
}

static void
system_touch (gpointer data, gsize size)
{
#ifdef MADV_POPULATE_WRITE
  madvise (data, size, MADV_POPULATE_WRITE); /* since Linux 5.14 */
#endif
}

static void
system_collapse (gpointer data, gsize size)
{
#ifdef __linux__
  madvise (data, size, MADV_COLLAPSE); /* since Linux 6.1 */
#endif
}

guint64
pt_physical_memory (void)
{
  glong pages = sysconf (_SC_PHYS_PAGES);
  glong page_size = sysconf (_SC_PAGESIZE);

  return pages > 0 && page_size > 0 ? (guint64) pages * (guint64) page_size : 0;
}

#endif

static gboolean
fail_memory (gsize size, GError **error)
{
  return pt_fail (error, PT_ERROR_MEMORY,
                  "The system has no %.1f MB of memory to give (ExecuTorch error 0x21).",
                  (double) size / 1e6);
}

/* The address sanitizer needs red zones of this many bytes before and behind the pages. */
#ifdef PT_ADDRESS_SANITIZER
#define FENCE 4096
#else
#define FENCE 0
#endif

gboolean
pt_pages_map (PtPages *pages, gsize size, GError **error)
{
  guint8 *data;

  pages->data = NULL;
  pages->size = 0;
  if (size == 0)
    return TRUE;
  data = size <= G_MAXSSIZE - 2 * FENCE ? system_map (size + 2 * FENCE) : NULL;
  if (data == NULL)
    return fail_memory (size, error);
  pages->data = data + FENCE;
  pages->size = size;
  PT_POISON (data, FENCE);
  PT_POISON (pages->data + size, FENCE);
  return TRUE;
}

void
pt_pages_unmap (PtPages *pages)
{
  if (pages->data != NULL) {
    PT_UNPOISON (pages->data - FENCE, pages->size + 2 * FENCE);
    system_unmap (pages->data - FENCE, pages->size + 2 * FENCE);
  }
  pages->data = NULL;
  pages->size = 0;
}

void
pt_pages_clear (PtPages *pages)
{
  if (pages->size == 0)
    return;
  if (pages->size > CLEAR_IN_PLACE && system_clear (pages->data, pages->size))
    return;
  memset (pages->data, 0, pages->size);
}

/* Joins the large pages that begin in front of @from, behind @begin, and end in front of @to. */
static void
join_pages (guintptr begin, guintptr from, guintptr to)
{
  guintptr first = MAX (from / LARGE_PAGE, (begin + LARGE_PAGE - 1) / LARGE_PAGE) * LARGE_PAGE;
  guintptr end = to / LARGE_PAGE * LARGE_PAGE;

  if (end > first)
    system_collapse ((gpointer) first, end - first);
}

void
pt_pages_grow (gconstpointer begin, gpointer data, gsize size, gconstpointer end)
{
  guintptr last = (guintptr) data + size - 1, block = last - last % GROWTH;

  if (size == 0)
    return;
  join_pages ((guintptr) begin, (guintptr) data, last + 1);
  if (block >= (guintptr) data)
    system_touch ((gpointer) block, MIN ((guintptr) end - block, GROWTH));
}

gboolean
pt_arena_init (PtArena *arena, GError **error)
{
  guint64 physical = pt_physical_memory ();

  memset (arena, 0, sizeof *arena);
  arena->reserved = ARENA_RESERVE;
  if (physical > ARENA_RESERVE_MIN)
    arena->reserved = (gsize) MIN (ARENA_RESERVE, physical / ARENA_CHUNK * ARENA_CHUNK);
  /* An address space limit (ulimit -v) may forbid the full size. */
  for (; arena->reserved >= ARENA_RESERVE_MIN; arena->reserved /= 4) {
    arena->base = system_reserve (arena->reserved);
    if (arena->base != NULL)
      return TRUE;
  }
  return fail_memory (ARENA_RESERVE_MIN, error);
}

void
pt_arena_clear (PtArena *arena)
{
  if (arena->base != NULL) {
    PT_UNPOISON (arena->base, arena->committed);
    system_unmap (arena->base, arena->reserved);
  }
  memset (arena, 0, sizeof *arena);
}

gpointer
pt_arena_take (PtArena *arena, gsize size, GError **error)
{
  gsize used = arena->used; /* always a multiple of ALIGNMENT */
  gsize grow;

  if (size > arena->reserved - used) {
    fail_memory (size, error);
    return NULL;
  }
  if (size > arena->committed - used) {
    /* Grow by at least a chunk and at least a quarter, so that growing stays rare. */
    grow = MAX (used + size - arena->committed, MAX (ARENA_CHUNK, arena->committed / 4));
    grow = (grow + ARENA_CHUNK - 1) / ARENA_CHUNK * ARENA_CHUNK;
    grow = MIN (grow, arena->reserved - arena->committed);
    if (!system_commit (arena->base + arena->committed, grow)) {
      fail_memory (size, error);
      return NULL;
    }
    PT_POISON (arena->base + arena->committed, grow);
    arena->committed += grow;
  }
  arena->used = MIN ((used + size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT, arena->committed);
  PT_UNPOISON (arena->base + used, size);
  return arena->base + used;
}
