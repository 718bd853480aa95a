/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/base/set-error.h"
#include "engine/cuda/binary-image-private.h"

#include <stdlib.h>

/* A message lists at most this many names. */
#define MAX_LISTED 60

const char *
pt_cuda_image_kind_name (PtCudaImageKind kind)
{
  return kind == PT_CUDA_IMAGE_PE ? "Windows" : "Linux";
}

const char *
pt_cuda_cpu_name (PtCudaCpu cpu)
{
  switch (cpu) {
  case PT_CUDA_CPU_X86_64: return "x86-64";
  case PT_CUDA_CPU_AARCH64: return "aarch64";
  case PT_CUDA_CPU_OTHER: break;
  }
  return "another processor";
}

/* ---- scanning ---- */

gboolean
pt_image_damaged (GError **error, const char *what)
{
  return pt_fail (error, PT_ERROR_PROGRAM,
                  "The library in the program is damaged: %s. Download or export it again. "
                  "(ExecuTorch error 0x23)",
                  what);
}

char *
pt_image_name (PtImageScan *scan, const guint8 *p, gsize max, GError **error)
{
  gsize left = MIN (max, PT_IMAGE_MAX_NAME_BYTES - scan->name_bytes);
  const guint8 *end = scan->n_names < PT_IMAGE_MAX_NAMES ? memchr (p, '\0', left) : NULL;

  if (end == NULL) {
    pt_image_damaged (error, left < max ? "it has too many names" : "a name has no end");
    return NULL;
  }
  scan->n_names++;
  scan->name_bytes += (gsize) (end - p) + 1;
  return g_strndup ((const char *) p, (gsize) (end - p));
}

int
pt_image_compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static char **
take_names (GPtrArray **names)
{
  g_ptr_array_add (*names, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (names), FALSE);
}

static char **
take_sorted (GPtrArray **names)
{
  g_ptr_array_sort (*names, pt_image_compare_names);
  return take_names (names);
}

static void
clear_version (gpointer data)
{
  PtCudaVersion *version = data;

  g_free (version->file);
  g_free (version->name);
}

static void
scan_init (PtImageScan *scan, const guint8 *bytes, gsize size, PtCudaImage *image)
{
  *scan = (PtImageScan){ .data = bytes, .size = size, .image = image };
  scan->needed = g_ptr_array_new_with_free_func (g_free);
  scan->imports = g_ptr_array_new_with_free_func (g_free);
  scan->exports = g_ptr_array_new_with_free_func (g_free);
  scan->versions = g_array_new (FALSE, FALSE, sizeof (PtCudaVersion));
  g_array_set_clear_func (scan->versions, clear_version);
}

static void
scan_clear (PtImageScan *scan)
{
  g_clear_pointer (&scan->needed, g_ptr_array_unref);
  g_clear_pointer (&scan->imports, g_ptr_array_unref);
  g_clear_pointer (&scan->exports, g_ptr_array_unref);
  g_clear_pointer (&scan->versions, g_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PtImageScan, scan_clear)

static gboolean
scan_tables (PtImageScan *scan, GError **error)
{
  if (scan->size >= 4 && memcmp (scan->data, "\x7f\x45\x4c\x46", 4) == 0) {
    scan->image->kind = PT_CUDA_IMAGE_ELF;
    return pt_image_scan_elf (scan, error);
  }
  if (scan->size >= 2 && memcmp (scan->data, "MZ", 2) == 0) {
    scan->image->kind = PT_CUDA_IMAGE_PE;
    return pt_image_scan_pe (scan, error);
  }
  return pt_fail (error, PT_ERROR_FORMAT,
                  "The model's library is for neither Linux nor Windows. (ExecuTorch error 0x10)");
}

PtCudaImage *
pt_cuda_image_scan (const guint8 *bytes, gsize size, GError **error)
{
  g_autoptr (PtCudaImage) image = g_new0 (PtCudaImage, 1);
  g_auto (PtImageScan) scan = { 0 };

  image->size = size;
  scan_init (&scan, bytes, size, image);
  if (!scan_tables (&scan, error) || !pt_image_scan_code (&scan, error))
    return NULL;
  image->needed = take_names (&scan.needed);
  image->imports = take_sorted (&scan.imports);
  image->exports = take_sorted (&scan.exports);
  image->n_versions = scan.versions->len;
  g_array_set_clear_func (scan.versions, NULL);
  image->versions =
      (PtCudaVersion *) (gpointer) g_array_free (g_steal_pointer (&scan.versions), FALSE);
  return g_steal_pointer (&image);
}

void
pt_cuda_image_free (PtCudaImage *image)
{
  for (guint i = 0; i < image->n_versions; i++)
    clear_version (&image->versions[i]);
  g_free (image->versions);
  g_strfreev (image->needed);
  g_strfreev (image->imports);
  g_strfreev (image->exports);
  g_free (image->codes);
  g_free (image->variants);
  g_free (image);
}

char **
pt_image_offers (const guint8 *bytes, gsize size)
{
  g_autoptr (PtCudaImage) image = g_new0 (PtCudaImage, 1);
  g_auto (PtImageScan) scan = { 0 };

  scan_init (&scan, bytes, size, image);
  if (size < 4 || memcmp (bytes, "\x7f\x45\x4c\x46", 4) != 0 || !pt_image_scan_offers (&scan, NULL))
    return NULL;
  return take_sorted (&scan.exports);
}

/* ---- GPU code ---- */

char *
pt_cuda_code_name (const PtCudaCode *code)
{
  char suffix[2] = { code->suffix, '\0' };

  if (code->ptx == 0)
    return g_strdup_printf ("sm_%u%s", code->target, suffix);
  return g_strdup_printf ("compute_%u%s (PTX %u.%u)", code->target, suffix, code->ptx / 10,
                          code->ptx % 10);
}

gboolean
pt_cuda_code_fits (const PtCudaCode *code, guint capability)
{
  if (code->suffix == 'a')
    return capability == code->target;
  if (code->ptx != 0 && code->suffix == '\0')
    return capability >= code->target;
  return capability / 10 == code->target / 10 && capability >= code->target;
}

/* PTX 8.4 is from CUDA 12.4, 8.5 from 12.5, 8.6 from 12.7; later versions count in step. */
guint
pt_cuda_ptx_driver (guint ptx)
{
  guint major = ptx / 10, minor = ptx % 10;

  if (major == 8 && minor >= 6)
    minor++;
  return (major + 4) * 1000 + minor * 10;
}

static gboolean
driver_knows (const PtCudaCode *code, guint driver)
{
  return code->ptx == 0 || driver == 0 || driver >= pt_cuda_ptx_driver (code->ptx);
}

/* ---- missing requirements ---- */

static void add_sentence (GPtrArray *out, const char *format, ...) G_GNUC_PRINTF (2, 3);

static void
add_sentence (GPtrArray *out, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_ptr_array_add (out, g_strdup_vprintf (format, args));
  va_end (args);
}

static void
add_listed (GString *list, guint *n, const char *name)
{
  if ((*n)++ < MAX_LISTED)
    g_string_append_printf (list, "%s%.200s", list->len > 0 ? ", " : "", name);
}

static void
end_list (GString *list, guint n)
{
  if (n > MAX_LISTED)
    g_string_append_printf (list, " and %u more", n - MAX_LISTED);
}

static gboolean
contains (const char *const *sorted, gsize n, const char *name)
{
  return n > 0 && bsearch (&name, sorted, n, sizeof *sorted, pt_image_compare_names) != NULL;
}

static gboolean
check_platform (const PtCudaImage *image, const PtCudaMachine *machine, GPtrArray *out)
{
  if (image->kind == machine->kind && image->cpu == machine->cpu)
    return TRUE;
  add_sentence (out, "The model was exported for %s on %s; this is %s on %s. Export it for here.",
                pt_cuda_image_kind_name (image->kind), pt_cuda_cpu_name (image->cpu),
                pt_cuda_image_kind_name (machine->kind), pt_cuda_cpu_name (machine->cpu));
  return FALSE;
}

/* System libraries or the driver provide the other names. */
static gboolean
is_ours (const char *name)
{
  return g_str_has_prefix (name, "aoti_torch_") || g_str_has_prefix (name, "cuda");
}

char **
pt_cuda_image_missing_functions (const PtCudaImage *image, const PtCudaMachine *machine)
{
  GPtrArray *out = g_ptr_array_new ();

  for (guint i = 0; machine->functions != NULL && image->imports[i] != NULL; i++)
    if (is_ours (image->imports[i]) &&
        !contains (machine->functions, machine->n_functions, image->imports[i]))
      g_ptr_array_add (out, g_strdup (image->imports[i]));
  return take_names (&out);
}

static void
check_functions (const PtCudaImage *image, const PtCudaMachine *machine, GPtrArray *out)
{
  g_auto (GStrv) names = pt_cuda_image_missing_functions (image, machine);
  g_autoptr (GString) list = g_string_new (NULL);
  guint n = 0;

  for (guint i = 0; names[i] != NULL; i++)
    add_listed (list, &n, names[i]);
  end_list (list, n);
  if (n > 0)
    add_sentence (out,
                  "The model's library needs %s that this Pteris does not have: %s. Update "
                  "Pteris, or export the model with ExecuTorch 1.2 to 1.5.",
                  n == 1 ? "a function" : "functions", list->str);
}

/* Checks only versions of files whose exported versions are known. */
static gboolean
is_system_file (const char *file)
{
  return g_str_has_prefix (file, "libc.so.") || g_str_has_prefix (file, "libm.so.") ||
         g_str_has_prefix (file, "libstdc++.so.") || g_str_has_prefix (file, "libgcc_s.so.");
}

static void
check_versions (const PtCudaImage *image, const PtCudaMachine *machine, GPtrArray *out)
{
  gsize n_known =
      machine->versions != NULL ? g_strv_length ((char **) (gpointer) machine->versions) : 0;
  g_autoptr (GString) list = g_string_new (NULL);
  guint n = 0;

  for (guint i = 0; machine->versions != NULL && i < image->n_versions; i++)
    if (is_system_file (image->versions[i].file) &&
        !contains (machine->versions, n_known, image->versions[i].name))
      add_listed (list, &n, image->versions[i].name);
  end_list (list, n);
  if (n > 0)
    add_sentence (out,
                  "The system's C or C++ library is too old for this model, which needs %s. Update "
                  "the system, or export the model on an older one.",
                  list->str);
}

static void
check_libraries (const PtCudaImage *image, const PtCudaMachine *machine, GPtrArray *out)
{
  g_autoptr (GString) list = g_string_new (NULL);
  guint n = 0;

  for (guint i = 0; machine->has_library != NULL && image->needed[i] != NULL; i++)
    if (!machine->has_library (image->needed[i]))
      add_listed (list, &n, image->needed[i]);
  end_list (list, n);
  if (n > 0)
    add_sentence (out,
                  "The model's library needs %s, which this system does not have. Export the model "
                  "with ExecuTorch 1.2 to 1.5 and CUDA 12 or 13.",
                  list->str);
}

static char *
list_codes (const PtCudaImage *image)
{
  g_autoptr (GString) list = g_string_new (NULL);
  guint n = 0;

  for (guint i = 0; i < image->n_codes; i++) {
    g_autofree char *name = pt_cuda_code_name (&image->codes[i]);

    add_listed (list, &n, name);
  }
  end_list (list, n);
  return g_string_free (g_steal_pointer (&list), FALSE);
}

/*
 * Whether the driver understands a code of @variant that fits this GPU. @fits: there is such a
 * code. If FALSE, *@ptx is the oldest PTX version of these codes.
 */
static gboolean
variant_runs (const PtCudaImage *image, guint64 variant, const PtCudaMachine *machine,
              gboolean *fits, guint *ptx)
{
  guint oldest = 0;

  *fits = FALSE;
  for (guint i = 0; i < image->n_codes; i++) {
    const PtCudaCode *code = &image->codes[i];

    if ((variant >> i & 1) == 0 || !pt_cuda_code_fits (code, machine->capability))
      continue;
    *fits = TRUE;
    if (driver_knows (code, machine->driver))
      return TRUE;
    if (oldest == 0 || code->ptx < oldest)
      oldest = code->ptx;
  }
  *ptx = MAX (*ptx, oldest);
  return FALSE;
}

static void
check_code (const PtCudaImage *image, const PtCudaMachine *machine, GPtrArray *out)
{
  guint capability = machine->capability, ptx = 0, driver;
  gboolean all_fit = TRUE;

  for (guint i = 0; capability != 0 && i < image->n_variants; i++) {
    gboolean fits;

    if (!variant_runs (image, image->variants[i], machine, &fits, &ptx))
      all_fit &= fits;
  }
  driver = pt_cuda_ptx_driver (ptx);
  if (!all_fit) {
    g_autofree char *codes = list_codes (image);

    add_sentence (out,
                  "This model contains GPU code for %s only; your GPU (%s, compute capability "
                  "%u.%u) cannot run it. Use a model exported for sm_%u, or export it again on "
                  "this GPU.",
                  codes, machine->device != NULL ? machine->device : "NVIDIA", capability / 10,
                  capability % 10, capability);
  } else if (ptx != 0) {
    add_sentence (out,
                  "This model's GPU code needs PTX %u.%u, i.e. an NVIDIA driver for CUDA %u.%u or "
                  "newer; installed: %u.%u. Update the driver.",
                  ptx / 10, ptx % 10, driver / 1000, driver % 1000 / 10, machine->driver / 1000,
                  machine->driver % 1000 / 10);
  }
}

GPtrArray *
pt_cuda_image_missing (const PtCudaImage *image, const PtCudaMachine *machine)
{
  GPtrArray *out = g_ptr_array_new_with_free_func (g_free);

  if (!check_platform (image, machine, out))
    return out;
  check_functions (image, machine, out);
  check_versions (image, machine, out);
  check_libraries (image, machine, out);
  check_code (image, machine, out);
  return out;
}

gboolean
pt_cuda_image_check (const PtCudaImage *image, const PtCudaMachine *machine, GError **error)
{
  g_autoptr (GPtrArray) missing = pt_cuda_image_missing (image, machine);
  g_autofree char *text = NULL;

  if (missing->len == 0)
    return TRUE;
  g_ptr_array_add (missing, NULL);
  text = g_strjoinv (" ", (char **) missing->pdata);
  return pt_fail (error, PT_ERROR_UNSUPPORTED, "%s", text);
}
