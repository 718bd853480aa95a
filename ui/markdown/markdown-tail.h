/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Completes the end of a Markdown text that is still growing. Free with g_free().
 */

/** Drop a last line that consists only of markers so far: "-" would make the previous line a
 * heading.
 */
char *pteris_markdown_hold_back (const char *text);

/** Close the inline marks that are open in the last paragraph; NULL: there are none. */
char *pteris_markdown_close (const char *text);

G_END_DECLS
