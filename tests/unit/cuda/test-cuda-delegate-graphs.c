/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/driver.h"
#include "engine/runtime/device.h"
#include "tests/unit/cuda/delegate-fixture.h"

/* Calls that are recorded and played again, and conversations with a state each. */

static const char *const two_methods[] = { "prefill", "decode", NULL };

/* ---- graphs ---- */

static void
test_graph (void)
{
  PtModule *module = open_module (&copies_named, 0);
  PtMethod *method = load (module, "forward");
  guint launches;

  fake->reset ();
  for (guint i = 1; i <= 12; i++) {
    call (method, 1, 100 * (float) i);
    assert_row (method, 0, 100 * (float) i);
    if (i > 1)
      assert_row (method, 1, 100 * (float) (i - 1));
  }
  launches = fake->n_calls ("cuGraphLaunch");
  g_assert_cmpuint (launches, >=, 6);
  g_assert_cmpuint (fake->n_calls ("cuStreamBeginCapture"), ==, 1);

  /* Another shape, in between, and back. */
  call (method, 5, 3000);
  assert_rows (method, 0, 5, 3000);
  assert_row (method, 1, 1200);
  g_assert_cmpuint (fake->n_calls ("cuGraphLaunch"), ==, launches);
  call (method, 1, 4000);
  assert_row (method, 1, 3040);
  g_assert_cmpuint (fake->n_calls ("cuGraphLaunch"), ==, launches + 1);
  close_module (module);
}

/* A new conversation: the flag on the host says that the first call is one again. */
static void
test_graph_and_reset (void)
{
  PtModule *module = open_module (&copies_named, 0);
  PtMethod *method = load (module, "forward");
  g_autoptr (GError) error = NULL;

  for (guint round = 0; round < 6; round++) {
    for (guint i = 1; i <= 6; i++) {
      call (method, 1, 100 * (float) i);
      if (i > 1)
        assert_row (method, 1, 100 * (float) (i - 1));
      else
        assert_first_state (&copies_named, method);
    }
    pt_method_reset_state (method, &error);
    g_assert_no_error (error);
  }
  g_assert_cmpuint (fake->n_calls ("cuGraphLaunch"), >, 0);
  close_module (module);
}

/* Memory of the caller's on the GPU, now here, now there. */
static void
test_graph_moves (void)
{
  PtModule *module = open_module (&device_plain, 0);
  PtMethod *method = load (module, "forward");
  const PtDevice *device = pt_device_find (PT_DEVICE_CUDA);
  g_autoptr (GError) error = NULL;
  gint64 sizes[] = { 1, FAKE_MODEL_COLUMNS };
  gpointer memory[5];
  float x[FAKE_MODEL_COLUMNS];

  for (guint i = 0; i < G_N_ELEMENTS (memory); i++)
    memory[i] = device->allocate (0, sizeof x, &error);
  g_assert_no_error (error);
  fake->reset ();
  for (guint i = 0; i < 20; i++) {
    gpointer at = memory[i < 8 ? 0 : i % G_N_ELEMENTS (memory)];
    PtTensor tensor;

    fill (x, 1, (float) i);
    device->copy_to_device (0, at, x, sizeof x, &error);
    pt_tensor_init (&tensor, PT_DTYPE_F32, 2, sizes, NULL, at, &error);
    tensor.device_type = PT_DEVICE_CUDA;
    pt_method_set_input_tensor (method, 0, &tensor, &error);
    pt_method_execute (method, NULL, &error);
    g_assert_no_error (error);
    assert_row (method, 0, (float) i);
  }
  g_assert_cmpuint (fake->n_calls ("cuStreamBeginCapture"), ==, 2);
  g_assert_cmpuint (fake->n_calls ("cuGraphLaunch"), >, 10);
  for (guint i = 0; i < G_N_ELEMENTS (memory); i++)
    device->free (0, memory[i]);
  close_module (module);
}

/* More shapes than graphs are kept for. */
static void
test_graph_many (void)
{
  PtModule *module = open_module (&copies_named, 0);
  PtMethod *method = load (module, "forward");
  FakeCounts counts;

  for (guint round = 0; round < 4; round++)
    for (guint rows = 1; rows <= FAKE_PROGRAM_ROWS; rows++)
      for (guint i = 0; i < 5; i++) {
        call (method, rows, (float) rows);
        assert_rows (method, 0, rows, (float) rows);
      }
  fake->counts (&counts);
  g_assert_cmpuint (counts.graphs, <=, 4);
  close_module (module);
}

static void
check_without_graph (const char *function, int code)
{
  PtModule *module = open_module (&copies_named, 0);
  PtMethod *method = load (module, "forward");

  fake->reset ();
  if (function != NULL)
    fake->fail (function, 1, code);
  for (guint i = 1; i < 10; i++) {
    call (method, 1, 100 * (float) i);
    assert_row (method, 0, 100 * (float) i);
    if (i > 1)
      assert_row (method, 1, 100 * (float) (i - 1));
  }
  g_assert_cmpuint (fake->n_calls ("cuGraphLaunch"), ==, 0);
  close_module (module);
}

static void
test_graph_fallback (void)
{
  check_without_graph ("cuStreamBeginCapture", 1);
  check_without_graph ("cuGraphInstantiateWithFlags", 2);
  g_setenv ("PTERIS_CUDA_GRAPHS", "0", TRUE);
  check_without_graph (NULL, 0);
  g_unsetenv ("PTERIS_CUDA_GRAPHS");
}

/* ---- conversations ---- */

static void
select_state (PtMethod *method, guint state)
{
  g_autoptr (GError) error = NULL;

  pt_method_select_state (method, state, &error);
  g_assert_no_error (error);
}

/* Three conversations in turn, eagerly and by graphs: each finds what it left. */
static void
check_states (const FakeProgram *spec)
{
  PtModule *module = open_module (spec, 0);
  PtMethod *method = load (module, "forward");
  g_autoptr (GError) error = NULL;
  float base = 0;

  for (guint round = 0; round < 8; round++)
    for (guint state = 0; state < 3; state++) {
      base = 100 * (float) (10 * state + round + 1);
      select_state (method, state);
      call (method, 1, base);
      assert_row (method, 0, base);
      assert_weight (method);
      if (round > 0)
        assert_row (method, 1, base - 100);
      else
        assert_first_state (spec, method);
    }
  g_assert_cmpuint (fake->n_calls ("cuGraphLaunch"), >, 0);

  /* One begins anew, another one goes; the third knows nothing of it. */
  select_state (method, 1);
  pt_method_reset_state (method, &error);
  g_assert_no_error (error);
  pt_method_forget_state (method, 2);
  call (method, 1, 50);
  assert_first_state (spec, method);
  select_state (method, 2);
  call (method, 1, 60);
  assert_first_state (spec, method);
  select_state (method, 0);
  call (method, 1, 70);
  assert_row (method, 1, 800);
  select_state (method, 1);
  call (method, 1, 80);
  assert_row (method, 1, 50);
  close_module (module);
}

static void
test_states (void)
{
  check_states (&host_blob);
  check_states (&copies_named);
  check_states (&device_named);
}

/* No memory for another one: the one that there is stays, and so do those of other methods. */
static void
test_states_memory (void)
{
  FakeProgram spec = copies_named;
  PtMethod *prefill, *decode;
  PtModule *module;

  spec.methods = two_methods;
  module = open_module (&spec, 0);
  prefill = load (module, "prefill");
  decode = load (module, "decode");
  call (prefill, 4, 500);
  for (guint i = 0; i < 2; i++) {
    g_autoptr (GError) error = NULL;

    fake->fail ("cuMemAlloc", 0, PT_CU_OUT_OF_MEMORY);
    g_assert_false (pt_method_select_state (prefill, 1, &error));
    g_assert_error (error, PT_ERROR, PT_ERROR_MEMORY);
    fake->reset ();
    call (decode, 1, 600);
    assert_row (decode, 1, i == 0 ? 530 : 600);
  }
  /* State that both methods share is changed by the first one. */
  select_state (prefill, 1);
  select_state (decode, 1);
  call (prefill, 1, 700);
  assert_first_state (&spec, prefill);
  call (decode, 1, 800);
  assert_row (decode, 1, 700);
  select_state (prefill, 0);
  select_state (decode, 0);
  call (decode, 1, 900);
  assert_row (decode, 1, 600);
  close_module (module);
}

int
main (int argc, char **argv)
{
  start_delegate_tests (&argc, &argv);
  g_test_add_func ("/cuda/delegate/graph", test_graph);
  g_test_add_func ("/cuda/delegate/graph-and-reset", test_graph_and_reset);
  g_test_add_func ("/cuda/delegate/graph-moves", test_graph_moves);
  g_test_add_func ("/cuda/delegate/graph-many", test_graph_many);
  g_test_add_func ("/cuda/delegate/graph-fallback", test_graph_fallback);
  g_test_add_func ("/cuda/delegate/states", test_states);
  g_test_add_func ("/cuda/delegate/states-memory", test_states_memory);
  return end_delegate_tests ();
}
