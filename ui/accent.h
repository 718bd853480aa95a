/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Accent colours, as 0xRRGGBB. A desktop's accent may be any colour; what is made of it here can be
 * read: contrast as WCAG 2.1 defines it, at least 4.5. Any thread.
 */

/** The contrast of two colours, 1 to 21. */
double pteris_accent_contrast (guint32 one, guint32 other);

/** The colour nearest to @accent that can be read as text on white, or if @dark on the dark
 * window. */
guint32 pteris_accent_text (guint32 accent, gboolean dark);

/** Black or white, whichever can be read better on @accent. */
guint32 pteris_accent_label (guint32 accent);

/** CSS that gives libadwaita's widgets the accent. Free with g_free(). */
char *pteris_accent_css (guint32 accent, gboolean dark);

G_END_DECLS
