/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * Register the GPU as a PtDevice, for planned memory on it and copies to and from it
 * (docs/formats/program.md, section 11.3). The context of a GPU lives as long as any of this
 * memory. Copies run in order on its one stream; a copy to the host is complete when the function
 * returns.
 */
void pt_cuda_device_register (void);

G_END_DECLS
