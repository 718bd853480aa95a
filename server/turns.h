/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * PterisTurns: a queue that serves its clients fairly. Each client has a clock, which goes on by
 * the seconds that its items took; the next item is the oldest one of the client whose clock is
 * behind. A client that comes or comes back begins at the clock of the last item, so that nobody
 * saves up turns. Not thread-safe.
 */
typedef struct _PterisTurns PterisTurns;

PterisTurns *pteris_turns_new (void);
/** The items are not freed. */
void pteris_turns_free (PterisTurns *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (PterisTurns, pteris_turns_free)

/** Add @item of @client. */
void pteris_turns_push (PterisTurns *self, const char *client, gpointer item);
/** Whether @item may be taken now. */
typedef gboolean (*PterisTurnsFunc) (gconstpointer item, gconstpointer user_data);
/** Take the next item of those that @func accepts; NULL: there is none. @func: NULL accepts all. */
gpointer pteris_turns_pop (PterisTurns *self, PterisTurnsFunc func, gconstpointer user_data);
/** Take @item out. FALSE: it is not there. */
gboolean pteris_turns_remove (PterisTurns *self, gpointer item);
/** An item of @client has taken @seconds. */
void pteris_turns_charge (PterisTurns *self, const char *client, double seconds);

/** Append all items to @items, in no order. */
void pteris_turns_collect (PterisTurns *self, GPtrArray *items);

/** How many items wait. */
guint pteris_turns_count (const PterisTurns *self);

G_END_DECLS
