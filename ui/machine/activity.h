/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/engine/engine-client.h"

G_BEGIN_DECLS

/**
 * PterisActivity: what the engine did in the last ten minutes, and how fast: so that graphs of the
 * machine show what a chat costs. UI thread only.
 *
 * Signals:
 *   changed (): a job was submitted, began or ended, or another model is loaded; not for every
 * token
 */
#define PTERIS_TYPE_ACTIVITY (pteris_activity_get_type ())
G_DECLARE_FINAL_TYPE (PterisActivity, pteris_activity, PTERIS, ACTIVITY, GObject)

/** A time in which the engine worked on jobs of one kind. */
typedef struct {
  PtJobKind kind; /* CHAT or TRANSCRIBE */
  gint64 begin;   /* g_get_monotonic_time() */
  gint64 end;     /* 0: it is at it */
} PterisSpan;

PterisActivity *pteris_activity_new (PterisEngineClient *client);

/** The spans, oldest first: of PterisSpan. Not a new reference. */
GArray *pteris_activity_get_spans (PterisActivity *self);

/** Not a new reference. */
PterisEngineClient *pteris_activity_get_client (PterisActivity *self);

/** Figures of the chat or the transcription (@kind) that runs or was the last; NULL: none yet. */
const PtStats *pteris_activity_get_stats (PterisActivity *self, PtJobKind kind);

G_END_DECLS
