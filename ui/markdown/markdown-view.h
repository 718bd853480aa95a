/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * PterisMarkdownView: an answer, formatted, while it grows. Only its last part is made anew as
 * text comes, at most once a frame, so what stands above neither moves nor loses its selection.
 */
#define PTERIS_TYPE_MARKDOWN_VIEW (pteris_markdown_view_get_type ())
G_DECLARE_FINAL_TYPE (PterisMarkdownView, pteris_markdown_view, PTERIS, MARKDOWN_VIEW, GtkWidget)

/** Show @text; cheap when what is shown already is a beginning of it. @partial: more may come. */
void pteris_markdown_view_set_text (PterisMarkdownView *self, const char *text, gboolean partial);

G_END_DECLS
