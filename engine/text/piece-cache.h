/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/**
 * PtPieceCache: caches the ids of recent pieces. Most words of a text are repeated, and a cache
 * lookup is cheaper than the many lookups of a merge. About 256 KB; one for each thread.
 */
typedef struct _PtPieceCache PtPieceCache;

/** NULL with PT_ERROR_MEMORY. */
PtPieceCache *pt_piece_cache_new (GError **error);
void pt_piece_cache_free (PtPieceCache *cache);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtPieceCache, pt_piece_cache_free)

/** Forget everything. */
void pt_piece_cache_clear (PtPieceCache *cache);
/** If @piece is cached, append its ids to @ids (gint32) and return TRUE. */
gboolean pt_piece_cache_get (const PtPieceCache *cache, const char *piece, gsize length,
                             GArray *ids);
/** Cache the ids of @piece, which are in @ids from @first on. */
void pt_piece_cache_put (PtPieceCache *cache, const char *piece, gsize length, const GArray *ids,
                         guint first);

G_END_DECLS
