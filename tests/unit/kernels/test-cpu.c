/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/cpu.h"

#include <stdlib.h>
#include <string.h>

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
  static const char *const names[] = { "baseline", "avx2", "avxvnni", "avx512vnni",
                                       "amx",      "avx5", "" };
  static const PtCpuLevel levels[] = { PT_CPU_PORTABLE,    PT_CPU_AVX2, PT_CPU_AVX2_VNNI,
                                       PT_CPU_AVX512_VNNI, PT_CPU_AMX,  PT_N_CPU_LEVELS - 1,
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
  g_test_add_func ("/cpu/names", test_names);
  return g_test_run ();
}
