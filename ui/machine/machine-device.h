/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib-object.h>
#include <pteris/stats.h>

#include "ui/machine/series.h"

G_BEGIN_DECLS

/** PterisDevice: a processor or a GPU: its current values and those of the last ten minutes. */
#define PTERIS_TYPE_DEVICE (pteris_device_get_type ())
G_DECLARE_FINAL_TYPE (PterisDevice, pteris_device, PTERIS, DEVICE, GObject)

typedef enum {
  PTERIS_QUANTITY_LOAD,        /* percent */
  PTERIS_QUANTITY_OWN_LOAD,    /* percent, by this process; processors only */
  PTERIS_QUANTITY_MEMORY,      /* bytes in use */
  PTERIS_QUANTITY_OWN_MEMORY,  /* bytes, by this process */
  PTERIS_QUANTITY_POWER,       /* watts; GPUs only, as is the next one */
  PTERIS_QUANTITY_TEMPERATURE, /* degrees Celsius */
  PTERIS_N_QUANTITIES
} PterisQuantity;

/** Values without a history; each may be PTERIS_UNKNOWN. */
typedef struct {
  double memory_total;             /* bytes */
  double power_limit;              /* watts */
  double core_clock, memory_clock; /* MHz */
  double fan;                      /* percent */
  double pcie_generation, pcie_most_generation;
  double pcie_width, pcie_most_width;
  double to_gpu, to_host; /* bytes a second */
} PterisDeviceFacts;

PterisDevice *pteris_device_new (void);

/** Add the values of @gpu at @time. */
void pteris_device_take_gpu (PterisDevice *self, const PtGpuStats *gpu, gint64 time);

/** Add the values of the processor and the memory. */
void pteris_device_take_machine (PterisDevice *self, const PtMachineStats *stats, gint64 time);

/** Whether @gpu is this device. A lost GPU has no name. */
gboolean pteris_device_is (PterisDevice *self, const PtGpuStats *gpu);

gboolean pteris_device_is_gpu (PterisDevice *self);
const char *pteris_device_get_name (PterisDevice *self);

/** Compute capability of a GPU, "9.0", or the instruction set that kernels use; or NULL. */
const char *pteris_device_get_capability (PterisDevice *self);

/** Cores of a processor; 0 when unknown. */
guint pteris_device_get_cores (PterisDevice *self);

const PterisSeries *pteris_device_get_series (PterisDevice *self, PterisQuantity quantity);
const PterisDeviceFacts *pteris_device_get_facts (PterisDevice *self);

/** Whether the device no longer answers. */
gboolean pteris_device_is_lost (PterisDevice *self);

/** Sentences, one per line, on faults of the device and on throttling; "" without any. @serious:
 * set to whether the device does not work. */
char *pteris_device_describe_state (PterisDevice *self, gboolean *serious);

G_END_DECLS
