/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <pteris/update.h>

G_BEGIN_DECLS

/**
 * PterisUpdates: checks for newer versions of Pteris, in a thread: once a day while
 * PTERIS_SETTING_LOOK_FOR_UPDATES is set, and when it is told to. UI thread only.
 *
 * Signals:
 *   changed (): anything below
 */
#define PTERIS_TYPE_UPDATES (pteris_updates_get_type ())
G_DECLARE_FINAL_TYPE (PterisUpdates, pteris_updates, PTERIS, UPDATES, GObject)

PterisUpdates *pteris_updates_new (void);

/** Begin: reads what was seen last, and asks if that is a day ago and the setting is set. */
void pteris_updates_start (PterisUpdates *self);

/** Ask now. */
void pteris_updates_look (PterisUpdates *self);

gboolean pteris_updates_is_busy (PterisUpdates *self);
/** What the last list said; NULL: there is none. Owned by @self. */
const PtUpdate *pteris_updates_get_found (PterisUpdates *self);
/** Why the last request failed, a sentence; NULL: it did not. Owned by @self. */
const char *pteris_updates_get_error (PterisUpdates *self);
/** The last request, seconds since 1970; 0: there was none. */
gint64 pteris_updates_get_last_time (PterisUpdates *self);

G_END_DECLS
