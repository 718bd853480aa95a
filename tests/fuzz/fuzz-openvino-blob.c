/* SPDX-License-Identifier: BSD-3-Clause */

/* The payload of a delegate for OpenVINO, as far as it is read without the library. The first byte
 * of the input says how much of it is the name of the device. */

#include "engine/openvino/openvino-blob.h"

#include <string.h>

#include "tests/fuzz/fuzz.h"

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  gsize length = size > 0 ? MIN (data[0], size - 1) : 0;
  gsize rest = size > 0 ? size - length - 1 : 0;
  g_autofree guint8 *name = length > 0 ? g_memdup2 (data + 1, length) : NULL;
  g_autofree guint8 *payload = rest > 0 ? g_memdup2 (data + size - rest, rest) : NULL;
  const PtCompileSpec device = { "device", 6, name, length };
  const PtDelegateSpec spec = { .id = "OpenvinoBackend",
                                .payload = payload,
                                .payload_size = rest,
                                .specs = &device,
                                .n_specs = 1 };
  static const char *const DEVICES[] = { "CPU", "GPU.0", "GPU.1", "NPU", NULL };
  g_autoptr (PtOpenvinoBlob) blob = NULL;
  GError *error = NULL;

  blob = pt_openvino_blob_new (&spec, &error);
  if (blob == NULL) {
    fuzz_check_error (error);
    return 0;
  }
  if (blob->version != NULL)
    fuzz_touch (blob->version, strlen (blob->version) + 1);
  if (blob->target != NULL)
    fuzz_touch (blob->target, strlen (blob->target) + 1);
  if (pt_openvino_choose_device (blob->device, DEVICES, data[0] % 4, &error) == NULL)
    fuzz_check_error (error);
  return 0;
}
