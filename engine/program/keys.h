/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * A sorted index of names from a file. The search takes logarithmic time for any names; a hash
 * table would become slow with names that were chosen to collide.
 */
typedef struct {
  const char *key; /* borrowed; may contain zero bytes */
  gsize length;
  gconstpointer item;
} PtKey;

/** Sort @keys. Returns a key that occurs twice, or NULL. */
const PtKey *pt_keys_sort (PtKey *keys, gsize n);

/** The item of a key in sorted @keys; NULL when the key is not found. */
gconstpointer pt_keys_find (const PtKey *keys, gsize n, const char *key, gsize length);

/** @bytes as short valid UTF-8 text for a message. Free with g_free(). */
char *pt_key_display (const char *bytes, gsize length);

G_END_DECLS
