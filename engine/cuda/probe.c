/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/cuda/probe.h"

#include "engine/cuda/driver.h"

static guint
read_capability (const PtCuda *cu, PtCuDevice device)
{
  int major, minor;

  if (cu->cuDeviceGetAttribute (&major, PT_CU_DEVICE_COMPUTE_CAPABILITY_MAJOR, device) !=
          PT_CU_SUCCESS ||
      cu->cuDeviceGetAttribute (&minor, PT_CU_DEVICE_COMPUTE_CAPABILITY_MINOR, device) !=
          PT_CU_SUCCESS)
    return 0;
  return (guint) (major * 10 + minor);
}

static gboolean
read_device (const PtCuda *cu, int index, PtCudaDevice *out, GError **error)
{
  PtCuDevice device;
  gsize bytes;

  if (!pt_cuda_check (cu->cuDeviceGet (&device, index), "Querying the GPU", error))
    return FALSE;
  if (cu->cuDeviceGetName == NULL ||
      cu->cuDeviceGetName (out->name, sizeof out->name, device) != PT_CU_SUCCESS)
    g_strlcpy (out->name, "NVIDIA GPU", sizeof out->name);
  out->name[sizeof out->name - 1] = 0;
  if (cu->cuDeviceTotalMem != NULL && cu->cuDeviceTotalMem (&bytes, device) == PT_CU_SUCCESS)
    out->memory = bytes;
  out->compute_capability = read_capability (cu, device);
  return TRUE;
}

PtCudaProbe *
pt_cuda_probe (GError **error)
{
  const PtCuda *cu = pt_cuda_driver (error);
  g_autoptr (PtCudaProbe) probe = NULL;
  int n = 0;

  if (cu == NULL || !pt_cuda_check (cu->cuDeviceGetCount (&n), "Counting the GPUs", error))
    return NULL;
  probe = g_new0 (PtCudaProbe, 1);
  probe->driver_version = pt_cuda_driver_version ();
  probe->devices = g_new0 (PtCudaDevice, (gsize) MAX (n, 1));
  probe->n_devices = (guint) n;
  for (int i = 0; i < n; i++)
    if (!read_device (cu, i, &probe->devices[i], error))
      return NULL;
  return g_steal_pointer (&probe);
}

void
pt_cuda_probe_free (PtCudaProbe *probe)
{
  g_free (probe->devices);
  g_free (probe);
}
