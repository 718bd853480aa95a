/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * PterisRecent: figures about the requests of the last minute. Not thread-safe. Times are those of
 * g_get_monotonic_time().
 */
typedef struct _PterisRecent PterisRecent;

PterisRecent *pteris_recent_new (void);
void pteris_recent_free (PterisRecent *self);

/** A request has ended, for which @tokens were written in @seconds. */
void pteris_recent_add (PterisRecent *self, gint64 now, guint tokens, double seconds);

/** How many ended within the last minute, and tokens for each second that was used for them; 0:
 * there were none. */
void pteris_recent_get (PterisRecent *self, gint64 now, guint *requests, double *tokens_per_second);

G_END_DECLS
