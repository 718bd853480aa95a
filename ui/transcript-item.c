/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/transcript-item.h"

#include "ui/i18n.h"

struct _PterisTranscriptItem {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkLabel *day;
  GtkLabel *title;
  GtkMenuButton *menu;

  PterisTranscript *transcript;
};

G_DEFINE_FINAL_TYPE (PterisTranscriptItem, pteris_transcript_item, GTK_TYPE_WIDGET)

static void
add_item (GMenu *menu, const char *label, const char *action, gint64 id)
{
  g_autoptr (GMenuItem) item = g_menu_item_new (label, NULL);

  g_menu_item_set_action_and_target (item, action, "x", id);
  g_menu_append_item (menu, item);
}

static void
create_menu (GtkMenuButton *button, gpointer user_data)
{
  PterisTranscriptItem *self = user_data;
  gint64 id = pteris_transcript_get_id (self->transcript);
  g_autoptr (GMenu) menu = g_menu_new ();

  add_item (menu, _ ("_Rename…"), "win.rename-transcript", id);
  add_item (menu, _ ("_Export…"), "win.export-transcript", id);
  add_item (menu, _ ("_Delete"), "win.delete-transcript", id);
  gtk_menu_button_set_menu_model (button, G_MENU_MODEL (menu));
}

static void
on_secondary_click (PterisTranscriptItem *self)
{
  gtk_menu_button_popup (self->menu);
}

static void
update (PterisTranscriptItem *self)
{
  const char *title = pteris_transcript_get_title (self->transcript);

  gtk_label_set_text (self->title, title);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->title), title);
}

void
pteris_transcript_item_set_transcript (PterisTranscriptItem *self, PterisTranscript *transcript)
{
  if (self->transcript != NULL)
    g_signal_handlers_disconnect_by_data (self->transcript, self);
  g_set_object (&self->transcript, transcript);
  if (transcript == NULL)
    return;
  g_signal_connect_object (transcript, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
}

void
pteris_transcript_item_set_day (PterisTranscriptItem *self, const char *day)
{
  gtk_label_set_text (self->day, day != NULL ? day : "");
  gtk_widget_set_visible (GTK_WIDGET (self->day), day != NULL);
}

PterisTranscriptItem *
pteris_transcript_item_new (void)
{
  return g_object_new (PTERIS_TYPE_TRANSCRIPT_ITEM, NULL);
}

static void
pteris_transcript_item_dispose (GObject *object)
{
  PterisTranscriptItem *self = PTERIS_TRANSCRIPT_ITEM (object);

  if (self->transcript != NULL)
    g_signal_handlers_disconnect_by_data (self->transcript, self);
  g_clear_object (&self->transcript);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_TRANSCRIPT_ITEM);
  G_OBJECT_CLASS (pteris_transcript_item_parent_class)->dispose (object);
}

static void
pteris_transcript_item_class_init (PterisTranscriptItemClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_transcript_item_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/transcript-item.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptItem, content);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptItem, day);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptItem, title);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptItem, menu);
  gtk_widget_class_bind_template_callback (widget_class, on_secondary_click);
}

static void
pteris_transcript_item_init (PterisTranscriptItem *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_menu_button_set_create_popup_func (self->menu, create_menu, self, NULL);
}
