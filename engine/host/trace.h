/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The calls in which a host crashed: the host writes them to a pipe of its own. */

/** In the host: writes the calls of a later crash to @fd. Does nothing if the C library cannot list
 * calls, and in builds with a sanitizer, which lists them itself. */
void pt_trace_install (int fd);

/** The calls that a host @written, as lines "MODULE+0xOFFSET" or "MODULE(NAME+0xOFFSET)" without
 * folders; lines of another form are left out. NULL: there are none. Free with g_free(). */
char *pt_trace_clean (const char *written);

G_END_DECLS
