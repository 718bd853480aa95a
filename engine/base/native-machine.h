/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/** The processor's architecture, as a PE file's header has it ("machine"), in words: "x64",
 * "ARM64", "x86" or "unknown". Any thread. */
const char *pt_native_machine_name (guint16 machine);

/** The architecture of this computer's processor, whatever this program is compiled for: "x64".
 * Windows. Any thread. */
const char *pt_native_machine (void);

/** Whether Windows emulates an x64 processor for this program. FALSE on all other systems. Any
 * thread. */
gboolean pt_native_machine_is_emulated (void);

G_END_DECLS
