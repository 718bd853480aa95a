/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Safe graphics: drawing without the GPU, for machines whose driver shows a blank window or ends
 * the program. Used with --safe-graphics, if set in the preferences, or after a start that ended
 * before the window was drawn. UI thread only.
 */

/** Choose the renderer, before GTK is initialised. @safe: set on the command line. The environment
 * variable GSK_RENDERER takes precedence. */
void pteris_graphics_choose (gboolean safe);

/** Whether safe graphics were chosen because the last start failed. */
gboolean pteris_graphics_is_rescue (void);

/** Mark the start before the first window is drawn, and its success when it has been drawn. */
void pteris_graphics_begin (void);
void pteris_graphics_succeed (void);

G_END_DECLS
