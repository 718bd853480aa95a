/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/program/bundle.h"
#include "tests/fuzz/fuzz.h"

/* Opening a bundled program. */

static void
touch_values (const PtBundleValue *values, guint n)
{
  for (guint i = 0; i < n; i++) {
    if (values[i].kind != PT_VALUE_TENSOR)
      continue;
    fuzz_touch (values[i].as_tensor.data, values[i].as_tensor.nbytes);
    fuzz_touch (values[i].as_tensor.sizes, values[i].as_tensor.rank * sizeof (gint32));
    fuzz_touch (values[i].as_tensor.dim_order, values[i].as_tensor.rank);
  }
}

static void
touch_suite (const PtBundleSuite *suite)
{
  fuzz_touch (suite->plan, sizeof *suite->plan);
  for (guint i = 0; i < suite->n_cases; i++) {
    const PtBundleCase *one = &suite->cases[i];

    g_assert (one->n_inputs == suite->plan->n_inputs);
    g_assert (one->n_outputs == 0 || one->n_outputs == suite->plan->n_outputs);
    touch_values (one->inputs, one->n_inputs);
    touch_values (one->outputs, one->n_outputs);
  }
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GBytes) bytes = fuzz_bytes (data, size);
  g_autoptr (PtBundle) bundle = NULL;
  GError *error = NULL;

  bundle = pt_bundle_new (bytes, "fuzz.bpte", &error);
  if (bundle == NULL) {
    fuzz_check_error (error);
    return 0;
  }
  fuzz_touch_program (pt_bundle_program (bundle));
  for (guint i = 0; i < pt_bundle_n_suites (bundle); i++)
    touch_suite (pt_bundle_suite (bundle, i));
  return 0;
}
