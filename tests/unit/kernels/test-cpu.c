/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/kernels/cpu.h"

#include <string.h>

/* The variable is read once, so this comes first. */
static void
test_environment (void)
{
  g_setenv ("PTERIS_CPU", "portable", TRUE);
  g_assert_cmpint (pt_cpu_level (), ==, PT_CPU_PORTABLE);
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
  g_test_message ("%s, %u cores", pt_cpu_name (), pt_cpu_n_cores ());
  g_assert_cmpuint (strlen (pt_cpu_name ()), >, 0);
  g_assert_cmpuint (pt_cpu_n_cores (), >=, 1);
  g_assert_cmpuint (pt_cpu_n_cores (), <=, g_get_num_processors ());
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cpu/environment", test_environment);
  g_test_add_func ("/cpu/levels", test_levels);
  g_test_add_func ("/cpu/names", test_names);
  return g_test_run ();
}
