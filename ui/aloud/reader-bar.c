/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/aloud/reader-bar.h"

#include "ui/i18n.h"

struct _PterisReaderBar {
  GtkWidget parent_instance;

  GtkRevealer *content;
  GtkStack *sign;
  GtkSpinner *spinner;
  GtkLabel *sentence;
  GtkLabel *note;
  GtkButton *stop;

  PterisReader *reader;
};

G_DEFINE_FINAL_TYPE (PterisReaderBar, pteris_reader_bar, GTK_TYPE_WIDGET)

static void
update (PterisReaderBar *self)
{
  const char *error = pteris_reader_get_error (self->reader);
  const char *sentence = pteris_reader_get_sentence (self->reader);
  const char *note = pteris_reader_get_note (self->reader);
  gboolean reads = pteris_reader_is_reading (self->reader);
  const char *what = reads ? _ ("Stop Reading Aloud (Esc)") : _ ("Dismiss");

  gtk_revealer_set_reveal_child (self->content, reads || error != NULL);
  /* Nobody gets to the button of a closed bar with the keyboard. */
  gtk_widget_set_can_focus (GTK_WIDGET (self->content), reads || error != NULL);
  gtk_spinner_set_spinning (self->spinner, reads && sentence == NULL);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->stop), what);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->stop), GTK_ACCESSIBLE_PROPERTY_LABEL, what,
                                  -1);
  if (!reads && error == NULL)
    return;
  gtk_stack_set_visible_child_name (self->sign, error != NULL      ? "error"
                                                : sentence == NULL ? "preparing"
                                                                   : "reading");
  gtk_label_set_text (self->sentence, error != NULL      ? error
                                      : sentence != NULL ? sentence
                                                         : _ ("Preparing to read aloud…"));
  gtk_label_set_text (self->note, note != NULL ? note : "");
  gtk_widget_set_visible (GTK_WIDGET (self->note), note != NULL && error == NULL);
  /* A sentence that is read has one line; an error is shown whole. */
  gtk_label_set_wrap (self->sentence, error != NULL);
  gtk_label_set_ellipsize (self->sentence,
                           error != NULL ? PANGO_ELLIPSIZE_NONE : PANGO_ELLIPSIZE_END);
  gtk_label_set_selectable (self->sentence, error != NULL);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->sentence), error == NULL ? sentence : NULL);
  gtk_button_set_icon_name (self->stop,
                            reads ? "media-playback-stop-symbolic" : "window-close-symbolic");
}

static void
on_stop (PterisReaderBar *self)
{
  pteris_reader_stop (self->reader);
}

void
pteris_reader_bar_bind (PterisReaderBar *self, PterisReader *reader)
{
  g_set_object (&self->reader, reader);
  g_signal_connect_object (reader, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
}

static void
pteris_reader_bar_dispose (GObject *object)
{
  g_clear_object (&PTERIS_READER_BAR (object)->reader);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_READER_BAR);
  G_OBJECT_CLASS (pteris_reader_bar_parent_class)->dispose (object);
}

static void
pteris_reader_bar_class_init (PterisReaderBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_reader_bar_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/pteris/Pteris/ui/reader-bar.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisReaderBar, content);
  gtk_widget_class_bind_template_child (widget_class, PterisReaderBar, sign);
  gtk_widget_class_bind_template_child (widget_class, PterisReaderBar, spinner);
  gtk_widget_class_bind_template_child (widget_class, PterisReaderBar, sentence);
  gtk_widget_class_bind_template_child (widget_class, PterisReaderBar, note);
  gtk_widget_class_bind_template_child (widget_class, PterisReaderBar, stop);
  gtk_widget_class_bind_template_callback (widget_class, on_stop);
}

static void
pteris_reader_bar_init (PterisReaderBar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
