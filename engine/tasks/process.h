/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** Memory of this process that lies in RAM now, and the most there ever was; 0 when unknown. */
guint64 pt_process_resident_bytes (void);
guint64 pt_process_peak_bytes (void);

/** RAM of the machine, and how much of it programs could still get; 0 when unknown. */
guint64 pt_machine_memory_bytes (void);
guint64 pt_machine_available_bytes (void);

/** Seconds of CPU time that this process has used. */
double pt_process_cpu_seconds (void);

G_END_DECLS
