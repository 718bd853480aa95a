/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

#include <pteris/chat.h>

G_BEGIN_DECLS

/** PterisThinkingView: the thought of an answer, in an expander with its duration.
 */
#define PTERIS_TYPE_THINKING_VIEW (pteris_thinking_view_get_type ())
G_DECLARE_FINAL_TYPE (PterisThinkingView, pteris_thinking_view, PTERIS, THINKING_VIEW, GtkWidget)

/** @seconds: duration of the thought; 0: unknown. Hidden without a thought. */
void pteris_thinking_view_set (PterisThinkingView *self, const PtThought *thinking, double seconds);

G_END_DECLS
