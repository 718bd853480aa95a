/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * PtCallWatch: finds where a call of a tool begins while an answer is written, by the marks of
 * pt_tool_calls_parse(), or by {"name": "…" at the beginning of the answer. One thread.
 */
typedef struct {
  GString *text;   /* of the answer behind the latest call, with its special tokens */
  gboolean first;  /* no call was there yet: @text is the beginning of the answer */
  gboolean inside; /* a call has begun and has not ended */
} PtCallWatch;

void pt_call_watch_init (PtCallWatch *self);
void pt_call_watch_clear (PtCallWatch *self);

/**
 * The answer goes on with @text, @n bytes, special tokens by their names, outside of calls. Returns
 * the beginning of a call's JSON, behind its mark and perhaps empty, if a call has begun: then the
 * watch is inside it. Owned by the watch, valid until the next function. NULL: none has.
 */
const char *pt_call_watch_push (PtCallWatch *self, const char *text, gsize n);

/** The call has ended, or was none. */
void pt_call_watch_leave (PtCallWatch *self);

G_END_DECLS
