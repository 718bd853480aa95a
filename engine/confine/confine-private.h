/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "engine/confine/confine.h"

G_BEGIN_DECLS

/* Both return FALSE with @error if the kernel has the means but refuses it, and set @done to
 * whether it has it. They need prctl (PR_SET_NO_NEW_PRIVS). */

/** Whether the kernel has Landlock, and seccomp. */
gboolean pt_confine_has_files (void);
gboolean pt_confine_has_calls (void);

/** Landlock: restricts this thread, and those that it starts, to @allowed and the system's files.
 */
gboolean pt_confine_files (const PtConfinement *allowed, gboolean *done, GError **error);

/** seccomp: refuses system calls to all threads of the process. @gpu: allows what GPUs' drivers
 * need.
 */
gboolean pt_confine_calls (gboolean gpu, gboolean *done, GError **error);

G_END_DECLS
