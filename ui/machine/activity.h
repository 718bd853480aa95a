/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include "ui/engine/engines.h"

G_BEGIN_DECLS

/**
 * PterisActivity: the engines' jobs of the last ten minutes and their speed, for marks in the
 * graphs. UI thread only.
 *
 * Signals:
 *   changed (): a job was submitted, has begun or ended, or another model is loaded; not for each
 *   token
 */
#define PTERIS_TYPE_ACTIVITY (pteris_activity_get_type ())
G_DECLARE_FINAL_TYPE (PterisActivity, pteris_activity, PTERIS, ACTIVITY, GObject)

/** A period in which an engine ran jobs of one kind. */
typedef struct {
  PtJobKind kind; /* CHAT or TRANSCRIBE */
  gint64 begin;   /* g_get_monotonic_time() */
  gint64 end;     /* 0: it is at it */
} PterisSpan;

PterisActivity *pteris_activity_new (PterisEngines *engines);

/** The spans, oldest first: of PterisSpan. Not a new reference. */
GArray *pteris_activity_get_spans (PterisActivity *self);

/** Not a new reference. */
PterisEngines *pteris_activity_get_engines (PterisActivity *self);

/** Statistics of the running or last job of @kind (chat or transcription); NULL: none yet. */
const PtStats *pteris_activity_get_stats (PterisActivity *self, PtJobKind kind);

G_END_DECLS
