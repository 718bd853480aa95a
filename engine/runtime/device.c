/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine/runtime/device.h"

#define N_DEVICE_TYPES 3

static const PtDevice *devices[N_DEVICE_TYPES];

void
pt_device_register (const PtDevice *device)
{
  g_return_if_fail (device->type > PT_DEVICE_CPU && (guint) device->type < N_DEVICE_TYPES);
  devices[device->type] = device;
}

const PtDevice *
pt_device_find (PtDeviceType type)
{
  const PtDevice *device = (guint) type < N_DEVICE_TYPES ? devices[type] : NULL;

  if (device != NULL && device->is_available != NULL && !device->is_available (NULL))
    return NULL;
  return device;
}

const char *
pt_device_name (PtDeviceType type)
{
  static const char *const NAMES[N_DEVICE_TYPES] = { "cpu", "cuda", "vulkan" };

  return NAMES[(guint) type < N_DEVICE_TYPES ? type : PT_DEVICE_CPU];
}
