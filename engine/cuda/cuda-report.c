/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/cuda-report.h"

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/cuda/binary-image.h"
#include "engine/cuda/cuda-payload.h"
#include "engine/cuda/probe.h"
#include "engine/cuda/shims.h"
#include "engine/program/keys.h"

typedef struct {
  const PtDelegateContext *context;
  PtHeap *heap;
  PtCudaPayload *payload;
  PtCudaMachine machine;
  GPtrArray *missing;
} Report;

static void
miss (Report *report, const char *sentence)
{
  g_ptr_array_add (report->missing, g_strdup (sentence));
}

/* ---- libraries ---- */

static const PtInspectCudaCode *
describe_code (Report *report, const PtCudaImage *image)
{
  PtInspectCudaCode *codes = pt_heap_new0 (report->heap, PtInspectCudaCode, image->n_codes);

  for (guint i = 0; i < image->n_codes; i++) {
    codes[i].name = pt_heap_take (report->heap, pt_cuda_code_name (&image->codes[i]));
    codes[i].compressed = image->codes[i].is_compressed;
  }
  return codes;
}

static void
describe_image (Report *report, const PtCudaImage *image, PtInspectCudaLibrary *out)
{
  g_autoptr (GPtrArray) missing = pt_cuda_image_missing (image, &report->machine);
  g_auto (GStrv) functions = pt_cuda_image_missing_functions (image, &report->machine);

  out->platform = pt_cuda_image_kind_name (image->kind);
  out->cpu = pt_cuda_cpu_name (image->cpu);
  out->needed = pt_heap_texts (report->heap, (const char *const *) image->needed);
  out->codes = describe_code (report, image);
  out->n_codes = image->n_codes;
  out->n_kernels = image->n_kernels;
  out->missing_functions = pt_heap_texts (report->heap, (const char *const *) functions);
  for (guint i = 0; i < missing->len; i++)
    miss (report, missing->pdata[i]);
}

static PtInspectCudaLibrary
describe_library (Report *report, const PtCudaLibraryKey *key)
{
  PtInspectCudaLibrary out = { .key = pt_heap_bytes (report->heap, key->key, key->key_length),
                               .target = key->target,
                               .ptx = key->ptx,
                               .fallback = key->is_fallback };
  g_autoptr (GError) error = NULL;
  g_autoptr (PtCudaImage) image = NULL;
  const PtNamedData *bytes = pt_cuda_library_find (report->context->program, key, &error);

  if (bytes != NULL) {
    out.found = TRUE;
    out.bytes = bytes->size;
    image = pt_cuda_image_scan (bytes->data, bytes->size, &error);
  }
  if (image != NULL)
    describe_image (report, image, &out);
  else
    miss (report, error->message);
  return out;
}

/* Compares with this machine only the library that this machine would use. */
static const PtInspectCudaLibrary *
describe_libraries (Report *report)
{
  const PtCudaPayload *payload = report->payload;
  const PtCudaMachine machine = report->machine;
  const PtCudaLibraryKey *chosen = payload->libraries;
  g_autoptr (GPtrArray) others = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  PtInspectCudaLibrary *libraries =
      pt_heap_new0 (report->heap, PtInspectCudaLibrary, payload->n_libraries);

  if (machine.capability != 0)
    chosen = pt_cuda_payload_choose (payload, machine.capability, &error);
  if (chosen == NULL)
    miss (report, error->message);
  for (guint i = 0; i < payload->n_libraries; i++) {
    Report quiet = *report;

    quiet.missing = others;
    libraries[i] = describe_library (chosen == &payload->libraries[i] ? report : &quiet,
                                     &payload->libraries[i]);
  }
  return libraries;
}

/* ---- weights ---- */

static const PtInspectCudaWeights *
describe_blob (Report *report)
{
  const PtCudaPayload *payload = report->payload;
  PtInspectCudaWeights *weights = pt_heap_new0 (report->heap, PtInspectCudaWeights, 1);
  gsize size = 0;

  weights->key = pt_heap_bytes (report->heap, payload->weights_key, payload->weights_key_length);
  weights->storages = 1;
  weights->found = pt_delegate_find_data (report->context, payload->weights_key,
                                          payload->weights_key_length, &size) != NULL;
  weights->bytes = size;
  if (weights->found == 0) {
    g_autofree char *sentence =
        g_strdup_printf ("The weights of method %s (“%.80s”) are neither in the data files nor in "
                         "the program. Put the data file (.ptd) of this model beside it, or name "
                         "it.",
                         report->context->method, weights->key);

    miss (report, sentence);
  }
  return weights;
}

static gboolean
same_key (const PtKey *a, const PtKey *b)
{
  return a->length == b->length && memcmp (a->key, b->key, a->length) == 0;
}

/* Counts constants that share a storage once. */
static const PtInspectCudaWeights *
describe_constants (Report *report)
{
  const PtCudaPayload *payload = report->payload;
  g_autoptr (GError) first = NULL;
  g_autofree PtKey *keys = pt_allocate (payload->n_constants, sizeof *keys, &first);
  PtInspectCudaWeights *weights;

  if (keys == NULL) {
    miss (report, first->message);
    return NULL;
  }
  for (guint i = 0; i < payload->n_constants; i++) {
    const PtCudaConstant *constant = &payload->constants[i];

    keys[i] = (PtKey){ constant->key, constant->key_length, constant };
  }
  pt_keys_sort (keys, payload->n_constants);
  weights = pt_heap_new0 (report->heap, PtInspectCudaWeights, 1);
  weights->constants = payload->n_constants;
  for (guint i = 0; i < payload->n_constants; i++) {
    const PtCudaConstant *constant = keys[i].item;

    if (i > 0 && same_key (&keys[i - 1], &keys[i]))
      continue;
    weights->storages++;
    weights->bytes += MIN (constant->nbytes, G_MAXINT64 - weights->bytes);
    if (pt_cuda_constant_find (report->context, constant, first == NULL ? &first : NULL) != NULL)
      weights->found++;
  }
  if (first != NULL)
    miss (report, first->message);
  return weights;
}

/* ---- the whole report ---- */

/* The GPU that would run the delegate. NULL when there is none; GPU code is then not compared. */
static void
add_device (Report *report, const PtCudaProbe *probe)
{
  guint index = (guint) MAX (report->context->device, 0);

  if (probe == NULL || index >= probe->n_devices)
    return;
  report->machine.device = probe->devices[index].name;
  report->machine.capability = probe->devices[index].compute_capability;
  report->machine.driver = probe->driver_version;
}

void
pt_cuda_describe (const PtDelegateContext *context, PtDelegateDescription *description)
{
  g_autoptr (PtCudaProbe) probe = pt_cuda_probe (NULL);
  g_autoptr (PtCudaPayload) payload = NULL;
  g_autoptr (GError) error = NULL;
  Report report = { context, description->heap, NULL, pt_cuda_machine_here (),
                    description->missing };
  PtInspectCuda *cuda;

  payload = pt_cuda_payload_new (context->spec, &error);
  if (payload == NULL) {
    miss (&report, error->message);
    return;
  }
  report.payload = payload;
  report.machine.functions = pt_shims_names (&report.machine.n_functions);
  add_device (&report, probe);
  cuda = pt_heap_new0 (report.heap, PtInspectCuda, 1);
  cuda->form = pt_cuda_payload_form_name (payload->form);
  cuda->weights =
      pt_cuda_payload_has_names (payload) ? describe_constants (&report) : describe_blob (&report);
  cuda->libraries = describe_libraries (&report);
  cuda->n_libraries = payload->n_libraries;
  description->content.kind = PT_INSPECT_CONTENT_CUDA;
  description->content.cuda = cuda;
}

/* ---- memory ---- */

static void
take (PtDelegateNeeds *needs, const guint8 *data, guint64 bytes, guint bits)
{
  if (data != NULL && pt_delegate_needs_add (needs, data, bytes, bits))
    needs->device += MIN (bytes, G_MAXUINT64 - needs->device);
}

void
pt_cuda_measure (const PtDelegateContext *context, PtDelegateNeeds *needs)
{
  g_autoptr (PtCudaPayload) payload = pt_cuda_payload_new (context->spec, NULL);
  gsize size = 0;

  if (payload == NULL)
    return;
  if (!pt_cuda_payload_has_names (payload)) {
    const guint8 *blob =
        pt_delegate_find_data (context, payload->weights_key, payload->weights_key_length, &size);

    /* Only the library knows the dtypes in the blob; most weights have 16 bits. */
    take (needs, blob, size, 16);
    return;
  }
  for (guint i = 0; i < payload->n_constants; i++) {
    const PtCudaConstant *constant = &payload->constants[i];

    take (needs, pt_cuda_constant_find (context, constant, NULL), constant->nbytes,
          (guint) pt_dtype_size (constant->dtype) * 8);
  }
}
