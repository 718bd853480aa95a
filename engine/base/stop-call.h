/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A call in a main context when a job is stopped from another thread.
 *
 * In place of g_cancellable_source_new(): GLib before 2.82 leaks its source when it is destroyed
 * while the other thread is in g_cancellable_cancel().
 */

#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* When @cancellable is cancelled, by any thread, or is already: the next iteration of @context
 * calls
 * @func (@data), which returns G_SOURCE_REMOVE. After g_cancellable_disconnect() with the returned
 * number, a call can still wait in @context: do not iterate it while @data is gone. 0 if
 * @cancellable is NULL or already cancelled. */
gulong pt_stop_call (GCancellable *cancellable, GMainContext *context, GSourceFunc func,
                     gpointer data);

G_END_DECLS
