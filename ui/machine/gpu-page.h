/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/machine/activity.h"
#include "ui/machine/machine.h"

G_BEGIN_DECLS

/** PterisGpuPage: graphs of the GPUs and the processor, and the state of the engine. */
#define PTERIS_TYPE_GPU_PAGE (pteris_gpu_page_get_type ())
G_DECLARE_FINAL_TYPE (PterisGpuPage, pteris_gpu_page, PTERIS, GPU_PAGE, GtkWidget)

/** Polls @machine while the page is visible. */
void pteris_gpu_page_bind (PterisGpuPage *self, PterisMachine *machine, PterisActivity *activity);

G_END_DECLS
