/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/ptx.h"

#include <string.h>

#ifdef PT_HAVE_ZSTD
#include <zstd.h>
#endif

/*
 * The header of a fat binary (docs/formats/cuda.md, section 4.2). The driver trusts its sizes, too.
 */
enum { HEADER_SIZE = 16, ENTRY_SIZE = 48, MAX_ENTRY_SIZE = 4096, KIND_PTX = 1 };
enum { FLAG_LZ4 = 0x2000, FLAG_ZSTD = 0x8000 };
#define MAGIC "\x50\xed\x55\xba"

#define MAX_IMAGE ((guint64) 1 << 30)
#define MAX_TEXT ((gsize) 64 << 20)

static guint32
u32 (const guint8 *p)
{
  guint32 value;

  memcpy (&value, p, sizeof value);
  return GUINT32_FROM_LE (value);
}

static guint64
u64 (const guint8 *p)
{
  guint64 value;

  memcpy (&value, p, sizeof value);
  return GUINT64_FROM_LE (value);
}

static char *
unpack_zstd (const guint8 *bytes, gsize n, gsize *size)
{
#ifdef PT_HAVE_ZSTD
  unsigned long long length = ZSTD_getFrameContentSize (bytes, n);
  g_autofree char *text = NULL;

  if (length == ZSTD_CONTENTSIZE_UNKNOWN || length == ZSTD_CONTENTSIZE_ERROR || length > MAX_TEXT)
    return NULL;
  text = g_malloc ((gsize) length + 1);
  *size = ZSTD_decompress (text, (gsize) length, bytes, n);
  if (ZSTD_isError (*size))
    return NULL;
  text[*size] = '\0';
  return g_steal_pointer (&text);
#else
  return NULL;
#endif
}

/* @p: the entry's payload of @n bytes. */
static char *
unpack (const guint8 *entry, const guint8 *p, gsize n, gsize *size)
{
  guint64 flags = u64 (entry + 40);
  guint32 packed = u32 (entry + 16);

  if ((flags & FLAG_LZ4) != 0 || packed > n)
    return NULL;
  if ((flags & FLAG_ZSTD) != 0)
    return unpack_zstd (p, packed != 0 ? packed : n, size);
  if (n > MAX_TEXT)
    return NULL;
  *size = n;
  return g_strndup ((const char *) p, n);
}

static char *
text_of_fatbin (const guint8 *image, gsize *size)
{
  guint64 left = u64 (image + 8);
  const guint8 *p = image + HEADER_SIZE;

  if (left > MAX_IMAGE)
    return NULL;
  while (left >= ENTRY_SIZE) {
    guint32 header = u32 (p + 4);
    guint64 payload = u64 (p + 8);

    if (header < ENTRY_SIZE || header > MAX_ENTRY_SIZE || header > left || payload > left - header)
      return NULL;
    if ((u32 (p) & 0xffff) == KIND_PTX)
      return unpack (p, p + header, (gsize) payload, size);
    p += header + payload;
    left -= header + payload;
  }
  return NULL;
}

char *
pt_ptx_text (gconstpointer image, gsize *size)
{
  static const char *const beginnings[] = { ".version", "//" };
  char *text = NULL;

  *size = 0;
  if (memcmp (image, MAGIC, strlen (MAGIC)) == 0) {
    text = text_of_fatbin (image, size);
  } else {
    for (guint i = 0; i < G_N_ELEMENTS (beginnings) && text == NULL; i++)
      if (strncmp (image, beginnings[i], strlen (beginnings[i])) == 0)
        text = g_strndup (image, MAX_TEXT);
    *size = text != NULL ? strlen (text) : 0;
  }
  if (text != NULL)
    *size = strnlen (text, *size);
  return text;
}
