/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/cuda.h"

#include "engine/cuda/device.h"
#include "engine/cuda/probe.h"
#include "engine/cuda/report.h"
#include "engine/runtime/backend.h"

static gboolean
is_available (GError **error)
{
  g_autoptr (GError) cause = NULL;
  g_autoptr (PtCudaProbe) probe = pt_cuda_probe (&cause);

  if (probe != NULL)
    return pt_fail (error, PT_ERROR_MISSING_BACKEND,
                    "this build of Pteris has no CUDA delegate, although the machine has an %s; "
                    "export the model for the CPU",
                    probe->devices[0].name);
  return pt_fail (error, PT_ERROR_MISSING_BACKEND,
                  "this build of Pteris has no CUDA delegate, and the machine has no usable NVIDIA "
                  "GPU; export the model for the CPU");
}

static gpointer
init (const PtDelegateContext *context, GError **error)
{
  is_available (error);
  return NULL;
}

static const PtBackend backend = {
  .id = "CudaBackend",
  .is_native = TRUE,
  .is_available = is_available,
  .init = init,
  .report = pt_cuda_report,
};

void
pt_cuda_register (void)
{
  pt_backend_register (&backend);
  pt_cuda_device_register ();
}
