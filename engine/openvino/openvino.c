/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/openvino/openvino.h"

#include "engine/openvino/openvino-find.h"
#include "engine/openvino/openvino-model.h"
#include "engine/openvino/openvino-report.h"

/* The library is only looked for: this is asked in the window's process, too. */
static gboolean
is_available (GError **error)
{
  g_autoptr (PtOpenvinoPlace) place = pt_openvino_find (NULL, error);

  return place != NULL;
}

static gpointer
init (const PtDelegateContext *context, GError **error)
{
  return pt_openvino_model_new (context, error);
}

static gboolean
execute (gpointer delegate, PtExecution *execution, PtValue *const *args, guint n_args,
         GError **error)
{
  return pt_openvino_model_run (delegate, execution, args, n_args, error);
}

static void
destroy (gpointer delegate)
{
  pt_openvino_model_free (delegate);
}

static const char *
name_device (const PtDelegateSpec *spec, gboolean *is_cpu)
{
  g_autoptr (PtOpenvinoBlob) blob = pt_openvino_blob_new (spec, NULL);

  *is_cpu = blob == NULL || pt_openvino_blob_is_cpu (blob);
  if (*is_cpu)
    return "CPU (OpenVINO)";
  if (g_str_has_prefix (blob->device, "GPU"))
    return "GPU (OpenVINO)";
  return g_str_has_prefix (blob->device, "NPU") ? "NPU (OpenVINO)" : "OpenVINO";
}

static const PtBackend backend = {
  .id = "OpenvinoBackend",
  .is_native = TRUE,
  .is_available = is_available,
  .init = init,
  .execute = execute,
  .destroy = destroy,
  .device_type = PT_DEVICE_CPU,
  .name_device = name_device,
  .describe = pt_openvino_describe,
  .measure = pt_openvino_measure,
};

void
pt_openvino_register (void)
{
  pt_backend_register (&backend);
}
