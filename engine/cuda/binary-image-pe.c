/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/set-error.h"
#include "engine/cuda/binary-image-private.h"

/* PE32+, the libraries of Windows: import and export directories. */

enum { MACHINE_X86_64 = 0x8664, MACHINE_AARCH64 = 0xaa64, MAGIC_PE32PLUS = 0x20b };
enum { IS_LIBRARY = 0x2000 }; /* in the characteristics */
enum { DIRECTORY_EXPORT = 0, DIRECTORY_IMPORT = 1, DIRECTORY_DELAYED = 13 };
enum { SECTION_SIZE = 40, IMPORT_SIZE = 20, DELAYED_SIZE = 32, THUNK_SIZE = 8, EXPORT_SIZE = 40 };

/* No real library has more. */
#define MAX_SECTIONS 96
#define MAX_MODULES 256

typedef struct {
  PtImageScan *scan;
  GError **error;
  const guint8 *optional;
  guint optional_size;
  const guint8 *sections;
  guint n_sections;
  guint n_functions; /* number of imports so far */
} Pe;

/*
 * The Windows loader requires sections in ascending order of addresses, with all their bytes in the
 * file.
 */
static gboolean
check_sections (const Pe *pe)
{
  guint64 end = 0;

  for (guint i = 0; i < pe->n_sections; i++) {
    const guint8 *p = pe->sections + (gsize) i * SECTION_SIZE;
    guint32 virtual_size = pt_image_u32 (p + 8), address = pt_image_u32 (p + 12);
    guint32 size = pt_image_u32 (p + 16), offset = pt_image_u32 (p + 20);

    if (address < end || (size > 0 && !pt_range_fits (offset, size, pe->scan->size)))
      return pt_image_damaged (pe->error, "its sections are wrong");
    end = (guint64) address + MAX (virtual_size, 1);
  }
  return TRUE;
}

static gboolean
read_headers (Pe *pe)
{
  PtImageScan *scan = pe->scan;
  guint64 at = scan->size >= 64 ? pt_image_u32 (scan->data + 60) : scan->size;
  const guint8 *p;
  guint16 machine;

  if (!pt_range_fits (at, 24, scan->size) || memcmp (scan->data + at, "PE\0\0", 4) != 0)
    return pt_image_damaged (pe->error, "it has no PE header");
  p = scan->data + at;
  machine = pt_image_u16 (p + 4);
  pe->n_sections = pt_image_u16 (p + 6);
  pe->optional_size = pt_image_u16 (p + 20);
  pe->optional = p + 24;
  if (pe->n_sections > MAX_SECTIONS || pe->optional_size < 112 ||
      !pt_range_fits (at + 24, pe->optional_size + (guint64) pe->n_sections * SECTION_SIZE,
                      scan->size))
    return pt_image_damaged (pe->error, "its headers are wrong");
  if (pt_image_u16 (pe->optional) != MAGIC_PE32PLUS)
    return pt_fail (pe->error, PT_ERROR_FORMAT, "The model's library is not one for 64 bits.");
  if ((pt_image_u16 (p + 22) & IS_LIBRARY) == 0)
    return pt_fail (pe->error, PT_ERROR_FORMAT, "The model's library is a program for Windows.");
  pe->sections = pe->optional + pe->optional_size;
  scan->image->cpu = machine == MACHINE_X86_64    ? PT_CUDA_CPU_X86_64
                     : machine == MACHINE_AARCH64 ? PT_CUDA_CPU_AARCH64
                                                  : PT_CUDA_CPU_OTHER;
  return check_sections (pe);
}

/* The bytes at relative address @rva up to the end of their section in the file, or NULL. */
static const guint8 *
bytes_at (const Pe *pe, guint32 rva, gsize *left)
{
  for (guint i = 0; i < pe->n_sections; i++) {
    const guint8 *p = pe->sections + (gsize) i * SECTION_SIZE;
    guint32 address = pt_image_u32 (p + 12), size = pt_image_u32 (p + 16);
    guint32 offset = pt_image_u32 (p + 20);

    if (rva < address || rva - address >= size || !pt_range_fits (offset, size, pe->scan->size))
      continue;
    *left = size - (rva - address);
    return pe->scan->data + offset + (rva - address);
  }
  return NULL;
}

static const guint8 *
array_at (const Pe *pe, guint32 rva, guint64 count, gsize size)
{
  gsize left = 0;
  const guint8 *p = bytes_at (pe, rva, &left);

  if (p != NULL && count <= left / size)
    return p;
  pt_image_damaged (pe->error, "a table lies outside it");
  return NULL;
}

/* The address of directory @index; 0 when the library has none. */
static guint32
directory (const Pe *pe, guint index)
{
  guint32 n = pt_image_u32 (pe->optional + 108);

  if (index >= n || 112 + (index + 1) * 8 > pe->optional_size)
    return 0;
  return pt_image_u32 (pe->optional + 112 + index * 8);
}

static gboolean
take_name (Pe *pe, GPtrArray *names, guint32 rva)
{
  gsize left = 0;
  const guint8 *p = bytes_at (pe, rva, &left);
  char *name;

  if (p == NULL)
    return pt_image_damaged (pe->error, "a name lies outside it");
  name = pt_image_name (pe->scan, p, left, pe->error);
  if (name == NULL)
    return FALSE;
  g_ptr_array_add (names, name);
  return TRUE;
}

/* ---- imports ---- */

/* Imports by number have no name to check. */
static gboolean
read_functions (Pe *pe, guint32 rva)
{
  gsize left = 0;
  const guint8 *p = bytes_at (pe, rva, &left);

  for (; p != NULL && left >= THUNK_SIZE; p += THUNK_SIZE, left -= THUNK_SIZE) {
    guint64 thunk = pt_image_u64 (p);

    if (thunk == 0)
      return TRUE;
    if (pe->n_functions++ >= PT_IMAGE_MAX_NAMES)
      break;
    if (thunk >> 63 == 0 && !take_name (pe, pe->scan->imports, (guint32) (thunk & 0x7fffffff) + 2))
      return FALSE;
  }
  return pt_image_damaged (pe->error, "its table of imports has no end");
}

/* @name, @functions: the positions of these addresses in an entry of @size bytes. */
static gboolean
read_modules (Pe *pe, guint32 rva, gsize size, gsize name, gsize functions)
{
  for (guint i = 0; rva != 0; i++) {
    const guint8 *p = array_at (pe, rva, i + 1, size);
    guint32 lookup;

    if (p == NULL)
      return FALSE;
    p += i * size;
    if (pt_image_u32 (p + name) == 0)
      return TRUE;
    if (i >= MAX_MODULES)
      return pt_image_damaged (pe->error, "it has too many imports");
    lookup = pt_image_u32 (p + functions);
    /* Without the table of names, the table of addresses contains the names. */
    if (lookup == 0 && size == IMPORT_SIZE)
      lookup = pt_image_u32 (p + 16);
    if (!take_name (pe, pe->scan->needed, pt_image_u32 (p + name)) || !read_functions (pe, lookup))
      return FALSE;
  }
  return TRUE;
}

/* ---- exports ---- */

static gboolean
read_exports (Pe *pe, guint32 rva)
{
  const guint8 *p, *names;
  guint32 n;

  if (rva == 0)
    return TRUE;
  p = array_at (pe, rva, 1, EXPORT_SIZE);
  if (p == NULL)
    return FALSE;
  n = pt_image_u32 (p + 24);
  if (n == 0)
    return TRUE;
  if (n > PT_IMAGE_MAX_NAMES)
    return pt_image_damaged (pe->error, "it has too many exports");
  names = array_at (pe, pt_image_u32 (p + 32), n, 4);
  for (guint32 i = 0; names != NULL && i < n; i++) {
    guint32 name = pt_image_u32 (names + (gsize) i * 4);
    gsize left = 0;
    const guint8 *text = bytes_at (pe, name, &left);

    if (text != NULL && pt_image_is_export (text, left) && !take_name (pe, pe->scan->exports, name))
      return FALSE;
  }
  return names != NULL;
}

gboolean
pt_image_scan_pe (PtImageScan *scan, GError **error)
{
  Pe pe = { .scan = scan, .error = error };

  return read_headers (&pe) &&
         read_modules (&pe, directory (&pe, DIRECTORY_IMPORT), IMPORT_SIZE, 12, 0) &&
         read_modules (&pe, directory (&pe, DIRECTORY_DELAYED), DELAYED_SIZE, 4, 16) &&
         read_exports (&pe, directory (&pe, DIRECTORY_EXPORT));
}
