/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * PtStopText: ends a text that comes in pieces before any of some texts. What may be the beginning
 * of one is held back until it is known.
 */
typedef struct {
  const char *const *texts; /* NULL-terminated, or NULL */
  GString *held;
} PtStopText;

/** @texts: borrowed; empty ones do not count. */
void pt_stop_text_init (PtStopText *self, const char *const *texts);
void pt_stop_text_clear (PtStopText *self);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (PtStopText, pt_stop_text_clear)

/** @piece: what is new; then what of the text is sure. TRUE: it ends there. */
gboolean pt_stop_text_push (PtStopText *self, GString *piece);

/** Nothing follows: add to @piece what was held back. */
void pt_stop_text_finish (PtStopText *self, GString *piece);

G_END_DECLS
