/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/transcript-list.h"

#include "ui/days.h"
#include "ui/i18n.h"
#include "ui/transcript-item.h"

struct _PterisTranscriptList {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkSearchEntry *search;
  GtkStack *stack;
  GtkListView *view;

  PterisTranscriptQueue *queue;
  GListStore *found;          /* of a search */
  GtkNoSelection *all, *hits; /* what @view shows */
  GPtrArray *items;           /* of GtkListItem: those that are bound */
  GCancellable *searching;
};

G_DEFINE_FINAL_TYPE (PterisTranscriptList, pteris_transcript_list, GTK_TYPE_WIDGET)

/* ---- rows ---- */

/* The id is the time at which it was made. */
static char *
day_at (PterisTranscriptList *self, guint position, GDateTime *now)
{
  g_autoptr (PterisTranscript) transcript =
      g_list_model_get_item (G_LIST_MODEL (self->queue), position);

  return transcript != NULL ? pteris_name_day (pteris_transcript_get_id (transcript), now) : NULL;
}

static void
update_row (PterisTranscriptList *self, GtkListItem *item, GDateTime *now)
{
  guint position = gtk_list_item_get_position (item);
  gboolean by_day = gtk_list_view_get_model (self->view) == GTK_SELECTION_MODEL (self->all);
  g_autofree char *day = by_day ? day_at (self, position, now) : NULL;
  g_autofree char *before = by_day && position > 0 ? day_at (self, position - 1, now) : NULL;

  pteris_transcript_item_set_day (PTERIS_TRANSCRIPT_ITEM (gtk_list_item_get_child (item)),
                                  g_strcmp0 (day, before) != 0 ? day : NULL);
}

static void
update_rows (PterisTranscriptList *self)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();

  for (guint i = 0; i < self->items->len; i++)
    update_row (self, self->items->pdata[i], now);
}

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  gtk_list_item_set_child (item, GTK_WIDGET (pteris_transcript_item_new ()));
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *item, PterisTranscriptList *self)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();

  pteris_transcript_item_set_transcript (PTERIS_TRANSCRIPT_ITEM (gtk_list_item_get_child (item)),
                                         gtk_list_item_get_item (item));
  g_ptr_array_add (self->items, item);
  update_row (self, item, now);
}

static void
on_unbind (GtkSignalListItemFactory *factory, GtkListItem *item, PterisTranscriptList *self)
{
  g_ptr_array_remove_fast (self->items, item);
  pteris_transcript_item_set_transcript (PTERIS_TRANSCRIPT_ITEM (gtk_list_item_get_child (item)),
                                         NULL);
}

static void
on_activate (GtkListView *view, guint position, PterisTranscriptList *self)
{
  g_autoptr (PterisTranscript) transcript =
      g_list_model_get_item (G_LIST_MODEL (gtk_list_view_get_model (view)), position);

  gtk_widget_activate_action (GTK_WIDGET (self), "win.open-transcript", "x",
                              pteris_transcript_get_id (transcript));
}

/* ---- searching ---- */

static void
show (PterisTranscriptList *self, GtkNoSelection *model)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (model));

  if (gtk_list_view_get_model (self->view) != GTK_SELECTION_MODEL (model))
    gtk_list_view_set_model (self->view, GTK_SELECTION_MODEL (model));
  if (n > 0)
    gtk_stack_set_visible_child_name (self->stack, "list");
  else
    gtk_stack_set_visible_child_name (self->stack, model == self->all ? "empty" : "nothing");
  update_rows (self);
}

static void
on_found (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (PterisTranscriptList) self = user_data;
  g_autoptr (GPtrArray) found =
      pteris_transcript_queue_search_finish (PTERIS_TRANSCRIPT_QUEUE (source), result, NULL);

  if (found == NULL || self->found == NULL)
    return; /* another search has begun, or the list is gone */
  g_list_store_splice (self->found, 0, g_list_model_get_n_items (G_LIST_MODEL (self->found)),
                       found->pdata, found->len);
  show (self, self->hits);
}

static void
on_search_changed (PterisTranscriptList *self)
{
  const char *query = gtk_editable_get_text (GTK_EDITABLE (self->search));

  g_cancellable_cancel (self->searching);
  g_clear_object (&self->searching);
  if (query[0] == '\0') {
    show (self, self->all);
    return;
  }
  self->searching = g_cancellable_new ();
  pteris_transcript_queue_search_async (self->queue, query, self->searching, on_found,
                                        g_object_ref (self));
}

static void
on_stop_search (PterisTranscriptList *self)
{
  gtk_editable_set_text (GTK_EDITABLE (self->search), "");
}

static void
on_items_changed (PterisTranscriptList *self)
{
  if (gtk_list_view_get_model (self->view) == GTK_SELECTION_MODEL (self->hits))
    on_search_changed (self);
  else
    show (self, self->all);
}

/* ---- what others do with it ---- */

void
pteris_transcript_list_set_queue (PterisTranscriptList *self, PterisTranscriptQueue *queue)
{
  g_set_object (&self->queue, queue);
  self->all = gtk_no_selection_new (g_object_ref (G_LIST_MODEL (queue)));
  g_signal_connect_object (queue, "items-changed", G_CALLBACK (on_items_changed), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  show (self, self->all);
}

void
pteris_transcript_list_search (PterisTranscriptList *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self->search));
}

/* ---- the widget ---- */

static void
pteris_transcript_list_dispose (GObject *object)
{
  PterisTranscriptList *self = PTERIS_TRANSCRIPT_LIST (object);

  g_cancellable_cancel (self->searching);
  g_clear_object (&self->searching);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_TRANSCRIPT_LIST);
  g_clear_object (&self->all);
  g_clear_object (&self->hits);
  g_clear_object (&self->found);
  g_clear_object (&self->queue);
  G_OBJECT_CLASS (pteris_transcript_list_parent_class)->dispose (object);
}

static void
pteris_transcript_list_finalize (GObject *object)
{
  g_ptr_array_unref (PTERIS_TRANSCRIPT_LIST (object)->items);
  G_OBJECT_CLASS (pteris_transcript_list_parent_class)->finalize (object);
}

static void
pteris_transcript_list_class_init (PterisTranscriptListClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_transcript_list_dispose;
  G_OBJECT_CLASS (klass)->finalize = pteris_transcript_list_finalize;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/transcript-list.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptList, content);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptList, search);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptList, stack);
  gtk_widget_class_bind_template_child (widget_class, PterisTranscriptList, view);
  gtk_widget_class_bind_template_callback (widget_class, on_search_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_stop_search);
  gtk_widget_class_bind_template_callback (widget_class, on_activate);
}

static void
pteris_transcript_list_init (PterisTranscriptList *self)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();

  self->items = g_ptr_array_new ();
  self->found = g_list_store_new (PTERIS_TYPE_TRANSCRIPT);
  self->hits = gtk_no_selection_new (g_object_ref (G_LIST_MODEL (self->found)));
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), self);
  g_signal_connect (factory, "unbind", G_CALLBACK (on_unbind), self);
  gtk_list_view_set_factory (self->view, factory);
  g_object_unref (factory);
}
