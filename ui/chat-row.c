/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/chat-row.h"

#include "ui/i18n.h"

struct _PterisChatRow {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkLabel *day;
  GtkLabel *title;
  GtkMenuButton *menu;
  GtkPopover *rename_popover;
  GtkEditable *rename_entry;

  PterisConversation *conversation;
  PterisChatHistory *history; /* while a new title is asked for */
};

G_DEFINE_FINAL_TYPE (PterisChatRow, pteris_chat_row, GTK_TYPE_WIDGET)

/* ---- the menu ---- */

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
  PterisChatRow *self = user_data;
  gint64 id = pteris_conversation_get_id (self->conversation);
  g_autoptr (GMenu) menu = g_menu_new ();

  add_item (menu, _ ("_Rename…"), "win.rename-chat", id);
  add_item (menu, _ ("_Export…"), "win.export-chat", id);
  add_item (menu, _ ("_Delete"), "win.delete-chat", id);
  gtk_menu_button_set_menu_model (button, G_MENU_MODEL (menu));
}

static void
on_secondary_click (PterisChatRow *self)
{
  gtk_menu_button_popup (self->menu);
}

/* ---- another title ---- */

void
pteris_chat_row_rename (PterisChatRow *self, PterisChatHistory *history)
{
  g_set_object (&self->history, history);
  gtk_editable_set_text (self->rename_entry, pteris_conversation_get_title (self->conversation));
  gtk_popover_popup (self->rename_popover);
  gtk_widget_grab_focus (GTK_WIDGET (self->rename_entry));
}

static void
on_rename (PterisChatRow *self)
{
  if (self->conversation != NULL && self->history != NULL)
    pteris_chat_history_rename (self->history, self->conversation,
                                gtk_editable_get_text (self->rename_entry));
  gtk_popover_popdown (self->rename_popover);
}

/* ---- the row ---- */

static void
update (PterisChatRow *self)
{
  const char *title = pteris_conversation_get_title (self->conversation);

  gtk_label_set_text (self->title, title);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->title), title);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->menu), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  title, -1);
}

void
pteris_chat_row_set_conversation (PterisChatRow *self, PterisConversation *conversation)
{
  if (self->conversation != NULL)
    g_signal_handlers_disconnect_by_func (self->conversation, update, self);
  gtk_popover_popdown (self->rename_popover);
  g_set_object (&self->conversation, conversation);
  if (conversation == NULL)
    return;
  g_signal_connect_object (conversation, "notify::title", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  update (self);
}

PterisConversation *
pteris_chat_row_get_conversation (PterisChatRow *self)
{
  return self->conversation;
}

void
pteris_chat_row_set_day (PterisChatRow *self, const char *day)
{
  gtk_label_set_text (self->day, day != NULL ? day : "");
  gtk_widget_set_visible (GTK_WIDGET (self->day), day != NULL);
}

static void
pteris_chat_row_dispose (GObject *object)
{
  PterisChatRow *self = PTERIS_CHAT_ROW (object);

  g_clear_object (&self->conversation);
  g_clear_object (&self->history);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_CHAT_ROW);
  G_OBJECT_CLASS (pteris_chat_row_parent_class)->dispose (object);
}

static void
pteris_chat_row_class_init (PterisChatRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_chat_row_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/pteris/Pteris/ui/chat-row.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisChatRow, content);
  gtk_widget_class_bind_template_child (widget_class, PterisChatRow, day);
  gtk_widget_class_bind_template_child (widget_class, PterisChatRow, title);
  gtk_widget_class_bind_template_child (widget_class, PterisChatRow, menu);
  gtk_widget_class_bind_template_child (widget_class, PterisChatRow, rename_popover);
  gtk_widget_class_bind_template_child (widget_class, PterisChatRow, rename_entry);
  gtk_widget_class_bind_template_callback (widget_class, on_secondary_click);
  gtk_widget_class_bind_template_callback (widget_class, on_rename);
}

static void
pteris_chat_row_init (PterisChatRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_menu_button_set_create_popup_func (self->menu, create_menu, self, NULL);
}

PterisChatRow *
pteris_chat_row_new (void)
{
  return g_object_new (PTERIS_TYPE_CHAT_ROW, NULL);
}
