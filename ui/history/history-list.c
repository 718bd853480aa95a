/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/history/history-list.h"

#include "ui/history/days.h"
#include "ui/history/history-row.h"
#include "ui/i18n.h"
#include "ui/history/meaning-store.h"

struct _PterisHistoryList {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkSearchEntry *search;
  GtkStack *stack;
  GtkLabel *empty, *nothing, *note;
  GtkListView *view;

  const PterisHistoryKind *kind;
  GListModel *history;
  GListStore *found;          /* of a search */
  GtkNoSelection *all, *hits; /* what @view shows */
  GPtrArray *found_hits;      /* PterisHit: where each of @found was found */
  GPtrArray *rows;            /* bound rows (GtkListItem) */
  GCancellable *searching;
  gboolean by_meaning; /* @found has what the search by meaning found for the present query */
  PterisQuerySource *source;
  gpointer current;
};

G_DEFINE_FINAL_TYPE (PterisHistoryList, pteris_history_list, GTK_TYPE_WIDGET)

/* ---- days ---- */

static char *
day_at (PterisHistoryList *self, guint position, GDateTime *now)
{
  g_autoptr (GObject) item = g_list_model_get_item (self->history, position);

  return item != NULL ? pteris_name_day (self->kind->get_time (item), now) : NULL;
}

static const PterisHit *
find_hit (PterisHistoryList *self, gpointer item)
{
  return self->found_hits != NULL ? pteris_hits_find (self->found_hits, self->kind->get_id (item))
                                  : NULL;
}

static void
set_passage (PterisHistoryList *self, PterisHistoryRow *row, gpointer item, gboolean by_day)
{
  const PterisHit *hit = by_day || item == NULL ? NULL : find_hit (self, item);

  pteris_history_row_set_passage (row, hit != NULL ? hit->passage : NULL);
}

static void
update_row (PterisHistoryList *self, GtkListItem *item, GDateTime *now)
{
  PterisHistoryRow *row = PTERIS_HISTORY_ROW (gtk_list_item_get_child (item));
  guint position = gtk_list_item_get_position (item);
  gboolean by_day = gtk_list_view_get_model (self->view) == GTK_SELECTION_MODEL (self->all);
  g_autofree char *day = by_day ? day_at (self, position, now) : NULL;
  g_autofree char *before = by_day && position > 0 ? day_at (self, position - 1, now) : NULL;

  pteris_history_row_set_day (row, g_strcmp0 (day, before) != 0 ? day : NULL);
  set_passage (self, row, gtk_list_item_get_item (item), by_day);
  if (self->current != NULL && self->current == gtk_list_item_get_item (item))
    gtk_widget_add_css_class (GTK_WIDGET (row), "current");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (row), "current");
}

static void
update_rows (PterisHistoryList *self)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();

  for (guint i = 0; i < self->rows->len; i++)
    update_row (self, self->rows->pdata[i], now);
}

/* ---- rows ---- */

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item, PterisHistoryList *self)
{
  gtk_list_item_set_child (item, GTK_WIDGET (pteris_history_row_new (self->kind, self->history)));
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *item, PterisHistoryList *self)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();

  pteris_history_row_set_item (PTERIS_HISTORY_ROW (gtk_list_item_get_child (item)),
                               gtk_list_item_get_item (item));
  g_ptr_array_add (self->rows, item);
  update_row (self, item, now);
}

static void
on_unbind (GtkSignalListItemFactory *factory, GtkListItem *item, PterisHistoryList *self)
{
  g_ptr_array_remove_fast (self->rows, item);
  pteris_history_row_set_item (PTERIS_HISTORY_ROW (gtk_list_item_get_child (item)), NULL);
}

static void
on_activate (GtkListView *view, guint position, PterisHistoryList *self)
{
  GtkSelectionModel *model = gtk_list_view_get_model (view);
  g_autoptr (GObject) item = g_list_model_get_item (G_LIST_MODEL (model), position);
  const PterisHit *hit = model == GTK_SELECTION_MODEL (self->hits) ? find_hit (self, item) : NULL;

  if (hit != NULL && hit->place != 0)
    gtk_widget_activate_action (GTK_WIDGET (self), self->kind->open_place_action, "(xx)",
                                hit->owner, hit->place);
  else
    gtk_widget_activate_action (GTK_WIDGET (self), self->kind->open_action, "x",
                                self->kind->get_id (item));
}

/* ---- searching ---- */

static void
show (PterisHistoryList *self, GtkNoSelection *model)
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

typedef struct {
  const char *stored_as;
  char *query;
  PterisQueryVector *vector; /* of @query; NULL: search for its words only */
} Search;

static void
search_free (Search *search)
{
  g_clear_pointer (&search->vector, pteris_query_vector_free);
  g_free (search->query);
  g_free (search);
}

static void
search_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  const Search *search = task_data;
  GError *error = NULL;
  g_autoptr (GPtrArray) exact = pteris_store_search (search->query, search->stored_as, &error);
  g_autoptr (GPtrArray) near =
      exact != NULL && search->vector != NULL
          ? pteris_meaning_search (&search->vector->query, search->vector->model, search->stored_as,
                                   NULL)
          : NULL;

  if (exact == NULL)
    g_task_return_error (task, error);
  else
    g_task_return_pointer (
        task, near != NULL ? pteris_hits_merge (exact, near) : g_steal_pointer (&exact),
        (GDestroyNotify) g_ptr_array_unref);
}

/* Whether the rows are those of @hits, in this order. */
static gboolean
has_rows_of (PterisHistoryList *self, GPtrArray *hits)
{
  GListModel *rows = G_LIST_MODEL (self->found);

  if (g_list_model_get_n_items (rows) != hits->len)
    return FALSE;
  for (guint i = 0; i < hits->len; i++) {
    g_autoptr (GObject) item = g_list_model_get_item (rows, i);

    if (self->kind->get_id (item) != ((PterisHit *) hits->pdata[i])->owner)
      return FALSE;
  }
  return TRUE;
}

static void
fill_rows (PterisHistoryList *self, GPtrArray *hits)
{
  g_list_store_remove_all (self->found);
  for (guint i = 0; i < hits->len; i++) {
    gpointer item = self->kind->find (self->history, ((PterisHit *) hits->pdata[i])->owner);

    if (item != NULL)
      g_list_store_append (self->found, item);
  }
}

static void
on_found (GObject *source, GAsyncResult *result, gpointer user_data)
{
  PterisHistoryList *self = PTERIS_HISTORY_LIST (source);
  const Search *search = g_task_get_task_data (G_TASK (result));
  g_autoptr (GPtrArray) hits = g_task_propagate_pointer (G_TASK (result), NULL);

  if (hits == NULL || self->found == NULL || (self->by_meaning && search->vector == NULL))
    return; /* another search has begun, or the list is disposed of */
  self->by_meaning = search->vector != NULL;
  g_clear_pointer (&self->found_hits, g_ptr_array_unref);
  self->found_hits = g_ptr_array_ref (hits);
  /* Equal rows keep their scroll position. */
  if (!has_rows_of (self, hits))
    fill_rows (self, hits);
  show (self, self->hits);
}

/* @vector: taken; or NULL. */
static void
begin_search (PterisHistoryList *self, const char *query, PterisQueryVector *vector)
{
  Search *search = g_new0 (Search, 1);
  g_autoptr (GTask) task = g_task_new (self, self->searching, on_found, NULL);

  search->stored_as = self->kind->stored_as;
  search->query = g_strdup (query);
  search->vector = vector;
  g_task_set_source_tag (task, search_in_thread);
  g_task_set_task_data (task, search, (GDestroyNotify) search_free);
  g_task_run_in_thread (task, search_in_thread);
}

typedef struct {
  PterisHistoryList *list;
  GCancellable *cancellable; /* of the search */
} Question;

static void
on_vector (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Question *question = user_data;
  PterisHistoryList *self = question->list;
  PterisQueryVector *vector = pteris_query_source_ask_finish (PTERIS_QUERY_SOURCE (source), result);

  if (vector != NULL && self->searching == question->cancellable && self->found != NULL)
    begin_search (self, gtk_editable_get_text (GTK_EDITABLE (self->search)), vector);
  else
    pteris_query_vector_free (vector);
  g_object_unref (question->cancellable);
  g_object_unref (self);
  g_free (question);
}

static void
ask_for_vector (PterisHistoryList *self, const char *query)
{
  Question *question = g_new (Question, 1);

  *question = (Question){ g_object_ref (self), g_object_ref (self->searching) };
  pteris_query_source_ask_async (self->source, query, self->searching, on_vector, question);
}

static void
update_note (PterisHistoryList *self)
{
  gboolean searches = gtk_editable_get_text (GTK_EDITABLE (self->search))[0] != '\0';
  g_autofree char *note =
      searches && self->source != NULL ? pteris_query_source_describe (self->source) : NULL;

  gtk_label_set_label (self->note, note != NULL ? note : "");
  gtk_widget_set_visible (GTK_WIDGET (self->note), note != NULL);
}

/* When the source has become complete, the present query may find more. */
static void
on_source_changed (PterisHistoryList *self)
{
  gboolean was_incomplete = gtk_widget_get_visible (GTK_WIDGET (self->note));

  update_note (self);
  if (was_incomplete && !gtk_widget_get_visible (GTK_WIDGET (self->note)) &&
      self->searching != NULL)
    ask_for_vector (self, gtk_editable_get_text (GTK_EDITABLE (self->search)));
}

static void
on_search_changed (PterisHistoryList *self)
{
  const char *query = gtk_editable_get_text (GTK_EDITABLE (self->search));

  g_cancellable_cancel (self->searching);
  g_clear_object (&self->searching);
  self->by_meaning = FALSE;
  update_note (self);
  if (query[0] == '\0') {
    show (self, self->all);
    return;
  }
  self->searching = g_cancellable_new ();
  begin_search (self, query, NULL);
  if (self->source != NULL)
    ask_for_vector (self, query);
}

static void
on_stop_search (PterisHistoryList *self)
{
  gtk_editable_set_text (GTK_EDITABLE (self->search), "");
}

static void
on_items_changed (PterisHistoryList *self)
{
  if (gtk_list_view_get_model (self->view) == GTK_SELECTION_MODEL (self->hits))
    on_search_changed (self);
  else
    show (self, self->all);
}

/* ---- public functions ---- */

static void
set_texts (PterisHistoryList *self)
{
  g_object_set (self->search, "placeholder-text", _ (self->kind->search), NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->search), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ (self->kind->search_label), -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ (self->kind->name), -1);
  gtk_label_set_label (self->empty, _ (self->kind->empty));
  gtk_label_set_label (self->nothing, _ (self->kind->nothing));
}

void
pteris_history_list_bind (PterisHistoryList *self, const PterisHistoryKind *kind,
                          GListModel *history)
{
  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();

  self->kind = kind;
  self->history = g_object_ref (history);
  self->all = gtk_no_selection_new (g_object_ref (history));
  set_texts (self);
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), self);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), self);
  g_signal_connect (factory, "unbind", G_CALLBACK (on_unbind), self);
  gtk_list_view_set_factory (self->view, factory);
  g_signal_connect_object (history, "items-changed", G_CALLBACK (on_items_changed), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  show (self, self->all);
}

void
pteris_history_list_set_source (PterisHistoryList *self, PterisQuerySource *source)
{
  self->source = g_object_ref (source);
  g_signal_connect_object (source, "changed", G_CALLBACK (on_source_changed), self,
                           G_CONNECT_SWAPPED);
}

/* A list keeps its scroll position when rows are inserted above; the current row must stay visible.
 */
static gboolean
scroll_to_current (gpointer user_data)
{
  PterisHistoryList *self = user_data;
  GListModel *model = G_LIST_MODEL (gtk_list_view_get_model (self->view));
  guint n = model != NULL ? g_list_model_get_n_items (model) : 0;

  for (guint i = 0; i < n; i++) {
    g_autoptr (GObject) item = g_list_model_get_item (model, i);

    if (self->current != NULL && item == self->current)
      gtk_widget_activate_action (GTK_WIDGET (self->view), "list.scroll-to-item", "u", i);
  }
  return G_SOURCE_REMOVE;
}

void
pteris_history_list_set_current (PterisHistoryList *self, gpointer item)
{
  if (!g_set_object (&self->current, item))
    return;
  update_rows (self);
  if (item != NULL)
    g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, scroll_to_current, g_object_ref (self),
                     g_object_unref);
}

void
pteris_history_list_rename (PterisHistoryList *self, gpointer item)
{
  for (guint i = 0; i < self->rows->len; i++)
    if (gtk_list_item_get_item (self->rows->pdata[i]) == item)
      pteris_history_row_rename (
          PTERIS_HISTORY_ROW (gtk_list_item_get_child (self->rows->pdata[i])));
}

void
pteris_history_list_search (PterisHistoryList *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self->search));
}

/* ---- the widget ---- */

static void
pteris_history_list_dispose (GObject *object)
{
  PterisHistoryList *self = PTERIS_HISTORY_LIST (object);

  g_cancellable_cancel (self->searching);
  g_clear_object (&self->searching);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_HISTORY_LIST);
  g_clear_object (&self->all);
  g_clear_object (&self->hits);
  g_clear_object (&self->found);
  g_clear_object (&self->source);
  g_clear_pointer (&self->found_hits, g_ptr_array_unref);
  g_clear_object (&self->history);
  g_clear_object (&self->current);
  G_OBJECT_CLASS (pteris_history_list_parent_class)->dispose (object);
}

static void
pteris_history_list_finalize (GObject *object)
{
  g_ptr_array_unref (PTERIS_HISTORY_LIST (object)->rows);
  G_OBJECT_CLASS (pteris_history_list_parent_class)->finalize (object);
}

static void
pteris_history_list_class_init (PterisHistoryListClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_history_list_dispose;
  G_OBJECT_CLASS (klass)->finalize = pteris_history_list_finalize;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/history-list.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisHistoryList, content);
  gtk_widget_class_bind_template_child (widget_class, PterisHistoryList, search);
  gtk_widget_class_bind_template_child (widget_class, PterisHistoryList, stack);
  gtk_widget_class_bind_template_child (widget_class, PterisHistoryList, empty);
  gtk_widget_class_bind_template_child (widget_class, PterisHistoryList, nothing);
  gtk_widget_class_bind_template_child (widget_class, PterisHistoryList, note);
  gtk_widget_class_bind_template_child (widget_class, PterisHistoryList, view);
  gtk_widget_class_bind_template_callback (widget_class, on_search_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_stop_search);
  gtk_widget_class_bind_template_callback (widget_class, on_activate);
}

static void
pteris_history_list_init (PterisHistoryList *self)
{
  self->rows = g_ptr_array_new ();
  self->found = g_list_store_new (G_TYPE_OBJECT);
  self->hits = gtk_no_selection_new (g_object_ref (G_LIST_MODEL (self->found)));
  gtk_widget_init_template (GTK_WIDGET (self));
}
