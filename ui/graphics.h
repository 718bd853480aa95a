/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Safe graphics: drawing without the GPU, for machines whose driver shows a blank window or ends
 * the program. Asked for by --safe-graphics or in the preferences, or taken by itself after a start
 * that ended before there was anything to see. UI thread only.
 */

/** Choose how to draw, before GTK starts. @safe: the command line asks for it. The environment
 * variable GSK_RENDERER, where set, has the last word. */
void pteris_graphics_choose (gboolean safe);

/** Whether safe graphics were chosen because the last start failed. */
gboolean pteris_graphics_is_rescue (void);

/** This program is about to draw its first window, and: it has, and still runs. */
void pteris_graphics_begin (void);
void pteris_graphics_succeed (void);

G_END_DECLS
