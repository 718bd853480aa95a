/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/speech/transcribe-page.h"

#include <string.h>

#include <adwaita.h>

#include "ui/parts/drop-down.h"
#include "ui/parts/side-layout.h"
#include "ui/i18n.h"
#include "ui/speech/language-drop-down.h"
#include "ui/speech/languages.h"
#include "ui/speech/queue-strip.h"
#include "ui/sound/sound-chooser.h"
#include "ui/speech/recorder-bar.h"
#include "ui/speech/recordings.h"
#include "ui/models/starter-card.h"
#include "ui/speech/transcript-view.h"

struct _PterisTranscribePage {
  GtkWidget parent_instance;

  GtkWidget *tools;
  GtkStack *stack;
  AdwStatusPage *empty;
  PterisStarterCard *starter_card;
  GtkDropDown *language;
  GtkDropDown *task;
  AdwSplitButton *record;
  PterisRecorderBar *recorder;
  PterisQueueStrip *strip;
  PterisTranscriptView *view;

  PterisTranscriptQueue *queue;
  PterisLibrary *library;
  PterisDictation *dictation;
};

G_DEFINE_FINAL_TYPE (PterisTranscribePage, pteris_transcribe_page, GTK_TYPE_WIDGET)

enum { SIGNAL_SHOWN, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
update_stack (PterisTranscribePage *self)
{
  gboolean shows = pteris_transcript_view_get_transcript (self->view) != NULL;
  gboolean no_model = pteris_library_is_ready (self->library) &&
                      pteris_transcript_queue_get_model (self->queue) == NULL;

  gtk_stack_set_visible_child_name (self->stack, shows      ? "document"
                                                 : no_model ? "no-model"
                                                            : "empty");
}

void
pteris_transcribe_page_show (PterisTranscribePage *self, PterisTranscript *transcript)
{
  pteris_transcript_view_set_transcript (self->view, transcript);
  pteris_queue_strip_set_current (self->strip, transcript);
  update_stack (self);
  g_signal_emit (self, signals[SIGNAL_SHOWN], 0, transcript);
}

void
pteris_transcribe_page_reach (PterisTranscribePage *self, gint64 id)
{
  pteris_transcript_view_reach (self->view, id);
}

PterisTranscript *
pteris_transcribe_page_get_transcript (PterisTranscribePage *self)
{
  return pteris_transcript_view_get_transcript (self->view);
}

static void
on_open (PterisQueueStrip *strip, PterisTranscript *transcript, PterisTranscribePage *self)
{
  pteris_transcribe_page_show (self, transcript);
}

/* If the shown transcript was deleted, shows its neighbour. */
static void
on_items_changed (GListModel *list, guint position, guint removed, guint added,
                  PterisTranscribePage *self)
{
  PterisTranscript *shown = pteris_transcript_view_get_transcript (self->view);
  guint n = g_list_model_get_n_items (list);
  g_autoptr (PterisTranscript) next = NULL;

  if (shown != NULL && removed > 0 &&
      pteris_transcript_queue_find (self->queue, pteris_transcript_get_id (shown)) == NULL) {
    if (n > 0)
      next = g_list_model_get_item (list, MIN (position, n - 1));
    pteris_transcribe_page_show (self, next);
  }
  update_stack (self);
}

/* Shows the transcript that was shown last. */
static void
on_ready (PterisTranscribePage *self)
{
  g_autoptr (PterisTranscript) newest = g_list_model_get_item (G_LIST_MODEL (self->queue), 0);

  if (newest != NULL && pteris_transcript_view_get_transcript (self->view) == NULL)
    pteris_transcribe_page_show (self, newest);
}

/* ---- for the window ---- */

void
pteris_transcribe_page_add (PterisTranscribePage *self, GPtrArray *recordings)
{
  const char *language = pteris_languages_get_code (gtk_drop_down_get_selected (self->language));
  gboolean translate = gtk_drop_down_get_selected (self->task) == 1;
  PterisTranscript *first = NULL;

  for (guint i = 0; i < recordings->len; i++) {
    const PterisRecording *recording = recordings->pdata[i];
    PterisTranscript *transcript =
        pteris_transcript_queue_add (self->queue, recording->path, language, translate);

    pteris_transcript_set_size (transcript, recording->size);
    if (first == NULL)
      first = transcript;
  }
  if (first != NULL)
    pteris_transcribe_page_show (self, first);
}

/* ---- the microphone ---- */

static void
on_dictation (PterisTranscribePage *self)
{
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "page.record",
                                 !pteris_dictation_is_active (self->dictation));
}

static void
record (GtkWidget *widget, const char *name, GVariant *parameter)
{
  PterisTranscribePage *self = PTERIS_TRANSCRIBE_PAGE (widget);
  const char *language = pteris_languages_get_code (gtk_drop_down_get_selected (self->language));

  pteris_transcribe_page_show (
      self, pteris_dictation_start (self->dictation, language,
                                    gtk_drop_down_get_selected (self->task) == 1));
  on_dictation (self);
}

/* Maps the page's "page.find" to the document's "transcript.find". */
static void
do_in_document (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_autofree char *action = g_strconcat ("transcript.", name + strlen ("page."), NULL);

  gtk_widget_activate_action (GTK_WIDGET (PTERIS_TRANSCRIBE_PAGE (widget)->view), action, NULL);
}

gboolean
pteris_transcribe_page_stop (PterisTranscribePage *self)
{
  PterisTranscript *transcript = pteris_transcript_view_get_transcript (self->view);

  if (transcript != NULL && transcript == pteris_dictation_get_transcript (self->dictation)) {
    pteris_dictation_stop (self->dictation);
    return TRUE;
  }
  if (transcript == NULL || !pteris_transcript_is_open (transcript))
    transcript = pteris_transcript_queue_get_running (self->queue);
  if (transcript == NULL)
    return FALSE;
  pteris_transcript_queue_stop (self->queue, transcript);
  return TRUE;
}

void
pteris_transcribe_page_bind (PterisTranscribePage *self, PterisEngineClient *client,
                             PterisTranscriptQueue *queue, PterisLibrary *library,
                             PterisStarter *starter)
{
  self->dictation = pteris_dictation_new (client, queue);
  pteris_recorder_bar_set_dictation (self->recorder, self->dictation);
  g_signal_connect_object (self->dictation, "changed", G_CALLBACK (on_dictation), self,
                           G_CONNECT_SWAPPED);
  g_set_object (&self->queue, queue);
  g_set_object (&self->library, library);
  pteris_starter_card_set_starter (self->starter_card, starter);
  pteris_queue_strip_set_queue (self->strip, queue);
  pteris_transcript_view_set_queue (self->view, queue);
  g_signal_connect_object (queue, "items-changed", G_CALLBACK (on_items_changed), self,
                           G_CONNECT_AFTER);
  g_signal_connect_object (queue, "ready", G_CALLBACK (on_ready), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (library, "items-changed", G_CALLBACK (update_stack), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (library, "scanned", G_CALLBACK (update_stack), self, G_CONNECT_SWAPPED);
  update_stack (self);
  /* The transcripts may have been read before the page was made. */
  on_ready (self);
}

/* ---- the widget ---- */

static void
pteris_transcribe_page_dispose (GObject *object)
{
  PterisTranscribePage *self = PTERIS_TRANSCRIBE_PAGE (object);

  if (self->queue != NULL)
    g_signal_handlers_disconnect_by_data (self->queue, self);
  g_clear_object (&self->queue);
  g_clear_object (&self->library);
  if (self->dictation != NULL)
    g_object_run_dispose (G_OBJECT (self->dictation));
  g_clear_object (&self->dictation);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_TRANSCRIBE_PAGE);
  G_OBJECT_CLASS (pteris_transcribe_page_parent_class)->dispose (object);
}

static void
pteris_transcribe_page_class_init (PterisTranscribePageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_transcribe_page_dispose;
  signals[SIGNAL_SHOWN] = g_signal_new ("shown", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                                        NULL, NULL, NULL, G_TYPE_NONE, 1, PTERIS_TYPE_TRANSCRIPT);
  g_type_ensure (PTERIS_TYPE_QUEUE_STRIP);
  g_type_ensure (PTERIS_TYPE_RECORDER_BAR);
  g_type_ensure (PTERIS_TYPE_STARTER_CARD);
  g_type_ensure (PTERIS_TYPE_TRANSCRIPT_VIEW);
  gtk_widget_class_install_action (widget_class, "page.record", NULL, record);
  gtk_widget_class_install_action (widget_class, "page.find", NULL, do_in_document);
  gtk_widget_class_install_action (widget_class, "page.rename", NULL, do_in_document);
  gtk_widget_class_install_action (widget_class, "page.export", NULL, do_in_document);
  gtk_widget_class_set_layout_manager_type (widget_class, PTERIS_TYPE_SIDE_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/transcribe-page.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisTranscribePage, tools);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscribePage, stack);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscribePage, empty);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscribePage, starter_card);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscribePage, language);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscribePage, task);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscribePage, recorder);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscribePage, record);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscribePage, strip);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscribePage, view);
  gtk_widget_class_bind_template_callback (widget_class, on_open);
}

static void
pteris_transcribe_page_init (PterisTranscribePage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
#ifndef PT_HAVE_GSTREAMER
  /* This build does not read video files. */
  adw_status_page_set_description (self->empty,
                                   _ ("Speech is transcribed on this computer, with timestamps. "
                                      "Drop audio files of any length, or whole folders."));
#endif
  pteris_drop_down_ellipsize (self->task);
  pteris_language_drop_down_set_up (self->language);
  pteris_sound_chooser_bind_button (self->record);
}
