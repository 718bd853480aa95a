/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * PtStopText: ends a stream of text before the first of several stop texts. Text that may be the
 * beginning of a stop text is held back.
 */
typedef struct {
  const char *const *texts; /* NULL-terminated, or NULL */
  GString *held;
} PtStopText;

/** @texts: the stop texts; borrowed. Empty ones are ignored. */
void pt_stop_text_init (PtStopText *self, const char *const *texts);
void pt_stop_text_clear (PtStopText *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PtStopText, pt_stop_text_clear)

/** @piece: the new text; replaced by the text that can be given out. TRUE: a stop text was found.
 * */
gboolean pt_stop_text_push (PtStopText *self, GString *piece);

/** The stream has ended: append the text that was held back to @piece. */
void pt_stop_text_finish (PtStopText *self, GString *piece);

G_END_DECLS
