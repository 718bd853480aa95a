/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/run/inspect-page.h"

#include <adwaita.h>

#include "ui/parts/error-card.h"
#include "ui/run/inspect-row.h"
#include "ui/run/inspect-tree.h"
#include "ui/i18n.h"
#include "ui/run/run-panel.h"

struct _PterisInspectPage {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkDropDown *models;
  GtkLabel *path_label;
  GtkWidget *tools;
  GtkToggleButton *show_content, *show_run;
  GtkSearchEntry *search;
  GtkWidget *copy;
  GtkStack *stack;
  GtkListView *view;
  PterisErrorCard *error;
  PterisRunPanel *run_panel;

  PterisEngineClient *client;
  PterisLibrary *library;
  GtkStringList *prompt; /* the row in front of the library while none of its models is open */
  GPtrArray *items;
  GtkTreeListModel *tree; /* all of them, folded as the reader left them */
  char *path;
  PtInspectReport *report;
  GCancellable *reading;
  gboolean runs;
  gboolean choosing; /* the drop-down is being set from here */
};

G_DEFINE_FINAL_TYPE (PterisInspectPage, pteris_inspect_page, GTK_TYPE_WIDGET)

/* ---- what is shown ---- */

/* A model that is new to the view is shown from its beginning. */
static void
show_tree (PterisInspectPage *self, GtkTreeListModel *tree)
{
  g_autoptr (GtkNoSelection) selection = NULL;

  if (tree != NULL)
    selection = gtk_no_selection_new (G_LIST_MODEL (g_object_ref (tree)));
  gtk_list_view_set_model (self->view, GTK_SELECTION_MODEL (selection));
}

static void
show_content (PterisInspectPage *self)
{
  const char *text = gtk_editable_get_text (GTK_EDITABLE (self->search));
  g_autoptr (GPtrArray) found = NULL;
  g_autoptr (GtkTreeListModel) tree = NULL;

  if (self->items == NULL || *text == '\0') {
    show_tree (self, self->tree);
    return;
  }
  found = pteris_inspect_items_search (self->items, text);
  tree = pteris_inspect_tree_new (found, TRUE);
  show_tree (self, tree);
}

static void
update (PterisInspectPage *self)
{
  gboolean read = self->items != NULL;
  gboolean runs = gtk_toggle_button_get_active (self->show_run);
  const char *page = "nothing";

  if (self->reading != NULL)
    page = "reading";
  else if (read)
    page = runs ? "run" : "content";
  else if (self->path != NULL)
    page = "failed";
  gtk_stack_set_visible_child_name (self->stack, page);
  gtk_widget_set_visible (GTK_WIDGET (self->path_label), self->path != NULL);
  gtk_widget_set_visible (self->tools, self->path != NULL);
  gtk_widget_set_sensitive (GTK_WIDGET (self->show_content), read);
  gtk_widget_set_sensitive (GTK_WIDGET (self->show_run), read);
  gtk_widget_set_visible (GTK_WIDGET (self->search), read && !runs);
  gtk_widget_set_visible (self->copy, read && !runs);
}

/* ---- reading, in a thread ---- */

typedef struct {
  char *path;
  char **data;
  char *tokenizer; /* that was chosen for it; NULL: the one beside it */
  PtInspectReport *report;
  GPtrArray *items;
} Reading;

static void
reading_free (Reading *reading)
{
  g_free (reading->path);
  g_strfreev (reading->data);
  g_free (reading->tokenizer);
  pt_inspect_report_unref (reading->report);
  g_clear_pointer (&reading->items, g_ptr_array_unref);
  g_free (reading);
}

static void
read_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  Reading *reading = task_data;
  PtModelOptions options = { 0 };
  GError *error = NULL;

  options.path = reading->path;
  options.data = (const char *const *) reading->data;
  options.tokenizer = reading->tokenizer;
  reading->report = pt_inspect_read_model (&options, &error);
  if (reading->report == NULL) {
    g_task_return_error (task, error);
    return;
  }
  reading->items = pteris_inspect_items_read (reading->report);
  g_task_return_boolean (task, TRUE);
}

static void
on_read (GObject *source, GAsyncResult *result, gpointer user_data)
{
  PterisInspectPage *self = PTERIS_INSPECT_PAGE (source);
  Reading *reading = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;

  if (!g_task_propagate_boolean (G_TASK (result), &error)) {
    if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
      return;
    pteris_error_card_set (self->error,
                           error->domain == PT_ERROR ? (PtError) error->code : PT_ERROR_FILE,
                           error->message, NULL, reading->path);
  } else {
    self->report = g_steal_pointer (&reading->report);
    self->items = g_steal_pointer (&reading->items);
    self->tree = pteris_inspect_tree_new (self->items, FALSE);
    pteris_run_panel_set_program (self->run_panel, reading->path,
                                  (const char *const *) reading->data, self->report);
    gtk_toggle_button_set_active (self->runs ? self->show_run : self->show_content, TRUE);
  }
  g_clear_object (&self->reading);
  show_content (self);
  update (self);
}

static guint
find_in_library (PterisInspectPage *self, PterisModel *model)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->library));

  for (guint i = 0; i < n; i++) {
    g_autoptr (PterisModel) other = g_list_model_get_item (G_LIST_MODEL (self->library), i);

    if (other == model)
      return i;
  }
  return GTK_INVALID_LIST_POSITION;
}

/* The row in front says @text; NULL: there is none. */
static void
set_prompt (PterisInspectPage *self, const char *text)
{
  const char *const texts[] = { text, NULL };

  gtk_string_list_splice (self->prompt, 0, g_list_model_get_n_items (G_LIST_MODEL (self->prompt)),
                          texts);
}

/* @model: NULL: none of the library is open, so the row in front names the file, or says what to
 * do. In newer versions of GTK (4.18) a drop-down always has a selected row. */
static void
choose_in_list (PterisInspectPage *self, PterisModel *model)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->prompt));
  g_autofree char *name = self->path != NULL ? g_filename_display_basename (self->path) : NULL;

  self->choosing = TRUE;
  if (model != NULL) {
    gtk_drop_down_set_selected (self->models, n + find_in_library (self, model));
    set_prompt (self, NULL);
  } else {
    set_prompt (self, name != NULL ? name : _ ("Choose a Model"));
    gtk_drop_down_set_selected (self->models, 0);
  }
  self->choosing = FALSE;
}

void
pteris_inspect_page_open (PterisInspectPage *self, const char *path, gboolean runs)
{
  PterisModel *model = pteris_library_find (self->library, path);
  Reading *reading = g_new0 (Reading, 1);
  g_autofree char *name = g_filename_display_name (path);
  g_autoptr (GTask) task = NULL;

  if (self->reading != NULL)
    g_cancellable_cancel (self->reading);
  g_clear_object (&self->reading);
  g_clear_pointer (&self->items, g_ptr_array_unref);
  g_clear_object (&self->tree);
  g_clear_pointer (&self->report, pt_inspect_report_unref);
  g_free (self->path);
  self->path = g_strdup (path);
  self->runs = runs;
  self->reading = g_cancellable_new ();
  gtk_editable_set_text (GTK_EDITABLE (self->search), "");
  gtk_label_set_text (self->path_label, name);
  choose_in_list (self, model);
  reading->path = g_strdup (path);
  if (model != NULL && pteris_model_get_info (model)->data != NULL)
    reading->data = g_strdupv (pteris_model_get_info (model)->data);
  if (model != NULL && pteris_model_get_companions (model) != NULL)
    reading->tokenizer = g_strdup (pteris_model_get_companions (model)->tokenizer);
  task = g_task_new (self, self->reading, on_read, NULL);
  g_task_set_source_tag (task, pteris_inspect_page_open);
  g_task_set_task_data (task, reading, (GDestroyNotify) reading_free);
  g_task_run_in_thread (task, read_in_thread);
  update (self);
}

const char *
pteris_inspect_page_get_path (PterisInspectPage *self)
{
  return self->path;
}

void
pteris_inspect_page_stop (PterisInspectPage *self)
{
  pteris_run_panel_stop (self->run_panel);
}

/* ---- choosing ---- */

static void
on_model_selected (PterisInspectPage *self)
{
  gpointer item = gtk_drop_down_get_selected_item (self->models);

  if (!self->choosing && PTERIS_IS_MODEL (item))
    pteris_inspect_page_open (self, pteris_model_get_info (item)->path,
                              gtk_toggle_button_get_active (self->show_run));
}

static void
on_file_chosen (GtkNativeDialog *dialog, int response, PterisInspectPage *self)
{
  g_autoptr (GFile) file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));

  if (response == GTK_RESPONSE_ACCEPT && file != NULL && g_file_peek_path (file) != NULL)
    pteris_inspect_page_open (self, g_file_peek_path (file), FALSE);
  g_object_unref (dialog);
}

static void
on_open (PterisInspectPage *self)
{
  GtkFileChooserNative *dialog = gtk_file_chooser_native_new (
      _ ("Open Model File"), GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self))),
      GTK_FILE_CHOOSER_ACTION_OPEN, _ ("_Open"), _ ("_Cancel"));
  g_autoptr (GtkFileFilter) filter = gtk_file_filter_new ();

  gtk_file_filter_set_name (filter, _ ("Model Files"));
  gtk_file_filter_add_suffix (filter, "pte");
  gtk_file_filter_add_suffix (filter, "bpte");
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (dialog), filter);
  gtk_native_dialog_set_modal (GTK_NATIVE_DIALOG (dialog), TRUE);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_file_chosen), self, 0);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (dialog));
}

/* ---- rows ---- */

static void
on_setup_model (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_list_item_set_child (item, label);
}

static void
on_bind_model (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  gpointer row = gtk_list_item_get_item (item);

  gtk_label_set_text (GTK_LABEL (gtk_list_item_get_child (item)),
                      PTERIS_IS_MODEL (row) ? pteris_model_get_info (row)->title
                                            : gtk_string_object_get_string (row));
}

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  GtkWidget *expander = gtk_tree_expander_new ();

  gtk_tree_expander_set_child (GTK_TREE_EXPANDER (expander),
                               GTK_WIDGET (pteris_inspect_row_new ()));
  gtk_list_item_set_child (item, expander);
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *item)
{
  GtkTreeExpander *expander = GTK_TREE_EXPANDER (gtk_list_item_get_child (item));
  GtkTreeListRow *row = gtk_list_item_get_item (item);
  g_autoptr (PterisInspectItem) entry = gtk_tree_list_row_get_item (row);

  gtk_tree_expander_set_list_row (expander, row);
  pteris_inspect_row_set_item (PTERIS_INSPECT_ROW (gtk_tree_expander_get_child (expander)), entry);
  /* In newer versions of GTK it is a button, which has no name otherwise. */
  gtk_accessible_update_property (GTK_ACCESSIBLE (expander), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  pteris_inspect_item_get_name (entry), -1);
  gtk_list_item_set_activatable (item, gtk_tree_list_row_is_expandable (row));
}

static void
on_activated (PterisInspectPage *self, guint position)
{
  g_autoptr (GtkTreeListRow) row =
      g_list_model_get_item (G_LIST_MODEL (gtk_list_view_get_model (self->view)), position);

  if (row != NULL)
    gtk_tree_list_row_set_expanded (row, !gtk_tree_list_row_get_expanded (row));
}

static void
make_lists (PterisInspectPage *self)
{
  g_autoptr (GtkListItemFactory) items = gtk_signal_list_item_factory_new ();
  g_autoptr (GtkListItemFactory) models = gtk_signal_list_item_factory_new ();

  g_signal_connect (items, "setup", G_CALLBACK (on_setup), NULL);
  g_signal_connect (items, "bind", G_CALLBACK (on_bind), NULL);
  gtk_list_view_set_factory (self->view, items);
  g_signal_connect (models, "setup", G_CALLBACK (on_setup_model), NULL);
  g_signal_connect (models, "bind", G_CALLBACK (on_bind_model), NULL);
  gtk_drop_down_set_factory (self->models, models);
  self->prompt = gtk_string_list_new (NULL);
}

/* ---- actions ---- */

static void
copy (PterisInspectPage *self, const char *text)
{
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), text);
}

static void
copy_text (GtkWidget *widget, const char *action, GVariant *parameter)
{
  PterisInspectPage *self = PTERIS_INSPECT_PAGE (widget);
  g_autofree char *text = self->items != NULL ? pteris_inspect_items_write (self->items) : NULL;

  if (text != NULL)
    copy (self, text);
}

static void
copy_json (GtkWidget *widget, const char *action, GVariant *parameter)
{
  PterisInspectPage *self = PTERIS_INSPECT_PAGE (widget);

  g_autofree char *text = self->report != NULL ? pt_inspect_report_to_json (self->report) : NULL;

  if (text != NULL)
    copy (self, text);
}

void
pteris_inspect_page_focus (PterisInspectPage *self)
{
  gtk_widget_grab_focus (gtk_widget_get_mapped (GTK_WIDGET (self->search))
                             ? GTK_WIDGET (self->search)
                             : GTK_WIDGET (self->models));
}

static void
find (GtkWidget *widget, const char *action, GVariant *parameter)
{
  pteris_inspect_page_focus (PTERIS_INSPECT_PAGE (widget));
}

/* A drop-down makes a row for each of 200 models at once: not before they can be chosen. */
static void
on_map (PterisInspectPage *self)
{
  g_autoptr (GListStore) parts = NULL;
  g_autoptr (GtkFlattenListModel) rows = NULL;

  if (gtk_drop_down_get_model (self->models) != NULL || self->library == NULL)
    return;
  parts = g_list_store_new (G_TYPE_LIST_MODEL);
  g_list_store_append (parts, self->prompt);
  g_list_store_append (parts, self->library);
  rows = gtk_flatten_list_model_new (G_LIST_MODEL (g_steal_pointer (&parts)));
  self->choosing = TRUE;
  gtk_drop_down_set_model (self->models, G_LIST_MODEL (rows));
  self->choosing = FALSE;
  choose_in_list (self,
                  self->path != NULL ? pteris_library_find (self->library, self->path) : NULL);
}

/* ---- life ---- */

void
pteris_inspect_page_bind (PterisInspectPage *self, PterisEngineClient *client,
                          PterisLibrary *library)
{
  g_set_object (&self->client, client);
  g_set_object (&self->library, library);
  pteris_run_panel_bind (self->run_panel, client);
  update (self);
}

static void
pteris_inspect_page_dispose (GObject *object)
{
  PterisInspectPage *self = PTERIS_INSPECT_PAGE (object);

  if (self->reading != NULL)
    g_cancellable_cancel (self->reading);
  g_clear_object (&self->reading);
  g_clear_object (&self->client);
  g_clear_object (&self->library);
  g_clear_object (&self->prompt);
  g_clear_object (&self->tree);
  g_clear_pointer (&self->items, g_ptr_array_unref);
  g_clear_pointer (&self->path, g_free);
  g_clear_pointer (&self->report, pt_inspect_report_unref);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_INSPECT_PAGE);
  G_OBJECT_CLASS (pteris_inspect_page_parent_class)->dispose (object);
}

static void
pteris_inspect_page_class_init (PterisInspectPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_inspect_page_dispose;
  g_type_ensure (PTERIS_TYPE_ERROR_CARD);
  g_type_ensure (PTERIS_TYPE_RUN_PANEL);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/inspect-page.ui");
#define CHILD(name) gtk_widget_class_bind_template_child (widget_class, PterisInspectPage, name)
  CHILD (content);
  CHILD (models);
  CHILD (path_label);
  CHILD (tools);
  CHILD (show_content);
  CHILD (show_run);
  CHILD (search);
  CHILD (copy);
  CHILD (stack);
  CHILD (view);
  CHILD (error);
  CHILD (run_panel);
#undef CHILD
  gtk_widget_class_bind_template_callback_full (widget_class, "on_searched",
                                                G_CALLBACK (show_content));
  gtk_widget_class_bind_template_callback_full (widget_class, "on_switched", G_CALLBACK (update));
  gtk_widget_class_bind_template_callback (widget_class, on_activated);
  gtk_widget_class_bind_template_callback (widget_class, on_model_selected);
  gtk_widget_class_bind_template_callback (widget_class, on_open);
  gtk_widget_class_install_action (widget_class, "inspect.copy-text", NULL, copy_text);
  gtk_widget_class_install_action (widget_class, "inspect.copy-json", NULL, copy_json);
  gtk_widget_class_install_action (widget_class, "page.find", NULL, find);
}

static void
pteris_inspect_page_init (PterisInspectPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect (self, "map", G_CALLBACK (on_map), NULL);
  make_lists (self);
}
