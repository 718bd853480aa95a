/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * The watchdog: tells in the log whenever something kept the UI loop from answering for more than
 * 50 ms, and where it was then. It costs nothing while the loop sleeps. For builds by and for
 * developers; UI thread only.
 */

/** Begin to watch the default main context; once. */
void pteris_watchdog_start (void);

/** How often the loop has been late so far. */
guint pteris_watchdog_get_stalls (void);

G_END_DECLS
