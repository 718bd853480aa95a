/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * Register all operators and backends of this build. Call once before the first
 * program is loaded; more calls do nothing. Any thread.
 *
 * pt_engine_new(), pt_inspect_read() and pt_library_examine() call it; tests that use rooms below
 * call it themselves.
 */
void pt_init (void);

G_END_DECLS
