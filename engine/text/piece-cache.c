/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/piece-cache.h"

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/text/vocabulary.h"

#define MAX_BYTES 30
#define MAX_IDS 8
#define N_ENTRIES 4096 /* a power of two */

/* One cache line; longer pieces are rarely repeated and are not cached. */
typedef struct {
  char bytes[MAX_BYTES];
  guint8 length; /* 0: free */
  guint8 n_ids;
  gint32 ids[MAX_IDS];
} Entry;

G_STATIC_ASSERT (sizeof (Entry) == 64);

struct _PtPieceCache {
  Entry *entries; /* direct-mapped: a new piece replaces the one in its slot */
  gpointer memory;
};

PtPieceCache *
pt_piece_cache_new (GError **error)
{
  g_autoptr (PtPieceCache) self = g_new0 (PtPieceCache, 1);

  self->memory = pt_allocate (N_ENTRIES + 1, sizeof (Entry), error);
  if (self->memory == NULL)
    return NULL;
  self->entries =
      (Entry *) (((guintptr) self->memory + sizeof (Entry) - 1) & ~(guintptr) (sizeof (Entry) - 1));
  return g_steal_pointer (&self);
}

void
pt_piece_cache_free (PtPieceCache *self)
{
  if (self == NULL)
    return;
  g_free (self->memory);
  g_free (self);
}

void
pt_piece_cache_clear (PtPieceCache *self)
{
  memset (self->entries, 0, N_ENTRIES * sizeof (Entry));
}

static inline Entry *
place_of (const PtPieceCache *self, const char *piece, gsize length)
{
  return &self->entries[pt_hash_bytes (0, piece, length) & (N_ENTRIES - 1)];
}

gboolean
pt_piece_cache_get (const PtPieceCache *self, const char *piece, gsize length, GArray *ids)
{
  const Entry *entry;

  if (length > MAX_BYTES)
    return FALSE;
  entry = place_of (self, piece, length);
  if (entry->length != length || memcmp (entry->bytes, piece, length) != 0)
    return FALSE;
  g_array_append_vals (ids, entry->ids, entry->n_ids);
  return TRUE;
}

void
pt_piece_cache_put (PtPieceCache *self, const char *piece, gsize length, const GArray *ids,
                    guint first)
{
  guint n = ids->len - first;
  Entry *entry;

  if (length == 0 || length > MAX_BYTES || n > MAX_IDS)
    return;
  entry = place_of (self, piece, length);
  memcpy (entry->bytes, piece, length);
  entry->length = (guint8) length;
  entry->n_ids = (guint8) n;
  /* A piece may have no ids at all, and the array no memory yet. */
  if (n > 0)
    memcpy (entry->ids, &g_array_index (ids, gint32, first), n * sizeof (gint32));
}
