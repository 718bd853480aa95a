/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/binary-image-private.h"

/*
 * GPU code (docs/formats/cuda.md, section 4.2). Kernels lie anywhere in the library, without
 * alignment and without a directory. They are in fat binaries, which hold the same kernel for
 * several GPUs, or in single cubins, which are ELF files of their own.
 */

#define FATBIN_MAGIC "\x50\xed\x55\xba"
#define ELF_MAGIC "\x7f\x45\x4c\x46" /* \x7f "ELF" */
#define MAGIC_SIZE 4

enum { FATBIN_HEADER = 16, FATBIN_VERSION = 1, ENTRY_HEADER = 48, MAX_ENTRY_HEADER = 4096 };
enum { ENTRY_PTX = 1, ENTRY_CUBIN = 2 };
enum { FLAG_COMPRESSED = 0x8000, FLAG_ARCH = 0x100000, FLAG_FAMILY = 0x200000 };
enum { CUBIN_HEADER = 64, EM_CUDA = 190, CUBIN_ABI_8 = 8 };

/* Known compute capabilities. Other values are not GPU code. */
enum { MIN_TARGET = 10, MAX_TARGET = 999 };

/* The GPU code that was found so far. */
typedef struct {
  PtCudaCode codes[PT_CUDA_MAX_CODES];
  guint n_codes;
  guint64 variants[PT_CUDA_MAX_CODES];
  guint n_variants;
  guint n_kernels;
} Codes;

static gboolean
same_code (const PtCudaCode *a, const PtCudaCode *b)
{
  return a->target == b->target && a->suffix == b->suffix && a->ptx == b->ptx &&
         a->is_compressed == b->is_compressed;
}

/* The bit of @code in a variant; 0 when there are too many different codes. */
static guint64
code_bit (Codes *codes, const PtCudaCode *code)
{
  for (guint i = 0; i < codes->n_codes; i++)
    if (same_code (&codes->codes[i], code))
      return G_GUINT64_CONSTANT (1) << i;
  if (codes->n_codes == PT_CUDA_MAX_CODES)
    return 0;
  codes->codes[codes->n_codes] = *code;
  return G_GUINT64_CONSTANT (1) << codes->n_codes++;
}

static gboolean
add_kernel (Codes *codes, guint64 variant)
{
  codes->n_kernels++;
  for (guint i = 0; i < codes->n_variants; i++)
    if (codes->variants[i] == variant)
      return TRUE;
  if (codes->n_variants == PT_CUDA_MAX_CODES)
    return FALSE;
  codes->variants[codes->n_variants++] = variant;
  return TRUE;
}

/* ---- fat binaries ---- */

/* Parses one entry. FALSE: it is not an entry. */
static gboolean
read_entry (const guint8 *p, gsize left, PtCudaCode *code, gsize *size)
{
  guint kind = pt_image_u16 (p), header = pt_image_u32 (p + 4);
  guint64 payload = pt_image_u64 (p + 8), flags = pt_image_u64 (p + 40);
  guint minor = pt_image_u16 (p + 24), major = pt_image_u16 (p + 26);

  if ((kind != ENTRY_PTX && kind != ENTRY_CUBIN) || header < ENTRY_HEADER ||
      header > MAX_ENTRY_HEADER || header > left || payload > left - header)
    return FALSE;
  code->target = pt_image_u32 (p + 28);
  code->suffix = (flags & FLAG_ARCH) != 0 ? 'a' : (flags & FLAG_FAMILY) != 0 ? 'f' : '\0';
  code->ptx = kind == ENTRY_PTX ? major * 10 + MIN (minor, 9) : 0;
  code->is_compressed = (flags & FLAG_COMPRESSED) != 0;
  *size = header + (gsize) payload;
  return code->target >= MIN_TARGET && code->target <= MAX_TARGET && major < 100 &&
         (kind != ENTRY_PTX || major > 0);
}

/* If a fat binary begins at @p, adds its codes as one variant and returns its size; else 0. */
static gsize
read_fatbin (Codes *codes, const guint8 *p, gsize left, gboolean *too_many)
{
  guint64 total, variant = 0;
  gsize at = FATBIN_HEADER;

  if (left < FATBIN_HEADER || pt_image_u16 (p + 4) != FATBIN_VERSION ||
      pt_image_u16 (p + 6) != FATBIN_HEADER)
    return 0;
  total = pt_image_u64 (p + 8);
  if (total > left - FATBIN_HEADER)
    return 0;
  total += FATBIN_HEADER;
  while (total - at >= ENTRY_HEADER) {
    PtCudaCode code;
    gsize size = 0;
    guint64 bit;

    if (!read_entry (p + at, (gsize) total - at, &code, &size))
      break;
    bit = code_bit (codes, &code);
    *too_many |= bit == 0;
    variant |= bit;
    at += size;
  }
  if (variant == 0)
    return 0;
  *too_many |= !add_kernel (codes, variant);
  return at;
}

/* ---- cubins outside of fat binaries ---- */

/* The cubin does not say whether it is for one chip only. */
static void
read_cubin (Codes *codes, const guint8 *p, gsize left, gboolean *too_many)
{
  PtCudaCode code = { 0 };
  guint32 flags;
  guint64 bit;

  if (left < CUBIN_HEADER || pt_image_u16 (p + 18) != EM_CUDA)
    return;
  flags = pt_image_u32 (p + 48);
  code.target = p[8] >= CUBIN_ABI_8 ? flags >> 8 & 0xff : flags & 0xff;
  if (code.target < MIN_TARGET)
    return;
  bit = code_bit (codes, &code);
  *too_many |= bit == 0 || !add_kernel (codes, bit);
}

/* ---- the search ---- */

/*
 * The next @magic at or behind @p; @end when there is none. Searches for the byte of it that is
 * rarest in code.
 */
static const guint8 *
find_magic (const guint8 *p, const guint8 *end, const char *magic, gsize rare)
{
  while ((gsize) (end - p) >= MAGIC_SIZE) {
    const guint8 *found = memchr (p + rare, magic[rare], (gsize) (end - p) - MAGIC_SIZE + 1);

    if (found == NULL)
      break;
    p = found - rare;
    if (memcmp (p, magic, MAGIC_SIZE) == 0)
      return p;
    p++;
  }
  return end;
}

static gboolean
find_codes (const PtImageScan *scan, Codes *codes)
{
  const guint8 *end = scan->data + scan->size;
  const guint8 *p = scan->data + 1; /* the ELF header of the library itself is no cubin */
  const guint8 *fatbin = NULL, *cubin = NULL;
  gboolean too_many = FALSE;

  while (p < end && !too_many) {
    if (fatbin == NULL || fatbin < p)
      fatbin = find_magic (p, end, FATBIN_MAGIC, 3);
    if (cubin == NULL || cubin < p)
      cubin = find_magic (p, end, ELF_MAGIC, 0);
    if (fatbin < cubin) {
      gsize size = read_fatbin (codes, fatbin, (gsize) (end - fatbin), &too_many);

      p = fatbin + MAX (size, 1);
      continue;
    }
    if (cubin < end)
      read_cubin (codes, cubin, (gsize) (end - cubin), &too_many);
    p = cubin < end ? cubin + 1 : end;
  }
  return !too_many;
}

gboolean
pt_image_scan_code (PtImageScan *scan, GError **error)
{
  g_autofree Codes *codes = g_new0 (Codes, 1);
  PtCudaImage *image = scan->image;

  if (!find_codes (scan, codes))
    return pt_image_damaged (error, "it has GPU code of too many kinds");
  image->n_codes = codes->n_codes;
  image->codes = g_memdup2 (codes->codes, sizeof *codes->codes * codes->n_codes);
  image->n_variants = codes->n_variants;
  image->variants = g_memdup2 (codes->variants, sizeof *codes->variants * codes->n_variants);
  image->n_kernels = codes->n_kernels;
  return TRUE;
}
