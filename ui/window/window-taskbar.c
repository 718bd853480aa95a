/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/window/window-private.h"

#include "ui/settings.h"
#include "ui/window/taskbar.h"

/* What the button in the task bar shows of the window's work. */

/* A list of chats is written when it has not changed for so long. */
#define SETTLE_SECONDS 3
#define MAX_CHATS 10

/* ---- progress ---- */

static void
add_transcripts (PterisWindow *self, GArray *fractions)
{
  PterisTranscript *running = pteris_transcript_queue_get_running (self->queue);
  PterisQueueFigures figures;
  double fraction;

  if (running == NULL)
    return;
  pteris_transcript_queue_get_figures (self->queue, &figures);
  fraction = CLAMP (pteris_transcript_get_fraction (running), 0, 1);
  if (figures.n_open > 1)
    fraction = (figures.n_ended + fraction) / (figures.n_open + figures.n_ended);
  g_array_append_val (fractions, fraction);
}

static void
add_downloads (PterisWindow *self, GArray *fractions)
{
  guint n = self->downloads != NULL ? g_list_model_get_n_items (G_LIST_MODEL (self->downloads)) : 0;

  for (guint i = 0; i < n; i++) {
    g_autoptr (PterisDownload) download = g_list_model_get_item (G_LIST_MODEL (self->downloads), i);
    double fraction = pteris_download_get_fraction (download);

    if (pteris_download_get_state (download) == PTERIS_DOWNLOAD_RUNNING)
      g_array_append_val (fractions, fraction);
  }
}

static void
update_progress (PterisWindow *self)
{
  g_autoptr (GArray) fractions = g_array_new (FALSE, FALSE, sizeof (double));

  add_transcripts (self, fractions);
  add_downloads (self, fractions);
  pteris_taskbar_set_progress (
      GTK_WINDOW (self),
      pteris_taskbar_combine ((const double *) (gpointer) fractions->data, fractions->len));
}

/* ---- recent chats ---- */

static void
update_chats (gpointer data)
{
  PterisWindow *self = data;
  GListModel *list = G_LIST_MODEL (self->history);
  guint n = pteris_settings_get_boolean (PTERIS_SETTING_KEEP_HISTORY)
                ? MIN (g_list_model_get_n_items (list), MAX_CHATS)
                : 0;
  GPtrArray *chats = g_ptr_array_new_with_free_func (pteris_taskbar_chat_free);

  for (guint i = 0; i < n; i++) {
    g_autoptr (PterisConversation) chat = g_list_model_get_item (list, i);

    g_ptr_array_add (chats, pteris_taskbar_chat_new (pteris_conversation_get_id (chat),
                                                     pteris_conversation_get_title (chat)));
  }
  pteris_taskbar_set_chats (chats);
}

static gboolean
on_settled (gpointer data)
{
  PterisWindow *self = PTERIS_WINDOW (data);

  self->chats_settling = 0;
  update_chats (self);
  return G_SOURCE_REMOVE;
}

static void
on_chats (PterisWindow *self)
{
  g_clear_handle_id (&self->chats_settling, g_source_remove);
  self->chats_settling = g_timeout_add_seconds (SETTLE_SECONDS, on_settled, self);
}

void
_pteris_window_add_taskbar (PterisWindow *self)
{
  g_signal_connect_object (self->queue, "changed", G_CALLBACK (update_progress), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->history, "items-changed", G_CALLBACK (on_chats), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->history, "ready", G_CALLBACK (on_chats), self, G_CONNECT_SWAPPED);
  pteris_settings_watch (PTERIS_SETTING_KEEP_HISTORY, update_chats, self);
}

void
_pteris_window_add_taskbar_downloads (PterisWindow *self)
{
  g_signal_connect_object (self->downloads, "changed", G_CALLBACK (update_progress), self,
                           G_CONNECT_SWAPPED);
}
