/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/machine/machine.h"

G_BEGIN_DECLS

/**
 * PterisGpuNotice: why models run on the processor, with "Look Again" and "Copy Diagnostics".
 * Hidden if a GPU can be used.
 */
#define PTERIS_TYPE_GPU_NOTICE (pteris_gpu_notice_get_type ())
G_DECLARE_FINAL_TYPE (PterisGpuNotice, pteris_gpu_notice, PTERIS, GPU_NOTICE, GtkWidget)

/** Update from @machine. If it has a GPU that was not tried yet, it is diagnosed now. */
void pteris_gpu_notice_update (PterisGpuNotice *self, PterisMachine *machine);

G_END_DECLS
