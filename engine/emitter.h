/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gio/gio.h>
#include <pteris/engine.h>

#include "engine/base/heap.h"
#include "engine/fallback.h"

G_BEGIN_DECLS

/*
 * Delivers events from the engine thread to the caller's GMainContext.
 */

/**
 * PtChannel: a queue of events for one callback. It is reference-counted while it dispatches, so
 * that the callback may free the engine. Any thread.
 */
typedef struct _PtChannel PtChannel;

/** @context: NULL: the thread-default context of the caller. */
PtChannel *pt_channel_new (GMainContext *context, PtEventFunc func, gpointer user_data);
/** No event is delivered from now on. */
void pt_channel_close (PtChannel *channel);
void pt_channel_unref (PtChannel *channel);
/** Copies @event and everything in it. */
void pt_channel_send (PtChannel *channel, const PtEvent *event);
/** The same without a copy: takes a reference to @heap, which owns what @event points to. */
void pt_channel_pass (PtChannel *channel, const PtEvent *event, PtHeap *heap);

/** PtEmitter: identifies the job that sends events, and who gets them. Plain data. */
typedef struct {
  PtChannel *channel;
  guint64 job;          /* its number, which is written into every event */
  GCancellable *finish; /* set when the recording that the job follows is complete */
  PtShown *shown;       /* remembers them */
} PtEmitter;

void pt_emitter_send (const PtEmitter *emitter, const PtEvent *event);
void pt_emit_progress (const PtEmitter *emitter, PtStep step, double fraction);
void pt_emit_text (const PtEmitter *emitter, PtEventKind kind, const char *text);
void pt_emit_stats (const PtEmitter *emitter, const PtStats *stats);

G_END_DECLS
