/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/** Apply the settings for theme and text size to the whole program, now and whenever they change.
 * */
void pteris_appearance_follow_settings (GApplication *application);

/** Follow the monitor that @window, which is realized, is on. */
void pteris_appearance_follow_window (GtkWindow *window);

G_END_DECLS
