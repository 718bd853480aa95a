/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <string.h>

#include "engine/cuda/binary-image.h"
#include "engine/program/checked.h"

G_BEGIN_DECLS

/* One scan of a library. Each of the files below reads one part. */

/* Real libraries have some hundred symbols. */
#define PT_IMAGE_MAX_NAMES 65536
#define PT_IMAGE_MAX_NAME_BYTES (16u << 20)

typedef struct {
  const guint8 *data;
  gsize size;
  PtCudaImage *image;
  GPtrArray *needed, *imports, *exports; /* char *, owned */
  GArray *versions;                      /* PtCudaVersion */
  guint n_names;                         /* number of names so far */
  gsize name_bytes;
} PtImageScan;

static inline guint16
pt_image_u16 (const guint8 *p)
{
  guint16 value;

  memcpy (&value, p, sizeof value);
  return GUINT16_FROM_LE (value);
}

static inline guint32
pt_image_u32 (const guint8 *p)
{
  guint32 value;

  memcpy (&value, p, sizeof value);
  return GUINT32_FROM_LE (value);
}

static inline guint64
pt_image_u64 (const guint8 *p)
{
  guint64 value;

  memcpy (&value, p, sizeof value);
  return GUINT64_FROM_LE (value);
}

/** Set PT_ERROR_PROGRAM: the library is damaged, with the detail @what. Returns FALSE. */
gboolean pt_image_damaged (GError **error, const char *what);

/**
 * A copy of the text at @p, which must end before @max bytes. NULL with an error, also when the
 * library has too many names.
 */
char *pt_image_name (PtImageScan *scan, const guint8 *p, gsize max, GError **error);

static inline gboolean
pt_image_is_export (const guint8 *p, gsize max)
{
  static const char prefix[] = "AOTInductor";

  return max >= strlen (prefix) && memcmp (p, prefix, strlen (prefix)) == 0;
}

/* binary-image-elf.c, binary-image-pe.c, binary-image-code.c */
gboolean pt_image_scan_elf (PtImageScan *scan, GError **error);
gboolean pt_image_scan_pe (PtImageScan *scan, GError **error);
gboolean pt_image_scan_code (PtImageScan *scan, GError **error);

/** Add the versions that an ELF library exports to scan->exports. */
gboolean pt_image_scan_offers (PtImageScan *scan, GError **error);

/** The names of these versions, sorted; NULL when @bytes are not an ELF library. */
char **pt_image_offers (const guint8 *bytes, gsize size);

/** Compares two pointers to names, for sorting and searching. */
int pt_image_compare_names (gconstpointer a, gconstpointer b);

G_END_DECLS
