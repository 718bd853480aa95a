/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/desktop-look.h"

/* GTK and libadwaita ask these desktops themselves. */

void
pteris_desktop_look_read (PterisDesktopLook *look)
{
  *look = (PterisDesktopLook){ .text_scale = 1 };
}

void
pteris_desktop_look_watch (void (*func) (gpointer object), gpointer object)
{
}
