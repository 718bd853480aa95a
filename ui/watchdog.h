/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * The watchdog: logs whenever the UI loop was blocked for more than 50 ms, with a backtrace. It
 * costs nothing while the loop sleeps. For developers' builds; UI thread only.
 */

/** Start to watch the default main context; call it once. */
void pteris_watchdog_start (void);

/** The number of stalls so far. */
guint pteris_watchdog_get_stalls (void);

G_END_DECLS
