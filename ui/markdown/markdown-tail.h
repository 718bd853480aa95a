/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * The end of a Markdown text that still grows, made into what it will most likely have been. Free
 * with g_free().
 */

/** Without a last line that is nothing but marks so far: "-" would make the line before a heading.
 */
char *pteris_markdown_hold_back (const char *text);

/** With the marks closed that the last paragraph leaves open; NULL when there are none. */
char *pteris_markdown_close (const char *text);

G_END_DECLS
