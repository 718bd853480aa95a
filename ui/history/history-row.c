/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/history/history-row.h"

#include "ui/i18n.h"

/* Bytes of a passage that may be shown; a row has two lines of it. */
#define MAX_PASSAGE 400

struct _PterisHistoryRow {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkLabel *day;
  GtkLabel *title;
  GtkLabel *passage;
  GtkMenuButton *menu;
  GtkPopover *rename_popover;
  GtkEditable *rename_entry;

  const PterisHistoryKind *kind;
  GListModel *history;
  gpointer item; /* a GObject, or NULL */
};

G_DEFINE_FINAL_TYPE (PterisHistoryRow, pteris_history_row, GTK_TYPE_WIDGET)

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
  PterisHistoryRow *self = user_data;
  gint64 id = self->kind->get_id (self->item);
  g_autoptr (GMenu) menu = g_menu_new ();

  add_item (menu, _ ("_Rename…"), self->kind->rename_action, id);
  add_item (menu, _ ("_Export…"), self->kind->export_action, id);
  if (self->kind->private_export_action != NULL)
    add_item (menu, _ ("Export _without Names…"), self->kind->private_export_action, id);
  add_item (menu, _ ("_Delete"), self->kind->delete_action, id);
  gtk_menu_button_set_menu_model (button, G_MENU_MODEL (menu));
}

static void
on_secondary_click (PterisHistoryRow *self)
{
  gtk_menu_button_popup (self->menu);
}

/* ---- another title ---- */

void
pteris_history_row_rename (PterisHistoryRow *self)
{
  gtk_editable_set_text (self->rename_entry, self->kind->get_title (self->item));
  gtk_popover_popup (self->rename_popover);
  gtk_widget_grab_focus (GTK_WIDGET (self->rename_entry));
}

static void
on_rename (PterisHistoryRow *self)
{
  if (self->item != NULL)
    self->kind->rename (self->history, self->item, gtk_editable_get_text (self->rename_entry));
  gtk_popover_popdown (self->rename_popover);
}

/* ---- the row ---- */

static void
update (PterisHistoryRow *self)
{
  const char *title = self->kind->get_title (self->item);

  gtk_label_set_text (self->title, title);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->title), title);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->menu), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                  title, -1);
}

void
pteris_history_row_set_item (PterisHistoryRow *self, gpointer item)
{
  if (self->item != NULL)
    g_signal_handlers_disconnect_by_func (self->item, update, self);
  gtk_popover_popdown (self->rename_popover);
  g_set_object (&self->item, item);
  if (item == NULL)
    return;
  g_signal_connect_object (item, self->kind->changed, G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
}

void
pteris_history_row_set_day (PterisHistoryRow *self, const char *day)
{
  gtk_label_set_text (self->day, day != NULL ? day : "");
  gtk_widget_set_visible (GTK_WIDGET (self->day), day != NULL);
}

void
pteris_history_row_set_passage (PterisHistoryRow *self, const char *passage)
{
  g_auto (GStrv) words = passage != NULL ? g_strsplit_set (passage, " \t\r\n", -1) : NULL;
  g_autoptr (GString) line = g_string_new (NULL);

  for (guint i = 0; words != NULL && words[i] != NULL && line->len < MAX_PASSAGE; i++)
    if (words[i][0] != '\0')
      g_string_append_printf (line, "%s%s", line->len > 0 ? " " : "", words[i]);
  gtk_label_set_text (self->passage, line->str);
  gtk_widget_set_visible (GTK_WIDGET (self->passage), line->len > 0);
}

static void
pteris_history_row_dispose (GObject *object)
{
  PterisHistoryRow *self = PTERIS_HISTORY_ROW (object);

  g_clear_object (&self->item);
  g_clear_object (&self->history);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_HISTORY_ROW);
  G_OBJECT_CLASS (pteris_history_row_parent_class)->dispose (object);
}

static void
pteris_history_row_class_init (PterisHistoryRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_history_row_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/history-row.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisHistoryRow, content);
  gtk_widget_class_bind_template_child (widget_class, PterisHistoryRow, day);
  gtk_widget_class_bind_template_child (widget_class, PterisHistoryRow, title);
  gtk_widget_class_bind_template_child (widget_class, PterisHistoryRow, passage);
  gtk_widget_class_bind_template_child (widget_class, PterisHistoryRow, menu);
  gtk_widget_class_bind_template_child (widget_class, PterisHistoryRow, rename_popover);
  gtk_widget_class_bind_template_child (widget_class, PterisHistoryRow, rename_entry);
  gtk_widget_class_bind_template_callback (widget_class, on_secondary_click);
  gtk_widget_class_bind_template_callback (widget_class, on_rename);
}

static void
pteris_history_row_init (PterisHistoryRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_menu_button_set_create_popup_func (self->menu, create_menu, self, NULL);
}

PterisHistoryRow *
pteris_history_row_new (const PterisHistoryKind *kind, GListModel *history)
{
  PterisHistoryRow *self = g_object_new (PTERIS_TYPE_HISTORY_ROW, NULL);

  self->kind = kind;
  self->history = g_object_ref (history);
  return self;
}
