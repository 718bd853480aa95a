/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <pteris/models.h>

G_BEGIN_DECLS

/*
 * How well a model would run here, from the size of its files alone: what the catalogue and the hub
 * know before a download. pt_library_examine() knows more, of a model that is there.
 */

/** The memory that a model with files of @bytes needs, in bytes, with what it computes in. */
guint64 pteris_estimate_memory (guint64 bytes);

/** Whether files of @bytes fit into @memory, as a sentence; NULL while unknown. @fit: set. Free
 * with g_free(). */
char *pteris_estimate_fit (guint64 bytes, const PtMemory *memory, PtFit *fit);

/** The largest files that run well in @memory, in bytes; 0 while unknown. */
guint64 pteris_estimate_largest (const PtMemory *memory);

/** Measure how fast all cores together read memory, bytes a second. It takes about a tenth of a
 * second of all cores. The result is the best one of this run. */
void pteris_read_rate_async (GAsyncReadyCallback callback, gpointer user_data);
double pteris_read_rate_finish (GAsyncResult *result);

/** Decode speed of a chat model of @bytes, tokens a second: each token reads all weights once. 0:
 * unknown. @read_rate: of pteris_read_rate_finish(), or 0. */
double pteris_estimate_speed (guint64 bytes, double read_rate);

G_END_DECLS
