/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/models/model-button.h"

#include "ui/i18n.h"
#include "ui/models/model-row.h"
#include "ui/models/variant-button.h"

struct _PterisModelButton {
  GtkWidget parent_instance;

  GtkMenuButton *button;
  GtkLabel *name;
  GtkLabel *state;
  GtkPopover *popover;
  GtkWidget *scroller;
  GtkListView *list;
  GtkWidget *empty;
  GtkWidget *unload;
  PterisVariantButton *variants;

  PterisEngines *engines;
  PterisEngineClient *client; /* whose model is shown */
  PterisLibrary *library;
  GListModel *usable; /* models that a page uses */
  PterisModel *shown; /* the page's own model, which is never loaded; NULL: the loaded one */
  char *shown_state;
};

G_DEFINE_FINAL_TYPE (PterisModelButton, pteris_model_button, GTK_TYPE_WIDGET)

static char *
describe_state (PterisEngineClient *client)
{
  double progress = pteris_engine_client_get_progress (client);

  switch (pteris_engine_client_get_state (client)) {
  case PTERIS_MODEL_LOADING:
    if (pteris_engine_client_is_waiting (client))
      return g_strdup (_ ("Waiting for memory"));
    if (progress >= 0)
      return g_strdup_printf (_ ("Loading %.0f %%"), progress * 100);
    return g_strdup (_ ("Loading…"));
  case PTERIS_MODEL_READY:
    return g_strdup_printf (_ ("Ready · %s"), pteris_engine_client_get_device (client));
  case PTERIS_MODEL_FAILED: return g_strdup (_ ("Could not be loaded"));
  case PTERIS_MODEL_UNLOADED: break;
  }
  return g_strdup (_ ("Not loaded"));
}

/* Of the library's own object: the client keeps the one that was loaded. */
static void
show_variants (PterisModelButton *self, PterisModel *loaded)
{
  PterisModel *model =
      loaded != NULL ? pteris_library_find (self->library, pteris_model_get_info (loaded)->path)
                     : NULL;

  pteris_variant_button_set_model (self->variants, model != NULL ? model : loaded);
}

static void
update (PterisModelButton *self)
{
  PterisModel *loaded = pteris_engine_client_get_model (self->client);
  PterisModel *model = self->shown != NULL ? self->shown : loaded;
  PterisModelState state = pteris_engine_client_get_state (self->client);
  g_autofree char *text =
      self->shown != NULL ? g_strdup (self->shown_state) : describe_state (self->client);
  g_autofree char *label = NULL;
  const char *name = model != NULL ? pteris_model_get_info (model)->title : _ ("Choose a Model");

  gtk_label_set_text (self->name, name);
  gtk_label_set_text (self->state, text);
  gtk_widget_set_visible (GTK_WIDGET (self->state), model != NULL);
  if (state == PTERIS_MODEL_FAILED && self->shown == NULL)
    gtk_widget_add_css_class (GTK_WIDGET (self->state), "error");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self->state), "error");
  gtk_widget_set_visible (self->unload, state == PTERIS_MODEL_READY);
  show_variants (self, model);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->button),
                               self->shown == NULL ? pteris_engine_client_get_error (self->client)
                                                   : NULL);
  label = g_strdup_printf (_ ("Model: %s, %s"), name, text);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  label, -1);
}

void
pteris_model_button_show (PterisModelButton *self, PterisModel *model, const char *state)
{
  g_set_object (&self->shown, model);
  g_free (self->shown_state);
  self->shown_state = g_strdup (state);
  update (self);
}

static void
on_library_changed (PterisModelButton *self)
{
  gboolean empty = g_list_model_get_n_items (self->usable) == 0;

  gtk_widget_set_visible (self->empty, empty);
  gtk_widget_set_visible (self->scroller, !empty);
  show_variants (self, pteris_engine_client_get_model (self->client));
}

/* ---- the list ---- */

static gboolean
is_usable (gpointer item, gpointer user_data)
{
  return pteris_model_get_task (item) != PTERIS_TASK_OTHER && !pteris_model_is_away (item);
}

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item, PterisModelButton *self)
{
  gtk_list_item_set_child (item, GTK_WIDGET (pteris_model_row_new (self->engines)));
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *item, PterisModelButton *self)
{
  pteris_model_row_set_model (PTERIS_MODEL_ROW (gtk_list_item_get_child (item)),
                              gtk_list_item_get_item (item));
}

static void
make_list (PterisModelButton *self)
{
  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();

  self->usable = G_LIST_MODEL (
      gtk_filter_list_model_new (G_LIST_MODEL (g_object_ref (self->library)),
                                 GTK_FILTER (gtk_custom_filter_new (is_usable, NULL, NULL))));
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), self);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), self);
  gtk_list_view_set_factory (self->list, factory);
}

/* Sets the model when the popover is first shown, since a list view creates its rows at once. It is
 * never unset: a list view without a model loses the focus and measures the next one by a single
 * row. */
static void
on_shown (GtkWidget *popover, PterisModelButton *self)
{
  g_autoptr (GtkNoSelection) selection = NULL;

  if (gtk_list_view_get_model (self->list) != NULL)
    return;
  selection = gtk_no_selection_new (g_object_ref (self->usable));
  gtk_list_view_set_model (self->list, GTK_SELECTION_MODEL (selection));
}

static void
on_activated (GtkListView *list, guint position, PterisModelButton *self)
{
  g_autoptr (PterisModel) model = g_list_model_get_item (self->usable, position);

  gtk_popover_popdown (self->popover);
  gtk_widget_activate_action (GTK_WIDGET (self), "win.use-model", "^ay",
                              pteris_model_get_info (model)->path);
}

static void
on_button_clicked (GtkButton *button, PterisModelButton *self)
{
  gtk_popover_popdown (self->popover);
}

void
pteris_model_button_set_role (PterisModelButton *self, PterisEngineRole role)
{
  if (g_set_object (&self->client, pteris_engines_get (self->engines, role)))
    update (self);
}

void
pteris_model_button_bind (PterisModelButton *self, PterisEngines *engines, PterisLibrary *library)
{
  g_set_object (&self->engines, engines);
  g_set_object (&self->client, pteris_engines_get (engines, PTERIS_ENGINE_CHAT));
  g_set_object (&self->library, library);
  make_list (self);
  g_signal_connect_object (engines, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->usable, "items-changed", G_CALLBACK (on_library_changed), self,
                           G_CONNECT_SWAPPED);
  on_library_changed (self);
  update (self);
}

static void
pteris_model_button_dispose (GObject *object)
{
  PterisModelButton *self = PTERIS_MODEL_BUTTON (object);

  if (self->list != NULL)
    gtk_list_view_set_model (self->list, NULL);
  g_clear_object (&self->usable);
  g_clear_object (&self->shown);
  g_clear_pointer (&self->shown_state, g_free);
  g_clear_object (&self->client);
  g_clear_object (&self->engines);
  g_clear_object (&self->library);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_MODEL_BUTTON);
  G_OBJECT_CLASS (pteris_model_button_parent_class)->dispose (object);
}

static void
pteris_model_button_class_init (PterisModelButtonClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_model_button_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  g_type_ensure (PTERIS_TYPE_VARIANT_BUTTON);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/model-button.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisModelButton, button);
  gtk_widget_class_bind_template_child (widget_class, PterisModelButton, name);
  gtk_widget_class_bind_template_child (widget_class, PterisModelButton, state);
  gtk_widget_class_bind_template_child (widget_class, PterisModelButton, popover);
  gtk_widget_class_bind_template_child (widget_class, PterisModelButton, scroller);
  gtk_widget_class_bind_template_child (widget_class, PterisModelButton, list);
  gtk_widget_class_bind_template_child (widget_class, PterisModelButton, empty);
  gtk_widget_class_bind_template_child (widget_class, PterisModelButton, unload);
  gtk_widget_class_bind_template_child (widget_class, PterisModelButton, variants);
  gtk_widget_class_bind_template_callback (widget_class, on_activated);
  gtk_widget_class_bind_template_callback (widget_class, on_shown);
  gtk_widget_class_bind_template_callback (widget_class, on_button_clicked);
}

static void
pteris_model_button_init (PterisModelButton *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
