/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "engine/cuda/shim-tensor.h"
#include "tests/unit/cuda/delegate-fixture.h"

/* Libraries, memory and drivers that fail. */

static void
check_failure (gint64 mode, PtError code, const char *pattern)
{
  PtModule *module = open_module (&copies_named, mode);
  PtMethod *method = load (module, "forward");

  for (guint i = 0; i < 6; i++) {
    g_autoptr (GError) error = NULL;

    g_assert_false (try_call (method, 1, 5, &error));
    g_assert_error (error, PT_ERROR, (int) code);
    g_assert_true (g_pattern_match_simple (pattern, error->message));
  }
  close_module (module);
}

static void
test_failures (void)
{
  check_failure (FAKE_MODEL_FAIL, PT_ERROR_INTERNAL, "*CudaBackend*Running the model failed*");
  check_failure (FAKE_MODEL_NO_OUTPUT, PT_ERROR_INTERNAL, "*returned no output 1*");
  check_failure (FAKE_MODEL_LARGE, PT_ERROR_MEMORY, "*not enough memory*GB are free*");
}

/* Load and call with the @nth call of @function failing. Returns whether it was reached. */
static gboolean
survives (const FakeProgram *spec, const char *function, guint nth, int code)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (PtModule) module = NULL;
  PtMethod *method;
  gboolean ok;

  fake->reset ();
  fake->fail (function, nth, code);
  module = try_open (spec, 0, &error);
  method = module != NULL ? pt_module_method (module, "forward", &error) : NULL;
  ok = method != NULL;
  for (guint i = 1; ok && i < 6; i++)
    ok = try_call (method, 1, (float) i, &error);
  if (!ok && code == 2)
    g_assert_error (error, PT_ERROR, PT_ERROR_MEMORY);
  if (!ok) {
    g_assert_nonnull (error);
    g_assert_cmpuint (strlen (error->message), >, 20);
  }
  /* The same method goes on afterwards, if it was made at all. */
  if (!ok && method != NULL) {
    call (method, 2, 77);
    assert_rows (method, 0, 2, 77);
  }
  g_clear_pointer (&module, pt_module_free);
  assert_all_gone ();
  return fake->n_calls (function) >= nth;
}

static void
test_memory (void)
{
  const FakeProgram *const specs[] = { &host_blob, &copies_named, &device_named, &device_plain };

  for (guint s = 0; s < G_N_ELEMENTS (specs); s++)
    for (guint n = 1; survives (specs[s], "cuMemAlloc", n, 2); n++)
      g_assert_cmpuint (n, <, 100);
}

static void
test_driver_errors (void)
{
  static const char *const functions[] = {
    "cuDevicePrimaryCtxRetain", "cuStreamCreate", "cuMemHostAlloc",    "cuModuleLoadData",
    "cuModuleGetFunction",      "cuLaunchKernel", "cuMemcpyHtoDAsync", "cuMemcpyDtoHAsync",
    "cuMemsetD8Async",          "cuEventCreate",  "cuGraphLaunch",     "cuStreamBeginCapture",
  };

  for (guint f = 0; f < G_N_ELEMENTS (functions); f++)
    for (guint n = 1; n < 8 && survives (&copies_named, functions[f], n, 1); n++)
      ;
}

/* After a fault nothing runs any more, and the message says what helps. */
static void
test_fault (void)
{
  PtModule *module = open_module (&copies_named, 0);
  PtMethod *method = load (module, "forward");

  call (method, 1, 1);
  fake->kill (700);
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GError) error = NULL;

    g_assert_false (try_call (method, 1, 2, &error));
    g_assert_nonnull (g_strrstr (error->message, "new process"));
  }
  pt_module_free (module);
  fake->reset ();
  g_assert_cmpuint (pt_shim_tensor_count (), ==, 0);
}

int
main (int argc, char **argv)
{
  start_delegate_tests (&argc, &argv);
  g_test_add_func ("/cuda/delegate/failures", test_failures);
  g_test_add_func ("/cuda/delegate/memory", test_memory);
  g_test_add_func ("/cuda/delegate/driver-errors", test_driver_errors);
  g_test_add_func ("/cuda/delegate/fault", test_fault);
  return end_delegate_tests ();
}
