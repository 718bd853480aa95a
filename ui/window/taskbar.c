/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/window/taskbar.h"

PterisTaskbarChat *
pteris_taskbar_chat_new (gint64 id, const char *title)
{
  PterisTaskbarChat *chat = g_new0 (PterisTaskbarChat, 1);

  chat->id = id;
  chat->title = g_strdup (title);
  return chat;
}

void
pteris_taskbar_chat_free (gpointer data)
{
  PterisTaskbarChat *chat = data;

  g_free (chat->title);
  g_free (chat);
}

double
pteris_taskbar_combine (const double *fractions, guint n)
{
  double sum = 0;

  for (guint i = 0; i < n; i++) {
    if (fractions[i] < 0)
      return PTERIS_TASKBAR_UNKNOWN;
    sum += MIN (fractions[i], 1);
  }
  return n > 0 ? sum / n : PTERIS_TASKBAR_IDLE;
}

#ifndef G_OS_WIN32

void
pteris_taskbar_init (void)
{
}

void
pteris_taskbar_set_progress (GtkWindow *window, double fraction)
{
}

void
pteris_taskbar_set_chats (GPtrArray *chats)
{
  g_ptr_array_unref (chats);
}

#endif
