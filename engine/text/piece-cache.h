/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/error.h>

G_BEGIN_DECLS

/**
 * PtPieceCache: the ids of pieces that came lately, because most words of a text come often, and
 * one look here is cheaper than the many in a large vocabulary. Some 256 KB; one for each thread.
 */
typedef struct _PtPieceCache PtPieceCache;

/** NULL with PT_ERROR_MEMORY. */
PtPieceCache *pt_piece_cache_new (GError **error);
void pt_piece_cache_free (PtPieceCache *cache);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PtPieceCache, pt_piece_cache_free)

/** Forget everything. */
void pt_piece_cache_clear (PtPieceCache *cache);
/** Append the ids of @piece to @ids (gint32) when they are known. */
gboolean pt_piece_cache_get (const PtPieceCache *cache, const char *piece, gsize length,
                             GArray *ids);
/** Remember that @piece has the ids in @ids from @first on. */
void pt_piece_cache_put (PtPieceCache *cache, const char *piece, gsize length, const GArray *ids,
                         guint first);

G_END_DECLS
