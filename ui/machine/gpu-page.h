/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/machine/activity.h"
#include "ui/machine/machine.h"

G_BEGIN_DECLS

/** PterisGpuPage: graphs of the GPUs and the processor, and beside them what the engine does. */
#define PTERIS_TYPE_GPU_PAGE (pteris_gpu_page_get_type ())
G_DECLARE_FINAL_TYPE (PterisGpuPage, pteris_gpu_page, PTERIS, GPU_PAGE, GtkWidget)

/** @machine is watched while the page can be seen. */
void pteris_gpu_page_bind (PterisGpuPage *self, PterisMachine *machine, PterisActivity *activity);

G_END_DECLS
