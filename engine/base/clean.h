/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Names in files and answers of models may contain any bytes. A terminal or a label that shows them
 * unchanged may move its cursor, change its colours, write to the clipboard, or display the line in
 * another order.
 */

/**
 * Whether @c is a control character: C0, DEL, C1, or one that changes the direction of the text
 * after it (embeddings, overrides, isolates).
 */
gboolean pt_is_control (gunichar c);

/**
 * Return @text as valid UTF-8. @instead replaces every control character; with '\0' control
 * characters are removed. @kept: ASCII control characters that stay, or NULL. Free with g_free().
 * Any thread.
 */
char *pt_clean_text (const char *text, const char *kept, char instead);

G_END_DECLS
