/* SPDX-License-Identifier: BSD-3-Clause */

#include <string.h>

#ifdef _WIN32
#include <windows.h>
#endif

#include "engine/cuda/cuda-kernels.h"
#include "engine/cuda/model-imports.h"
#include "engine/cuda/shims-private.h"
#include "tests/fakes/fake-cuda.h"
#include "tests/fakes/fake-model.h"

/* Libraries that behave as generated code does, driven by hand through the exported functions. */

typedef struct _Container Container;
typedef struct {
  const char *name;
  PtShimTensor *handle;
} Pair;
typedef gint32 Run (Container *container, PtShimTensor **inputs, gsize n_inputs,
                    PtShimTensor **outputs, gsize n_outputs, gpointer stream, gpointer executor);

typedef struct {
  GModule *module;
  gint32 (*create) (Container **container, gsize n, const char *device, const char *folder);
  gint32 (*delete) (Container *container);
  gint32 (*n_inputs) (Container *container, gsize *n);
  gint32 (*n_outputs) (Container *container, gsize *n);
  gint32 (*n_constants) (Container *container, gsize *n);
  gint32 (*blob_size) (Container *container, guint64 *size);
  gint32 (*update) (Container *container, const guint8 *blob);
  gint32 (*constant_name) (Container *container, gsize i, const char **name);
  gint32 (*is_folded) (Container *container, gsize i, bool *is_folded);
  gint32 (*bind) (Container *container, const Pair *pairs, gsize n, bool inactive, bool validate);
  Run *run, *run_single;
} Library;

static const FakeCuda *fake;

/* As the engine does with a library on Windows; elsewhere names do it. */
static void
lead (gpointer function)
{
#ifdef G_OS_WIN32
  HMODULE library = NULL;

  g_assert_true (GetModuleHandleExW (GET_MODULE_HANDLE_EX_FLAG_FROM_ADDRESS |
                                         GET_MODULE_HANDLE_EX_FLAG_UNCHANGED_REFCOUNT,
                                     function, &library));
  g_assert_true (pt_model_imports_lead (library, NULL));
#endif
}

static void
library_open (Library *self, const char *path)
{
#define SYMBOL(member, name)                                                                \
  if (!g_module_symbol (self->module, "AOTInductorModel" name, (gpointer *) &self->member)) \
  g_error ("%s", g_module_error ())
  self->module = g_module_open (path, G_MODULE_BIND_LOCAL);
  if (self->module == NULL)
    g_error ("%s", g_module_error ());
  SYMBOL (create, "ContainerCreateWithDevice");
  SYMBOL (delete, "ContainerDelete");
  SYMBOL (n_inputs, "ContainerGetNumInputs");
  SYMBOL (n_outputs, "ContainerGetNumOutputs");
  SYMBOL (n_constants, "ContainerGetNumConstants");
  SYMBOL (blob_size, "ContainerGetConstantsBlobSize");
  SYMBOL (update, "UpdateConstantsFromBlob");
  SYMBOL (constant_name, "ContainerGetConstantName");
  SYMBOL (is_folded, "ContainerGetConstantFromFolded");
  SYMBOL (bind, "ContainerUpdateUserManagedConstantBufferPairs");
  SYMBOL (run, "ContainerRun");
  SYMBOL (run_single, "ContainerRunSingleThreaded");
#undef SYMBOL
  lead (self->run);
}

/* ---- A life: a container, its constants, some runs ---- */

#define COLUMNS FAKE_MODEL_COLUMNS

typedef struct {
  const Library *library;
  PtCudaContext *context;
  PtShimModules *modules;
  Container *container;
  PtShimTensor *constants[4]; /* of the host: in the order of indices; NULL with a blob */
  guint8 flag;
  PtShimRecord record;
} Life;

static void
put_constants (guint8 *weight, guint8 *mode_bytes, gint64 mode)
{
  for (guint i = 0; i < 40; i++) {
    float number = (float) i;

    memcpy (weight + 4 * i, &number, sizeof number);
  }
  memcpy (mode_bytes, &mode, sizeof mode);
}

static gboolean
take_blob (Life *life, gint64 mode)
{
  guint8 blob[FAKE_MODEL_BLOB_SIZE] = { 0 };
  g_autoptr (PtCudaUpload) upload = pt_cuda_upload_new (life->context, NULL);
  guint64 size;
  gint32 code;

  g_assert_cmpint (life->library->blob_size (life->container, &size), ==, 0);
  g_assert_cmpuint (size, ==, sizeof blob);
  if (upload == NULL)
    return FALSE;
  put_constants (blob, blob + 192, mode);
  pt_shim_upload_begin (upload, NULL);
  pt_shim_record_begin (&life->record);
  code = life->library->update (life->container, blob);
  pt_shim_record_end ();
  return pt_shim_upload_finish (NULL) && code == 0;
}

/* A constant of the host on the GPU; NULL when there is no memory. */
static PtShimTensor *
make_constant (Life *life, const guint8 *bytes, gsize size, gint32 dtype)
{
  const gint64 sizes[] = { 4, COLUMNS }, strides[] = { 1, 4 }, row[] = { 1, COLUMNS },
               one[] = { 1 };
  const gint64 numbers[] = { (gint64) (size / pt_dtype_size (dtype)) };
  g_autoptr (PtShimTensor) storage =
      pt_shim_tensor_new (life->context, dtype, 1, numbers, NULL, 1, NULL);

  if (storage == NULL ||
      !pt_shim_copy_bytes (life->context, storage->storage->data, TRUE, bytes, FALSE, size))
    return NULL;
  if (size == 160)
    return pt_shim_tensor_reinterpret (storage, dtype, 2, sizes, strides, 8, NULL);
  if (size == 32)
    return pt_shim_tensor_reinterpret (storage, dtype, 2, row, NULL, 0, NULL);
  return pt_shim_tensor_reinterpret (storage, dtype, 1, one, NULL, 0, NULL);
}

static gboolean
make_constants (Life *life, gint64 mode)
{
  const gint64 one[] = { 1 };
  guint8 bytes[200] = { 0 };

  put_constants (bytes, bytes + 192, mode);
  life->constants[0] = make_constant (life, bytes, 160, PT_DTYPE_F32);
  life->constants[1] = make_constant (life, bytes + 160, 32, PT_DTYPE_F32);
  life->constants[2] = make_constant (life, bytes + 192, 8, PT_DTYPE_I64);
  life->constants[3] =
      pt_shim_tensor_view (&life->flag, 1, PT_DTYPE_BOOL, 1, one, NULL, 0, 0, 0, NULL);
  return life->constants[0] != NULL && life->constants[1] != NULL && life->constants[2] != NULL;
}

/* Handles of the binding before are let go when the new one stands. */
static gboolean
bind_constants (Life *life)
{
  Pair pairs[4];
  PtShimRecord record = { NULL, NULL };
  gint32 code;

  for (guint i = 0; i < 4; i++) {
    g_assert_cmpint (life->library->constant_name (life->container, i, &pairs[i].name), ==, 0);
    pairs[i].handle = life->constants[i];
  }
  pt_shim_record_begin (&record);
  code = life->library->bind (life->container, pairs, 4, false, true);
  pt_shim_record_end ();
  if (code == 0)
    g_assert_cmpuint (record.handles->len, ==, 4);
  pt_shim_record_clear (&life->record);
  life->record = record;
  return code == 0;
}

static gboolean
life_begin (Life *life, const Library *library, gint64 mode)
{
  guint64 size;
  gsize n;

  *life = (Life){ .library = library };
  life->context = pt_cuda_context_ref (0, NULL);
  if (life->context == NULL)
    return FALSE;
  life->modules = pt_shim_modules_new ();
  pt_shims_enter (life->context, life->modules);
  if (library->create (&life->container, 1, "cuda:0", NULL) != 0)
    return FALSE;
  g_assert_cmpint (library->n_constants (life->container, &n), ==, 0);
  if (n == 0)
    return TRUE;
  if (library->blob_size (life->container, &size) == 0)
    return take_blob (life, mode);
  return make_constants (life, mode) && bind_constants (life);
}

/* And nothing of it is left. */
static void
life_end (Life *life)
{
  FakeCounts counts;

  if (life->container != NULL)
    g_assert_cmpint (life->library->delete (life->container), ==, 0);
  pt_shim_record_clear (&life->record);
  for (guint i = 0; i < 4; i++)
    pt_shim_tensor_free (life->constants[i]);
  if (life->context != NULL) {
    pt_shims_leave ();
    pt_shim_modules_free (life->modules, life->context);
    pt_cuda_context_unref (life->context);
  }
  g_assert_cmpuint (pt_shim_tensor_count (), ==, 0);
  fake->counts (&counts);
  g_assert_cmpuint (counts.bytes, ==, 0);
  g_assert_cmpuint (counts.contexts, ==, 0);
  g_assert_cmpuint (counts.leaked, ==, 0);
}

/* ---- A run ---- */

typedef struct {
  gsize n_outputs;
  PtShimTensor *outputs[3];
} Result;

/* x is FIRST, FIRST + 1, ..., @shift elements behind an aligned address. NULL without memory. */
static PtShimTensor *
make_input (Life *life, gint64 n_rows, float first, gint64 shift)
{
  const gint64 sizes[] = { n_rows, COLUMNS }, room[] = { n_rows * COLUMNS + 4 };
  gsize n = (gsize) (n_rows * COLUMNS);
  g_autofree float *x = g_new (float, n);
  g_autoptr (PtShimTensor) memory =
      pt_shim_tensor_new (life->context, PT_DTYPE_F32, 1, room, NULL, 1, NULL);

  for (gsize i = 0; i < n; i++)
    x[i] = first + (float) i;
  if (memory == NULL || !pt_shim_copy_bytes (life->context, (float *) memory->storage->data + shift,
                                             TRUE, x, FALSE, n * sizeof (float)))
    return NULL;
  return pt_shim_tensor_reinterpret (memory, PT_DTYPE_F32, 2, sizes, NULL, shift, NULL);
}

/* 2: there was no memory for the input. */
static gint32
life_run (Life *life, Run *run, gint64 n_rows, float first, gint64 shift, Result *result)
{
  PtShimTensor *inputs[1] = { make_input (life, n_rows, first, shift) };
  gint32 code;

  *result = (Result){ 0 };
  g_assert_cmpint (life->library->n_outputs (life->container, &result->n_outputs), ==, 0);
  if (inputs[0] == NULL)
    return 2;
  code = run (life->container, inputs, 1, result->outputs, result->n_outputs, life->context->stream,
              NULL);
  g_assert_null (inputs[0]);
  return code;
}

static float
number (const PtShimTensor *tensor, gint64 row, gint64 column)
{
  gint64 at = tensor->offset + row * tensor->strides[0] + column * tensor->strides[1];
  g_autoptr (PtShimTensor) view =
      pt_shim_tensor_reinterpret (tensor, PT_DTYPE_F32, 0, NULL, NULL, at, NULL);
  float value;

  g_assert_cmpint (tensor->rank, ==, 2);
  g_assert_cmpint (pt_aoti_torch_item_float32 (view, &value), ==, 0);
  return value;
}

static void
result_clear (Result *result)
{
  for (gsize i = 0; i < result->n_outputs; i++)
    if (i == 0 || result->outputs[i] != result->outputs[0])
      pt_shim_tensor_free (result->outputs[i]);
  *result = (Result){ 0 };
}

/* y = x, s = @state, w = the weight's row. */
static void
check_result (Result *result, gint64 n_rows, float first, float state, float step)
{
  g_assert_cmpint (result->outputs[0]->sizes[0], ==, n_rows);
  for (gint64 i = 0; i < n_rows * COLUMNS; i += 3)
    g_assert_cmpfloat (number (result->outputs[0], i / COLUMNS, i % COLUMNS), ==,
                       first + (float) i);
  for (gint64 i = 0; i < COLUMNS && result->n_outputs > 1; i++) {
    g_assert_cmpfloat (number (result->outputs[1], 0, i), ==, state + step * (float) i);
    g_assert_cmpfloat (number (result->outputs[2], 0, i), ==, 8 + 4 * (float) i);
  }
  result_clear (result);
}

/* ---- Tests ---- */

static Library blob, named, plain;

static void
check_runs (const Library *library, Run *run)
{
  Life life;
  Result result;

  fake->reset ();
  g_assert_true (life_begin (&life, library, 0));
  g_assert_cmpint (life_run (&life, run, 3, 100, 0, &result), ==, 0);
  check_result (&result, 3, 100, 0, 0);
  g_assert_cmpint (life_run (&life, run, 1, 500, 0, &result), ==, 0);
  check_result (&result, 1, 500, 116, 1);
  g_assert_cmpint (life_run (&life, run, 7, -20, 0, &result), ==, 0);
  check_result (&result, 7, -20, 500, 1);
  /* At an address that is no multiple of 16. */
  g_assert_cmpint (life_run (&life, run, 2, 40, 1, &result), ==, 0);
  check_result (&result, 2, 40, 28, 1);
  g_assert_cmpuint (fake->n_launches (), ==, 4);
  g_assert_cmpuint (fake->n_calls ("cuModuleLoadData"), ==, 1);
  life_end (&life);
}

static void
test_runs (gconstpointer library)
{
  check_runs (library, ((const Library *) library)->run);
  check_runs (library, ((const Library *) library)->run_single);
}

/* Constants that a library made are seen, in order and with their geometry. */
static void
test_blob_constants (void)
{
  Life life;
  PtShimTensor **seen;

  fake->reset ();
  g_assert_true (life_begin (&life, &blob, 0));
  g_assert_cmpuint (life.record.constants->len, ==, 3);
  seen = (PtShimTensor **) life.record.constants->pdata;
  g_assert_cmpint (seen[0]->strides[1], ==, 4);
  g_assert_cmpint (seen[0]->offset, ==, 8);
  g_assert_cmpfloat (number (seen[0], 3, 7), ==, 8 + 3 + 28);
  g_assert_cmpint (seen[1]->rank, ==, 2);
  g_assert_cmpint (seen[2]->dtype, ==, PT_DTYPE_I64);
  life_end (&life);
}

/* A state for each conversation, bound in turn. */
static void
test_rebind (void)
{
  Life life;
  Result result;
  PtShimTensor *states[2];
  guint8 zeros[32] = { 0 };

  fake->reset ();
  g_assert_true (life_begin (&life, &named, 0));
  states[0] = life.constants[1];
  states[1] = make_constant (&life, zeros, 32, PT_DTYPE_F32);
  for (guint round = 0; round < 6; round++) {
    float first = (float) (100 * round), before = round < 2 ? 0 : first - 200;

    life.constants[1] = states[round % 2];
    g_assert_true (bind_constants (&life));
    g_assert_cmpint (life_run (&life, named.run_single, 1, first, 0, &result), ==, 0);
    check_result (&result, 1, first, before, round < 2 ? 0 : 1);
  }
  life.constants[1] = states[0];
  pt_shim_tensor_free (states[1]);
  g_assert_cmpuint (life.flag, ==, 1);
  life_end (&life);
}

static void
test_modes (gconstpointer data)
{
  const Library *library = data;
  Life life;
  Result result;

  fake->reset ();
  g_assert_true (life_begin (&life, library, FAKE_MODEL_DUPLICATE));
  g_assert_cmpint (life_run (&life, library->run_single, 1, 5, 0, &result), ==, 0);
  g_assert_true (result.outputs[0] == result.outputs[1]);
  result_clear (&result);
  life_end (&life);

  g_assert_true (life_begin (&life, library, FAKE_MODEL_ALIAS_INPUT | FAKE_MODEL_ALIAS_STATE));
  g_assert_cmpint (life_run (&life, library->run_single, 2, 5, 0, &result), ==, 0);
  check_result (&result, 2, 5, 13, 1);
  life_end (&life);

  g_assert_true (life_begin (&life, library, FAKE_MODEL_PADDED));
  g_assert_cmpint (life_run (&life, library->run_single, 2, 5, 0, &result), ==, 0);
  g_assert_cmpint (result.outputs[0]->strides[0], ==, 2 * COLUMNS);
  check_result (&result, 2, 5, 0, 0);
  life_end (&life);

  g_assert_true (life_begin (&life, library, FAKE_MODEL_NO_OUTPUT));
  g_assert_cmpint (life_run (&life, library->run_single, 2, 5, 0, &result), ==, 0);
  g_assert_null (result.outputs[1]);
  result_clear (&result);
  life_end (&life);
}

static void
test_failures (gconstpointer data)
{
  const Library *library = data;
  g_autoptr (GError) note = NULL;
  PtShimTensor *input;
  Life life;
  Result result;

  fake->reset ();
  g_assert_true (life_begin (&life, library, FAKE_MODEL_FAIL));
  g_assert_cmpint (life_run (&life, library->run_single, 2, 5, 0, &result), ==, 1);
  g_assert_null (pt_shim_take_note ()); /* the library's own doing */
  life_end (&life);

  g_assert_true (life_begin (&life, library, FAKE_MODEL_LARGE));
  g_assert_cmpint (life_run (&life, library->run, 2, 5, 0, &result), ==, 1);
  note = pt_shim_take_note ();
  g_assert_error (note, PT_ERROR, PT_ERROR_MEMORY);
  life_end (&life);

  g_assert_true (life_begin (&life, library, FAKE_MODEL_SYNCHRONIZE));
  g_assert_cmpint (life_run (&life, library->run_single, 2, 5, 0, &result), ==, 0);
  result_clear (&result);
  input = make_input (&life, 2, 5, 0);
  life.context->is_capturing = TRUE;
  g_assert_cmpint (library->run_single (life.container, &input, 1, result.outputs, 3,
                                        life.context->stream, NULL),
                   ==, 1);
  life.context->is_capturing = FALSE;
  g_clear_error (&note);
  note = pt_shim_take_note ();
  g_assert_error (note, PT_ERROR, PT_ERROR_UNSUPPORTED);
  life_end (&life);
}

/* Every call of the driver fails once, at each place: an error with a reason, and nothing stays. */
static void
check_fault (const Library *library, const char *function, int code)
{
  for (guint nth = 1; nth < 100; nth++) {
    g_autoptr (GError) note = NULL;
    gboolean good, used_up;
    Result result = { 0 };
    Life life;

    fake->reset ();
    fake->fail (function, nth, code);
    /* Large enough for memory of its own; a fault in life_begin() counts as well. */
    good = life_begin (&life, library, FAKE_MODEL_SYNCHRONIZE);
    for (guint i = 0; i < 2 && good; i++) {
      gint32 result_code = life_run (&life, library->run, 40000, 5, 0, &result);

      good = result_code == 0;
      g_assert_true (result_code != 1 || pt_shim_state.note != NULL);
      result_clear (&result);
    }
    used_up = fake->n_calls (function) < nth;
    fake->reset ();
    note = pt_shim_take_note ();
    life_end (&life);
    if (used_up) {
      g_assert_true (good);
      return;
    }
  }
  g_assert_not_reached ();
}

static void
test_faults (gconstpointer library)
{
  static const struct {
    const char *function;
    int code;
  } faults[] = {
    { "cuMemAlloc", PT_CU_OUT_OF_MEMORY },
    { "cuModuleLoadData", PT_CU_NO_BINARY_FOR_GPU },
    { "cuModuleGetFunction", 500 },
    { "cuFuncSetAttribute", PT_CU_INVALID_VALUE },
    { "cuLaunchKernel", PT_CU_LAUNCH_OUT_OF_RESOURCES },
    { "cuMemcpyDtoDAsync", PT_CU_INVALID_VALUE },
    { "cuMemcpyHtoDAsync", PT_CU_INVALID_VALUE },
    { "cuMemcpyDtoHAsync", PT_CU_INVALID_VALUE },
    { "cuMemcpyAsync", PT_CU_INVALID_VALUE },
    { "cuMemsetD8Async", PT_CU_INVALID_VALUE },
    { "cuEventCreate", PT_CU_OUT_OF_MEMORY },
    { "cuEventRecord", PT_CU_INVALID_VALUE },
    { "cuStreamCreate", PT_CU_OUT_OF_MEMORY },
    { "cuLaunchKernel", PT_CU_ILLEGAL_ADDRESS },
    { "cuMemcpyDtoDAsync", PT_CU_LAUNCH_FAILED },
    { "cuStreamSynchronize", PT_CU_LAUNCH_FAILED },
  };

  for (guint i = 0; i < G_N_ELEMENTS (faults); i++)
    check_fault (library, faults[i].function, faults[i].code);
}

/* Two models, and two containers of one library, keep apart and may go in any order. */
static void
test_several (void)
{
  const Library *const libraries[] = { &blob, &named, &blob };
  Life lives[3];
  Result result;

  fake->reset ();
  for (guint i = 0; i < 3; i++) {
    g_assert_true (life_begin (&lives[i], libraries[i], 0));
    pt_shims_leave ();
  }
  for (guint round = 0; round < 2; round++)
    for (guint i = 0; i < 3; i++) {
      float first = (float) (100 * i);

      pt_shims_enter (lives[i].context, lives[i].modules);
      g_assert_cmpint (life_run (&lives[i], libraries[i]->run_single, 1, first, 0, &result), ==, 0);
      check_result (&result, 1, first, round == 0 ? 0 : first, round == 0 ? 0 : 1);
      pt_shims_leave ();
    }
  for (guint i = 0; i < 2; i++) {
    pt_shims_enter (lives[i].context, lives[i].modules);
    lives[i].library->delete (lives[i].container);
    pt_shim_record_clear (&lives[i].record);
    for (guint j = 0; j < 4; j++)
      pt_shim_tensor_free (lives[i].constants[j]);
    pt_shims_leave ();
    pt_shim_modules_free (lives[i].modules, lives[i].context);
    pt_cuda_context_unref (lives[i].context);
  }
  pt_shims_enter (lives[2].context, lives[2].modules);
  g_assert_cmpint (life_run (&lives[2], blob.run_single, 1, 9, 0, &result), ==, 0);
  check_result (&result, 1, 9, 200, 1);
  life_end (&lives[2]);
}

#ifdef FAKE_THROW_PATH

/* Generated code takes it for granted that aoti_torch_check does not return. */
static void
test_throw (void)
{
  GModule *module = g_module_open (FAKE_THROW_PATH, G_MODULE_BIND_LOCAL);
  gint32 (*check) (bool condition, const char *message, char *text, gsize size) = NULL;
  g_autoptr (GError) note = NULL;
  char text[64] = "";

  g_assert_nonnull (module);
  g_assert_true (g_module_symbol (module, "check_and_catch", (gpointer *) &check));
  g_assert_cmpint (check (true, "all is well", text, sizeof text), ==, 0);
  g_assert_null (pt_shim_take_note ());
  g_assert_cmpint (check (false, "index out of bounds", text, sizeof text), ==, 2);
  /* On Windows the exception is of no language. */
#ifndef G_OS_WIN32
  g_assert_cmpstr (text, ==, "index out of bounds");
#endif
  note = pt_shim_take_note ();
  g_assert_nonnull (note);
  g_assert_nonnull (strstr (note->message, "index out of bounds"));
  g_module_close (module);
}

#endif

/* A library of the wrong kind is refused, and so is PyTorch. */
static void
test_open (void)
{
  if (g_test_subprocess ()) {
    g_autoptr (GError) error = NULL;

    g_assert_nonnull (g_module_open (g_getenv ("TEST_FIRST"), 0));
    g_setenv ("PTERIS_CUDA_SHIMS", g_getenv ("TEST_SHIMS"), TRUE);
    g_assert_false (pt_shims_open (&error));
    g_printerr ("%s\n", error->message);
    return;
  }
  g_setenv ("TEST_FIRST", FAKE_CUDA_PATH, TRUE);
  g_setenv ("TEST_SHIMS", "/nowhere/shims.so", TRUE);
  g_test_trap_subprocess ("/cuda/model/open", 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stderr ("*cannot be loaded*");
  g_setenv ("TEST_SHIMS", FAKE_CUDA_PATH, TRUE);
  g_test_trap_subprocess ("/cuda/model/open", 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stderr ("*another version*");
  g_setenv ("TEST_FIRST", CUDA_SHIMS_PATH, TRUE);
  g_setenv ("TEST_SHIMS", CUDA_SHIMS_PATH, TRUE);
  g_test_trap_subprocess ("/cuda/model/open", 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_passed ();
  g_test_trap_assert_stderr ("*PyTorch*");
}

int
main (int argc, char **argv)
{
  GError *error = NULL;

  g_setenv ("PTERIS_CUDA", FAKE_CUDA_PATH, TRUE);
  g_setenv ("PTERIS_CUDA_SHIMS", CUDA_SHIMS_PATH, TRUE);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cuda/model/open", test_open);
  if (g_test_subprocess ())
    return g_test_run ();
  fake = fake_cuda_open (FAKE_CUDA_PATH);
  pt_cuda_kernels_use_image ("none"); /* they would not run */
  pt_shims_open (&error);
  g_assert_no_error (error);
  library_open (&blob, FAKE_MODEL_BLOB_PATH);
  library_open (&named, FAKE_MODEL_NAMED_PATH);
  library_open (&plain, FAKE_MODEL_PLAIN_PATH);
  g_test_add_data_func ("/cuda/model/runs/blob", &blob, test_runs);
  g_test_add_data_func ("/cuda/model/runs/named", &named, test_runs);
  g_test_add_data_func ("/cuda/model/runs/plain", &plain, test_runs);
  g_test_add_func ("/cuda/model/blob-constants", test_blob_constants);
  g_test_add_func ("/cuda/model/rebind", test_rebind);
  g_test_add_data_func ("/cuda/model/modes/blob", &blob, test_modes);
  g_test_add_data_func ("/cuda/model/modes/named", &named, test_modes);
  g_test_add_data_func ("/cuda/model/failures/blob", &blob, test_failures);
  g_test_add_data_func ("/cuda/model/failures/named", &named, test_failures);
  g_test_add_data_func ("/cuda/model/faults/blob", &blob, test_faults);
  g_test_add_data_func ("/cuda/model/faults/named", &named, test_faults);
  g_test_add_func ("/cuda/model/several", test_several);
#ifdef FAKE_THROW_PATH
  g_test_add_func ("/cuda/model/throw", test_throw);
#endif
  return g_test_run ();
}
