/* SPDX-License-Identifier: BSD-3-Clause */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/*
 * What a program shows outside its window: its button in the task bar of Windows, with progress and
 * the list of recent chats, and notifications. Other desktops have GNotification alone; there these
 * functions do nothing. UI thread.
 */

/** Say which program this process is; before the first window. */
void pteris_taskbar_init (void);

#define PTERIS_TASKBAR_IDLE (-2.0)    /* nothing is under way */
#define PTERIS_TASKBAR_UNKNOWN (-1.0) /* something is, without a known end */

/** Show @fraction, 0 to 1 or one of the values above, on the button of @window. */
void pteris_taskbar_set_progress (GtkWindow *window, double fraction);

/** A chat in the list of the button. */
typedef struct {
  gint64 id;
  char *title;
} PterisTaskbarChat;

/** Offer these chats, the latest first, in the menu of the button; each starts this program with
 * --chat=ID. @chats: PterisTaskbarChat; taken. In the background. */
void pteris_taskbar_set_chats (GPtrArray *chats);

/** Make one. Free with pteris_taskbar_chat_free(). */
PterisTaskbarChat *pteris_taskbar_chat_new (gint64 id, const char *title);
void pteris_taskbar_chat_free (gpointer chat);

/** Tell that something has ended: the button flashes with a badge, and a notification is shown
 * until
 * @window is looked at. A click shows @page. @body: or NULL. Windows alone. */
void pteris_taskbar_notify (GtkWindow *window, const char *title, const char *body,
                            const char *page);

/** taskbar.c: how far the work at hand is, from @n parts with fractions (0 to 1; -1: unknown). */
double pteris_taskbar_combine (const double *fractions, guint n);

G_END_DECLS
