/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include <glib/gstdio.h>

#include "engine/cuda/kernels.h"
#include "engine/cuda/tensor.h"
#include "engine/init.h"
#include "engine/runtime/device.h"
#include "engine/runtime/module.h"
#include "tests/fakes/fake-cuda.h"
#include "tests/fakes/fake-model.h"
#include "tests/fakes/fake-program.h"

/* Whole programs around libraries that behave as generated code does, on a stand-in of the driver.
 */

#define COLUMNS FAKE_MODEL_COLUMNS

static const FakeCuda *fake;
static char *folder;

static const FakeProgram host_blob = {
  .form = FAKE_PROGRAM_HOST, .library = FAKE_MODEL_BLOB_PATH, .n_outputs = 3, .has_constants = TRUE
};
static const FakeProgram copies_named = { .form = FAKE_PROGRAM_COPIES,
                                          .library = FAKE_MODEL_NAMED_PATH,
                                          .n_outputs = 3,
                                          .named = TRUE,
                                          .has_constants = TRUE };
static const FakeProgram device_named = { .form = FAKE_PROGRAM_DEVICE,
                                          .library = FAKE_MODEL_NAMED_PATH,
                                          .n_outputs = 3,
                                          .named = TRUE,
                                          .has_constants = TRUE };
static const FakeProgram device_plain = {
  .form = FAKE_PROGRAM_DEVICE, .library = FAKE_MODEL_PLAIN_PATH, .n_outputs = 1, .named = TRUE
};

/* --- opening --- */

/* One that is mapped cannot be written again on Windows. */
static guint n_data;

static char *
data_path (guint i)
{
  g_autofree char *name = g_strdup_printf ("data-%u.ptd", i);

  return g_build_filename (folder, name, NULL);
}

static PtModule *
try_open (const FakeProgram *spec, gint64 mode, GError **error)
{
  g_autoptr (GBytes) bytes = fake_program_new (spec);
  g_autoptr (GBytes) data = fake_program_data (spec, mode);
  g_autofree char *path = data_path (n_data++);
  const char *const paths[] = { path, NULL };
  const PtMethodOptions options = { .trust = TRUE };
  g_autoptr (PtProgram) program = pt_program_new (bytes, "model.pte", error);

  if (program == NULL)
    return NULL;
  g_assert_true (g_file_set_contents (path, g_bytes_get_data (data, NULL),
                                      (gssize) g_bytes_get_size (data), NULL));
  return pt_module_new (program, spec->has_constants ? paths : NULL, &options, error);
}

static PtModule *
open_module (const FakeProgram *spec, gint64 mode)
{
  g_autoptr (GError) error = NULL;
  PtModule *module = try_open (spec, mode, &error);

  g_assert_no_error (error);
  return module;
}

static PtMethod *
load (PtModule *module, const char *name)
{
  g_autoptr (GError) error = NULL;
  PtMethod *method = pt_module_method (module, name, &error);

  g_assert_no_error (error);
  return method;
}

/* Nothing is left: not on the GPU, not of the handles. */
static void
assert_all_gone (void)
{
  FakeCounts counts;

  fake->counts (&counts);
  g_assert_cmpuint (counts.contexts, ==, 0);
  g_assert_cmpuint (counts.allocations, ==, 0);
  g_assert_cmpuint (counts.host_allocations, ==, 0);
  g_assert_cmpuint (counts.modules, ==, 0);
  g_assert_cmpuint (counts.graphs, ==, 0);
  g_assert_cmpuint (counts.events, ==, 0);
  g_assert_cmpuint (counts.streams, ==, 0);
  g_assert_cmpuint (counts.leaked, ==, 0);
  g_assert_cmpuint (pt_shim_tensor_count (), ==, 0);
}

static void
close_module (PtModule *module)
{
  pt_module_free (module);
  assert_all_gone ();
}

/* --- calls --- */

/* Row r of call number @base is base + r * 10 + column. */
static void
fill (float *x, guint rows, float base)
{
  for (guint i = 0; i < rows * COLUMNS; i++)
    x[i] = base + (float) (i / COLUMNS) * 10 + (float) (i % COLUMNS);
}

static gboolean
try_call (PtMethod *method, guint rows, float base, GError **error)
{
  gint64 sizes[] = { rows, COLUMNS };
  float x[FAKE_PROGRAM_ROWS * COLUMNS];
  PtTensor tensor;
  gboolean ok;

  fill (x, rows, base);
  ok = pt_tensor_init (&tensor, PT_DTYPE_F32, 2, sizes, NULL, x, error) &&
       pt_method_set_input_tensor (method, 0, &tensor, error) &&
       pt_method_execute (method, NULL, error);
  memset (x, 0xff, sizeof x); /* what was given is not needed any more */
  return ok;
}

static void
call (PtMethod *method, guint rows, float base)
{
  g_autoptr (GError) error = NULL;

  try_call (method, rows, base, &error);
  g_assert_no_error (error);
}

/* Output @i of the last call, fetched from where it is. */
static guint
fetch (PtMethod *method, guint i, float *to)
{
  const PtTensor *tensor = pt_method_output (method, i)->as_tensor;
  g_autoptr (GError) error = NULL;

  if (tensor->device_type == PT_DEVICE_CPU)
    memcpy (to, tensor->data, pt_tensor_nbytes (tensor));
  else
    pt_device_find (PT_DEVICE_CUDA)
        ->copy_to_host (0, to, tensor->data, pt_tensor_nbytes (tensor), &error);
  g_assert_no_error (error);
  return (guint) tensor->sizes[0];
}

static void
assert_row (PtMethod *method, guint output, float base)
{
  float row[FAKE_PROGRAM_ROWS * COLUMNS];

  g_assert_cmpuint (fetch (method, output, row), ==, 1);
  for (guint k = 0; k < COLUMNS; k++)
    g_assert_cmpfloat (row[k], ==, base + (float) k);
}

static void
assert_rows (PtMethod *method, guint output, guint rows, float base)
{
  float got[FAKE_PROGRAM_ROWS * COLUMNS], want[FAKE_PROGRAM_ROWS * COLUMNS];

  fill (want, rows, base);
  g_assert_cmpuint (fetch (method, output, got), ==, rows);
  g_assert_cmpmem (got, rows * COLUMNS * sizeof (float), want, rows * COLUMNS * sizeof (float));
}

/* Row 0 of the weight is a strided view of a constant: numbers 8, 12, ... of its storage. */
static void
assert_weight (PtMethod *method)
{
  float row[FAKE_PROGRAM_ROWS * COLUMNS];

  g_assert_cmpuint (fetch (method, 2, row), ==, 1);
  for (guint k = 0; k < COLUMNS; k++)
    g_assert_cmpfloat (row[k], ==, (float) (8 + 4 * k + 1));
}

/* The first state: 100, 101, ...; where there is a flag, zeros until it is set. */
static void
assert_first_state (const FakeProgram *spec, PtMethod *method)
{
  float row[FAKE_PROGRAM_ROWS * COLUMNS];

  if (!spec->named) {
    assert_row (method, 1, 100);
    return;
  }
  g_assert_cmpuint (fetch (method, 1, row), ==, 1);
  for (guint k = 0; k < COLUMNS; k++)
    g_assert_cmpfloat (row[k], ==, 0);
}

/* --- results, state, reset --- */

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

/* --- sharing --- */

static const char *const two_methods[] = { "prefill", "decode", NULL };

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

/* --- results that stay on the GPU --- */

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

/* --- libraries with their own ideas --- */

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

/* --- graphs --- */

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

/* --- conversations --- */

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
  /* What both share is changed by the first of them. */
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

/* Memory of the caller's on the GPU, now here, now there. */
static void
test_graph_moves (void)
{
  PtModule *module = open_module (&device_plain, 0);
  PtMethod *method = load (module, "forward");
  const PtDevice *device = pt_device_find (PT_DEVICE_CUDA);
  g_autoptr (GError) error = NULL;
  gint64 sizes[] = { 1, COLUMNS };
  gpointer memory[5];
  float x[COLUMNS];

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

/* --- what goes wrong --- */

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
    g_assert_nonnull (g_strrstr (error->message, "estart"));
  }
  pt_module_free (module);
  fake->reset ();
  g_assert_cmpuint (pt_shim_tensor_count (), ==, 0);
}

/* --- files that do not fit --- */

static void
assert_refused (const FakeProgram *spec, const FakeProgram *data_spec, PtError code)
{
  g_autoptr (GBytes) bytes = fake_program_new (spec);
  g_autoptr (GBytes) data = data_spec != NULL ? fake_program_data (data_spec, 0) : NULL;
  g_autofree char *path = data_path (n_data++);
  const char *const paths[] = { data != NULL ? path : NULL, NULL };
  g_autoptr (PtProgram) program = pt_program_new (bytes, "model.pte", NULL);
  const PtMethodOptions options = { .trust = TRUE };
  g_autoptr (PtModule) module = NULL;
  g_autoptr (GError) error = NULL;

  if (data != NULL)
    g_assert_true (g_file_set_contents (path, g_bytes_get_data (data, NULL),
                                        (gssize) g_bytes_get_size (data), NULL));
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

/* Nothing of the library is loaded before the user has agreed, once for this file. */
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

/* --- for long --- */

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

static void
remove_file (const char *name)
{
  g_autofree char *path = g_build_filename (folder, name, NULL);

  g_remove (path);
}

int
main (int argc, char **argv)
{
  int code;

  g_test_init (&argc, &argv, NULL);
  pt_cuda_kernels_use_image (NULL); /* they would not run */
  g_setenv ("PTERIS_CUDA", FAKE_CUDA_PATH, TRUE);
  g_setenv ("PTERIS_CUDA_SHIMS", CUDA_SHIMS_PATH, TRUE);
  fake = fake_cuda_open (FAKE_CUDA_PATH);
  folder = g_dir_make_tmp ("pteris-XXXXXX", NULL);
  g_setenv ("XDG_DATA_HOME", folder, TRUE); /* where consent is remembered */
  pt_init ();
  g_test_add_func ("/cuda/delegate/host", test_host);
  g_test_add_func ("/cuda/delegate/copies", test_copies);
  g_test_add_func ("/cuda/delegate/device", test_device);
  g_test_add_func ("/cuda/delegate/plain", test_plain);
  g_test_add_func ("/cuda/delegate/sharing-names", test_sharing_names);
  g_test_add_func ("/cuda/delegate/sharing-blob", test_sharing_blob);
  g_test_add_func ("/cuda/delegate/apart", test_apart);
  g_test_add_func ("/cuda/delegate/stays", test_stays);
  g_test_add_func ("/cuda/delegate/modes", test_modes);
  g_test_add_func ("/cuda/delegate/failures", test_failures);
  g_test_add_func ("/cuda/delegate/graph", test_graph);
  g_test_add_func ("/cuda/delegate/graph-and-reset", test_graph_and_reset);
  g_test_add_func ("/cuda/delegate/states", test_states);
  g_test_add_func ("/cuda/delegate/states-memory", test_states_memory);
  g_test_add_func ("/cuda/delegate/graph-moves", test_graph_moves);
  g_test_add_func ("/cuda/delegate/graph-many", test_graph_many);
  g_test_add_func ("/cuda/delegate/graph-fallback", test_graph_fallback);
  g_test_add_func ("/cuda/delegate/memory", test_memory);
  g_test_add_func ("/cuda/delegate/driver-errors", test_driver_errors);
  g_test_add_func ("/cuda/delegate/files", test_files);
  g_test_add_func ("/cuda/delegate/consent", test_consent);
  g_test_add_func ("/cuda/delegate/cycles", test_cycles);
  g_test_add_func ("/cuda/delegate/long-run", test_long_run);
  g_test_add_func ("/cuda/delegate/fault", test_fault);
  code = g_test_run ();
  for (guint i = 0; i < n_data; i++) {
    g_autofree char *path = data_path (i);

    g_remove (path);
  }
  remove_file ("pteris/trusted");
  remove_file ("pteris");
  remove_file ("");
  g_free (folder);
  return code;
}
