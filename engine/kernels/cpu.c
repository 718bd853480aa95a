/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/cpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/kernels/cpu-arm.h"

#ifdef __x86_64__
#include <cpuid.h>
#define HAVE_CPUID 1
#endif
#if defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif
#ifdef G_OS_WIN32
#include <windows.h>
#elif defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

static const char *const level_names[PT_N_CPU_LEVELS] = {
  "portable", "avx2", "avx2-vnni", "avx512", "avx512-vnni", "amx", "neon", "dotprod", "i8mm",
};

/* The chosen level plus one; 0: not chosen yet. */
static gint current_level;

#ifdef HAVE_CPUID

typedef struct {
  guint eax, ebx, ecx, edx;
} Cpuid;

static gboolean
cpuid (guint leaf, guint subleaf, Cpuid *out)
{
  return __get_cpuid_count (leaf, subleaf, &out->eax, &out->ebx, &out->ecx, &out->edx) != 0;
}

static gboolean
has_bits (guint value, guint bits)
{
  return (value & bits) == bits;
}

/* The register XCR0: a bit for each register set that the operating system saves. */
static guint
saved_states (void)
{
  guint eax, edx;

  __asm__ volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
  return eax;
}

/* The bit in XCR0 for the data of AMX tiles. */
#define TILE_DATA 18

#ifdef G_OS_WIN32

static gboolean
allow_tiles (void)
{
  typedef BOOL (WINAPI * Enable) (DWORD64 features);
  HMODULE kernel = GetModuleHandleW (L"kernel32.dll");
  Enable enable = NULL;

  if (kernel != NULL) /* Defined since Windows 11. */
    enable = (Enable) (gpointer) GetProcAddress (kernel, "EnableProcessOptionalXStateFeatures");
  return enable != NULL && enable ((DWORD64) 1 << TILE_DATA);
}

#elif defined(__linux__)

/* Defined in asm/prctl.h; older headers lack it. */
#ifndef ARCH_REQ_XCOMP_PERM
#define ARCH_REQ_XCOMP_PERM 0x1023
#endif

static gboolean
allow_tiles (void)
{
  return syscall (SYS_arch_prctl, (long) ARCH_REQ_XCOMP_PERM, (long) TILE_DATA) == 0;
}

#else

static gboolean
allow_tiles (void)
{
  return FALSE;
}

#endif

/*
 * @seven: leaf 7 of CPUID. The operating system allocates memory for tiles at a thread's first use,
 * and only after the process has asked for permission.
 */
static gboolean
has_tiles (const Cpuid *seven)
{
  return has_bits (seven->edx, 1u << 24 | 1u << 25) /* TILE INT8 */ &&
         has_bits (saved_states (), 1u << 17 | 1u << TILE_DATA) && allow_tiles ();
}

static PtCpuLevel
detect_level (void)
{
  const guint avx2_features_1 =
      1u << 12 | 1u << 27 | 1u << 28 | 1u << 29; /* FMA OSXSAVE AVX F16C */
  const guint avx512_features = 1u << 16 | 1u << 17 | 1u << 30 | 1u << 31; /* F DQ BW VL */
  Cpuid one, seven, seven_one;
  gboolean avx_vnni;

  if (!cpuid (1, 0, &one) || !has_bits (one.ecx, avx2_features_1))
    return PT_CPU_PORTABLE;
  if (!has_bits (saved_states (), 0x6) || !cpuid (7, 0, &seven) || !has_bits (seven.ebx, 1u << 5))
    return PT_CPU_PORTABLE;
  if (has_bits (saved_states (), 0xe6) && has_bits (seven.ebx, avx512_features)) {
    if (!has_bits (seven.ecx, 1u << 11))
      return PT_CPU_AVX512;
    return has_tiles (&seven) ? PT_CPU_AMX : PT_CPU_AVX512_VNNI;
  }
  avx_vnni = seven.eax >= 1 && cpuid (7, 1, &seven_one) && has_bits (seven_one.eax, 1u << 4);
  return avx_vnni ? PT_CPU_AVX2_VNNI : PT_CPU_AVX2;
}

static gboolean
is_of_amd (void)
{
  guint max, name[4] = { 0 };

  return __get_cpuid (0, &max, &name[0], &name[2], &name[1]) != 0 &&
         (memcmp (name, "AuthenticAMD", 12) == 0 || memcmp (name, "HygonGenuine", 12) == 0);
}

/* Owned by the caller. */
static char *
read_name (void)
{
  guint max = __get_cpuid_max (0x80000000u, NULL);
  guint words[12] = { 0 };
  char brand[49];

  for (guint i = 0; i < 3 && max >= 0x80000004u; i++)
    __get_cpuid (0x80000002u + i, &words[4 * i], &words[4 * i + 1], &words[4 * i + 2],
                 &words[4 * i + 3]);
  memcpy (brand, words, 48);
  brand[48] = '\0';
  return g_strdup (brand);
}

/*
 * A CPU can also run the kernels of lower levels; but AVX-512 does not include the VNNI
 * instructions of AVX2.
 */
static gboolean
level_runs (PtCpuLevel level, PtCpuLevel best)
{
  Cpuid seven_one;

  if (level == PT_CPU_AVX2_VNNI && best > level)
    return cpuid (7, 1, &seven_one) && has_bits (seven_one.eax, 1u << 4);
  return level <= best;
}

#else

static gboolean
is_of_amd (void)
{
  return FALSE;
}

#ifdef __aarch64__

static PtCpuLevel
detect_level (void)
{
#ifdef __linux__
  return pt_cpu_arm_level (getauxval (AT_HWCAP), getauxval (AT_HWCAP2));
#else
  return PT_CPU_NEON;
#endif
}

static gboolean
level_runs (PtCpuLevel level, PtCpuLevel best)
{
  return level == PT_CPU_PORTABLE || (level >= PT_CPU_NEON && level <= best);
}

/* Owned by the caller; NULL: not known. */
static char *
read_name (void)
{
  g_autofree char *cpuinfo = NULL, *model = NULL;

  if (!g_file_get_contents ("/proc/cpuinfo", &cpuinfo, NULL, NULL))
    return NULL;
  g_file_get_contents ("/proc/device-tree/model", &model, NULL, NULL);
  return pt_cpu_arm_name (cpuinfo, model);
}

#else

static PtCpuLevel
detect_level (void)
{
  return PT_CPU_PORTABLE;
}

static gboolean
level_runs (PtCpuLevel level, PtCpuLevel best)
{
  return level <= best;
}

static char *
read_name (void)
{
  return NULL;
}

#endif
#endif

static PtCpuLevel
best_level (void)
{
  static gsize best_plus_one = 0;

  if (g_once_init_enter (&best_plus_one))
    g_once_init_leave (&best_plus_one, (gsize) detect_level () + 1);
  return (PtCpuLevel) (best_plus_one - 1);
}

PtCpuLevel
pt_cpu_set_level (PtCpuLevel level)
{
  level = MIN (level, best_level ());
  while (!level_runs (level, best_level ()))
    level--;
  g_atomic_int_set (&current_level, (gint) level + 1);
  return level;
}

/* Hyphens are ignored, and "baseline" means portable. */
static gboolean
is_level_name (const char *name, PtCpuLevel level)
{
  const char *full = level_names[level];

  if (level == PT_CPU_PORTABLE && strcmp (name, "baseline") == 0)
    return TRUE;
  if (level == PT_CPU_AVX2_VNNI && strcmp (name, "avxvnni") == 0)
    return TRUE;
  for (; *full != '\0'; full++)
    if (*full == *name)
      name++;
    else if (*full != '-')
      return FALSE;
  return *name == '\0';
}

PtCpuLevel
pt_cpu_level (void)
{
  gint level = g_atomic_int_get (&current_level);
  PtCpuLevel wanted = PT_N_CPU_LEVELS - 1;
  const char *name;

  if (level > 0)
    return (PtCpuLevel) (level - 1);
  name = g_getenv ("PTERIS_CPU");
  for (guint i = 0; name && i < PT_N_CPU_LEVELS; i++)
    if (is_level_name (name, (PtCpuLevel) i))
      wanted = (PtCpuLevel) i;
  return pt_cpu_set_level (wanted);
}

const char *
pt_cpu_level_name (PtCpuLevel level)
{
  g_return_val_if_fail (level < PT_N_CPU_LEVELS, "unknown");
  return level_names[level];
}

gboolean
pt_cpu_fetches_past_caches (void)
{
  static gsize answer_plus_one = 0;

  if (g_once_init_enter (&answer_plus_one))
    g_once_init_leave (&answer_plus_one, (gsize) is_of_amd () + 1);
  return answer_plus_one == 2;
}

static char *
find_name (void)
{
  char *name = read_name ();

  if (name != NULL && *g_strstrip (name) != '\0')
    return name;
  g_free (name);
  return g_strdup ("unknown CPU");
}

const char *
pt_cpu_name (void)
{
  static char *name = NULL;

  if (g_once_init_enter (&name))
    g_once_init_leave (&name, find_name ());
  return name;
}
