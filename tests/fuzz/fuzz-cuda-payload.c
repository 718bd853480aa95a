/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/cuda-payload.h"
#include "tests/fuzz/fuzz.h"

/* Payloads of CUDA delegates: keys, or every constant by name. */

static void
touch_constant (const PtCudaConstant *constant)
{
  fuzz_touch (constant->key, constant->key_length + 1);
  fuzz_touch (constant->sizes, constant->rank * sizeof (gint64));
  fuzz_touch (constant->strides, constant->rank * sizeof (gint64));
  g_assert (constant->fqn[0] != '\0');
  g_assert (pt_dtype_size ((int) constant->dtype) > 0);
}

static void
touch_payload (const PtCudaPayload *payload)
{
  g_assert (payload->n_libraries > 0);
  for (guint i = 0; i < payload->n_libraries; i++)
    fuzz_touch (payload->libraries[i].key, payload->libraries[i].key_length + 1);
  for (guint i = 0; i < payload->n_constants; i++)
    touch_constant (&payload->constants[i]);
  if (!pt_cuda_payload_has_names (payload))
    fuzz_touch (payload->weights_key, payload->weights_key_length + 1);
  for (guint capability = 0; capability < 130; capability += 10) {
    GError *error = NULL;

    if (pt_cuda_payload_choose (payload, capability, &error) == NULL)
      fuzz_check_error (error);
  }
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree guint8 *copy = g_memdup2 (data, size);
  PtDelegateSpec spec = { .id = "CudaBackend", .payload = copy, .payload_size = size };
  g_autoptr (PtCudaPayload) payload = NULL;
  GError *error = NULL;

  payload = pt_cuda_payload_new (&spec, &error);
  if (payload == NULL)
    fuzz_check_error (error);
  else
    touch_payload (payload);
  return 0;
}
