/* SPDX-License-Identifier: BSD-3-Clause */

/* OpenVINO's C library, as far as engine/openvino knows it (docs/formats/openvino.md, section 3).
 */

#include "tests/fakes/fake-openvino.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#include <windows.h>
#define pause() Sleep (INFINITE)
#else
#define EXPORT __attribute__ ((visibility ("default")))
#include <unistd.h>
#endif

#define MAX_TENSORS 16
#define MAX_RANK 16
#define LOG_SIZE 65536

typedef struct {
  int64_t rank, *dims;
} Shape;

typedef struct {
  char **names;
  size_t n;
} Devices;

typedef struct {
  const char *build, *description;
} Version;

typedef struct {
  int type;
  int64_t rank, dims[MAX_RANK];
  void *memory;
} Tensor;

typedef struct {
  const unsigned char *bytes;
  size_t size;
  unsigned sum;
} Model;

typedef struct {
  Model *model;
  Tensor inputs[MAX_TENSORS], outputs[MAX_TENSORS];
} Request;

static char calls[LOG_SIZE], given[LOG_SIZE];
static const char *words = "";
static int alive;

/* ---- demands ---- */

static const char *
setting (const char *name, const char *otherwise)
{
  const char *value = getenv (name);

  return value != NULL ? value : otherwise;
}

static size_t
count (const char *name)
{
  return (size_t) atoi (setting (name, "1"));
}

static void
note (const char *format, ...)
{
  size_t length = strlen (calls);
  va_list list;

  va_start (list, format);
  vsnprintf (calls + length, sizeof calls - length, format, list);
  va_end (list);
}

/* Notes the call; the status that it ends with. */
static int
begin (const char *name)
{
  int *volatile nowhere = NULL;

  note ("%s", name);
  if (strcmp (setting ("FAKE_OPENVINO_CRASH", ""), name) == 0)
    return *nowhere;
  while (strcmp (setting ("FAKE_OPENVINO_HANG", ""), name) == 0)
    pause ();
  if (strcmp (setting ("FAKE_OPENVINO_FAIL", ""), name) != 0)
    return 0;
  words = "Exception from src/inference/src/cpp/core.cpp:200:\n"
          "Check 'is_valid_model' failed at src/plugins/fake.cpp:221:\n" FAKE_OPENVINO_WORDS "\n";
  return -1;
}

#define BEGIN(name)             \
  do {                          \
    int status = begin (#name); \
                                \
    note ("\n");                \
    if (status != 0)            \
      return status;            \
  } while (0)

/* ---- the library ---- */

EXPORT const char *fake_openvino_calls (void);
EXPORT int fake_openvino_alive (void);
EXPORT int ov_get_openvino_version (Version *version);
EXPORT void ov_version_free (Version *version);
EXPORT int ov_core_create (void **core);
EXPORT void ov_core_free (void *core);
EXPORT int ov_core_get_available_devices (const void *core, Devices *devices);
EXPORT void ov_available_devices_free (Devices *devices);
EXPORT int ov_core_set_property (const void *core, const char *device, ...);
EXPORT int ov_core_import_model (const void *core, const char *bytes, size_t size,
                                 const char *device, Model **model);
EXPORT int ov_compiled_model_inputs_size (const Model *model, size_t *n);
EXPORT int ov_compiled_model_outputs_size (const Model *model, size_t *n);
EXPORT int ov_compiled_model_create_infer_request (Model *model, Request **request);
EXPORT void ov_compiled_model_free (Model *model);
EXPORT void ov_infer_request_free (Request *request);
EXPORT int ov_infer_request_set_input_tensor_by_index (Request *request, size_t index,
                                                       const Tensor *tensor);
EXPORT int ov_infer_request_set_output_tensor_by_index (Request *request, size_t index,
                                                        const Tensor *tensor);
EXPORT int ov_infer_request_get_output_tensor_by_index (const Request *request, size_t index,
                                                        Tensor **tensor);
EXPORT int ov_infer_request_infer (Request *request);
EXPORT int ov_shape_create (int64_t rank, const int64_t *dims, Shape *shape);
EXPORT int ov_shape_free (Shape *shape);
EXPORT int ov_tensor_create_from_host_ptr (int type, Shape shape, void *memory, Tensor **tensor);
EXPORT void ov_tensor_free (Tensor *tensor);
EXPORT int ov_tensor_get_shape (const Tensor *tensor, Shape *shape);
#ifndef FAKE_LACKING
EXPORT const char *ov_get_last_err_msg (void);
#endif

const char *
fake_openvino_calls (void)
{
  strcpy (given, calls);
  calls[0] = '\0';
  return given;
}

int
fake_openvino_alive (void)
{
  return alive;
}

static void *
make (size_t size)
{
  alive++;
  return calloc (1, size);
}

static void
drop (void *handle)
{
  alive--;
  free (handle);
}

static char *
copy (const char *text)
{
  char *result = make (strlen (text) + 1);

  return strcpy (result, text);
}

int
ov_get_openvino_version (Version *version)
{
  BEGIN (ov_get_openvino_version);
  version->build = make (64);
  snprintf ((char *) version->build, 64, "%s-20426-82bbf0292c5-releases/2025/4",
            setting ("FAKE_OPENVINO_VERSION", "2025.4.1"));
  version->description = copy ("a stand-in");
  return 0;
}

void
ov_version_free (Version *version)
{
  drop ((void *) version->build);
  drop ((void *) version->description);
}

int
ov_core_create (void **core)
{
  BEGIN (ov_core_create);
  *core = make (1);
  return 0;
}

void
ov_core_free (void *core)
{
  begin ("ov_core_free\n");
  drop (core);
}

int
ov_core_get_available_devices (const void *core, Devices *devices)
{
  const char *named = setting ("FAKE_OPENVINO_DEVICES", "CPU");
  const char *list = strcmp (named, "none") == 0 ? "" : named;

  BEGIN (ov_core_get_available_devices);
  devices->names = make (MAX_TENSORS * sizeof *devices->names);
  for (devices->n = 0; *list != '\0' && devices->n < MAX_TENSORS; devices->n++) {
    size_t length = strcspn (list, ",");
    char *name = copy (list);

    name[length] = '\0';
    devices->names[devices->n] = name;
    list += length + (list[length] == ',');
  }
  return 0;
}

void
ov_available_devices_free (Devices *devices)
{
  for (size_t i = 0; i < devices->n; i++)
    drop (devices->names[i]);
  drop (devices->names);
}

int
ov_core_set_property (const void *core, const char *device, ...)
{
  const char *key, *value;
  va_list list;
  int status = begin ("ov_core_set_property");

  va_start (list, device);
  key = va_arg (list, const char *);
  value = va_arg (list, const char *);
  va_end (list);
  note (" %s %s=%s\n", device, key, value);
  return status;
}

static unsigned
sum_of (const unsigned char *bytes, size_t size)
{
  unsigned sum = 1;

  for (size_t i = 0; i < size; i++)
    sum = sum * 31 + bytes[i];
  return sum;
}

int
ov_core_import_model (const void *core, const char *bytes, size_t size, const char *device,
                      Model **model)
{
  int status = begin ("ov_core_import_model");

  note (" %s %zu\n", device, size);
  if (status != 0)
    return status;
  *model = make (sizeof **model);
  (*model)->bytes = (const unsigned char *) bytes;
  (*model)->size = size;
  (*model)->sum = sum_of ((*model)->bytes, size);
  return 0;
}

int
ov_compiled_model_inputs_size (const Model *model, size_t *n)
{
  BEGIN (ov_compiled_model_inputs_size);
  *n = count ("FAKE_OPENVINO_INPUTS");
  return 0;
}

int
ov_compiled_model_outputs_size (const Model *model, size_t *n)
{
  BEGIN (ov_compiled_model_outputs_size);
  *n = count ("FAKE_OPENVINO_OUTPUTS");
  return 0;
}

int
ov_compiled_model_create_infer_request (Model *model, Request **request)
{
  BEGIN (ov_compiled_model_create_infer_request);
  *request = make (sizeof **request);
  (*request)->model = model;
  return 0;
}

void
ov_compiled_model_free (Model *model)
{
  begin ("ov_compiled_model_free\n");
  drop (model);
}

void
ov_infer_request_free (Request *request)
{
  begin ("ov_infer_request_free\n");
  drop (request);
}

static void
note_tensor (size_t index, const Tensor *tensor)
{
  note (" %zu: %d [", index, tensor->type);
  for (int64_t i = 0; i < tensor->rank; i++)
    note ("%s%d", i > 0 ? ", " : "", (int) tensor->dims[i]);
  note ("]\n");
}

int
ov_infer_request_set_input_tensor_by_index (Request *request, size_t index, const Tensor *tensor)
{
  int status = begin ("ov_infer_request_set_input_tensor_by_index");

  note_tensor (index, tensor);
  request->inputs[index] = *tensor;
  return status;
}

int
ov_infer_request_set_output_tensor_by_index (Request *request, size_t index, const Tensor *tensor)
{
  int status = begin ("ov_infer_request_set_output_tensor_by_index");

  note_tensor (index, tensor);
  request->outputs[index] = *tensor;
  return status;
}

int
ov_infer_request_get_output_tensor_by_index (const Request *request, size_t index, Tensor **tensor)
{
  BEGIN (ov_infer_request_get_output_tensor_by_index);
  *tensor = make (sizeof **tensor);
  **tensor = request->outputs[index];
  return 0;
}

static size_t
n_elements (const Tensor *tensor)
{
  size_t n = 1;

  for (int64_t i = 0; i < tensor->rank; i++)
    n *= (size_t) tensor->dims[i];
  return n;
}

/* A float takes part in the sum of input 0, so that a test sees that it was read. */
static void
compute (const Tensor *input, Tensor *output)
{
  float sum = 0, *numbers = output->memory;
  size_t n;

  if (input->rank == output->rank && input->rank > 0)
    output->dims[0] = input->dims[0];
  n = n_elements (output);
  if (output->type != 4) {
    memset (output->memory, 1, n);
    return;
  }
  for (size_t i = 0; input->type == 4 && i < n_elements (input); i++)
    sum += ((const float *) input->memory)[i] * (float) (i + 1);
  for (size_t i = 0; i < n; i++)
    numbers[i] = sum + (float) i;
}

int
ov_infer_request_infer (Request *request)
{
  const Model *model = request->model;

  BEGIN (ov_infer_request_infer);
  if (sum_of (model->bytes, model->size) != model->sum) {
    words = "The bytes of the blob have changed since the import.";
    return -1;
  }
  for (size_t i = 0; i < count ("FAKE_OPENVINO_OUTPUTS"); i++)
    compute (&request->inputs[0], &request->outputs[i]);
  return 0;
}

int
ov_shape_create (int64_t rank, const int64_t *dims, Shape *shape)
{
  if (strcmp (setting ("FAKE_OPENVINO_FAIL", ""), "ov_shape_create") == 0 || rank < 0)
    return -14;
  shape->rank = rank;
  shape->dims = make (MAX_RANK * sizeof *shape->dims);
  memcpy (shape->dims, dims, (size_t) rank * sizeof *dims);
  return 0;
}

int
ov_shape_free (Shape *shape)
{
  drop (shape->dims);
  shape->dims = NULL;
  return 0;
}

int
ov_tensor_create_from_host_ptr (int type, Shape shape, void *memory, Tensor **tensor)
{
  if (strcmp (setting ("FAKE_OPENVINO_FAIL", ""), "ov_tensor_create_from_host_ptr") == 0)
    return -1;
  *tensor = make (sizeof **tensor);
  (*tensor)->type = type;
  (*tensor)->rank = shape.rank;
  memcpy ((*tensor)->dims, shape.dims, (size_t) shape.rank * sizeof *shape.dims);
  (*tensor)->memory = memory;
  return 0;
}

void
ov_tensor_free (Tensor *tensor)
{
  drop (tensor);
}

int
ov_tensor_get_shape (const Tensor *tensor, Shape *shape)
{
  const char *rank = getenv ("FAKE_OPENVINO_RANK");

  if (strcmp (setting ("FAKE_OPENVINO_FAIL", ""), "ov_tensor_get_shape") == 0)
    return -1;
  if (ov_shape_create (tensor->rank, tensor->dims, shape) != 0)
    return -1;
  if (rank != NULL)
    shape->rank = atoi (rank);
  return 0;
}

#ifndef FAKE_LACKING
const char *
ov_get_last_err_msg (void)
{
  return words;
}
#endif
