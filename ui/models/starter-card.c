/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/models/starter-card.h"

#include "ui/i18n.h"

struct _PterisStarterCard {
  GtkWidget parent_instance;

  GtkWidget *frame;
  GtkLabel *text;
  GtkWidget *buttons;
  GtkWidget *use;
  GtkWidget *running;
  GtkProgressBar *progress;

  PterisStarter *starter;
};

G_DEFINE_FINAL_TYPE (PterisStarterCard, pteris_starter_card, GTK_TYPE_WIDGET)

static const char *
sentence (PterisStarter *starter)
{
  const char *error = pteris_starter_get_error (starter);

  if (error != NULL)
    return error;
  if (pteris_starter_is_running (starter))
    return _ ("Downloading and preparing the starter models: a chat model and a speech model, "
              "about 230 MB in total.");
  if (pteris_starter_is_available (starter))
    return _ ("The starter models are a small chat model and a speech model, about 230 MB in "
              "total. Or drop your own ExecuTorch models here: a .pte file or a folder.");
  return _ ("To create the starter models, run “./dev run” in the Pteris source folder. Or drop "
            "your own ExecuTorch models here: a .pte file or a folder.");
}

static void
update (PterisStarterCard *self)
{
  gboolean running = pteris_starter_is_running (self->starter);
  double fraction = pteris_starter_get_fraction (self->starter);
  const char *text = pteris_starter_get_text (self->starter);

  gtk_label_set_text (self->text, sentence (self->starter));
  gtk_widget_set_visible (self->running, running);
  gtk_widget_set_visible (self->buttons, !running);
  gtk_widget_set_visible (self->use, pteris_starter_is_available (self->starter));
  gtk_progress_bar_set_text (self->progress, text != NULL ? text : _ ("Starting…"));
  gtk_progress_bar_set_fraction (self->progress, MAX (fraction, 0));
}

static void
on_stop (GtkButton *button, PterisStarterCard *self)
{
  pteris_starter_stop (self->starter);
}

void
pteris_starter_card_set_starter (PterisStarterCard *self, PterisStarter *starter)
{
  g_set_object (&self->starter, starter);
  g_signal_connect_object (starter, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
}

static void
pteris_starter_card_dispose (GObject *object)
{
  g_clear_object (&PTERIS_STARTER_CARD (object)->starter);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_STARTER_CARD);
  G_OBJECT_CLASS (pteris_starter_card_parent_class)->dispose (object);
}

static void
pteris_starter_card_class_init (PterisStarterCardClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_starter_card_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/starter-card.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisStarterCard, frame);
  gtk_widget_class_bind_template_child (widget_class, PterisStarterCard, text);
  gtk_widget_class_bind_template_child (widget_class, PterisStarterCard, buttons);
  gtk_widget_class_bind_template_child (widget_class, PterisStarterCard, use);
  gtk_widget_class_bind_template_child (widget_class, PterisStarterCard, running);
  gtk_widget_class_bind_template_child (widget_class, PterisStarterCard, progress);
  gtk_widget_class_bind_template_callback (widget_class, on_stop);
}

static void
pteris_starter_card_init (PterisStarterCard *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
