/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * Register the GPU as a PtDevice: planned memory there, and the copies to and from it
 * (docs/formats/program.md, section 11.3). A GPU's context lives as long as any of this memory.
 * Copies go in order on its one stream; those to the host are done at the return.
 */
void pt_cuda_device_register (void);

G_END_DECLS
