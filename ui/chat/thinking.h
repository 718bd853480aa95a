/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Models that reason write their thoughts before the answer, between marks of their family:
 * <think>…</think> and the like. Some begin with the thoughts at once and mark only their end.
 */

typedef struct {
  const char *thought; /* pointer into the text; NULL: no thought */
  gsize length;
  const char *answer; /* the text behind the thought; the whole text without a thought */
  gboolean open;      /* the thought has not ended yet */
} PterisThinking;

PterisThinking pteris_thinking_split (const char *text);

G_END_DECLS
