/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/stats.h>

G_BEGIN_DECLS

/**
 * Adds to @stats what Linux says of a GPU of AMD or Intel: files of the folder
 * @root/bus/pci/devices/@pci ("/sys" and "0000:03:00.0"). What is not there stays unknown. On other
 * systems nothing is. Any thread.
 */
void pt_drm_gpu_read (const char *root, const char *pci, PtGpuStats *stats);

G_END_DECLS
