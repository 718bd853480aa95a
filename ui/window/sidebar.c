/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/window/sidebar.h"

#include "ui/window/history-kinds.h"

struct _PterisSidebar {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkListBox *pages;
  GtkStack *lists;
  PterisHistoryList *chats, *transcripts;

  GtkStack *stack; /* of the window, which outlives it */
};

G_DEFINE_FINAL_TYPE (PterisSidebar, pteris_sidebar, GTK_TYPE_WIDGET)

/* ---- pages ---- */

static GtkWidget *
create_page_row (gpointer item, gpointer user_data)
{
  GtkStackPage *page = item;
  GtkWidget *row = gtk_list_box_row_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *image = g_object_new (GTK_TYPE_IMAGE, "icon-name", gtk_stack_page_get_icon_name (page),
                                   "accessible-role", GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL);
  GtkWidget *label = gtk_label_new (gtk_stack_page_get_title (page));

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_box_append (GTK_BOX (box), image);
  gtk_box_append (GTK_BOX (box), label);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (row), "win.show-page");
  gtk_actionable_set_action_target (GTK_ACTIONABLE (row), "s", gtk_stack_page_get_name (page));
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  gtk_stack_page_get_title (page), -1);
  return row;
}

static gboolean
has_title (gpointer item, gpointer user_data)
{
  return gtk_stack_page_get_title (item) != NULL;
}

static void
on_page (PterisSidebar *self)
{
  const char *name = gtk_stack_get_visible_child_name (self->stack);
  GtkListBoxRow *row = NULL;

  for (int i = 0; (row = gtk_list_box_get_row_at_index (self->pages, i)) != NULL; i++) {
    GVariant *target = gtk_actionable_get_action_target_value (GTK_ACTIONABLE (row));

    if (g_strcmp0 (g_variant_get_string (target, NULL), name) == 0)
      break;
  }
  gtk_stack_set_visible_child_name (self->lists,
                                    g_strcmp0 (name, "transcribe") == 0 ? "transcripts" : "chats");
  gtk_list_box_select_row (self->pages, row);
}

void
pteris_sidebar_set_stack (PterisSidebar *self, GtkStack *stack)
{
  GtkFilter *filter = GTK_FILTER (gtk_custom_filter_new (has_title, NULL, NULL));
  g_autoptr (GtkFilterListModel) listed =
      gtk_filter_list_model_new (G_LIST_MODEL (gtk_stack_get_pages (stack)), filter);

  self->stack = stack;
  gtk_list_box_bind_model (self->pages, G_LIST_MODEL (listed), create_page_row, NULL, NULL);
  g_signal_connect_object (stack, "notify::visible-child", G_CALLBACK (on_page), self,
                           G_CONNECT_SWAPPED);
  on_page (self);
}

/* ---- chats ---- */

void
pteris_sidebar_bind (PterisSidebar *self, PterisChatHistory *history, PterisTranscriptQueue *queue)
{
  pteris_history_list_bind (self->chats, &pteris_history_chats, G_LIST_MODEL (history));
  pteris_history_list_bind (self->transcripts, &pteris_history_transcripts, G_LIST_MODEL (queue));
}

PterisHistoryList *
pteris_sidebar_get_chats (PterisSidebar *self)
{
  return self->chats;
}

PterisHistoryList *
pteris_sidebar_get_transcripts (PterisSidebar *self)
{
  return self->transcripts;
}

void
pteris_sidebar_search (PterisSidebar *self)
{
  const char *name = gtk_stack_get_visible_child_name (self->lists);

  pteris_history_list_search (g_str_equal (name, "transcripts") ? self->transcripts : self->chats);
}

static void
pteris_sidebar_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_SIDEBAR);
  G_OBJECT_CLASS (pteris_sidebar_parent_class)->dispose (object);
}

static void
pteris_sidebar_class_init (PterisSidebarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_sidebar_dispose;
  g_type_ensure (PTERIS_TYPE_HISTORY_LIST);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/pteris/Pteris/ui/sidebar.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisSidebar, content);
  gtk_widget_class_bind_template_child (widget_class, PterisSidebar, pages);
  gtk_widget_class_bind_template_child (widget_class, PterisSidebar, lists);
  gtk_widget_class_bind_template_child (widget_class, PterisSidebar, chats);
  gtk_widget_class_bind_template_child (widget_class, PterisSidebar, transcripts);
}

static void
pteris_sidebar_init (PterisSidebar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
