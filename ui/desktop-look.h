/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

/** How the user wants programs to look, where GTK and libadwaita do not ask the desktop
 * themselves. */
typedef struct {
  gboolean dark;
  gboolean has_accent;
  guint32 accent;    /* 0xRRGGBB */
  double text_scale; /* what GTK's text has to grow by; 1: nothing */
} PterisDesktopLook;

/** Read it; what is unknown is light, without accent, at scale 1. UI thread. */
void pteris_desktop_look_read (PterisDesktopLook *look);

/** Call @func (object) after a change, as long as @object lives. UI thread. */
void pteris_desktop_look_watch (void (*func) (gpointer object), gpointer object);

/** desktop-look-win32.c: what GTK leaves of a monitor's scale, which it rounds down to a whole
 * number: 1.5 at 144 dots per inch, 1.25 at 240. */
double _pteris_desktop_look_rest (guint dpi);

/** desktop-look-win32.c: the scale of text, from Windows' setting in percent (0: not set) and the
 * size in points of the font that Windows names for messages, 9 unless it has grown already. */
double _pteris_desktop_look_text_scale (guint percent, double points);

G_END_DECLS
