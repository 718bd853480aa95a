/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/cpu.h"

#include <stdlib.h>
#include <string.h>

#include "engine/kernels/cpu-arm.h"

/* The variable is read once, so this comes first. */
static void
test_environment (void)
{
  g_setenv ("PTERIS_CPU", "portable", TRUE);
  g_assert_cmpint (pt_cpu_level (), ==, PT_CPU_PORTABLE);
}

/* The level is looked up once a process: each name has its own. */
static void
test_names_of_levels (void)
{
  static const char *const names[] = { "baseline", "avx2",    "avxvnni", "avx512vnni", "amx",
                                       "neon",     "dotprod", "i8mm",    "avx5",       "" };
  static const PtCpuLevel levels[] = { PT_CPU_PORTABLE,    PT_CPU_AVX2, PT_CPU_AVX2_VNNI,
                                       PT_CPU_AVX512_VNNI, PT_CPU_AMX,  PT_CPU_NEON,
                                       PT_CPU_DOTPROD,     PT_CPU_I8MM, PT_N_CPU_LEVELS - 1,
                                       PT_N_CPU_LEVELS - 1 };

  if (g_test_subprocess ()) {
    const char *wanted = g_getenv ("WANTED_LEVEL");
    PtCpuLevel level = pt_cpu_level ();

    g_assert_cmpint (level, ==, pt_cpu_set_level ((PtCpuLevel) atoi (wanted)));
    return;
  }
  for (guint i = 0; i < G_N_ELEMENTS (names); i++) {
    char number[12];

    g_snprintf (number, sizeof number, "%d", (int) levels[i]);
    g_setenv ("PTERIS_CPU", names[i], TRUE);
    g_setenv ("WANTED_LEVEL", number, TRUE);
    g_test_trap_subprocess (NULL, 0, 0);
    g_test_trap_assert_passed ();
  }
}

static void
test_levels (void)
{
  PtCpuLevel best = pt_cpu_set_level (PT_N_CPU_LEVELS - 1);

  g_assert_cmpint (pt_cpu_level (), ==, best);
  for (PtCpuLevel level = PT_CPU_PORTABLE; level < PT_N_CPU_LEVELS; level++) {
    PtCpuLevel used = pt_cpu_set_level (level);

    g_assert_cmpint (used, <=, MIN (level, best));
    g_assert_cmpint (pt_cpu_level (), ==, used);
    g_assert_cmpuint (strlen (pt_cpu_level_name (level)), >, 0);
  }
  g_assert_cmpint (pt_cpu_set_level (PT_CPU_PORTABLE), ==, PT_CPU_PORTABLE);
}

/* Levels of another kind of processor become ones that this kind has. */
static void
test_kinds (void)
{
  PtCpuLevel best = pt_cpu_set_level (PT_N_CPU_LEVELS - 1);

#ifdef __aarch64__
  g_assert_cmpint (best, >=, PT_CPU_NEON);
  g_assert_cmpint (pt_cpu_set_level (PT_CPU_AMX), ==, PT_CPU_PORTABLE);
  g_assert_cmpint (pt_cpu_set_level (PT_CPU_NEON), ==, PT_CPU_NEON);
#else
  g_assert_cmpint (best, <, PT_CPU_NEON);
  g_assert_cmpint (pt_cpu_set_level (PT_CPU_NEON), ==, best);
#endif
  pt_cpu_set_level (best);
}

static void
test_arm_levels (void)
{
  const guint64 dotprod = 1 << 20, i8mm = 1 << 13, others = 0xff;

  g_assert_cmpint (pt_cpu_arm_level (others, others), ==, PT_CPU_NEON);
  g_assert_cmpint (pt_cpu_arm_level (others | dotprod, others), ==, PT_CPU_DOTPROD);
  g_assert_cmpint (pt_cpu_arm_level (others | dotprod, others | i8mm), ==, PT_CPU_I8MM);
  /* i8mm alone: its kernels use dot products, too. */
  g_assert_cmpint (pt_cpu_arm_level (others, others | i8mm), ==, PT_CPU_NEON);
}

static void
check_arm_name (const char *cpuinfo, const char *model, const char *expected)
{
  g_autofree char *name = pt_cpu_arm_name (cpuinfo, model);

  g_assert_cmpstr (name, ==, expected);
}

#define CORE(implementer, part)                                                                    \
  "processor\t: 0\nCPU implementer\t: " implementer "\nCPU variant\t: 0x4\nCPU part\t: " part "\n" \
  "\n"

static void
test_arm_names (void)
{
  check_arm_name (CORE ("0x41", "0xd0b") CORE ("0x41", "0xd0b"), "Raspberry Pi 5 Model B",
                  "Cortex-A76 (Raspberry Pi 5 Model B)");
  check_arm_name (CORE ("0x41", "0xd05") CORE ("0x41", "0xd05") CORE ("0x41", "0xd0b"), NULL,
                  "Cortex-A76 + Cortex-A55");
  check_arm_name (CORE ("0x61", "0x022") CORE ("0x61", "0x023"), "", "Apple M1");
  check_arm_name (CORE ("0x41", "0xfff"), NULL, "ARM core 0x41:0xfff");
  check_arm_name ("CPU implementer\t: x\nCPU part\t: 0x99999\n", NULL, NULL);
  check_arm_name ("model name\t: Xeon\n", "A board", "A board");
  check_arm_name ("", "\xff", NULL);
}

static void
test_names (void)
{
  g_test_message ("%s", pt_cpu_name ());
  g_assert_cmpuint (strlen (pt_cpu_name ()), >, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/environment", test_environment);
  g_test_add_func ("/cpu/names-of-levels", test_names_of_levels);
  g_test_add_func ("/cpu/levels", test_levels);
  g_test_add_func ("/cpu/kinds", test_kinds);
  g_test_add_func ("/cpu/arm-levels", test_arm_levels);
  g_test_add_func ("/cpu/arm-names", test_arm_names);
  g_test_add_func ("/cpu/names", test_names);
  return g_test_run ();
}
