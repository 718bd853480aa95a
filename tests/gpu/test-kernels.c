/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * Tests of our GPU kernels against references in plain C. On a GPU:
 *
 *     test-kernels            all of them, as TAP
 *     test-kernels --quick    fewer and smaller ones, for compute-sanitizer
 *     test-kernels --bench    times and bandwidths; of one group: --bench row, int4, small ...
 *
 * The same tests run everywhere with the kernels emulated on the CPU (test-cuda-kernels).
 */

#include <string.h>

#include "tests/gpu/gpu.h"

/* Takes @name out of the arguments. */
static gboolean
take_option (int *argc, char **argv, const char *name)
{
  for (int i = 1; i < *argc; i++)
    if (strcmp (argv[i], name) == 0) {
      memmove (&argv[i], &argv[i + 1], (gsize) (*argc - i) * sizeof *argv);
      --*argc;
      return TRUE;
    }
  return FALSE;
}

int
main (int argc, char **argv)
{
  gboolean benches = take_option (&argc, argv, "--bench");
  int result = 0;

  gpu_is_quick = take_option (&argc, argv, "--quick");
  g_test_init (&argc, &argv, NULL);
  g_test_set_nonfatal_assertions ();
  gpu_start ();
  if (benches) {
    bench_all (argc > 1 ? argv[1] : NULL);
  } else {
    add_attention_tests ();
    add_norm_tests ();
    add_rotary_tests ();
    add_matmul_tests ();
    add_row_product_tests ();
    add_misc_tests ();
    add_sample_tests ();
    add_replacement_tests ();
    add_replaced_product_tests ();
    add_replaced_small_tests ();
    result = g_test_run ();
  }
  gpu_stop ();
  return result;
}
