/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/error.h"
#include "engine/program/program.h"

G_BEGIN_DECLS

/*
 * Memory of devices (program format, section 4.16): planned buffers on a GPU, and the copies
 * between them and the host. One PtDevice for each device type; a build without that
 * device registers none, and programs that need it say so when they load.
 */
typedef struct {
  PtDeviceType type;

  /** Whether this machine has one; NULL: always. Asked often: must remember the answer. */
  gboolean (*is_available) (GError **error);

  /** @size zero bytes on device @index, aligned to 256. */
  gpointer (*allocate) (int index, gsize size, GError **error);
  void (*free) (int index, gpointer data);
  gboolean (*clear) (int index, gpointer data, gsize size, GError **error);
  gboolean (*copy_to_device) (int index, gpointer to, gconstpointer from, gsize size,
                              GError **error);
  gboolean (*copy_to_host) (int index, gpointer to, gconstpointer from, gsize size, GError **error);
} PtDevice;

/** @device must be static. Call from pt_init() or a test. */
void pt_device_register (const PtDevice *device);

/** NULL for the CPU and for a device that this build or machine lacks. */
const PtDevice *pt_device_find (PtDeviceType type);

/** "cpu" or "cuda". */
const char *pt_device_name (PtDeviceType type);

G_END_DECLS
