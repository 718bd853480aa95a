/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <pteris/stats.h>

#include "ui/machine/machine-device.h"

G_BEGIN_DECLS

/**
 * PterisMachine: the processor, the memory and the GPUs of this computer, while somebody watches.
 * The engine is asked in a thread; nobody watching, nothing is asked. UI thread only.
 *
 * Signals:
 *   changed (): new figures
 */
#define PTERIS_TYPE_MACHINE (pteris_machine_get_type ())
G_DECLARE_FINAL_TYPE (PterisMachine, pteris_machine, PTERIS, MACHINE, GObject)

/** How often a watcher wants figures. The quickest of all watchers decides. */
typedef enum {
  PTERIS_PACE_SECOND, /* graphs */
  PTERIS_PACE_CALM,   /* every fourth second: figures at the edge of the window */
  PTERIS_N_PACES
} PterisPace;

PterisMachine *pteris_machine_new (void);

/** Begin to watch, and end it; as many ends as beginnings. */
void pteris_machine_watch (PterisMachine *self, PterisPace pace);
void pteris_machine_unwatch (PterisMachine *self, PterisPace pace);

/** Whether the machine is being asked again and again. */
gboolean pteris_machine_is_polling (PterisMachine *self);

/** Take what pt_stats_read() returned at @time. What the machine does with each answer. */
void pteris_machine_take (PterisMachine *self, const PtMachineStats *stats, gint64 time);

/** When the newest figures were read; 0: there are none yet. */
gint64 pteris_machine_get_time (PterisMachine *self);

/** Never NULL. Not a new reference, as is the next one: of PterisDevice. */
PterisDevice *pteris_machine_get_processor (PterisMachine *self);
GListModel *pteris_machine_get_gpus (PterisMachine *self);

/** Why there is no GPU, a sentence; or NULL. */
const char *pteris_machine_get_gpu_reason (PterisMachine *self);

/** Version of the NVIDIA driver, or NULL. */
const char *pteris_machine_get_driver (PterisMachine *self);

/** Bytes of memory that programs can still get; PTERIS_UNKNOWN when not told. */
double pteris_machine_get_free_memory (PterisMachine *self);

/** What models can have; zeros while nothing is known. */
const PtMemory *pteris_machine_get_memory (PterisMachine *self);

G_END_DECLS
