/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

#include "engine/base/sanitizer.h"

/*
 * Memory that comes straight from the system is unknown to the address sanitizer. These macros mark
 * its bounds.
 */
#ifdef PT_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#define PT_POISON(data, size) __asan_poison_memory_region ((data), (size))
#define PT_UNPOISON(data, size) __asan_unpoison_memory_region ((data), (size))
#else
#define PT_POISON(data, size) ((void) 0)
#define PT_UNPOISON(data, size) ((void) 0)
#endif

G_BEGIN_DECLS

/*
 * Anonymous zero pages from the system. A page takes physical memory only when it is first touched,
 * so planned memory may be much larger than the part that a run uses.
 */

typedef struct {
  guint8 *data; /* aligned to a page; NULL when @size is 0 */
  gsize size;
} PtPages;

/** Allocate @size zero bytes. FALSE with PT_ERROR_MEMORY when the system refuses. */
gboolean pt_pages_map (PtPages *pages, gsize size, GError **error);
void pt_pages_unmap (PtPages *pages);

/** Set all bytes to zero. Large ranges are returned to the system, which is faster. */
void pt_pages_clear (PtPages *pages);

/**
 * Announce a write of @size bytes at @data, in memory that is filled in order from @begin to @end.
 * Where possible, the system then provides the next pages in one request. Single page faults
 * between other work would take ten times as long. The content of the pages does not change.
 *
 * Pages that are full become large ones (of 2 MB, on Linux 6.1 and later): a virtual machine reads
 * these 1.3 times as fast, and no memory is taken that would not be used.
 */
void pt_pages_grow (gconstpointer begin, gpointer data, gsize size, gconstpointer end);

/** Bytes of physical memory of the machine. */
guint64 pt_physical_memory (void);

/**
 * PtArena: scratch memory for pieces that are freed together. The address space is reserved when
 * the arena is made. Memory is added in chunks and kept, so that pieces never move and nothing
 * comes from the heap.
 */
typedef struct {
  guint8 *base;
  gsize reserved, committed, used;
} PtArena;

gboolean pt_arena_init (PtArena *arena, GError **error);
void pt_arena_clear (PtArena *arena);

/** Allocate @size bytes aligned to 64, not cleared. NULL with PT_ERROR_MEMORY. */
gpointer pt_arena_take (PtArena *arena, gsize size, GError **error);

/** Free all pieces. */
static inline void
pt_arena_reset (PtArena *arena)
{
  PT_POISON (arena->base, arena->used);
  arena->used = 0;
}

G_END_DECLS
