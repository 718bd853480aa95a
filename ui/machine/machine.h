/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <pteris/stats.h>

#include "ui/machine/machine-device.h"

G_BEGIN_DECLS

/**
 * PterisMachine: the processor, the memory and the GPUs of this computer. It polls pt_stats_read()
 * in a thread while there are watchers. UI thread only.
 *
 * Signals:
 *   changed (): new figures
 */
#define PTERIS_TYPE_MACHINE (pteris_machine_get_type ())
G_DECLARE_FINAL_TYPE (PterisMachine, pteris_machine, PTERIS, MACHINE, GObject)

/** The interval of a watcher. The shortest of all watchers is used. */
typedef enum {
  PTERIS_PACE_SECOND, /* graphs */
  PTERIS_PACE_CALM,   /* every fourth second: for the status bar */
  PTERIS_N_PACES
} PterisPace;

PterisMachine *pteris_machine_new (void);

/** Begin and end watching; calls must be balanced. */
void pteris_machine_watch (PterisMachine *self, PterisPace pace);
void pteris_machine_unwatch (PterisMachine *self, PterisPace pace);

/** Whether the machine is being polled. */
gboolean pteris_machine_is_polling (PterisMachine *self);

/** Add the result of pt_stats_read() at @time; also called by the poll itself. */
void pteris_machine_take (PterisMachine *self, const PtMachineStats *stats, gint64 time);

/** The time of the newest values; 0: none yet. */
gint64 pteris_machine_get_time (PterisMachine *self);

/** Never NULL; not a new reference; the same holds for the next one, a list of PterisDevice. */
PterisDevice *pteris_machine_get_processor (PterisMachine *self);
GListModel *pteris_machine_get_gpus (PterisMachine *self);

/** The sentence why there is no GPU; or NULL. */
const char *pteris_machine_get_gpu_reason (PterisMachine *self);

/** Version of the NVIDIA driver, or NULL. */
const char *pteris_machine_get_driver (PterisMachine *self);

/** Available memory in bytes; PTERIS_UNKNOWN if unknown. */
double pteris_machine_get_free_memory (PterisMachine *self);

/** Memory available for models; zeros while unknown. */
const PtMemory *pteris_machine_get_memory (PterisMachine *self);

G_END_DECLS
