/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>

/**
 * Call @func in a thread of its own and wait for its end. Ctrl-C cancels @cancellable meanwhile,
 * after pteris_catch_interrupts().
 */
void pteris_run_interruptible (GThreadFunc func, gpointer data, GCancellable *cancellable);

/** Show @error, which may be NULL. Returns the exit status: done, stopped when the work was
 * cancelled, or failed. */
int pteris_show_outcome (const GError *error);
