/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/set-error.h"
#include "engine/cuda/binary-image-private.h"

/*
 * ELF libraries as the dynamic loader reads them: program headers and the dynamic section. Section
 * headers are ignored, because a library need not have them.
 */

enum { HEADER_SIZE = 64, PHEADER_SIZE = 56, DYNAMIC_SIZE = 16, SYMBOL_SIZE = 24 };
enum { ELFCLASS64 = 2, ELFDATA2LSB = 1, ET_DYN = 3, EM_X86_64 = 62, EM_AARCH64 = 183 };
enum { SEGMENT_LOAD = 1, SEGMENT_DYNAMIC = 2 };
enum { STB_WEAK = 2, SHN_UNDEF = 0, VER_FLG_WEAK = 2 };

enum {
  DT_NULL = 0,
  DT_NEEDED = 1,
  DT_HASH = 4,
  DT_STRTAB = 5,
  DT_SYMTAB = 6,
  DT_STRSZ = 10,
  DT_GNU_HASH = 0x6ffffef5,
  DT_VERDEF = 0x6ffffffc,
  DT_VERDEFNUM = 0x6ffffffd,
  DT_VERNEED = 0x6ffffffe,
  DT_VERNEEDNUM = 0x6fffffff,
};

/* No real library has more. */
#define MAX_SEGMENTS 256
#define MAX_DYNAMIC 4096
#define MAX_VERSIONS 4096
#define MAX_FILE_NAME 255

typedef struct {
  guint64 address, offset, size;
} Segment;

typedef struct {
  PtImageScan *scan;
  GError **error;
  Segment segments[MAX_SEGMENTS];
  guint n_segments;
  const guint8 *dynamic;
  guint n_dynamic;
  guint64 strings, strings_size, symbols, hash, gnu_hash; /* addresses of tables; 0: absent */
  guint64 needs, n_needs, offers, n_offers;
  guint n_versions; /* number of symbols read so far */
} Elf;

/* ---- addresses ---- */

/*
 * The bytes at @address, of which *@left follow in the segment. NULL when they are not in the file.
 */
static const guint8 *
bytes_at (const Elf *elf, guint64 address, gsize *left)
{
  for (guint i = 0; i < elf->n_segments; i++) {
    const Segment *segment = &elf->segments[i];

    if (address < segment->address || address - segment->address >= segment->size)
      continue;
    *left = segment->size - (address - segment->address);
    return elf->scan->data + segment->offset + (address - segment->address);
  }
  return NULL;
}

/* @count items of @size bytes at @address, or NULL with an error. */
static const guint8 *
array_at (const Elf *elf, guint64 address, guint64 count, gsize size, const char *what)
{
  gsize left = 0;
  const guint8 *p = bytes_at (elf, address, &left);

  if (p != NULL && count <= left / size)
    return p;
  pt_image_damaged (elf->error, what);
  return NULL;
}

static char *
string_at (const Elf *elf, guint64 offset)
{
  gsize left = 0;
  const guint8 *p = NULL;

  if (offset < elf->strings_size)
    p = bytes_at (elf, elf->strings + offset, &left);
  if (p == NULL) {
    pt_image_damaged (elf->error, "a name lies outside it");
    return NULL;
  }
  return pt_image_name (elf->scan, p, MIN (left, elf->strings_size - offset), elf->error);
}

/* ---- headers ---- */

static gboolean
read_header (Elf *elf)
{
  const PtImageScan *scan = elf->scan;
  const guint8 *p = scan->data;
  guint16 machine;

  if (scan->size < HEADER_SIZE)
    return pt_image_damaged (elf->error, "it ends too early");
  if (p[4] != ELFCLASS64 || p[5] != ELFDATA2LSB || pt_image_u16 (p + 16) != ET_DYN)
    return pt_fail (elf->error, PT_ERROR_FORMAT,
                    "The model's library is not one for a 64-bit little-endian machine.");
  machine = pt_image_u16 (p + 18);
  scan->image->cpu = machine == EM_X86_64    ? PT_CUDA_CPU_X86_64
                     : machine == EM_AARCH64 ? PT_CUDA_CPU_AARCH64
                                             : PT_CUDA_CPU_OTHER;
  return TRUE;
}

static gboolean
read_segments (Elf *elf)
{
  const PtImageScan *scan = elf->scan;
  guint64 at = pt_image_u64 (scan->data + 32);
  guint n = pt_image_u16 (scan->data + 56);

  if (n > MAX_SEGMENTS || pt_image_u16 (scan->data + 54) != PHEADER_SIZE ||
      !pt_range_fits (at, (guint64) n * PHEADER_SIZE, scan->size))
    return pt_image_damaged (elf->error, "its program headers are wrong");
  for (guint i = 0; i < n; i++) {
    const guint8 *p = scan->data + at + (gsize) i * PHEADER_SIZE;
    guint32 type = pt_image_u32 (p);
    Segment segment = { pt_image_u64 (p + 16), pt_image_u64 (p + 8), pt_image_u64 (p + 32) };

    if (type != SEGMENT_LOAD && type != SEGMENT_DYNAMIC)
      continue;
    if (!pt_range_fits (segment.offset, segment.size, scan->size) ||
        segment.size > G_MAXUINT64 - segment.address)
      return pt_image_damaged (elf->error, "a segment lies outside it");
    if (type == SEGMENT_LOAD) {
      elf->segments[elf->n_segments++] = segment;
    } else {
      elf->dynamic = scan->data + segment.offset;
      elf->n_dynamic = (guint) MIN (segment.size / DYNAMIC_SIZE, MAX_DYNAMIC);
    }
  }
  return elf->dynamic != NULL || pt_image_damaged (elf->error, "it has no dynamic section");
}

static void
read_dynamic (Elf *elf)
{
  const struct {
    guint64 tag, *out;
  } tags[] = {
    { DT_STRTAB, &elf->strings },     { DT_STRSZ, &elf->strings_size },
    { DT_SYMTAB, &elf->symbols },     { DT_HASH, &elf->hash },
    { DT_GNU_HASH, &elf->gnu_hash },  { DT_VERNEED, &elf->needs },
    { DT_VERNEEDNUM, &elf->n_needs }, { DT_VERDEF, &elf->offers },
    { DT_VERDEFNUM, &elf->n_offers },
  };

  for (guint i = 0; i < elf->n_dynamic; i++) {
    const guint8 *p = elf->dynamic + (gsize) i * DYNAMIC_SIZE;
    guint64 tag = pt_image_u64 (p);

    if (tag == DT_NULL) {
      elf->n_dynamic = i;
      return;
    }
    for (guint k = 0; k < G_N_ELEMENTS (tags); k++)
      if (tags[k].tag == tag)
        *tags[k].out = pt_image_u64 (p + 8);
  }
}

static gboolean
read_needed (Elf *elf)
{
  for (guint i = 0; i < elf->n_dynamic; i++) {
    const guint8 *p = elf->dynamic + (gsize) i * DYNAMIC_SIZE;
    char *name;

    if (pt_image_u64 (p) != DT_NEEDED)
      continue;
    name = string_at (elf, pt_image_u64 (p + 8));
    if (name == NULL)
      return FALSE;
    g_ptr_array_add (elf->scan->needed, name);
  }
  return TRUE;
}

/* ---- symbols ---- */

/* In a GNU hash table, the chain of the last bucket ends at the last symbol. */
static gboolean
count_gnu_hash (const Elf *elf, guint64 *out)
{
  const guint8 *header = array_at (elf, elf->gnu_hash, 4, 4, "its symbol table is wrong");
  const guint8 *buckets, *chain;
  guint32 n, first, last = 0;
  guint64 at;
  gsize left = 0;

  if (header == NULL)
    return FALSE;
  n = pt_image_u32 (header);
  first = pt_image_u32 (header + 4);
  at = elf->gnu_hash + 16 + (guint64) pt_image_u32 (header + 8) * 8;
  buckets = array_at (elf, at, n, 4, "its symbol table is wrong");
  if (buckets == NULL)
    return FALSE;
  for (guint32 i = 0; i < n; i++)
    last = MAX (last, pt_image_u32 (buckets + (gsize) i * 4));
  *out = first;
  if (last < first)
    return TRUE;
  at += (guint64) n * 4 + (guint64) (last - first) * 4;
  for (chain = bytes_at (elf, at, &left); chain != NULL && left >= 4; chain += 4, left -= 4) {
    *out = (guint64) last++ + 1;
    if ((pt_image_u32 (chain) & 1) != 0)
      return TRUE;
  }
  return pt_image_damaged (elf->error, "its symbol table is wrong");
}

static gboolean
count_symbols (const Elf *elf, guint64 *out)
{
  const guint8 *header;

  if (elf->gnu_hash != 0)
    return count_gnu_hash (elf, out);
  if (elf->hash == 0)
    return pt_image_damaged (elf->error, "it has no symbol table");
  header = array_at (elf, elf->hash, 2, 4, "its symbol table is wrong");
  if (header == NULL)
    return FALSE;
  *out = pt_image_u32 (header + 4);
  return TRUE;
}

static gboolean
take_symbol (Elf *elf, GPtrArray *names, guint32 offset)
{
  char *name = string_at (elf, offset);

  if (name == NULL)
    return FALSE;
  g_ptr_array_add (names, name);
  return TRUE;
}

static gboolean
read_symbols (Elf *elf)
{
  const guint8 *symbols, *strings;
  guint64 n = 0;
  gsize left = 0;

  if (!count_symbols (elf, &n))
    return FALSE;
  symbols = array_at (elf, elf->symbols, n, SYMBOL_SIZE, "its symbol table is wrong");
  strings = bytes_at (elf, elf->strings, &left);
  if (symbols == NULL)
    return FALSE;
  left = MIN (left, elf->strings_size);
  for (guint64 i = 1; i < n; i++) {
    const guint8 *p = symbols + i * SYMBOL_SIZE;
    guint32 name = pt_image_u32 (p);

    if (pt_image_u16 (p + 6) == SHN_UNDEF) {
      if (p[4] >> 4 != STB_WEAK && name != 0 && !take_symbol (elf, elf->scan->imports, name))
        return FALSE;
    } else if (strings != NULL && name < left && pt_image_is_export (strings + name, left - name)) {
      if (!take_symbol (elf, elf->scan->exports, name))
        return FALSE;
    }
  }
  return TRUE;
}

/* ---- versions ---- */

static gboolean
read_needed_version (Elf *elf, const char *file, const guint8 *p)
{
  PtCudaVersion version;

  if (elf->n_versions++ >= MAX_VERSIONS)
    return pt_image_damaged (elf->error, "it wants too many versions");
  if ((pt_image_u16 (p + 4) & VER_FLG_WEAK) != 0)
    return TRUE;
  version.name = string_at (elf, pt_image_u32 (p + 8));
  if (version.name == NULL)
    return FALSE;
  version.file = g_strdup (file);
  g_array_append_val (elf->scan->versions, version);
  return TRUE;
}

/* One entry for each file, followed by the versions that are required of it. */
static gboolean
read_needed_file (Elf *elf, guint64 at, const guint8 *p)
{
  guint n = pt_image_u16 (p + 2);
  g_autofree char *file = string_at (elf, pt_image_u32 (p + 4));

  if (file == NULL)
    return FALSE;
  if (strlen (file) > MAX_FILE_NAME)
    return pt_image_damaged (elf->error, "the name of a file is too long");
  at += pt_image_u32 (p + 8);
  for (guint i = 0; i < n; i++) {
    const guint8 *entry = array_at (elf, at, 1, 16, "its versions are wrong");

    if (entry == NULL || !read_needed_version (elf, file, entry))
      return FALSE;
    at += pt_image_u32 (entry + 12);
  }
  return TRUE;
}

static gboolean
read_needed_versions (Elf *elf)
{
  guint64 at = elf->needs;

  for (guint64 i = 0; elf->needs != 0 && i < MIN (elf->n_needs, MAX_VERSIONS); i++) {
    const guint8 *p = array_at (elf, at, 1, 16, "its versions are wrong");

    if (p == NULL || !read_needed_file (elf, at, p))
      return FALSE;
    at += pt_image_u32 (p + 12);
  }
  return TRUE;
}

static gboolean
read_offered_versions (Elf *elf)
{
  guint64 at = elf->offers;

  for (guint64 i = 0; elf->offers != 0 && i < MIN (elf->n_offers, MAX_VERSIONS); i++) {
    const guint8 *p = array_at (elf, at, 1, 20, "its versions are wrong");
    const guint8 *name = NULL;

    if (p != NULL)
      name = array_at (elf, at + pt_image_u32 (p + 12), 1, 8, "its versions are wrong");
    if (name == NULL || !take_symbol (elf, elf->scan->exports, pt_image_u32 (name)))
      return FALSE;
    at += pt_image_u32 (p + 16);
  }
  return TRUE;
}

/* ---- all ---- */

gboolean
pt_image_scan_elf (PtImageScan *scan, GError **error)
{
  g_autofree Elf *elf = g_new0 (Elf, 1);

  elf->scan = scan;
  elf->error = error;
  if (!read_header (elf) || !read_segments (elf))
    return FALSE;
  read_dynamic (elf);
  return read_needed (elf) && read_symbols (elf) && read_needed_versions (elf);
}

gboolean
pt_image_scan_offers (PtImageScan *scan, GError **error)
{
  g_autofree Elf *elf = g_new0 (Elf, 1);

  elf->scan = scan;
  elf->error = error;
  if (!read_header (elf) || !read_segments (elf))
    return FALSE;
  read_dynamic (elf);
  return read_offered_versions (elf);
}
