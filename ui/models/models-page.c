/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/models/models-page.h"

#include <adwaita.h>

#include "ui/parts/drop-down.h"
#include "ui/i18n.h"
#include "ui/machine/machine-watch.h"
#include "ui/models/model-card.h"
#include "ui/models/model-text.h"
#include "ui/models/starter-card.h"

/* A grid creates widgets for many rows, visible or not, and cards are large: so it gets only the
 * first models, and more when the view is scrolled near the end. */
#define CARDS_AT_ONCE 6

typedef enum {
  SHOW_ALL,
  SHOW_CHAT,
  SHOW_SPEECH,
  SHOW_PICTURES,
  SHOW_PROGRAMS,
  SHOW_RUNNING_HERE,
} Show;
typedef enum { SORT_KIND, SORT_NAME, SORT_SIZE } Sort;

struct _PterisModelsPage {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkSearchEntry *search;
  GtkDropDown *show;
  GtkDropDown *sort;
  GtkLabel *count;
  GtkStack *stack;
  GtkScrolledWindow *scroller;
  GtkGridView *view;
  PterisStarterCard *starter_card;
  GtkWidget *getting; /* the card for the starter models, while the library has others */
  PterisStarterCard *getting_card;

  PterisEngines *engines;
  PterisLibrary *library;
  PterisMachine *machine;
  PterisStarter *starter;
  GtkFilter *filter;
  GtkSorter *sorter;
  GListModel *shown;
  GtkSliceListModel *begin; /* of it: what the view has */
  guint growing;            /* idle source */
};

G_DEFINE_FINAL_TYPE (PterisModelsPage, pteris_models_page, GTK_TYPE_WIDGET)

/* ---- filter and order ---- */

static gboolean
holds_text (const char *text, const char *folded)
{
  g_autofree char *other = text != NULL ? g_utf8_casefold (text, -1) : NULL;

  return other != NULL && strstr (other, folded) != NULL;
}

static gboolean
is_found (PterisModelsPage *self, PterisModel *model)
{
  const PtModelInfo *info = pteris_model_get_info (model);
  g_autofree char *text = g_utf8_casefold (gtk_editable_get_text (GTK_EDITABLE (self->search)), -1);
  g_autofree char *facts = NULL;
  g_autofree char *path = NULL;

  if (*text == '\0' || holds_text (info->title, text) || holds_text (info->license, text))
    return TRUE;
  facts = pteris_model_facts (model);
  path = g_filename_display_name (info->path);
  return holds_text (facts, text) || holds_text (path, text);
}

static gboolean
runs_here (PterisModelsPage *self, PterisModel *model)
{
  g_autofree char *text = NULL;

  return pteris_model_judge (model, pteris_machine_get_memory (self->machine), &text) <
         PTERIS_VERDICT_NOT_NOW;
}

static gboolean
is_shown (gpointer item, gpointer user_data)
{
  PterisModelsPage *self = user_data;
  PterisModel *model = item;
  gboolean fits = TRUE;

  switch ((Show) gtk_drop_down_get_selected (self->show)) {
  case SHOW_ALL: break;
  case SHOW_CHAT: fits = pteris_model_get_task (model) == PTERIS_TASK_CHAT; break;
  case SHOW_SPEECH: fits = pteris_model_get_task (model) == PTERIS_TASK_TRANSCRIBE; break;
  case SHOW_PICTURES: fits = pteris_model_get_task (model) == PTERIS_TASK_LOOK; break;
  case SHOW_PROGRAMS: fits = pteris_model_get_task (model) == PTERIS_TASK_OTHER; break;
  case SHOW_RUNNING_HERE: fits = runs_here (self, model); break;
  }
  return fits && is_found (self, model);
}

static int
compare_titles (const char *a, const char *b)
{
  g_autofree char *one = g_utf8_casefold (a, -1);
  g_autofree char *two = g_utf8_casefold (b, -1);

  return g_utf8_collate (one, two);
}

static int
compare (gconstpointer a, gconstpointer b, gpointer user_data)
{
  PterisModelsPage *self = user_data;
  PterisModel *x = (gpointer) a, *y = (gpointer) b;
  const PtModelInfo *one = pteris_model_get_info (x), *two = pteris_model_get_info (y);
  Sort sort = gtk_drop_down_get_selected (self->sort);

  if (sort == SORT_SIZE && one->bytes != two->bytes)
    return one->bytes > two->bytes ? -1 : 1;
  if (sort == SORT_KIND && pteris_model_get_task (x) != pteris_model_get_task (y))
    return pteris_model_get_task (x) < pteris_model_get_task (y) ? -1 : 1;
  return compare_titles (one->title, two->title);
}

/* ---- contents of the page ---- */

static void
update (PterisModelsPage *self)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->library));
  guint n_shown = g_list_model_get_n_items (self->shown);
  gboolean getting =
      pteris_starter_is_running (self->starter) || pteris_starter_get_error (self->starter) != NULL;
  g_autofree char *count = NULL;
  const char *page = "models";

  if (n == 0)
    page = pteris_library_is_ready (self->library) ? "empty" : "looking";
  else if (n_shown == 0)
    page = "none";
  gtk_stack_set_visible_child_name (self->stack, page);
  gtk_widget_set_visible (self->getting, getting && n > 0);
  if (n_shown == n)
    count = g_strdup_printf (ngettext ("%u model", "%u models", n), n);
  else
    count = g_strdup_printf (_ ("%u of %u models"), n_shown, n);
  gtk_label_set_text (self->count, count);
}

static gboolean
grow (gpointer user_data)
{
  PterisModelsPage *self = user_data;

  self->growing = 0;
  gtk_slice_list_model_set_size (self->begin,
                                 gtk_slice_list_model_get_size (self->begin) + CARDS_AT_ONCE);
  return G_SOURCE_REMOVE;
}

/* Always one screen ahead. */
static void
on_scrolled (PterisModelsPage *self)
{
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (self->scroller);
  double page = gtk_adjustment_get_page_size (adjustment);
  double left =
      gtk_adjustment_get_upper (adjustment) - gtk_adjustment_get_value (adjustment) - page;

  if (self->shown == NULL || self->growing != 0 || left > page ||
      gtk_slice_list_model_get_size (self->begin) >= g_list_model_get_n_items (self->shown))
    return;
  self->growing = g_idle_add (grow, self);
}

static void
start_over (PterisModelsPage *self)
{
  g_clear_handle_id (&self->growing, g_source_remove);
  gtk_slice_list_model_set_size (self->begin, CARDS_AT_ONCE);
}

static void
on_filter_changed (PterisModelsPage *self)
{
  if (self->shown == NULL)
    return;
  start_over (self);
  gtk_filter_changed (self->filter, GTK_FILTER_CHANGE_DIFFERENT);
}

static void
on_sort_changed (PterisModelsPage *self)
{
  if (self->shown == NULL)
    return;
  start_over (self);
  gtk_sorter_changed (self->sorter, GTK_SORTER_CHANGE_DIFFERENT);
}

/* ---- cards ---- */

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item, PterisModelsPage *self)
{
  gtk_list_item_set_activatable (item, FALSE);
  gtk_list_item_set_selectable (item, FALSE);
  gtk_list_item_set_child (item, GTK_WIDGET (pteris_model_card_new (self->engines, self->machine)));
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *item, PterisModelsPage *self)
{
  pteris_model_card_set_model (PTERIS_MODEL_CARD (gtk_list_item_get_child (item)),
                               gtk_list_item_get_item (item));
}

static void
on_unbind (GtkSignalListItemFactory *factory, GtkListItem *item, PterisModelsPage *self)
{
  pteris_model_card_set_model (PTERIS_MODEL_CARD (gtk_list_item_get_child (item)), NULL);
}

static void
make_list (PterisModelsPage *self)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkFilterListModel *filtered;
  GtkSortListModel *sorted;
  g_autoptr (GtkNoSelection) selection = NULL;

  self->filter = GTK_FILTER (gtk_custom_filter_new (is_shown, self, NULL));
  self->sorter = GTK_SORTER (gtk_custom_sorter_new (compare, self, NULL));
  filtered = gtk_filter_list_model_new (G_LIST_MODEL (g_object_ref (self->library)),
                                        g_object_ref (self->filter));
  sorted = gtk_sort_list_model_new (G_LIST_MODEL (filtered), g_object_ref (self->sorter));
  self->shown = G_LIST_MODEL (sorted);
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), self);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), self);
  g_signal_connect (factory, "unbind", G_CALLBACK (on_unbind), self);
  self->begin = gtk_slice_list_model_new (g_object_ref (self->shown), 0, CARDS_AT_ONCE);
  selection = gtk_no_selection_new (G_LIST_MODEL (g_object_ref (self->begin)));
  gtk_grid_view_set_factory (self->view, factory);
  gtk_grid_view_set_model (self->view, GTK_SELECTION_MODEL (selection));
  g_object_unref (factory);
  g_signal_connect_object (gtk_scrolled_window_get_vadjustment (self->scroller), "value-changed",
                           G_CALLBACK (on_scrolled), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (gtk_scrolled_window_get_vadjustment (self->scroller), "changed",
                           G_CALLBACK (on_scrolled), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->shown, "items-changed", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
}

void
pteris_models_page_bind (PterisModelsPage *self, PterisEngines *engines, PterisLibrary *library,
                         PterisMachine *machine, PterisStarter *starter)
{
  g_set_object (&self->engines, engines);
  g_set_object (&self->library, library);
  g_set_object (&self->machine, machine);
  g_set_object (&self->starter, starter);
  pteris_starter_card_set_starter (self->starter_card, starter);
  pteris_starter_card_set_starter (self->getting_card, starter);
  pteris_machine_watch_for (machine, PTERIS_PACE_CALM, GTK_WIDGET (self));
  make_list (self);
  g_signal_connect_object (library, "scanned", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (starter, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
}

void
pteris_models_page_focus (PterisModelsPage *self)
{
  gtk_widget_grab_focus (GTK_WIDGET (self->search));
}

GListModel *
pteris_models_page_get_shown (PterisModelsPage *self)
{
  return self->shown;
}

static void
find (GtkWidget *widget, const char *action, GVariant *parameter)
{
  pteris_models_page_focus (PTERIS_MODELS_PAGE (widget));
}

/* ---- life ---- */

static void
pteris_models_page_dispose (GObject *object)
{
  PterisModelsPage *self = PTERIS_MODELS_PAGE (object);

  if (self->view != NULL)
    gtk_grid_view_set_model (self->view, NULL);
  g_clear_handle_id (&self->growing, g_source_remove);
  g_clear_object (&self->begin);
  g_clear_object (&self->shown);
  g_clear_object (&self->filter);
  g_clear_object (&self->sorter);
  g_clear_object (&self->engines);
  g_clear_object (&self->library);
  g_clear_object (&self->machine);
  g_clear_object (&self->starter);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_MODELS_PAGE);
  G_OBJECT_CLASS (pteris_models_page_parent_class)->dispose (object);
}

static void
pteris_models_page_class_init (PterisModelsPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_models_page_dispose;
  g_type_ensure (PTERIS_TYPE_STARTER_CARD);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/models-page.ui");
#define CHILD(name) gtk_widget_class_bind_template_child (widget_class, PterisModelsPage, name)
  CHILD (content);
  CHILD (search);
  CHILD (show);
  CHILD (sort);
  CHILD (count);
  CHILD (stack);
  CHILD (scroller);
  CHILD (view);
  CHILD (starter_card);
  CHILD (getting);
  CHILD (getting_card);
#undef CHILD
  gtk_widget_class_install_action (widget_class, "page.find", NULL, find);
  gtk_widget_class_bind_template_callback (widget_class, on_filter_changed);
  gtk_widget_class_bind_template_callback (widget_class, on_sort_changed);
}

static void
pteris_models_page_init (PterisModelsPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  pteris_drop_down_ellipsize (self->show);
  pteris_drop_down_ellipsize (self->sort);
}
