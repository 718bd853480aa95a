/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Names in files and what models write may be any bytes. Shown as they are they could move the
 * cursor of a terminal, change its colours, write to the clipboard, or make a line read otherwise
 * than it is written.
 */

/** Whether @c commands instead of being seen: C0, DEL and C1, and what turns the direction of the
 * text that follows (embeddings, overrides and isolates). */
gboolean pt_is_control (gunichar c);

/**
 * @text as valid UTF-8, in which @instead stands for every control character; '\0': nothing does.
 * @kept: ASCII ones that stay, or NULL. Free with g_free(). Any thread.
 */
char *pt_clean_text (const char *text, const char *kept, char instead);

G_END_DECLS
