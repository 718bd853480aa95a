/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#ifdef G_OS_WIN32

/** Make the standard streams carry UTF-8 and plain bytes, as they do elsewhere. Once, at the start.
 */
void pteris_console_init (void);

/**
 * A line that is typed, in UTF-8 with its line end; NULL at the end of the input, after Ctrl-C, and
 * where the input is no console (@is_console is FALSE): that is read as anywhere. Free with
 * g_free().
 */
char *pteris_console_read_line (gboolean *is_console);

#endif

G_END_DECLS
