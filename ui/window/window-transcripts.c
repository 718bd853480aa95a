/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/window/window-private.h"

#include "ui/i18n.h"
#include "ui/speech/recordings.h"

#define ACTION(name) \
  static void name (GSimpleAction *action, GVariant *parameter, gpointer user_data)

/* A borrowed reference; NULL: there is no such transcript. */
static PterisTranscript *
find (PterisWindow *self, GVariant *parameter)
{
  return pteris_transcript_queue_find (self->queue, g_variant_get_int64 (parameter));
}

/* ---- recordings ---- */

static void
on_found (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (PterisWindow) self = user_data;
  g_autoptr (PterisRecordings) found = pteris_recordings_find_finish (result, NULL);

  if (found == NULL || self->engines == NULL)
    return;
  for (guint i = 0; i < found->models->len; i++)
    _pteris_window_add_model (self, found->models->pdata[i], found->models->len == 1);
  if (found->recordings->len > 0) {
    pteris_transcribe_page_add (self->transcribe_page, found->recordings);
    pteris_window_show_page (self, "transcribe");
  }
  if (found->error != NULL)
    pteris_window_say (self, found->error);
  else if (found->n_empty > 0)
    pteris_window_say (self, _ ("This folder contains no models or recordings."));
}

void
_pteris_window_find_recordings (PterisWindow *self, GSList *files)
{
  pteris_recordings_find_async (files, NULL, on_found, g_object_ref (self));
}

/* ---- transcripts ---- */

/* FALSE: it is gone. */
static gboolean
show (PterisWindow *self, GVariant *parameter)
{
  PterisTranscript *transcript = find (self, parameter);

  if (transcript == NULL)
    return FALSE;
  pteris_transcribe_page_show (self->transcribe_page, transcript);
  pteris_window_show_page (self, "transcribe");
  return TRUE;
}

ACTION (open_transcript)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);

  if (show (self, parameter))
    _pteris_window_fold (self);
}

/* Opens a transcript at one of its segments: (transcript, segment). */
ACTION (open_segment)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);
  g_autoptr (GVariant) transcript = g_variant_get_child_value (parameter, 0);
  g_autoptr (GVariant) segment = g_variant_get_child_value (parameter, 1);

  if (!show (self, transcript))
    return;
  pteris_transcribe_page_reach (self->transcribe_page, g_variant_get_int64 (segment));
  _pteris_window_fold (self);
}

ACTION (rename_transcript)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);
  PterisTranscript *transcript = find (self, parameter);

  if (transcript != NULL)
    pteris_history_list_rename (pteris_sidebar_get_transcripts (self->sidebar), transcript);
}

/* It needs the document to be shown. */
ACTION (export_transcript)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);

  if (show (self, parameter))
    gtk_widget_activate_action (GTK_WIDGET (self->transcribe_page), "page.export", NULL);
}

static gboolean
restore_transcript (PterisWindow *self, gpointer transcript)
{
  pteris_transcript_queue_put_back (self->queue, transcript);
  pteris_transcribe_page_show (self->transcribe_page, transcript);
  pteris_window_show_page (self, "transcribe");
  return TRUE;
}

ACTION (delete_transcript)
{
  PterisWindow *self = PTERIS_WINDOW (user_data);
  PterisTranscript *transcript = find (self, parameter);
  g_autofree char *text = NULL;

  if (transcript == NULL)
    return;
  text = g_strdup_printf (_ ("“%s” deleted"), pteris_transcript_get_title (transcript));
  g_object_ref (transcript);
  pteris_transcript_queue_remove (self->queue, transcript);
  _pteris_window_offer_undo (self, text, restore_transcript, transcript, g_object_unref);
}

void
_pteris_window_add_transcript_actions (PterisWindow *self)
{
  static const GActionEntry ENTRIES[] = {
    { "open-transcript", open_transcript, "x", NULL, NULL },
    { "open-segment", open_segment, "(xx)", NULL, NULL },
    { "rename-transcript", rename_transcript, "x", NULL, NULL },
    { "export-transcript", export_transcript, "x", NULL, NULL },
    { "delete-transcript", delete_transcript, "x", NULL, NULL },
  };

  g_action_map_add_action_entries (G_ACTION_MAP (self), ENTRIES, G_N_ELEMENTS (ENTRIES), self);
}
