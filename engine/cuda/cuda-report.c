/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/cuda-report.h"

#include <string.h>

#include "engine/base/allocate.h"
#include "engine/base/json.h"
#include "engine/cuda/binary-image.h"
#include "engine/cuda/cuda-payload.h"
#include "engine/cuda/probe.h"
#include "engine/cuda/shims.h"
#include "engine/program/keys.h"

typedef struct {
  const PtDelegateContext *context;
  PtCudaPayload *payload;
  PtCudaMachine machine;
  GPtrArray *missing;
} Report;

static void
miss (Report *report, const char *sentence)
{
  g_ptr_array_add (report->missing, g_strdup (sentence));
}

static json_t *
text_of (const char *bytes, gsize length)
{
  g_autofree char *valid = g_utf8_make_valid (bytes, (gssize) length);

  return json_string (valid);
}

static json_t *
names (char **list)
{
  json_t *array = json_array ();

  for (guint i = 0; list[i] != NULL; i++)
    json_array_append_new (array, pt_json_text (list[i]));
  return array;
}

/* --- libraries --- */

static json_t *
describe_code (const PtCudaImage *image)
{
  json_t *array = json_array ();

  for (guint i = 0; i < image->n_codes; i++) {
    g_autofree char *name = pt_cuda_code_name (&image->codes[i]);

    json_array_append_new (
        array, json_pack ("{s:s, s:b}", "name", name, "compressed", image->codes[i].is_compressed));
  }
  return array;
}

static void
describe_image (Report *report, const PtCudaImage *image, json_t *out)
{
  g_autoptr (GPtrArray) missing = pt_cuda_image_missing (image, &report->machine);
  g_auto (GStrv) functions = pt_cuda_image_missing_functions (image, &report->machine);

  json_object_set_new (out, "platform", json_string (pt_cuda_image_kind_name (image->kind)));
  json_object_set_new (out, "cpu", json_string (pt_cuda_cpu_name (image->cpu)));
  json_object_set_new (out, "needed", names (image->needed));
  json_object_set_new (out, "code", describe_code (image));
  json_object_set_new (out, "kernels", json_integer (image->n_kernels));
  json_object_set_new (out, "missing_functions", names (functions));
  for (guint i = 0; i < missing->len; i++)
    miss (report, missing->pdata[i]);
}

static json_t *
describe_library (Report *report, const PtCudaLibraryKey *key)
{
  json_t *out = json_object ();
  g_autoptr (GError) error = NULL;
  g_autoptr (PtCudaImage) image = NULL;
  const PtNamedData *bytes = pt_cuda_library_find (report->context->program, key, &error);

  json_object_set_new (out, "key", text_of (key->key, key->key_length));
  if (key->target != 0) {
    json_object_set_new (out, "target", json_integer (key->target));
    json_object_set_new (out, "ptx", json_integer (key->ptx));
    json_object_set_new (out, "fallback", json_boolean (key->is_fallback));
  }
  if (bytes != NULL) {
    json_object_set_new (out, "bytes", json_integer ((json_int_t) bytes->size));
    image = pt_cuda_image_scan (bytes->data, bytes->size, &error);
  }
  if (image != NULL)
    describe_image (report, image, out);
  else
    miss (report, error->message);
  return out;
}

/* Compares with this machine only the library that this machine would use. */
static json_t *
describe_libraries (Report *report)
{
  const PtCudaPayload *payload = report->payload;
  const PtCudaMachine machine = report->machine;
  const PtCudaLibraryKey *chosen = payload->libraries;
  g_autoptr (GPtrArray) others = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GError) error = NULL;
  json_t *array = json_array ();

  if (machine.capability != 0)
    chosen = pt_cuda_payload_choose (payload, machine.capability, &error);
  if (chosen == NULL)
    miss (report, error->message);
  for (guint i = 0; i < payload->n_libraries; i++) {
    Report quiet = *report;

    quiet.missing = others;
    json_array_append_new (array,
                           describe_library (chosen == &payload->libraries[i] ? report : &quiet,
                                             &payload->libraries[i]));
  }
  return array;
}

/* --- weights --- */

static json_t *
describe_blob (Report *report)
{
  const PtCudaPayload *payload = report->payload;
  gsize size = 0;
  gboolean found = pt_delegate_find_data (report->context, payload->weights_key,
                                          payload->weights_key_length, &size) != NULL;

  if (!found) {
    g_autofree char *key =
        g_utf8_make_valid (payload->weights_key, (gssize) payload->weights_key_length);
    g_autofree char *sentence =
        g_strdup_printf ("The weights of method %s (“%.80s”) are neither in the data files nor in "
                         "the program. Put the data file (.ptd) of this model beside it, or name "
                         "it.",
                         report->context->method, key);

    miss (report, sentence);
  }
  return json_pack ("{s:o, s:i, s:i, s:i, s:I}", "key",
                    text_of (payload->weights_key, payload->weights_key_length), "constants", 0,
                    "storages", 1, "found", found, "bytes", (json_int_t) size);
}

static gboolean
same_key (const PtKey *a, const PtKey *b)
{
  return a->length == b->length && memcmp (a->key, b->key, a->length) == 0;
}

/* Counts constants that share a storage once. */
static json_t *
describe_constants (Report *report)
{
  const PtCudaPayload *payload = report->payload;
  g_autoptr (GError) first = NULL;
  g_autofree PtKey *keys = pt_allocate (payload->n_constants, sizeof *keys, &first);
  guint64 bytes = 0;
  guint n = 0, found = 0;

  if (keys == NULL) {
    miss (report, first->message);
    return json_null ();
  }
  for (guint i = 0; i < payload->n_constants; i++) {
    const PtCudaConstant *constant = &payload->constants[i];

    keys[i] = (PtKey){ constant->key, constant->key_length, constant };
  }
  pt_keys_sort (keys, payload->n_constants);
  for (guint i = 0; i < payload->n_constants; i++) {
    const PtCudaConstant *constant = keys[i].item;

    if (i > 0 && same_key (&keys[i - 1], &keys[i]))
      continue;
    n++;
    bytes += MIN (constant->nbytes, G_MAXINT64 - bytes);
    if (pt_cuda_constant_find (report->context, constant, first == NULL ? &first : NULL) != NULL)
      found++;
  }
  if (first != NULL)
    miss (report, first->message);
  return json_pack ("{s:n, s:i, s:i, s:i, s:I}", "key", "constants", (int) payload->n_constants,
                    "storages", (int) n, "found", (int) found, "bytes", (json_int_t) bytes);
}

/* --- the whole report --- */

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

json_t *
pt_cuda_report (const PtDelegateContext *context, GPtrArray *missing)
{
  g_autoptr (PtCudaProbe) probe = pt_cuda_probe (NULL);
  g_autoptr (PtCudaPayload) payload = NULL;
  g_autoptr (GError) error = NULL;
  Report report = { context, NULL, pt_cuda_machine_here (), missing };

  payload = pt_cuda_payload_new (context->spec, &error);
  if (payload == NULL) {
    miss (&report, error->message);
    return NULL;
  }
  report.payload = payload;
  report.machine.functions = pt_shims_names (&report.machine.n_functions);
  add_device (&report, probe);
  return json_pack ("{s:s, s:o, s:o}", "form", pt_cuda_payload_form_name (payload->form),
                    "libraries", describe_libraries (&report), "weights",
                    pt_cuda_payload_has_names (payload) ? describe_constants (&report)
                                                        : describe_blob (&report));
}

/* --- memory --- */

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
