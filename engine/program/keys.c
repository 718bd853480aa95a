/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/program/keys.h"

#include <stdlib.h>
#include <string.h>

#define DISPLAY_BYTES 100

/* Compares the lengths first, so that long names rarely need a comparison of their bytes. */
static int
compare_keys (const void *a, const void *b)
{
  const PtKey *x = a, *y = b;

  if (x->length != y->length)
    return x->length < y->length ? -1 : 1;
  return memcmp (x->key, y->key, x->length);
}

const PtKey *
pt_keys_sort (PtKey *keys, gsize n)
{
  if (n < 2)
    return NULL;
  qsort (keys, n, sizeof *keys, compare_keys);
  for (gsize i = 1; i < n; i++)
    if (compare_keys (&keys[i - 1], &keys[i]) == 0)
      return &keys[i];
  return NULL;
}

gconstpointer
pt_keys_find (const PtKey *keys, gsize n, const char *key, gsize length)
{
  PtKey wanted = { key, length, NULL };
  const PtKey *found = NULL;

  if (n > 0)
    found = bsearch (&wanted, keys, n, sizeof *keys, compare_keys);
  return found != NULL ? found->item : NULL;
}

char *
pt_key_display (const char *bytes, gsize length)
{
  gsize shown = MIN (length, DISPLAY_BYTES);
  g_autofree char *valid = g_utf8_make_valid (bytes, (gssize) shown);

  return g_strconcat (valid, shown < length ? "…" : "", NULL);
}
