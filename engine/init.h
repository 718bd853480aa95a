/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * Register all operators and backends of this build. Call once before the first
 * program is loaded; more calls do nothing. Any thread.
 *
 * pt_engine_new() calls it; tests that use rooms below engine.h call it themselves.
 */
void pt_init (void);

G_END_DECLS
