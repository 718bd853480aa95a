/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/**
 * PterisMarkdownView: formatted Markdown that may still grow. Only its last blocks are updated, at
 * most once per frame, so that earlier blocks neither move nor lose their selection. Of a very long
 * text the beginning is shown, with a button for the next part; a text that grows is shown whole.
 */
#define PTERIS_TYPE_MARKDOWN_VIEW (pteris_markdown_view_get_type ())
G_DECLARE_FINAL_TYPE (PterisMarkdownView, pteris_markdown_view, PTERIS, MARKDOWN_VIEW, GtkWidget)

/** Show @text; fast if it only appends to the shown text. @partial: more text may follow. */
void pteris_markdown_view_set_text (PterisMarkdownView *self, const char *text, gboolean partial);

G_END_DECLS
