/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/speech/recorder-bar.h"

#include "ui/parts/error-card.h"
#include "ui/parts/format.h"
#include "ui/i18n.h"

struct _PterisRecorderBar {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkWidget *frame;
  PterisErrorCard *error;
  GtkLabel *status;
  GtkLevelBar *level;
  GtkButton *pause;
  GtkWidget *stop;
  GtkLabel *note;
  GtkLabel *silence;

  PterisDictation *dictation;
};

G_DEFINE_FINAL_TYPE (PterisRecorderBar, pteris_recorder_bar, GTK_TYPE_WIDGET)

static char *
describe (PterisDictation *dictation)
{
  PterisRecorder *recorder = pteris_dictation_get_recorder (dictation);
  PterisRecorderState state = pteris_recorder_get_state (recorder);
  gboolean hears_computer = pteris_recorder_get_kind (recorder) == PTERIS_SOUND_COMPUTER;
  g_autofree char *clock = pteris_format_clock (pteris_recorder_get_seconds (recorder));

  if (state == PTERIS_RECORDER_RECORDING && pteris_dictation_is_lost (dictation))
    return g_strdup_printf (_ ("Recording without transcription · %s"), clock);
  switch (state) {
  case PTERIS_RECORDER_STARTING:
    return g_strdup (hears_computer ? _ ("Starting the recording…")
                                    : _ ("Starting the microphone…"));
  case PTERIS_RECORDER_RECORDING:
    return g_strdup_printf (hears_computer ? _ ("Recording what the computer plays · %s")
                                           : _ ("Recording · %s"),
                            clock);
  case PTERIS_RECORDER_PAUSED: return g_strdup_printf (_ ("Recording paused · %s"), clock);
  case PTERIS_RECORDER_IDLE: break;
  }
  return g_strdup (_ ("Finishing the transcript…"));
}

static void
update_error (PterisRecorderBar *self)
{
  const char *sentence = pteris_dictation_get_error (self->dictation);

  gtk_widget_set_visible (GTK_WIDGET (self->error), sentence != NULL);
  if (sentence == NULL)
    return;
  /* An error of the microphone: actions for files do not apply. */
  pteris_error_card_set (self->error, PT_ERROR_STATE, sentence, "page.record", NULL);
  pteris_error_card_set_dismiss (self->error, "recorder.forget-error");
}

static void
update_notes (PterisRecorderBar *self, PterisRecorder *recorder)
{
  const char *note = pteris_recorder_get_note (recorder);

  gtk_label_set_text (self->note, note != NULL ? note : "");
  gtk_widget_set_visible (GTK_WIDGET (self->note), note != NULL);
  gtk_label_set_text (self->silence,
                      pteris_recorder_get_kind (recorder) == PTERIS_SOUND_COMPUTER
                          ? _ ("The computer plays nothing that can be heard.")
                          : _ ("No sound comes from the microphone. It may be muted."));
  gtk_widget_set_visible (GTK_WIDGET (self->silence), pteris_recorder_is_silent (recorder));
}

static void
update (PterisRecorderBar *self)
{
  PterisRecorder *recorder = pteris_dictation_get_recorder (self->dictation);
  PterisRecorderState state = pteris_recorder_get_state (recorder);
  gboolean paused = state == PTERIS_RECORDER_PAUSED;
  const char *what = paused ? _ ("Resume Recording") : _ ("Pause");
  g_autofree char *status = describe (self->dictation);
  gboolean active = pteris_dictation_is_active (self->dictation);

  update_error (self);
  gtk_widget_set_visible (self->frame, active);
  gtk_widget_set_visible (GTK_WIDGET (self),
                          active || pteris_dictation_get_error (self->dictation) != NULL);
  update_notes (self, recorder);
  gtk_label_set_text (self->status, status);
  gtk_level_bar_set_value (self->level, pteris_recorder_get_level (recorder));
  gtk_button_set_icon_name (self->pause,
                            paused ? "media-record-symbolic" : "media-playback-pause-symbolic");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->pause), what);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->pause), GTK_ACCESSIBLE_PROPERTY_LABEL, what,
                                  -1);
  gtk_widget_set_visible (GTK_WIDGET (self->pause), state >= PTERIS_RECORDER_RECORDING);
  gtk_widget_set_visible (GTK_WIDGET (self->level), state != PTERIS_RECORDER_IDLE);
  gtk_widget_set_visible (self->stop, state != PTERIS_RECORDER_IDLE);
}

static void
on_pause (PterisRecorderBar *self)
{
  PterisRecorder *recorder = pteris_dictation_get_recorder (self->dictation);

  pteris_recorder_set_paused (recorder,
                              pteris_recorder_get_state (recorder) != PTERIS_RECORDER_PAUSED);
}

static void
on_stop (PterisRecorderBar *self)
{
  pteris_dictation_stop (self->dictation);
}

static void
forget_error (GtkWidget *widget, const char *name, GVariant *parameter)
{
  pteris_dictation_forget_error (PTERIS_RECORDER_BAR (widget)->dictation);
}

void
pteris_recorder_bar_set_dictation (PterisRecorderBar *self, PterisDictation *dictation)
{
  g_set_object (&self->dictation, dictation);
  g_signal_connect_object (dictation, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
}

static void
pteris_recorder_bar_dispose (GObject *object)
{
  g_clear_object (&PTERIS_RECORDER_BAR (object)->dictation);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_RECORDER_BAR);
  G_OBJECT_CLASS (pteris_recorder_bar_parent_class)->dispose (object);
}

static void
pteris_recorder_bar_class_init (PterisRecorderBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_recorder_bar_dispose;
  g_type_ensure (PTERIS_TYPE_ERROR_CARD);
  gtk_widget_class_install_action (widget_class, "recorder.forget-error", NULL, forget_error);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/recorder-bar.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisRecorderBar, content);
  gtk_widget_class_bind_template_child (widget_class, PterisRecorderBar, status);
  gtk_widget_class_bind_template_child (widget_class, PterisRecorderBar, level);
  gtk_widget_class_bind_template_child (widget_class, PterisRecorderBar, pause);
  gtk_widget_class_bind_template_child (widget_class, PterisRecorderBar, stop);
  gtk_widget_class_bind_template_child (widget_class, PterisRecorderBar, frame);
  gtk_widget_class_bind_template_child (widget_class, PterisRecorderBar, error);
  gtk_widget_class_bind_template_child (widget_class, PterisRecorderBar, silence);
  gtk_widget_class_bind_template_child (widget_class, PterisRecorderBar, note);
  gtk_widget_class_bind_template_callback (widget_class, on_pause);
  gtk_widget_class_bind_template_callback (widget_class, on_stop);
}

static void
pteris_recorder_bar_init (PterisRecorderBar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
