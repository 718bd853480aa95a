/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Models that reason write their thoughts before the answer, between marks of their family:
 * <think>…</think> and the like. Some begin with the thoughts at once and mark only their end.
 */

typedef struct {
  const char *thought; /* within the text; NULL: there is none */
  gsize length;
  const char *answer; /* what follows; the whole text when there is no thought */
  gboolean open;      /* the thought has not ended yet */
} PterisThinking;

PterisThinking pteris_thinking_split (const char *text);

G_END_DECLS
