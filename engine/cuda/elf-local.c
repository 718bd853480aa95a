/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/elf-local.h"

#include <string.h>

#include "engine/program/checked.h"

enum { HEADER_SIZE = 64, SECTION_SIZE = 64, SYMBOL_SIZE = 24 };
enum { SECTION_DYNAMIC_SYMBOLS = 11 };
enum { BIND_GLOBAL = 1, BIND_UNIQUE = 10 };

static guint64
read_number (const guint8 *p, guint n_bytes)
{
  guint64 value = 0;

  for (guint i = n_bytes; i-- > 0;)
    value = value << 8 | p[i];
  return value;
}

/* The upper half of a symbol's fifth byte says how it is bound. */
static guint
change_symbols (guint8 *symbols, guint64 n_symbols)
{
  guint n = 0;

  for (guint64 i = 0; i < n_symbols; i++) {
    guint8 *info = symbols + i * SYMBOL_SIZE + 4;

    if (*info >> 4 != BIND_UNIQUE)
      continue;
    *info = (guint8) (BIND_GLOBAL << 4 | (*info & 15));
    n++;
  }
  return n;
}

guint
pt_elf_make_local (guint8 *bytes, gsize size)
{
  static const guint8 magic[] = { 0x7f, 'E', 'L', 'F', 2, 1 }; /* 64 bits, little-endian */
  guint64 sections, n_sections;
  guint n = 0;

  if (size < HEADER_SIZE || memcmp (bytes, magic, sizeof magic) != 0)
    return 0;
  sections = read_number (bytes + 40, 8);
  n_sections = read_number (bytes + 60, 2);
  if (read_number (bytes + 58, 2) != SECTION_SIZE ||
      !pt_range_fits (sections, n_sections * SECTION_SIZE, size))
    return 0;
  for (guint64 i = 0; i < n_sections; i++) {
    const guint8 *section = bytes + sections + i * SECTION_SIZE;
    guint64 offset = read_number (section + 24, 8), length = read_number (section + 32, 8);

    if (read_number (section + 4, 4) == SECTION_DYNAMIC_SYMBOLS &&
        pt_range_fits (offset, length, size))
      n += change_symbols (bytes + offset, length / SYMBOL_SIZE);
  }
  return n;
}
