/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/text/charsmap.h"

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/set-error.h"

/* The longest replacement in Unicode has 33 bytes. */
#define MAX_REPLACEMENT 256

struct _PtCharsMap {
  guint32 *units;
  gsize n_units;
  char *texts; /* zero-terminated replacements, one after the other */
  gsize texts_size;
};

PtCharsMap *
pt_chars_map_new (const char *blob, gsize size, GError **error)
{
  g_autoptr (PtCharsMap) self = g_new0 (PtCharsMap, 1);
  guint32 trie_size = 0;

  if (size >= sizeof trie_size)
    memcpy (&trie_size, blob, sizeof trie_size);
  trie_size = GUINT32_FROM_LE (trie_size);
  if (size < sizeof trie_size || trie_size == 0 || trie_size % sizeof (guint32) != 0 ||
      trie_size >= size - sizeof trie_size || blob[size - 1] != '\0') {
    pt_fail (error, PT_ERROR_TOKENIZER, "Its table of characters to replace is damaged.");
    return NULL;
  }
  self->n_units = trie_size / sizeof (guint32);
  self->units = pt_allocate (self->n_units, sizeof (guint32), error);
  if (self->units == NULL)
    return NULL;
  memcpy (self->units, blob + sizeof trie_size, trie_size);
  for (gsize i = 0; i < self->n_units; i++)
    self->units[i] = GUINT32_FROM_LE (self->units[i]);
  self->texts_size = size - sizeof trie_size - trie_size;
  self->texts = pt_allocate (self->texts_size, 1, error);
  if (self->texts == NULL)
    return NULL;
  memcpy (self->texts, blob + sizeof trie_size + trie_size, self->texts_size);
  return g_steal_pointer (&self);
}

void
pt_chars_map_free (PtCharsMap *self)
{
  if (self == NULL)
    return;
  g_free (self->units);
  g_free (self->texts);
  g_free (self);
}

/*
 * A unit of the double array. A node: bits 0 to 7 are the label (the byte that leads to it), bit 8
 * means that a sequence ends here, bit 9 that the offset is in units of 256, bits 10 to 30 are the
 * offset. The child for byte b is at index ^ offset ^ b; the value is at index ^ offset. A value:
 * bit 31 and 31 bits.
 */

static inline guint32
unit_offset (guint32 unit)
{
  return (unit >> 10) << ((unit & (1u << 9)) >> 6);
}

static inline guint32
unit_label (guint32 unit)
{
  return unit & ((1u << 31) | 0xFF);
}

static gsize
match (const PtCharsMap *self, const char *text, gsize length, gboolean first,
       const char **replacement, gsize *replacement_length)
{
  guint32 place = unit_offset (self->units[0]);
  gsize found = 0;

  for (gsize i = 0; i < length; i++) {
    guint32 byte = (guint8) text[i], unit, value;

    place ^= byte;
    if (place >= self->n_units || unit_label (self->units[place]) != byte)
      break;
    unit = self->units[place];
    place ^= unit_offset (unit);
    if ((unit >> 8 & 1) == 0 || place >= self->n_units)
      continue;
    value = self->units[place] & ~(1u << 31);
    if (value >= self->texts_size)
      continue;
    found = i + 1;
    *replacement = self->texts + value;
    if (first)
      break;
  }
  if (found > 0)
    *replacement_length = strnlen (*replacement, MAX_REPLACEMENT);
  return found;
}

gsize
pt_chars_map_match (const PtCharsMap *self, const char *text, gsize length,
                    const char **replacement, gsize *replacement_length)
{
  return match (self, text, length, FALSE, replacement, replacement_length);
}

gsize
pt_chars_map_first (const PtCharsMap *self, const char *text, gsize length,
                    const char **replacement, gsize *replacement_length)
{
  return match (self, text, length, TRUE, replacement, replacement_length);
}
