/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Whether the process has lost the use of its GPU. A backend says so, and the process that was
 * started for the model ends for that reason. */

/** A program failed on the GPU, and the driver refuses this process from now on. @code: the
 * driver's number, not 0. @timed_out: it took too long. Any thread. */
void pt_gpu_fault_set (int code, gboolean timed_out);

/** The first such code; 0: none. Any thread. */
int pt_gpu_fault_get (gboolean *timed_out);

G_END_DECLS
