/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

/* The address sanitizer does not know the bounds of memory that comes straight from the system;
 * these macros tell it. */
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PT_ADDRESS_SANITIZER 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define PT_ADDRESS_SANITIZER 1
#endif
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
 * Anonymous zero pages straight from the system. A page costs memory only once it has been
 * touched, so that a plan may be much larger than what a run uses.
 */

typedef struct {
  guint8 *data; /* aligned to a page; NULL when @size is 0 */
  gsize size;
} PtPages;

/** @size zero bytes. An ordinary PT_ERROR_MEMORY when the system refuses. */
gboolean pt_pages_map (PtPages *pages, gsize size, GError **error);
void pt_pages_unmap (PtPages *pages);

/** Make all bytes zero again; gives touched pages back to the system where that is cheaper. */
void pt_pages_clear (PtPages *pages);

/**
 * For memory that is filled bit by bit up to @end, of which @size bytes at @data are written now:
 * have the system provide the next pages together, where it can. Page by page, in between other
 * work, they cost ten times as much. The content of the pages stays.
 */
void pt_pages_grow (gpointer data, gsize size, gconstpointer end);

/** Physical memory of the machine. */
guint64 pt_physical_memory (void);

/**
 * PtArena: scratch memory that is handed out piece by piece and emptied at once. Address space
 * is reserved when it is made; memory is added in chunks, which stay, so that pieces never move
 * and nothing comes from the heap.
 */
typedef struct {
  guint8 *base;
  gsize reserved, committed, used;
} PtArena;

gboolean pt_arena_init (PtArena *arena, GError **error);
void pt_arena_clear (PtArena *arena);

/** @size bytes aligned to 64, not cleared; NULL with PT_ERROR_MEMORY. */
gpointer pt_arena_take (PtArena *arena, gsize size, GError **error);

/** Free all pieces. */
static inline void
pt_arena_reset (PtArena *arena)
{
  PT_POISON (arena->base, arena->used);
  arena->used = 0;
}

G_END_DECLS
