/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/window/window-private.h"

#include "ui/window/application.h"
#include "ui/i18n.h"

/* Notifications of the end of long tasks, if the window does not have the focus. */

/* Shorter answers are not notified. */
#define LONG_ANSWER_US (10 * G_TIME_SPAN_SECOND)

static void
on_transcripts (PterisTranscriptQueue *queue, guint n_done, guint n_failed, PterisWindow *self)
{
  g_autofree char *title = g_strdup_printf (
      ngettext ("%u recording transcribed", "%u recordings transcribed", n_done), n_done);
  g_autofree char *body =
      n_failed == 0 ? NULL
                    : g_strdup_printf (ngettext ("%u failed; open Pteris for details.",
                                                 "%u failed; open Pteris for details.", n_failed),
                                       n_failed);

  if (n_done + n_failed > 0)
    pteris_application_notify ("transcripts", title, body, "transcribe");
}

static void
on_starter (PterisStarter *starter, PterisWindow *self)
{
  pteris_application_notify ("starter", _ ("The starter models are ready"), NULL, "chat");
}

static void
on_busy (PterisChatSession *session, GParamSpec *pspec, PterisWindow *self)
{
  gint64 now = g_get_monotonic_time ();
  PterisConversation *chat = pteris_chat_session_get_conversation (session);

  if (pteris_chat_session_is_busy (session))
    self->asked = now;
  else if (now - self->asked > LONG_ANSWER_US)
    pteris_application_notify ("answer", _ ("Answer finished"),
                               chat != NULL ? pteris_conversation_get_title (chat) : NULL, "chat");
}

void
_pteris_window_add_notifications (PterisWindow *self)
{
  g_signal_connect_object (self->queue, "finished", G_CALLBACK (on_transcripts), self, 0);
  g_signal_connect_object (self->starter, "finished", G_CALLBACK (on_starter), self, 0);
  g_signal_connect_object (self->session, "notify::busy", G_CALLBACK (on_busy), self, 0);
}
