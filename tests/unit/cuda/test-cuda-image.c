/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/binary-image.h"

#include <string.h>

/* ---- files to look through ---- */

static GBytes *
load (const char *path)
{
  char *data;
  gsize size;

  g_assert_true (g_file_get_contents (path, &data, &size, NULL));
  return g_bytes_new_take (data, size);
}

static GBytes *
load_data (const char *name)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "data", "cuda", name, NULL);

  return load (path);
}

static PtCudaImage *
scan_bytes (gconstpointer data, gsize size, GError **error)
{
  /* Just these bytes on the heap, so that a sanitizer sees a step beyond them. */
  g_autofree guint8 *copy = g_memdup2 (data, size);

  return pt_cuda_image_scan (copy, size, error);
}

static PtCudaImage *
scan_good (GBytes *bytes)
{
  g_autoptr (GError) error = NULL;
  PtCudaImage *image =
      scan_bytes (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), &error);

  g_assert_no_error (error);
  return image;
}

#define PE_RVA 0x1000
#define PE_RAW 0x200
#define PE_SIZE 0x400

typedef struct {
  guint8 bytes[PE_RAW + PE_SIZE];
  guint at; /* in the section */
} Pe;

static void
put16 (Pe *pe, guint at, guint16 value)
{
  value = GUINT16_TO_LE (value);
  memcpy (pe->bytes + at, &value, 2);
}

static void
put32 (Pe *pe, guint at, guint32 value)
{
  value = GUINT32_TO_LE (value);
  memcpy (pe->bytes + at, &value, 4);
}

/* Text in the section, behind @gap bytes; its address. */
static guint32
pe_text (Pe *pe, guint gap, const char *text)
{
  guint32 address = PE_RVA + pe->at;

  memcpy (pe->bytes + PE_RAW + pe->at + gap, text, strlen (text) + 1);
  pe->at += gap + (guint) strlen (text) + 1;
  return address;
}

/* One module's entry at @entry of the section and its table of two functions at @table. */
static void
pe_import (Pe *pe, guint entry, guint table, const char *module, const char *a, const char *b)
{
  put32 (pe, PE_RAW + entry, PE_RVA + table);
  put32 (pe, PE_RAW + entry + 12, pe_text (pe, 0, module));
  put32 (pe, PE_RAW + table, pe_text (pe, 2, a));
  if (b != NULL)
    put32 (pe, PE_RAW + table + 8, pe_text (pe, 2, b));
  else
    put32 (pe, PE_RAW + table + 12, 0x80000000); /* by number */
}

/* A small PE32+ library as MinGW writes them. */
static GBytes *
make_pe (void)
{
  g_autofree Pe *pe = g_new0 (Pe, 1);

  memcpy (pe->bytes, "MZ", 2);
  put32 (pe, 60, 0x40);
  memcpy (pe->bytes + 0x40, "PE\0\0", 4);
  put16 (pe, 0x44, 0x8664);
  put16 (pe, 0x46, 1);
  put16 (pe, 0x54, 240);
  put16 (pe, 0x56, 0x2022);
  put16 (pe, 0x58, 0x20b);
  put32 (pe, 0x58 + 108, 16);
  put32 (pe, 0x58 + 112, PE_RVA + 0x80); /* exports */
  put32 (pe, 0x58 + 120, PE_RVA);        /* imports */
  put32 (pe, 0x148 + 12, PE_RVA);
  put32 (pe, 0x148 + 16, PE_SIZE);
  put32 (pe, 0x148 + 20, PE_RAW);
  put32 (pe, PE_RAW + 0x80 + 24, 2);
  put32 (pe, PE_RAW + 0x80 + 32, PE_RVA + 0xc0);
  pe->at = 0x180;
  put32 (pe, PE_RAW + 0xc0, pe_text (pe, 0, "AOTInductorModelContainerRun"));
  put32 (pe, PE_RAW + 0xc4, pe_text (pe, 0, "DllMain"));
  pe_import (pe, 0, 0x100, "aoti_cuda_shims.dll", "aoti_torch_warn", "aoti_torch_dtype_float32");
  pe_import (pe, 20, 0x120, "cudart64_13.dll", "cudaMalloc", NULL);
  pe_import (pe, 40, 0x140, "KERNEL32.dll", "Sleep", "SetEvent");
  return g_bytes_new (pe->bytes, sizeof pe->bytes);
}

/* ---- reading ---- */

static void
assert_codes (const PtCudaImage *image, const char *expected)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < image->n_codes; i++) {
    g_autofree char *name = pt_cuda_code_name (&image->codes[i]);

    g_string_append_printf (text, "%s%s%s", i > 0 ? ", " : "", name,
                            image->codes[i].is_compressed ? " compressed" : "");
  }
  g_assert_cmpstr (text->str, ==, expected);
}

static gboolean
has (char **names, const char *name)
{
  return g_strv_contains ((const char *const *) names, name);
}

#ifdef G_OS_WIN32

static void
test_own (void)
{
  g_autoptr (GBytes) bytes = load (MODEL_LIBRARY);
  g_autoptr (PtCudaImage) image = scan_good (bytes);

  g_assert_cmpint (image->kind, ==, PT_CUDA_IMAGE_PE);
  g_assert_cmpint (image->cpu, ==, pt_cuda_machine_here ().cpu);
  g_assert_true (has (image->needed, "aoti_cuda_shims.dll"));
  g_assert_true (has (image->needed, "KERNEL32.dll"));
  g_assert_true (has (image->imports, "aoti_torch_dtype_float32"));
  g_assert_true (has (image->imports, "aoti_torch_delete_tensor_object"));
  g_assert_true (has (image->imports, "cudaMalloc"));
  g_assert_true (has (image->imports, "cuLaunchKernel"));
  g_assert_false (has (image->imports, "not_ours"));
  g_assert_cmpuint (g_strv_length (image->exports), ==, 2);
  g_assert_cmpstr (image->exports[0], ==, "AOTInductorModelContainerDelete");
}

#else

static void
test_own (void)
{
  g_autoptr (GBytes) bytes = load (MODEL_LIBRARY);
  g_autoptr (PtCudaImage) image = scan_good (bytes);
  gboolean libc = FALSE;

  g_assert_cmpint (image->kind, ==, PT_CUDA_IMAGE_ELF);
  g_assert_cmpint (image->cpu, ==, pt_cuda_machine_here ().cpu);
  g_assert_cmpuint (image->size, ==, g_bytes_get_size (bytes));
  g_assert_true (has (image->needed, "libc.so.6"));
  g_assert_true (has (image->imports, "aoti_torch_dtype_float32"));
  g_assert_true (has (image->imports, "aoti_torch_delete_tensor_object"));
  g_assert_true (has (image->imports, "cudaMalloc"));
  g_assert_true (has (image->imports, "cuLaunchKernel"));
  g_assert_true (has (image->imports, "printf"));
  g_assert_false (has (image->imports, "aoti_torch_optional"));
  g_assert_false (has (image->imports, "not_ours"));
  g_assert_cmpuint (g_strv_length (image->exports), ==, 2);
  g_assert_cmpstr (image->exports[0], ==, "AOTInductorModelContainerDelete");
  g_assert_cmpstr (image->exports[1], ==, "AOTInductorModelContainerRun");
  for (guint i = 0; i < image->n_versions; i++)
    libc |= strcmp (image->versions[i].file, "libc.so.6") == 0 &&
            g_str_has_prefix (image->versions[i].name, "GLIBC_2.");
  g_assert_true (libc);
}

#endif

static void
test_code (void)
{
  g_autoptr (GBytes) bytes = load (MODEL_LIBRARY);
  g_autoptr (PtCudaImage) image = scan_good (bytes);

  g_assert_cmpuint (image->n_kernels, ==, 2);
  g_assert_cmpuint (image->n_variants, ==, 2);
  assert_codes (image, "compute_75 (PTX 9.0) compressed, sm_75, sm_80, sm_90a, sm_100f, sm_120, "
                       "compute_120 (PTX 9.0) compressed");
}

static void
test_pe (void)
{
  g_autoptr (GBytes) bytes = make_pe ();
  g_autoptr (PtCudaImage) image = scan_good (bytes);
  g_autofree char *needed = g_strjoinv (" ", image->needed);
  g_autofree char *imports = g_strjoinv (" ", image->imports);

  g_assert_cmpint (image->kind, ==, PT_CUDA_IMAGE_PE);
  g_assert_cmpint (image->cpu, ==, PT_CUDA_CPU_X86_64);
  g_assert_cmpstr (needed, ==, "aoti_cuda_shims.dll cudart64_13.dll KERNEL32.dll");
  g_assert_cmpstr (imports, ==,
                   "SetEvent Sleep aoti_torch_dtype_float32 aoti_torch_warn cudaMalloc");
  g_assert_cmpuint (g_strv_length (image->exports), ==, 1);
  g_assert_cmpstr (image->exports[0], ==, "AOTInductorModelContainerRun");
  g_assert_cmpuint (image->n_codes, ==, 0);
}

static void
test_no_library (void)
{
  static const char *const texts[] = { "", "M", "MZ", "\x7f\x45\x4c\x46", "text", "#!/bin/sh\n" };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++) {
    g_autoptr (GError) error = NULL;

    g_assert_null (scan_bytes (texts[i], strlen (texts[i]), &error));
    g_assert_true (error->code == PT_ERROR_FORMAT || error->code == PT_ERROR_PROGRAM);
  }
}

/* ---- damage ---- */

static void
try_cuts (GBytes *bytes, gsize step)
{
  const guint8 *data = g_bytes_get_data (bytes, NULL);

  for (gsize n = 0; n < g_bytes_get_size (bytes); n += step) {
    g_autoptr (PtCudaImage) image = scan_bytes (data, n, NULL);
  }
}

static void
try_flips (GBytes *bytes)
{
  gsize size = g_bytes_get_size (bytes);
  g_autofree guint8 *data = g_memdup2 (g_bytes_get_data (bytes, NULL), size);
  static const guint8 masks[] = { 0x01, 0x80, 0xff };

  for (gsize i = 0; i < size; i++) {
    guint8 mask = masks[i % G_N_ELEMENTS (masks)];
    g_autoptr (PtCudaImage) image = NULL;

    data[i] ^= mask;
    image = pt_cuda_image_scan (data, size, NULL);
    data[i] ^= mask;
  }
}

static void
test_damage (void)
{
  g_autoptr (GBytes) elf = load (MODEL_LIBRARY);
  g_autoptr (GBytes) pe = make_pe ();

  try_cuts (elf, 97);
  try_flips (elf);
  try_cuts (pe, 1);
  try_flips (pe);
}

static void
try_extremes (GBytes *bytes)
{
  static const guint64 values[] = { G_MAXUINT64, G_MAXINT64, 1ull << 63, G_MAXUINT32, 0, 1, 64 };
  gsize size = g_bytes_get_size (bytes);
  g_autofree guint8 *data = g_memdup2 (g_bytes_get_data (bytes, NULL), size);

  for (gsize at = 0; at + 8 <= MIN (size, 0x1000); at += 4) {
    guint64 before;
    g_autoptr (PtCudaImage) image = NULL;

    memcpy (&before, data + at, 8);
    memcpy (data + at, &values[at / 4 % G_N_ELEMENTS (values)], 8);
    image = pt_cuda_image_scan (data, size, NULL);
    memcpy (data + at, &before, 8);
  }
}

/* Numbers that a linker does not write, at every place where one may be. */
static void
test_extremes (void)
{
  g_autoptr (GBytes) own = load (MODEL_LIBRARY);
  g_autoptr (GBytes) pe = make_pe ();

  try_extremes (own);
  try_extremes (pe);
}

/* Libraries for Windows that no linker makes, and what is said of them. */
static void
test_odd_pe (void)
{
  static const struct {
    guint at;
    guint32 value;
    const char *why;
  } cases[] = {
    { 60, 0x7fffffff, "it has no PE header" },
    { 0x44, 0x0001014c, "*" },                                /* of another processor */
    { 0x46, 97, "its headers are wrong" },                    /* sections */
    { 0x54, 0x20220008, "its headers are wrong" },            /* a short header */
    { 0x54, 0x002200f0, "is a program for Windows" },         /* no library */
    { 0x58, 0x10b, "is not one for 64 bits" },                /* PE32 */
    { 0x148 + 16, PE_SIZE + 1, "its sections are wrong" },    /* ends beyond the file */
    { 0x148 + 20, 0xfffffff0, "its sections are wrong" },     /* begins beyond it */
    { 0x58 + 120, 0xfffff000, "a table lies outside it" },    /* imports */
    { 0x58 + 112, PE_RVA + PE_SIZE, "a table lies outside" }, /* exports */
    { PE_RAW + 12, 0x20, "a name lies outside it" },          /* of a module */
    { PE_RAW, PE_RVA + PE_SIZE - 4, "has no end" },           /* functions */
    { PE_RAW + 0x80 + 24, 0xffffffff, "it has too many exports" },
    { PE_RAW + 0x80 + 32, PE_RVA + PE_SIZE - 4, "a table lies outside it" },
  };
  g_autoptr (GBytes) good = make_pe ();

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree Pe *pe = g_new0 (Pe, 1);
    g_autoptr (GError) error = NULL;
    g_autoptr (PtCudaImage) image = NULL;

    memcpy (pe->bytes, g_bytes_get_data (good, NULL), sizeof pe->bytes);
    put32 (pe, cases[i].at, cases[i].value);
    image = scan_bytes (pe->bytes, sizeof pe->bytes, &error);
    if (strcmp (cases[i].why, "*") == 0) {
      g_assert_cmpint (image->cpu, ==, PT_CUDA_CPU_OTHER);
      continue;
    }
    g_assert_null (image);
    g_test_message ("%s", error->message);
    g_assert_nonnull (strstr (error->message, cases[i].why));
  }
}

/* A second section that lies on the first. */
static void
test_sections (void)
{
  g_autoptr (GBytes) good = make_pe ();
  g_autofree Pe *pe = g_new0 (Pe, 1);
  g_autoptr (GError) error = NULL;

  memcpy (pe->bytes, g_bytes_get_data (good, NULL), sizeof pe->bytes);
  put16 (pe, 0x46, 2);
  put32 (pe, 0x148 + 8, PE_SIZE);
  put32 (pe, 0x170 + 12, PE_RVA + PE_SIZE - 1);
  g_assert_null (scan_bytes (pe->bytes, sizeof pe->bytes, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_PROGRAM);
  put32 (pe, 0x170 + 12, PE_RVA + PE_SIZE);
  pt_cuda_image_free (scan_bytes (pe->bytes, sizeof pe->bytes, NULL));
}

/* 200 MB of the worst that a search for kernels can meet must not take long. */
static void
test_bounded (void)
{
  g_autoptr (GBytes) elf = load (MODEL_LIBRARY);
  gsize size = g_bytes_get_size (elf), all = size + (32u << 20);
  g_autofree guint8 *data = g_malloc (all);
  g_autoptr (PtCudaImage) image = NULL;

  memcpy (data, g_bytes_get_data (elf, NULL), size);
  memset (data + size, 0x7f, all - size);
  image = pt_cuda_image_scan (data, all, NULL);
  g_assert_nonnull (image);
  g_assert_cmpuint (image->n_kernels, ==, 2);
}

/* More kinds of code than can be told apart are refused, not forgotten. */
static void
test_too_many (void)
{
  g_autoptr (GBytes) elf = load (MODEL_LIBRARY);
  g_autoptr (GBytes) cubin = load_data ("kernel-sm80.cubin");
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GError) error = NULL;

  g_byte_array_append (bytes, g_bytes_get_data (elf, NULL), (guint) g_bytes_get_size (elf));
  for (guint i = 0; i < PT_CUDA_MAX_CODES + 10; i++) {
    g_autofree guint8 *copy = g_memdup2 (g_bytes_get_data (cubin, NULL), g_bytes_get_size (cubin));

    copy[49] = (guint8) (20 + i);
    g_byte_array_append (bytes, copy, 64);
  }
  g_assert_null (scan_bytes (bytes->data, bytes->len, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_PROGRAM);
}

/* ---- what runs where ---- */

static void
test_fits (void)
{
  static const struct {
    PtCudaCode code;
    guint capability;
    gboolean fits;
  } cases[] = {
    { { 80, '\0', 0 }, 80, TRUE },   { { 80, '\0', 0 }, 89, TRUE },
    { { 86, '\0', 0 }, 80, FALSE },  { { 80, '\0', 0 }, 90, FALSE },
    { { 90, 'a', 0 }, 90, TRUE },    { { 90, 'a', 0 }, 100, FALSE },
    { { 100, 'a', 0 }, 103, FALSE }, { { 100, 'f', 0 }, 103, TRUE },
    { { 103, 'f', 0 }, 100, FALSE }, { { 100, 'f', 0 }, 120, FALSE },
    { { 120, '\0', 0 }, 121, TRUE }, { { 75, '\0', 90 }, 75, TRUE },
    { { 75, '\0', 90 }, 120, TRUE }, { { 90, '\0', 90 }, 89, FALSE },
    { { 90, 'a', 87 }, 100, FALSE }, { { 90, 'a', 87 }, 90, TRUE },
    { { 100, 'f', 90 }, 103, TRUE }, { { 100, 'f', 90 }, 120, FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_cmpint (pt_cuda_code_fits (&cases[i].code, cases[i].capability), ==, cases[i].fits);
}

static void
test_ptx_drivers (void)
{
  static const guint versions[][2] = { { 78, 11080 }, { 80, 12000 }, { 84, 12040 },
                                       { 85, 12050 }, { 86, 12070 }, { 87, 12080 },
                                       { 88, 12090 }, { 90, 13000 }, { 91, 13010 } };

  for (guint i = 0; i < G_N_ELEMENTS (versions); i++)
    g_assert_cmpuint (pt_cuda_ptx_driver (versions[i][0]), ==, versions[i][1]);
}

static const char *const functions[] = {
  "aoti_torch_delete_tensor_object",
  "aoti_torch_dtype_float32",
  "cudaMalloc",
};

static PtCudaMachine
good_machine (void)
{
  PtCudaMachine machine = pt_cuda_machine_here ();

  machine.functions = functions;
  machine.n_functions = G_N_ELEMENTS (functions);
  machine.device = "NVIDIA Test";
  machine.capability = 86;
  machine.driver = 13000;
  return machine;
}

static void
expect_missing (const PtCudaImage *image, const PtCudaMachine *machine, const char *expected)
{
  g_autoptr (GPtrArray) missing = pt_cuda_image_missing (image, machine);
  g_autoptr (GError) error = NULL;

  if (expected == NULL) {
    g_assert_cmpuint (missing->len, ==, 0);
    g_assert_true (pt_cuda_image_check (image, machine, &error));
    g_assert_no_error (error);
    return;
  }
  g_assert_cmpuint (missing->len, ==, 1);
  g_assert_cmpstr (missing->pdata[0], ==, expected);
  g_assert_false (pt_cuda_image_check (image, machine, &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_UNSUPPORTED);
  g_assert_cmpstr (error->message, ==, expected);
}

static void
test_machine (void)
{
  g_autoptr (GBytes) bytes = load (MODEL_LIBRARY);
  g_autoptr (PtCudaImage) image = scan_good (bytes);
  g_autoptr (GPtrArray) all = NULL;
  PtCudaMachine machine = good_machine ();
  const char *const old[] = { "GLIBC_2.0", NULL };

  expect_missing (image, &machine, NULL);
  machine.functions = functions + 2;
  machine.n_functions = 1;
  expect_missing (image, &machine,
                  "The model's library needs functions that this Pteris does not have: "
                  "aoti_torch_delete_tensor_object, aoti_torch_dtype_float32. Update Pteris, or "
                  "export the model with ExecuTorch 1.2 to 1.5.");
  if (image->n_versions == 0) /* there are none on Windows */
    return;
  machine.versions = old;
  all = pt_cuda_image_missing (image, &machine);
  g_assert_cmpuint (all->len, ==, 2);
  g_assert_nonnull (strstr (all->pdata[1], "too old for this model, which needs GLIBC_2."));
}

static void
test_devices (void)
{
  g_autoptr (GBytes) bytes = load (MODEL_LIBRARY);
  g_autoptr (PtCudaImage) image = scan_good (bytes);
  PtCudaMachine machine = good_machine ();

  /* The bare cubin, for 8.x, is another kernel than the fat binary, and both are needed. */
  machine.capability = 90;
  expect_missing (image, &machine,
                  "This model contains GPU code for compute_75 (PTX 9.0), sm_75, sm_80, sm_90a, "
                  "sm_100f, sm_120, compute_120 (PTX 9.0) only; your GPU (NVIDIA Test, compute "
                  "capability 9.0) cannot run it. Use a model exported for sm_90, or export it "
                  "again on this GPU.");
  image->n_variants = 1;
  expect_missing (image, &machine, NULL);
  /* Only PTX is left, which an old driver does not understand. */
  machine.capability = 110;
  expect_missing (image, &machine, NULL);
  machine.driver = 12040;
  expect_missing (image, &machine,
                  "This model's GPU code needs PTX 9.0, i.e. an NVIDIA driver for CUDA 13.0 or "
                  "newer; installed: 12.4. Update the driver.");
  machine.capability = 80;
  expect_missing (image, &machine, NULL);
  machine.capability = 0;
  machine.driver = 0;
  expect_missing (image, &machine, NULL);
}

static void
test_platforms (void)
{
  g_autoptr (GBytes) bytes = make_pe ();
  g_autoptr (PtCudaImage) image = scan_good (bytes);
  PtCudaMachine machine = good_machine ();

  machine.kind = PT_CUDA_IMAGE_ELF;
  machine.cpu = PT_CUDA_CPU_X86_64;
  expect_missing (image, &machine,
                  "The model was exported for Windows on x86-64; this is Linux on x86-64. Export "
                  "it for here.");
  machine.kind = PT_CUDA_IMAGE_PE;
  expect_missing (image, &machine,
                  "The model's library needs a function that this Pteris does not have: "
                  "aoti_torch_warn. Update Pteris, or export the model with ExecuTorch 1.2 to "
                  "1.5.");
  machine.cpu = PT_CUDA_CPU_AARCH64;
  expect_missing (image, &machine,
                  "The model was exported for Windows on x86-64; this is Windows on aarch64. "
                  "Export it for here.");
}

#ifdef G_OS_UNIX

/* A library for Linux on ARM, on GPUs of a Jetson Orin (8.7) and of a DGX Spark (12.1). */
static void
test_arm (void)
{
  enum { E_MACHINE = 18, EM_AARCH64 = 183 };
  gsize size;
  guint8 *data = g_bytes_unref_to_data (load (MODEL_LIBRARY), &size);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (PtCudaImage) image = NULL;
  PtCudaMachine machine = good_machine ();

  data[E_MACHINE] = EM_AARCH64;
  bytes = g_bytes_new_take (data, size);
  image = scan_good (bytes);
  g_assert_cmpint (image->kind, ==, PT_CUDA_IMAGE_ELF);
  g_assert_cmpint (image->cpu, ==, PT_CUDA_CPU_AARCH64);
  machine.cpu = PT_CUDA_CPU_X86_64;
  expect_missing (image, &machine,
                  "The model was exported for Linux on aarch64; this is Linux on x86-64. Export "
                  "it for here.");
  machine.cpu = PT_CUDA_CPU_AARCH64;
  machine.capability = 87;
  expect_missing (image, &machine, NULL);
  image->n_variants = 1; /* without the kernel for 8.x alone */
  machine.capability = 121;
  expect_missing (image, &machine, NULL);
}

#endif

static gboolean
has_only_ours (const char *name)
{
  return g_strv_contains ((const char *[]){ "aoti_cuda_shims.dll", "KERNEL32.dll", NULL }, name);
}

static void
test_libraries (void)
{
  g_autoptr (GBytes) bytes = make_pe ();
  g_autoptr (PtCudaImage) image = scan_good (bytes);
  PtCudaMachine machine = { .kind = PT_CUDA_IMAGE_PE, .cpu = PT_CUDA_CPU_X86_64 };

  expect_missing (image, &machine, NULL);
  machine.has_library = has_only_ours;
  expect_missing (image, &machine,
                  "The model's library needs cudart64_13.dll, which this system does not have. "
                  "Export the model with ExecuTorch 1.2 to 1.5 and CUDA 12 or 13.");
}

#ifdef G_OS_WIN32

static void
test_has_library (void)
{
  PtCudaMachine machine = pt_cuda_machine_here ();

  g_assert_true (machine.has_library ("KERNEL32.dll"));
  g_assert_true (machine.has_library ("msvcrt.dll"));
  g_assert_true (machine.has_library ("api-ms-win-crt-runtime-l1-1-0.dll"));
  g_assert_true (machine.has_library ("CUDART64_12.DLL"));
  g_assert_false (machine.has_library ("cudart64_11.dll"));
  g_assert_false (machine.has_library ("libstdc++-6.dll"));
  g_assert_false (machine.has_library (""));
  g_assert_false (machine.has_library ("..\\system32\\kernel32.dll"));
  g_assert_false (machine.has_library ("C:\\windows\\system32\\kernel32.dll"));
  g_assert_false (machine.has_library ("\xff.dll"));
}

#endif

/* The C library is known here, and has what this test was linked with. */
static void
test_here (void)
{
  PtCudaMachine machine = pt_cuda_machine_here ();

#ifdef __GLIBC__
  g_assert_nonnull (machine.versions);
  g_assert_true (g_strv_contains (machine.versions, "GLIBC_2.17"));
  for (guint i = 1; machine.versions[i] != NULL; i++)
    g_assert_cmpint (strcmp (machine.versions[i - 1], machine.versions[i]), <=, 0);
#endif
  g_assert_cmpuint (machine.capability, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cuda/image/own", test_own);
  g_test_add_func ("/cuda/image/code", test_code);
  g_test_add_func ("/cuda/image/pe", test_pe);
  g_test_add_func ("/cuda/image/no-library", test_no_library);
  g_test_add_func ("/cuda/image/damage", test_damage);
  g_test_add_func ("/cuda/image/extremes", test_extremes);
  g_test_add_func ("/cuda/image/odd-pe", test_odd_pe);
  g_test_add_func ("/cuda/image/sections", test_sections);
  g_test_add_func ("/cuda/image/bounded", test_bounded);
  g_test_add_func ("/cuda/image/too-many", test_too_many);
  g_test_add_func ("/cuda/image/fits", test_fits);
  g_test_add_func ("/cuda/image/ptx-drivers", test_ptx_drivers);
  g_test_add_func ("/cuda/image/machine", test_machine);
  g_test_add_func ("/cuda/image/devices", test_devices);
  g_test_add_func ("/cuda/image/platforms", test_platforms);
#ifdef G_OS_UNIX
  g_test_add_func ("/cuda/image/arm", test_arm);
#endif
  g_test_add_func ("/cuda/image/libraries", test_libraries);
  g_test_add_func ("/cuda/image/here", test_here);
#ifdef G_OS_WIN32
  g_test_add_func ("/cuda/image/has-library", test_has_library);
#endif
  return g_test_run ();
}
