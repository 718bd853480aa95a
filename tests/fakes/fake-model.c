/* SPDX-License-Identifier: BSD-3-Clause */

/* See fake-model.h. Where generated code would throw, functions here return 1. */

#include "tests/fakes/fake-model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/cuda/shims/names.h"

#if !defined FAKE_MODEL_BLOB && !defined FAKE_MODEL_NAMED && !defined FAKE_MODEL_PLAIN
#error "which model?"
#endif
#ifdef FAKE_MODEL_BLOB
#define HAS_BLOB 1
#else
#define HAS_BLOB 0
#endif

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__ ((visibility ("default")))
#endif

#define DECLARE(result, name, parameters, arguments) result name parameters;
PT_SHIM_FUNCTIONS (DECLARE)
#ifdef _WIN32
PT_SHIM_DRIVER_FUNCTIONS (DECLARE)
#endif

typedef struct {
  const char *name;
  PtShimHandle handle;
} Pair;

enum { COPY_TO_HOST = 2, COPY_TO_DEVICE = 1, SHARED_SIZE_ATTRIBUTE = 8 };

#define COLUMNS FAKE_MODEL_COLUMNS

/* ---- The last error ---- */

/*
 * MinGW's thread-local variables need a key with a destructor in this library. A thread that ends
 * after the library was unloaded calls it there, and leaves the lock of all keys locked.
 */
#ifdef _WIN32
static char last_error[256];
#else
static _Thread_local char last_error[256];
#endif

static int32_t
fail (const char *text)
{
  snprintf (last_error, sizeof last_error, "%s", text);
  fprintf (stderr, "Error: %s\n", text);
  return 1;
}

static int32_t
succeed (void)
{
  last_error[0] = 0;
  return 0;
}

/* ---- What static initialisers find out while the library is loaded ---- */

static int32_t float32, int64_, bool_, cpu, cuda, strided;

__attribute__ ((constructor)) static void
initialise (void)
{
  float32 = aoti_torch_dtype_float32 ();
  int64_ = aoti_torch_dtype_int64 ();
  bool_ = aoti_torch_dtype_bool ();
  cpu = aoti_torch_device_type_cpu ();
  cuda = aoti_torch_device_type_cuda ();
  strided = aoti_torch_layout_strided ();
}

/* ---- Constants ---- */

typedef struct {
  const char *name, *fqn;
  const int32_t *dtype, *device;
  int64_t rank, sizes[2], strides[2], offset;
  size_t bytes;
  bool is_folded;
  int32_t type;
} ConstantInfo;

enum { WEIGHT, STATE, MODE, FLAG, FOLDED, N_KINDS };

static const ConstantInfo kinds[N_KINDS] = {
  { "layer_weight",
    "layer.weight",
    &float32,
    &cuda,
    2,
    { 4, COLUMNS },
    { 1, 4 },
    8,
    160,
    false,
    1 },
  { "cache_state",
    "cache.state",
    &float32,
    &cuda,
    2,
    { 1, COLUMNS },
    { COLUMNS, 1 },
    0,
    32,
    false,
    2 },
  { "mode", "mode", &int64_, &cuda, 1, { 1 }, { 1 }, 0, 8, false, 2 },
  { "flag", "flag", &bool_, &cpu, 1, { 1 }, { 1 }, 0, 1, false, 2 },
  { "layer_folded", "layer.folded", &float32, &cuda, 1, { COLUMNS }, { 1 }, 0, 32, true, 4 },
};

/* The constants, in the order of their indices. */
static const int order[] = {
#if defined FAKE_MODEL_BLOB
  WEIGHT, FOLDED, STATE, MODE,
#elif defined FAKE_MODEL_NAMED
  WEIGHT, STATE, MODE, FLAG,
#endif
  -1
};

static size_t
n_constants (void)
{
  return sizeof order / sizeof order[0] - 1;
}

static size_t
n_outputs (void)
{
  return n_constants () > 0 ? 3 : 1;
}

typedef struct {
  PtShimHandle handle;
  void *data;      /* read from the handle when it was bound, never again */
  bool is_foreign; /* bound by the host: its handle is never deleted */
} Constant;

typedef struct Container {
  int device;
  void *block;
  Constant constants[N_KINDS];
  int64_t mode;
  bool knows_mode;
  void *module, *function;      /* from the first launch on */
  void *run_event, *fold_event; /* made at first use */
  bool is_folded, is_pending, is_bound;
} Container;

/* With a constant on the CPU, sizes are rounded up to 64. */
static size_t
stored_bytes (const ConstantInfo *info)
{
#ifdef FAKE_MODEL_NAMED
  return (info->bytes + 63) & ~(size_t) 63;
#else
  return info->bytes;
#endif
}

static const ConstantInfo *
constant_info (size_t i)
{
  return i < n_constants () ? &kinds[order[i]] : NULL;
}

#define DEFINE_CONSTANT_QUERY(function, type, expression)           \
  EXPORT int32_t function (Container *self, size_t i, type *value); \
  int32_t function (Container *self, size_t i, type *value)         \
  {                                                                 \
    const ConstantInfo *info = constant_info (i);                   \
                                                                    \
    if (info == NULL)                                               \
      return fail ("there is no such constant");                    \
    *value = expression;                                            \
    return succeed ();                                              \
  }
DEFINE_CONSTANT_QUERY (AOTInductorModelContainerGetConstantName, const char *, info->name)
DEFINE_CONSTANT_QUERY (AOTInductorModelContainerGetConstantOriginalFQN, const char *, info->fqn)
DEFINE_CONSTANT_QUERY (AOTInductorModelContainerGetConstantFromFolded, bool, info->is_folded)
DEFINE_CONSTANT_QUERY (AOTInductorModelContainerGetConstantType, int32_t, info->type)
DEFINE_CONSTANT_QUERY (AOTInductorModelContainerGetConstantDtype, int32_t, *info->dtype)
DEFINE_CONSTANT_QUERY (AOTInductorModelContainerGetConstantDataSize, size_t, stored_bytes (info))

#define DEFINE_COUNT(function, number)                  \
  EXPORT int32_t function (Container *self, size_t *n); \
  int32_t function (Container *self, size_t *n)         \
  {                                                     \
    *n = number;                                        \
    return succeed ();                                  \
  }
DEFINE_COUNT (AOTInductorModelContainerGetNumInputs, 1)
DEFINE_COUNT (AOTInductorModelContainerGetNumOutputs, n_outputs ())
DEFINE_COUNT (AOTInductorModelContainerGetNumConstants, n_constants ())

EXPORT int32_t AOTInductorModelContainerGetConstantsBlobSize (Container *self, uint64_t *bytes);
EXPORT int32_t AOTInductorModelUpdateConstantsFromBlob (Container *self, const uint8_t *blob);
EXPORT int32_t AOTInductorModelContainerUpdateUserManagedConstantBufferPairs (
    Container *self, const Pair *pairs, size_t n, bool use_inactive, bool validate_full_update);

int32_t
AOTInductorModelContainerGetConstantsBlobSize (Container *self, uint64_t *bytes)
{
  if (!HAS_BLOB)
    return fail ("constant blob size is only available for mmap'd weights");
  *bytes = 0;
  for (size_t i = 0; i < n_constants (); i++)
    *bytes += constant_info (i)->is_folded ? 0 : constant_info (i)->bytes;
  return succeed ();
}

/* The previous binding is released, unless the host owns it. */
static int32_t
bind_constant (Container *self, int kind, PtShimHandle handle, bool is_foreign)
{
  Constant *constant = &self->constants[kind];
  void *data;

  if (aoti_torch_get_data_ptr (handle, &data) != 0)
    return 1;
  if (constant->handle != NULL && !constant->is_foreign)
    aoti_torch_delete_tensor_object (constant->handle);
  *constant = (Constant){ handle, data, is_foreign };
  self->is_folded = false;
  if (kind == MODE)
    self->knows_mode = false;
  return 0;
}

static int32_t
take_from_blob (Container *self, int kind, char *to, const uint8_t *from)
{
  const ConstantInfo *info = &kinds[kind];
  PtShimHandle handle;

  if (!info->is_folded && cudaMemcpy (to, from, info->bytes, COPY_TO_DEVICE) != 0)
    return 1;
  if (info->is_folded)
    return aoti_torch_create_tensor_from_blob (to, info->rank, info->sizes, info->strides,
                                               info->offset, *info->dtype, *info->device,
                                               self->device, &handle) ||
           bind_constant (self, kind, handle, false);
  return aoti_torch_create_tensor_from_blob_v2 (to, info->rank, info->sizes, info->strides,
                                                info->offset, *info->dtype, *info->device,
                                                self->device, &handle, strided, NULL, 0) ||
         bind_constant (self, kind, handle, false);
}

/* One block for everything, each constant at a multiple of 64. */
int32_t
AOTInductorModelUpdateConstantsFromBlob (Container *self, const uint8_t *blob)
{
  char *to;

  if (!HAS_BLOB)
    return succeed ();
  if (self->block != NULL || cudaMalloc (&self->block, N_KINDS * 256) != 0)
    return fail (cudaGetErrorString (cudaGetLastError ()));
  to = self->block;
  for (size_t i = 0; i < n_constants (); i++) {
    const ConstantInfo *info = constant_info (i);

    if (take_from_blob (self, order[i], to, blob) != 0)
      return fail ("taking a constant failed");
    blob += info->is_folded ? 0 : info->bytes;
    to += (info->bytes + 63) & ~(size_t) 63;
  }
  self->is_bound = true;
  return succeed ();
}

static int
find_constant (const char *name)
{
  for (size_t i = 0; i < n_constants (); i++)
    if (strcmp (constant_info (i)->name, name) == 0)
      return order[i];
  return -1;
}

int32_t
AOTInductorModelContainerUpdateUserManagedConstantBufferPairs (Container *self, const Pair *pairs,
                                                               size_t n, bool use_inactive,
                                                               bool validate_full_update)
{
  if (validate_full_update && n != n_constants ())
    return fail ("full update constant set, but not all constants are given");
  for (size_t i = 0; i < n; i++) {
    int kind = find_constant (pairs[i].name);
    int32_t device;
    PtShimHandle handle;

    if (kind < 0)
      return fail ("there is no constant of that name");
    if (aoti_torch_get_device_type (pairs[i].handle, &device) != 0 || device != *kinds[kind].device)
      return fail ("constant is on another device");
    if (aoti_torch_new_tensor_handle (pairs[i].handle, &handle) != 0 ||
        bind_constant (self, kind, handle, true) != 0)
      return fail ("binding a constant failed");
  }
  self->is_bound = true;
  return succeed ();
}

/* ---- A container ---- */

EXPORT int32_t AOTInductorModelContainerCreateWithDevice (Container **out, size_t n_models,
                                                          const char *device,
                                                          const char *cubin_dir);
EXPORT int32_t AOTInductorModelContainerDelete (Container *self);
EXPORT int32_t AOTInductorModelContainerGetInputName (Container *self, size_t i, const char **name);
EXPORT int32_t AOTInductorModelContainerGetOutputName (Container *self, size_t i,
                                                       const char **name);
EXPORT int32_t AOTInductorModelContainerGetCallSpec (Container *self, const char **in,
                                                     const char **out);

int32_t
AOTInductorModelContainerCreateWithDevice (Container **out, size_t n_models, const char *device,
                                           const char *cubin_dir)
{
  int index = 0, code;

  if (strncmp (device, "cuda:", 5) == 0) {
    index = atoi (device + 5);
    code = cudaSetDevice (index);
  } else {
    code = strcmp (device, "cuda") == 0 ? cudaGetDevice (&index) : 1;
  }
  if (code != 0)
    return fail (cudaGetErrorString (cudaGetLastError ()));
  *out = calloc (1, sizeof **out);
  if (*out == NULL)
    return fail ("bad alloc");
  (*out)->device = index;
  (*out)->is_bound = n_constants () == 0;
  return succeed ();
}

int32_t
AOTInductorModelContainerDelete (Container *self)
{
  for (int i = 0; i < N_KINDS; i++)
    if (self->constants[i].handle != NULL && !self->constants[i].is_foreign)
      aoti_torch_delete_tensor_object (self->constants[i].handle);
  if (self->run_event != NULL)
    cudaEventDestroy (self->run_event);
  if (self->fold_event != NULL)
    cudaEventDestroy (self->fold_event);
#ifndef FAKE_MODEL_BLOB
  if (self->module != NULL)
    cuModuleUnload (self->module);
#endif
  cudaFree (self->block);
  free (self);
  return succeed ();
}

int32_t
AOTInductorModelContainerGetInputName (Container *self, size_t i, const char **name)
{
  *name = "arg0_1";
  return i == 0 ? succeed () : fail ("there is no such input");
}

int32_t
AOTInductorModelContainerGetOutputName (Container *self, size_t i, const char **name)
{
  static const char *const names[] = { "output_0", "output_1", "output_2" };

  if (i >= n_outputs ())
    return fail ("there is no such output");
  *name = names[i];
  return succeed ();
}

int32_t
AOTInductorModelContainerGetCallSpec (Container *self, const char **in, const char **out)
{
  *in = "[1, {\"type\": \"builtins.tuple\"}]";
  *out = "[1, {\"type\": \"builtins.tuple\"}]";
  return succeed ();
}

#ifndef FAKE_MODEL_BLOB
EXPORT int32_t AOTInductorGetLastError (const char **text);

int32_t
AOTInductorGetLastError (const char **text)
{
  *text = last_error;
  return 0;
}
#endif

/* ---- The kernel ---- */

#define ENTRY(kind, minor, major, architecture)                                                   \
  0x01010000u | kind, 64, 8, 0, 0, 0, (major) << 16 | (minor), architecture, 0, 0, 0, 0, 0, 0, 0, \
      0, 0, 0

/* A fat binary: code for sm_90, and PTX for sm_80 and later. */
static const uint32_t image[] = { 0xba55ed50u, 16u << 16 | 1,       144,
                                  0,           ENTRY (2, 0, 0, 90), ENTRY (1, 0, 9, 80) };

static int32_t
load_kernel (Container *self)
{
  if (self->function != NULL)
    return 0;
  if (self->module == NULL && cuModuleLoadData (&self->module, image) != 0)
    return fail ("CUDA driver error: loading a module");
  if (cuModuleGetFunction (&self->function, self->module, "fake_scale") != 0)
    return fail ("CUDA driver error: finding a kernel");
  if (cuFuncSetAttribute (self->function, SHARED_SIZE_ATTRIBUTE, 60 << 10) == 0)
    return 0;
  self->function = NULL;
  return fail ("CUDA driver error: shared memory");
}

static int32_t
launch (Container *self, PtShimHandle y, PtShimHandle x, void *stream)
{
  void *data, *weight = NULL;
  int64_t numel, *sizes;
  void *arguments[] = { &data, &weight, &numel };

  if (load_kernel (self) != 0 || aoti_torch_get_data_ptr (y, &data) != 0 ||
      aoti_torch_get_sizes (x, &sizes) != 0)
    return 1;
  if (self->constants[WEIGHT].handle != NULL)
    weight = (char *) self->constants[WEIGHT].data - 8 * sizeof (float);
  numel = sizes[0] * sizes[1];
  if (cuLaunchKernel (self->function, (unsigned) ((numel + 127) / 128), 1, 1, 128, 1, 1, 60 << 10,
                      stream, arguments, NULL) != 0)
    return fail ("CUDA driver error: launching a kernel");
  return 0;
}

/* ---- A run ---- */

/* Handles that a run has created so far; destructors would delete them. */
typedef struct {
  PtShimHandle x, y, s, w, last, scratch;
} Values;

static void
drop (PtShimHandle *handle)
{
  if (*handle != NULL)
    aoti_torch_delete_tensor_object (*handle);
  *handle = NULL;
}

/* Empty as it is, constant folding records an event. */
static int32_t
fold_constants (Container *self, void *stream)
{
  if (self->is_folded)
    return 0;
  if (self->fold_event == NULL && cudaEventCreate (&self->fold_event) != 0)
    return fail ("making an event");
  if (cudaEventRecord (self->fold_event, stream) != 0)
    return fail ("recording an event");
  self->is_folded = true;
  return 0;
}

static int32_t
read_mode (Container *self)
{
  if (self->knows_mode || n_constants () == 0)
    return 0;
  if (cudaMemcpy (&self->mode, self->constants[MODE].data, sizeof self->mode, COPY_TO_HOST) != 0)
    return fail ("reading the mode");
  self->knows_mode = true;
  return 0;
}

/* An input at an odd address is cloned. */
static int32_t
align_input (Values *values)
{
  void *data;
  PtShimHandle aligned;

  if (aoti_torch_get_data_ptr (values->x, &data) != 0)
    return 1;
  if (((uintptr_t) data & 15) == 0)
    return 0;
  aoti_torch_warn ("run_impl", "fake-model.c", __LINE__, "input 0 is not aligned");
  if (aoti_torch_clone_preserve_strides (values->x, &aligned) != 0)
    return 1;
  drop (&values->x);
  values->x = aligned;
  return 0;
}

static int32_t
make_y (Container *self, Values *values, void *stream)
{
  int64_t *sizes, strides[2] = { self->mode & FAKE_MODEL_PADDED ? 2 * COLUMNS : COLUMNS, 1 };

  if (self->mode & FAKE_MODEL_ALIAS_INPUT)
    return aoti_torch_new_tensor_handle (values->x, &values->y);
  return aoti_torch_get_sizes (values->x, &sizes) ||
         aoti_torch_empty_strided (2, sizes, strides, float32, cuda, self->device, &values->y) ||
         aoti_torch_copy_ (values->y, values->x, 0) || launch (self, values->y, values->x, stream);
}

/* The first run finds the flag false, sets it, and answers zeros. */
static int32_t
is_first_run (Container *self, bool *is_first)
{
  bool flag = true;

  if (self->constants[FLAG].handle != NULL &&
      aoti_torch_item_bool (self->constants[FLAG].handle, &flag) != 0)
    return 1;
  *is_first = !flag;
  if (!flag)
    *(bool *) self->constants[FLAG].data = true;
  return 0;
}

/* The state before, and x's last row as the state after it. */
static int32_t
make_s (Container *self, Values *values)
{
  PtShimHandle state = self->constants[STATE].handle;
  int64_t *sizes, row[2] = { 1, COLUMNS }, strides[2] = { COLUMNS, 1 }, offset;
  bool is_first;

  if (is_first_run (self, &is_first) != 0 || aoti_torch_clone (state, &values->s) != 0 ||
      (is_first && aoti_torch_zero_ (values->s) != 0))
    return 1;
  if (aoti_torch_get_sizes (values->x, &sizes) != 0 ||
      aoti_torch_get_storage_offset (values->x, &offset) != 0 ||
      aoti_torch__reinterpret_tensor (values->x, 2, row, strides, offset + (sizes[0] - 1) * COLUMNS,
                                      &values->last) != 0 ||
      aoti_torch_copy_ (state, values->last, 0) != 0)
    return 1;
  if (!(self->mode & FAKE_MODEL_ALIAS_STATE))
    return 0;
  drop (&values->s);
  return aoti_torch_assign_tensors_out (state, &values->s);
}

static int32_t
make_w (Container *self, Values *values)
{
  int64_t row[2] = { 1, COLUMNS }, strides[2] = { COLUMNS, 4 };

  return aoti_torch__reinterpret_tensor (self->constants[WEIGHT].handle, 2, row, strides, 8,
                                         &values->w);
}

/* Additional misbehaviour of the mode. */
static int32_t
misbehave (Container *self, Values *values)
{
  int64_t one = 1, large = (int64_t) 1 << 40, stride = 1;
  bool value;

  if (self->mode & FAKE_MODEL_LARGE)
    return aoti_torch_empty_strided (1, &large, &stride, bool_, cuda, self->device,
                                     &values->scratch);
  if (self->mode & FAKE_MODEL_SYNCHRONIZE &&
      (aoti_torch_empty_strided (1, &one, &stride, bool_, cuda, self->device, &values->scratch) ||
       aoti_torch_zero_ (values->scratch) || aoti_torch_item_bool (values->scratch, &value)))
    return 1;
  return self->mode & FAKE_MODEL_FAIL ? fail ("the model was told to fail") : 0;
}

static int32_t
compute (Container *self, Values *values, void *stream)
{
  int32_t code = align_input (values) || make_y (self, values, stream);

  if (code == 0 && n_constants () > 0)
    code = make_s (self, values) || make_w (self, values) || misbehave (self, values);
  return code;
}

static void
deliver (Container *self, Values *values, PtShimHandle *outputs)
{
  outputs[0] = values->y;
  values->y = NULL;
  if (n_outputs () == 1)
    return;
  if (self->mode & FAKE_MODEL_DUPLICATE) {
    outputs[1] = outputs[0];
  } else if (!(self->mode & FAKE_MODEL_NO_OUTPUT)) {
    outputs[1] = values->s;
    values->s = NULL;
  }
  outputs[2] = values->w;
  values->w = NULL;
}

/* Takes the inputs over, whatever happens; each output is overwritten. */
static int32_t
run (Container *self, PtShimHandle *inputs, PtShimHandle *outputs, void *stream)
{
  Values values = { .x = inputs[0] };
  bool grad = aoti_torch_grad_mode_is_enabled ();
  PtShimGuard guard;
  int32_t code;

  inputs[0] = NULL;
  aoti_torch_grad_mode_set_enabled (false);
  code = aoti_torch_create_cuda_stream_guard (stream, self->device, &guard);
  if (code == 0) {
    code = fold_constants (self, stream) || read_mode (self) || compute (self, &values, stream);
    if (code == 0)
      deliver (self, &values, outputs);
    aoti_torch_delete_cuda_stream_guard (guard);
  }
  aoti_torch_grad_mode_set_enabled (grad);
  drop (&values.x);
  drop (&values.y);
  drop (&values.s);
  drop (&values.w);
  drop (&values.last);
  drop (&values.scratch);
  return code == 0 ? succeed () : last_error[0] != 0 ? 1 : fail ("aoti_torch_* failed");
}

EXPORT int32_t AOTInductorModelContainerRun (Container *self, PtShimHandle *inputs, size_t n_in,
                                             PtShimHandle *outputs, size_t n_out, void *stream,
                                             void *proxy_executor);
EXPORT int32_t AOTInductorModelContainerRunSingleThreaded (Container *self, PtShimHandle *inputs,
                                                           size_t n_in, PtShimHandle *outputs,
                                                           size_t n_out, void *stream,
                                                           void *proxy_executor);

/* Generated code checks outside of what catches exceptions. */
static void
check_counts (size_t n_in, size_t n_out)
{
  if (n_in == 1 && n_out == n_outputs ())
    return;
  fprintf (stderr, "terminate called: wrong number of inputs or outputs\n");
  abort ();
}

/* An event tells when a run is done; the next one waits for it. */
int32_t
AOTInductorModelContainerRun (Container *self, PtShimHandle *inputs, size_t n_in,
                              PtShimHandle *outputs, size_t n_out, void *stream,
                              void *proxy_executor)
{
  check_counts (n_in, n_out);
  last_error[0] = 0;
  if (!self->is_bound)
    return fail ("the model has no constants");
  if (self->is_pending && cudaEventQuery (self->run_event) != 0 &&
      cudaEventSynchronize (self->run_event) != 0)
    return fail ("the model did not finish successfully");
  self->is_pending = false;
  if (run (self, inputs, outputs, stream) != 0)
    return 1;
  if (self->run_event == NULL && cudaEventCreate (&self->run_event) != 0)
    return fail ("making an event");
  if (cudaEventRecord (self->run_event, stream) != 0)
    return fail ("recording an event");
  self->is_pending = true;
  return succeed ();
}

int32_t
AOTInductorModelContainerRunSingleThreaded (Container *self, PtShimHandle *inputs, size_t n_in,
                                            PtShimHandle *outputs, size_t n_out, void *stream,
                                            void *proxy_executor)
{
  check_counts (n_in, n_out);
  last_error[0] = 0;
  if (!self->is_bound)
    return fail ("the model has no constants");
  if (self->is_pending)
    return fail ("no model is available: it waits for the end of a run");
  return run (self, inputs, outputs, stream);
}
