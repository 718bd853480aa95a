/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include "ui/chat/thinking.h"

G_BEGIN_DECLS

/** PterisThinkingView: what a model thought before it answered, folded away under how long it took.
 */
#define PTERIS_TYPE_THINKING_VIEW (pteris_thinking_view_get_type ())
G_DECLARE_FINAL_TYPE (PterisThinkingView, pteris_thinking_view, PTERIS, THINKING_VIEW, GtkWidget)

/** @seconds: how long it thought; 0: not known. Hidden when there is no thought. */
void pteris_thinking_view_set (PterisThinkingView *self, const PterisThinking *thinking,
                               double seconds);

G_END_DECLS
