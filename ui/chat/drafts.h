/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

/**
 * PterisDrafts: the unsent text of each conversation. Saved in the history. UI thread.
 *
 * Signals:
 *   ready (): the drafts have been read
 */
#define PTERIS_TYPE_DRAFTS (pteris_drafts_get_type ())
G_DECLARE_FINAL_TYPE (PterisDrafts, pteris_drafts, PTERIS, DRAFTS, GObject)

/** Reads in a thread. */
PterisDrafts *pteris_drafts_new (void);

/** @conversation: 0 for the next one. Never NULL; valid until the next call. */
const char *pteris_drafts_get (PterisDrafts *self, gint64 conversation);
void pteris_drafts_set (PterisDrafts *self, gint64 conversation, const char *text);

G_END_DECLS
