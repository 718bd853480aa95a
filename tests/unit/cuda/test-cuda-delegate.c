/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>
#include <pteris/error.h>
#include <pteris/trust.h>

#include "engine/cuda/shim-tensor.h"
#include "tests/unit/cuda/delegate-fixture.h"

/* Results, state and files. */

static const char *const two_methods[] = { "prefill", "decode", NULL };

/* ---- results, state, reset ---- */

static void
check_calls (const FakeProgram *spec)
{
  PtModule *module = open_module (spec, 0);
  PtMethod *method = load (module, "forward");
  g_autoptr (GError) error = NULL;

  call (method, 3, 1000);
  assert_rows (method, 0, 3, 1000);
  assert_first_state (spec, method);
  assert_weight (method);
  call (method, 16, 2000);
  assert_rows (method, 0, 16, 2000);
  assert_row (method, 1, 1020);
  call (method, 1, 3000);
  assert_row (method, 0, 3000);
  assert_row (method, 1, 2150);
  assert_weight (method);

  pt_method_reset_state (method, &error);
  g_assert_no_error (error);
  call (method, 2, 4000);
  assert_rows (method, 0, 2, 4000);
  assert_first_state (spec, method);
  close_module (module);
}

static void
test_host (void)
{
  check_calls (&host_blob);
}

static void
test_copies (void)
{
  check_calls (&copies_named);
}

static void
test_device (void)
{
  check_calls (&device_named);
}

static void
test_plain (void)
{
  PtModule *module = open_module (&device_plain, 0);
  PtMethod *method = load (module, "forward");

  call (method, 5, 7);
  assert_rows (method, 0, 5, 7);
  close_module (module);
}

/* ---- sharing ---- */

static void
check_sharing (const FakeProgram *base, const char *metadata, gboolean shares)
{
  FakeProgram spec = *base;
  PtModule *module;
  PtMethod *prefill, *decode;
  g_autoptr (GError) error = NULL;

  spec.methods = two_methods;
  spec.metadata = metadata;
  module = open_module (&spec, 0);
  prefill = load (module, "prefill");
  decode = load (module, "decode");
  call (prefill, 4, 500);
  assert_rows (prefill, 0, 4, 500);
  call (decode, 1, 600);
  if (shares)
    assert_row (decode, 1, 530);
  else
    assert_first_state (&spec, decode);
  assert_weight (decode);

  /* Either way back is for both; and one may go, the other stays. */
  pt_method_reset_state (prefill, &error);
  g_assert_no_error (error);
  pt_module_unload (module, "prefill");
  call (decode, 1, 700);
  if (shares)
    assert_first_state (&spec, decode);
  else
    assert_row (decode, 1, 600);
  assert_weight (decode);
  prefill = load (module, "prefill");
  call (prefill, 2, 800);
  if (shares)
    assert_row (prefill, 1, 700);
  else
    assert_first_state (&spec, prefill);
  close_module (module);
}

static void
test_sharing_names (void)
{
  check_sharing (&copies_named, NULL, TRUE);
  check_sharing (&copies_named, "{\"version\": 1, \"mutable_buffers\": [\"cache.state\"]}", TRUE);
}

static void
test_sharing_blob (void)
{
  check_sharing (&host_blob, NULL, FALSE);
  check_sharing (&host_blob, "{\"version\": 1, \"mutable_buffers\": [\"cache.state\"]}", TRUE);
}

/* Two loaded copies of a program have nothing in common. */
static void
test_apart (void)
{
  g_autoptr (PtModule) first = open_module (&copies_named, 0);
  PtModule *second = open_module (&copies_named, 0);
  PtMethod *a = load (first, "forward"), *b = load (second, "forward");

  call (a, 1, 10);
  call (a, 1, 20);
  call (b, 1, 30);
  assert_first_state (&copies_named, b);
  call (a, 1, 40);
  assert_row (a, 1, 20);
  pt_module_free (second);
  call (a, 1, 50);
  assert_row (a, 1, 40);
  g_clear_pointer (&first, pt_module_free);
  assert_all_gone ();
}

/* ---- results that stay on the GPU ---- */

static const PtTensor *
output (PtMethod *method, guint i)
{
  return pt_method_output (method, i)->as_tensor;
}

/* The result of a call is the input of the next one, and never sees the host. */
static void
check_stays (const FakeProgram *spec)
{
  PtModule *module = open_module (spec, 0);
  PtMethod *method = load (module, "forward");
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < spec->n_outputs; i++)
    g_assert_true (pt_method_keep_output_on_device (method, i, TRUE));
  g_assert_false (pt_method_keep_output_on_device (method, 3, TRUE));
  call (method, 2, 30);
  g_assert_cmpint (output (method, 0)->device_type, ==, PT_DEVICE_CUDA);
  assert_rows (method, 0, 2, 30);
  if (spec->n_outputs == 3)
    assert_weight (method);
  fake->reset ();
  for (guint i = 0; i < 8; i++) {
    PtTensor given = *output (method, 0);

    pt_method_set_input_tensor (method, 0, &given, &error);
    g_assert_no_error (error);
    pt_method_execute (method, NULL, &error);
    g_assert_no_error (error);
  }
  if (spec->n_outputs == 1) { /* the weight is strided: without kernels the host has to do it */
    g_assert_cmpuint (fake->n_calls ("cuStreamSynchronize"), ==, 0);
    g_assert_cmpuint (fake->n_calls ("cuMemcpyDtoHAsync"), ==, 0);
  }
  assert_rows (method, 0, 2, 30);
  if (spec->n_outputs == 3)
    assert_row (method, 1, 40);

  if (spec->form != FAKE_PROGRAM_DEVICE) {
    g_assert_true (pt_method_keep_output_on_device (method, 0, FALSE));
    call (method, 4, 60);
    g_assert_cmpint (output (method, 0)->device_type, ==, PT_DEVICE_CPU);
    assert_rows (method, 0, 4, 60);
  }
  close_module (module);
}

static gpointer
talk_on (gpointer device)
{
  static GMutex opening; /* the fixture's files are for one thread */
  float base = 1000.0f * (float) (GPOINTER_TO_INT (device) + 1);
  PtModule *module;
  PtMethod *method;

  g_mutex_lock (&opening);
  module = open_module_on (&device_named, 0, GPOINTER_TO_INT (device));
  g_mutex_unlock (&opening);
  method = load (module, "forward");
  for (guint i = 0; i < 20; i++) {
    call (method, 1, base + (float) i);
    assert_row (method, 0, base + (float) i);
    if (i == 0)
      assert_first_state (&device_named, method);
    else
      assert_row (method, 1, base + (float) i - 1);
    assert_weight (method);
  }
  pt_module_free (module);
  g_assert_cmpuint (pt_shim_tensor_count (), ==, 0); /* of this thread */
  return NULL;
}

/* One model on each of two GPUs, in two threads, each with graphs and a state of its own. */
static void
test_two_gpus (void)
{
  GThread *first = g_thread_new ("first", talk_on, GINT_TO_POINTER (0));
  GThread *second = g_thread_new ("second", talk_on, GINT_TO_POINTER (1));

  g_thread_join (first);
  g_thread_join (second);
  assert_all_gone ();
}

static void
test_stays (void)
{
  const FakeProgram *const specs[] = { &host_blob, &copies_named, &device_named, &device_plain };
  FakeProgram plain = device_plain;

  for (guint i = 0; i < G_N_ELEMENTS (specs); i++)
    check_stays (specs[i]);
  plain.form = FAKE_PROGRAM_HOST;
  check_stays (&plain);
  plain.form = FAKE_PROGRAM_COPIES;
  check_stays (&plain);
}

/* ---- libraries with their own ideas ---- */

static void
check_mode (const FakeProgram *spec, gint64 mode, gboolean keep)
{
  PtModule *module = open_module (spec, mode);
  PtMethod *method = load (module, "forward");

  if (keep)
    for (guint i = 0; i < 3; i++)
      pt_method_keep_output_on_device (method, i, TRUE);
  for (guint n = 1; n < 9; n++) {
    float base = 100 * (float) n;

    call (method, 1, base);
    assert_row (method, 0, base);
    if (mode & (FAKE_MODEL_DUPLICATE | FAKE_MODEL_ALIAS_STATE))
      assert_row (method, 1, base);
    else if (n > 1)
      assert_row (method, 1, base - 100);
    assert_weight (method);
  }
  close_module (module);
}

static void
test_modes (void)
{
  const FakeProgram *const specs[] = { &host_blob, &copies_named, &device_named };
  const gint64 modes[] = { FAKE_MODEL_DUPLICATE, FAKE_MODEL_ALIAS_INPUT, FAKE_MODEL_ALIAS_STATE,
                           FAKE_MODEL_PADDED, FAKE_MODEL_SYNCHRONIZE };

  for (guint s = 0; s < G_N_ELEMENTS (specs); s++)
    for (guint m = 0; m < G_N_ELEMENTS (modes); m++) {
      check_mode (specs[s], modes[m], FALSE);
      check_mode (specs[s], modes[m], TRUE);
    }
}

/* ---- files that do not fit ---- */

static void
assert_refused (const FakeProgram *spec, const FakeProgram *data_spec, PtError code)
{
  g_autoptr (GBytes) bytes = fake_program_new (spec);
  g_autofree char *path = data_spec != NULL ? write_data (data_spec, 0) : NULL;
  const char *const paths[] = { path, NULL };
  g_autoptr (PtProgram) program = pt_program_new (bytes, "model.pte", NULL);
  const PtMethodOptions options = { .trust = PT_TRUST_AS_READ };
  g_autoptr (PtModule) module = NULL;
  g_autoptr (GError) error = NULL;

  module = pt_module_new (program, paths, &options, &error);
  g_assert_no_error (error);
  g_assert_null (pt_module_method (module, "forward", &error));
  g_assert_error (error, PT_ERROR, (int) code);
  g_clear_pointer (&module, pt_module_free);
  assert_all_gone ();
}

static void
test_files (void)
{
  FakeProgram shifted = copies_named, bare = copies_named, metadata = copies_named;
  FakeProgram other = host_blob, outputs = copies_named;
  const char *const names[] = { "other", NULL };

  shifted.shifted = TRUE; /* another element type than in the library */
  assert_refused (&shifted, &copies_named, PT_ERROR_PROGRAM);
  bare.has_constants = FALSE; /* nothing listed for what the library has */
  assert_refused (&bare, &copies_named, PT_ERROR_PROGRAM);
  metadata.metadata = "{\"version\": 2}";
  assert_refused (&metadata, &copies_named, PT_ERROR_PROGRAM);
  other.methods = names; /* weights of another method */
  assert_refused (&host_blob, &other, PT_ERROR_NOT_FOUND);
  assert_refused (&host_blob, NULL, PT_ERROR_MISSING_FILE);
  assert_refused (&copies_named, &host_blob, PT_ERROR_NOT_FOUND);
  outputs.n_outputs = 2; /* found when it is called, before the library gets to see it */
  {
    PtModule *module = open_module (&outputs, 0);
    PtMethod *method = load (module, "forward");
    g_autoptr (GError) error = NULL;

    g_assert_false (try_call (method, 1, 1, &error));
    g_assert_error (error, PT_ERROR, PT_ERROR_PROGRAM);
    close_module (module);
  }
}

/* The library is not loaded before the user has agreed, once for this file. */
static void
test_consent (void)
{
  FakeProgram spec = device_plain;
  const char *const names[] = { "never-agreed-to", NULL };
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (PtProgram) program = NULL;
  g_autoptr (PtModule) module = NULL;
  g_autoptr (GError) error = NULL;

  spec.methods = names;
  bytes = fake_program_new (&spec);
  program = pt_program_new (bytes, "model.pte", NULL);
  module = pt_module_new (program, NULL, NULL, NULL);
  g_assert_null (pt_module_method (module, names[0], &error));
  g_assert_error (error, PT_ERROR, PT_ERROR_UNTRUSTED);
  g_clear_pointer (&module, pt_module_free);
  assert_all_gone ();

  module = open_module (&spec, 0);
  load (module, names[0]);
  pt_module_free (module);
  module = pt_module_new (program, NULL, NULL, NULL);
  load (module, names[0]);
}

/* ---- for long ---- */

static void
test_cycles (void)
{
  const FakeProgram *const specs[] = { &host_blob, &copies_named };

  for (guint i = 0; i < 50; i++) {
    PtModule *module = open_module (specs[i % 2], 0);
    PtMethod *method = load (module, "forward");

    for (guint k = 0; k < 6; k++)
      call (method, 1 + k % 2, (float) k);
    close_module (module);
  }
}

static void
test_long_run (void)
{
  PtModule *module = open_module (&copies_named, 0);
  PtMethod *method = load (module, "forward");
  FakeCounts before, after;
  guint handles;

  fake->reset ();
  for (guint i = 0; i < 20; i++)
    call (method, 1 + i % 2, (float) i);
  fake->counts (&before);
  handles = pt_shim_tensor_count ();
  for (guint i = 0; i < 1000; i++)
    call (method, 1 + i % 2, (float) i);
  fake->counts (&after);
  g_assert_cmpuint (after.bytes, ==, before.bytes);
  g_assert_cmpuint (after.allocations, ==, before.allocations);
  g_assert_cmpuint (after.graphs, ==, before.graphs);
  g_assert_cmpuint (after.events, ==, before.events);
  g_assert_cmpuint (pt_shim_tensor_count (), ==, handles);
  close_module (module);
}

int
main (int argc, char **argv)
{
  start_delegate_tests (&argc, &argv);
  g_test_add_func ("/cuda/delegate/host", test_host);
  g_test_add_func ("/cuda/delegate/copies", test_copies);
  g_test_add_func ("/cuda/delegate/device", test_device);
  g_test_add_func ("/cuda/delegate/plain", test_plain);
  g_test_add_func ("/cuda/delegate/sharing-names", test_sharing_names);
  g_test_add_func ("/cuda/delegate/sharing-blob", test_sharing_blob);
  g_test_add_func ("/cuda/delegate/apart", test_apart);
  g_test_add_func ("/cuda/delegate/two-gpus", test_two_gpus);
  g_test_add_func ("/cuda/delegate/stays", test_stays);
  g_test_add_func ("/cuda/delegate/modes", test_modes);
  g_test_add_func ("/cuda/delegate/files", test_files);
  g_test_add_func ("/cuda/delegate/consent", test_consent);
  g_test_add_func ("/cuda/delegate/cycles", test_cycles);
  g_test_add_func ("/cuda/delegate/long-run", test_long_run);
  return end_delegate_tests ();
}
