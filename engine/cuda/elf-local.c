/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/elf-local.h"

#include <string.h>

#include "engine/program/checked.h"

enum { HEADER_SIZE = 64, SECTION_SIZE = 64, SYMBOL_SIZE = 24, VERSION_SIZE = 2 };
enum { SECTION_DYNAMIC_SYMBOLS = 11, SECTION_VERSIONS = 0x6fffffff };
enum { BIND_GLOBAL = 1, BIND_UNIQUE = 10 };

/* Bytes of a section; empty when the section reaches beyond the file. */
typedef struct {
  guint8 *bytes;
  guint64 size;
} Section;

/* The tables of imported and exported symbols. */
typedef struct {
  Section symbols, names, versions;
} Tables;

static guint64
read_number (const guint8 *p, guint n_bytes)
{
  guint64 value = 0;

  for (guint i = n_bytes; i-- > 0;)
    value = value << 8 | p[i];
  return value;
}

/* ---- tables ---- */

static Section
read_section (guint8 *bytes, gsize size, const guint8 *header)
{
  guint64 offset = read_number (header + 24, 8), length = read_number (header + 32, 8);

  if (!pt_range_fits (offset, length, size))
    return (Section){ NULL, 0 };
  return (Section){ bytes + offset, length };
}

/* Parses the headers. FALSE: not a library of the expected format. */
static gboolean
find_tables (guint8 *bytes, gsize size, Tables *tables)
{
  static const guint8 magic[] = { 0x7f, 'E', 'L', 'F', 2, 1 }; /* 64 bits, little-endian */
  guint64 sections, n_sections;

  memset (tables, 0, sizeof *tables);
  if (size < HEADER_SIZE || memcmp (bytes, magic, sizeof magic) != 0)
    return FALSE;
  sections = read_number (bytes + 40, 8);
  n_sections = read_number (bytes + 60, 2);
  if (read_number (bytes + 58, 2) != SECTION_SIZE ||
      !pt_range_fits (sections, n_sections * SECTION_SIZE, size))
    return FALSE;
  for (guint64 i = 0; i < n_sections; i++) {
    const guint8 *header = bytes + sections + i * SECTION_SIZE;
    guint64 type = read_number (header + 4, 4), names = read_number (header + 40, 4);

    if (type == SECTION_VERSIONS)
      tables->versions = read_section (bytes, size, header);
    if (type != SECTION_DYNAMIC_SYMBOLS)
      continue;
    tables->symbols = read_section (bytes, size, header);
    if (names < n_sections)
      tables->names = read_section (bytes, size, bytes + sections + names * SECTION_SIZE);
  }
  return tables->symbols.size > 0;
}

/* ---- unique symbols ---- */

/* The upper half of a symbol's fifth byte is its binding. */
static guint
change_unique (const Tables *tables)
{
  guint n = 0;

  for (guint64 i = 0; i < tables->symbols.size / SYMBOL_SIZE; i++) {
    guint8 *info = tables->symbols.bytes + i * SYMBOL_SIZE + 4;

    if (*info >> 4 != BIND_UNIQUE)
      continue;
    *info = (guint8) (BIND_GLOBAL << 4 | (*info & 15));
    n++;
  }
  return n;
}

/* ---- destructors of thread-local variables ---- */

static gboolean
has_name (const Tables *tables, const guint8 *symbol, const char *name)
{
  guint64 at = read_number (symbol, 4), size = strlen (name) + 1;

  return pt_range_fits (at, size, tables->names.size) &&
         memcmp (tables->names.bytes + at, name, size) == 0;
}

/* The number of the imported symbol @name; 0, which no symbol has, when it is absent. */
static guint64
find_import (const Tables *tables, const char *name)
{
  guint64 n = MIN (tables->symbols.size / SYMBOL_SIZE, tables->versions.size / VERSION_SIZE);

  for (guint64 i = 1; i < n; i++) {
    const guint8 *symbol = tables->symbols.bytes + i * SYMBOL_SIZE;

    if (read_number (symbol + 6, 2) == 0 && has_name (tables, symbol, name))
      return i;
  }
  return 0;
}

/* Both functions take a destructor, its argument and a handle of the library. */
static guint
change_destructors (const Tables *tables)
{
  static const char *const names[] = { "__cxa_thread_atexit", "__cxa_thread_atexit_impl" };
  guint64 other = find_import (tables, "__cxa_atexit");
  guint n = 0;

  for (guint i = 0; other != 0 && i < G_N_ELEMENTS (names); i++) {
    guint64 import = find_import (tables, names[i]);

    if (import == 0)
      continue;
    memcpy (tables->symbols.bytes + import * SYMBOL_SIZE,
            tables->symbols.bytes + other * SYMBOL_SIZE, 4);
    memcpy (tables->versions.bytes + import * VERSION_SIZE,
            tables->versions.bytes + other * VERSION_SIZE, VERSION_SIZE);
    n++;
  }
  return n;
}

guint
pt_elf_make_local (guint8 *bytes, gsize size)
{
  Tables tables;

  if (!find_tables (bytes, size, &tables))
    return 0;
  return change_unique (&tables) + change_destructors (&tables);
}
