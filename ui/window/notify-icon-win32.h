/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/*
 * Notifications of Windows, by an icon beside the clock that is there as long as the notification:
 * Windows 10 and 11 show it as one of their own and keep it in their list. Notifications without an
 * icon need a COM server in the registry, which a portable program does not have. UI thread.
 */

/** @body: or NULL. A click on it shows @page of the window. Replaces the one before. */
void pteris_notify_icon_show (const char *title, const char *body, const char *page);
void pteris_notify_icon_hide (void);

/** Whether the icon is there. */
gboolean pteris_notify_icon_is_shown (void);

G_END_DECLS
