/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/models/model-row.h"

struct _PterisModelRow {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkImage *icon;
  GtkLabel *title;
  GtkLabel *description;
  GtkLabel *missing;
  GtkStack *state;
  GtkSpinner *spinner;

  PterisModel *model;
  PterisEngines *engines;
};

G_DEFINE_FINAL_TYPE (PterisModelRow, pteris_model_row, GTK_TYPE_WIDGET)

static void
update_state (PterisModelRow *self)
{
  PterisEngineClient *client = pteris_engines_get_for (self->engines, self->model);
  PterisModel *current = pteris_engine_client_get_model (client);
  PterisModelState state = pteris_engine_client_get_state (client);
  const char *page = "none";

  if (self->model == NULL)
    return;
  if (pteris_model_equal (current, self->model))
    page = state == PTERIS_MODEL_LOADING  ? "loading"
           : state == PTERIS_MODEL_READY  ? "ready"
           : state == PTERIS_MODEL_FAILED ? "failed"
                                          : "none";
  gtk_stack_set_visible_child_name (self->state, page);
  gtk_spinner_set_spinning (self->spinner, g_str_equal (page, "loading"));
}

void
pteris_model_row_set_model (PterisModelRow *self, PterisModel *model)
{
  const PtModelInfo *info;
  g_autofree char *description = NULL;
  g_autofree char *path = NULL;

  g_set_object (&self->model, model);
  if (model == NULL)
    return;
  info = pteris_model_get_info (model);
  description = pteris_model_describe (model);
  gtk_image_set_from_icon_name (self->icon, pteris_task_icon (pteris_model_get_task (model)));
  gtk_label_set_text (self->title, info->title);
  gtk_label_set_text (self->description, description);
  gtk_label_set_text (self->missing, info->missing != NULL ? info->missing : "");
  gtk_widget_set_visible (GTK_WIDGET (self->missing), info->missing != NULL);
  path = g_filename_display_name (info->path);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self), path);
  update_state (self);
}

PterisModelRow *
pteris_model_row_new (PterisEngines *engines)
{
  PterisModelRow *self = g_object_new (PTERIS_TYPE_MODEL_ROW, NULL);

  self->engines = g_object_ref (engines);
  g_signal_connect_object (engines, "changed", G_CALLBACK (update_state), self, G_CONNECT_SWAPPED);
  return self;
}

static void
pteris_model_row_dispose (GObject *object)
{
  PterisModelRow *self = PTERIS_MODEL_ROW (object);

  g_clear_object (&self->model);
  g_clear_object (&self->engines);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_MODEL_ROW);
  G_OBJECT_CLASS (pteris_model_row_parent_class)->dispose (object);
}

static void
pteris_model_row_class_init (PterisModelRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_model_row_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/pteris/Pteris/ui/model-row.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisModelRow, content);
  gtk_widget_class_bind_template_child (widget_class, PterisModelRow, icon);
  gtk_widget_class_bind_template_child (widget_class, PterisModelRow, title);
  gtk_widget_class_bind_template_child (widget_class, PterisModelRow, description);
  gtk_widget_class_bind_template_child (widget_class, PterisModelRow, missing);
  gtk_widget_class_bind_template_child (widget_class, PterisModelRow, state);
  gtk_widget_class_bind_template_child (widget_class, PterisModelRow, spinner);
}

static void
pteris_model_row_init (PterisModelRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
