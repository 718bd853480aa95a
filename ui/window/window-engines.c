/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/window/window-private.h"

#include "ui/i18n.h"

/*
 * The engines of the window: the header shows the model of the page, and an answer that has to wait
 * for a transcription, since memory does not suffice for both models, can go first.
 */

static PterisEngineRole
shown_role (PterisWindow *self)
{
  const char *page = gtk_stack_get_visible_child_name (self->pages);

  if (g_strcmp0 (page, "pictures") == 0)
    return PTERIS_ENGINE_PICTURES;
  return g_strcmp0 (page, "transcribe") == 0 ? PTERIS_ENGINE_SPEECH : PTERIS_ENGINE_CHAT;
}

PterisEngineClient *
_pteris_window_get_shown_client (PterisWindow *self)
{
  return pteris_engines_get (self->engines, shown_role (self));
}

PterisEngineClient *
_pteris_window_get_failed_client (PterisWindow *self)
{
  PterisEngineClient *picked = pteris_engines_get_for (self->engines, self->picked);

  if (pteris_engine_client_get_state (picked) == PTERIS_MODEL_FAILED)
    return picked;
  for (guint i = 0; i < PTERIS_N_ENGINES; i++) {
    PterisEngineClient *client = pteris_engines_get (self->engines, i);

    /* The Pictures page shows its own failures. */
    if (i != PTERIS_ENGINE_PICTURES &&
        pteris_engine_client_get_state (client) == PTERIS_MODEL_FAILED)
      return client;
  }
  return NULL;
}

/* ---- the answer goes first ---- */

static void
end_hold (PterisWindow *self)
{
  if (!self->holds || pteris_chat_session_is_busy (self->session))
    return;
  self->holds = FALSE;
  pteris_transcript_queue_set_hold (self->queue, FALSE);
}

/* Pauses the transcription until the answer is complete. */
static void
answer_now (GSimpleAction *action, GVariant *parameter, gpointer user_data)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);

  if (self->holds || !pteris_chat_session_is_busy (self->session) ||
      pteris_transcript_queue_get_running (self->queue) == NULL)
    return;
  self->holds = TRUE;
  pteris_transcript_queue_set_hold (self->queue, TRUE);
}

/* ---- without the GPU ---- */

/* Stays until it is dismissed. */
static void
on_fallback (PterisEngineClient *client, const char *program, const char *why, PterisWindow *self)
{
  g_autofree char *name = g_filename_display_basename (program);
  g_autofree char *what =
      g_strdup_printf (_ ("The GPU failed. The model continues on the CPU, with “%s”."), name);
  g_autofree char *text = g_strdup_printf ("%s %s", what, why);
  AdwToast *toast = _pteris_window_make_toast (text);

  adw_toast_set_timeout (toast, 0);
  _pteris_window_add_toast (self, toast);
}

/* ---- setup ---- */

static void
on_page (PterisWindow *self)
{
  pteris_model_button_set_role (self->model_button, shown_role (self));
  _pteris_window_update_actions (self);
}

static void
on_machine_changed (PterisWindow *self)
{
  pteris_engines_set_memory (self->engines, pteris_machine_get_memory (self->machine));
}

void
_pteris_window_add_engines (PterisWindow *self)
{
  static const GActionEntry ENTRIES[] = { { "answer-now", answer_now, NULL, NULL, NULL } };

  g_action_map_add_action_entries (G_ACTION_MAP (self), ENTRIES, G_N_ELEMENTS (ENTRIES), self);
  g_signal_connect_object (self->session, "notify::busy", G_CALLBACK (end_hold), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->pages, "notify::visible-child", G_CALLBACK (on_page), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->machine, "changed", G_CALLBACK (on_machine_changed), self,
                           G_CONNECT_SWAPPED);
  for (guint i = 0; i < PTERIS_N_ENGINES; i++)
    g_signal_connect_object (pteris_engines_get (self->engines, i), "fallback",
                             G_CALLBACK (on_fallback), self, 0);
}
