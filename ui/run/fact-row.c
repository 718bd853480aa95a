/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/run/fact-row.h"

struct _PterisFactRow {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkLabel *heading;
  GtkWidget *line;
  GtkWidget *missing;
  GtkLabel *name;
  GtkLabel *value;
};

G_DEFINE_FINAL_TYPE (PterisFactRow, pteris_fact_row, GTK_TYPE_WIDGET)

void
pteris_fact_row_set_fact (PterisFactRow *self, PterisFact *fact)
{
  PterisFactKind kind = pteris_fact_get_kind (fact);
  const char *value = pteris_fact_get_value (fact);
  gboolean is_section = kind == PTERIS_FACT_SECTION;

  gtk_label_set_text (is_section ? self->heading : self->name, pteris_fact_get_name (fact));
  gtk_label_set_text (self->value, value != NULL ? value : "");
  gtk_widget_set_visible (GTK_WIDGET (self->value), value != NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->heading), is_section);
  gtk_widget_set_visible (self->line, !is_section);
  gtk_widget_set_visible (self->missing, kind == PTERIS_FACT_MISSING);
}

static void
pteris_fact_row_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_FACT_ROW);
  G_OBJECT_CLASS (pteris_fact_row_parent_class)->dispose (object);
}

static void
pteris_fact_row_class_init (PterisFactRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_fact_row_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/pteris/Pteris/ui/fact-row.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisFactRow, content);
  gtk_widget_class_bind_template_child (widget_class, PterisFactRow, heading);
  gtk_widget_class_bind_template_child (widget_class, PterisFactRow, line);
  gtk_widget_class_bind_template_child (widget_class, PterisFactRow, missing);
  gtk_widget_class_bind_template_child (widget_class, PterisFactRow, name);
  gtk_widget_class_bind_template_child (widget_class, PterisFactRow, value);
}

static void
pteris_fact_row_init (PterisFactRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

PterisFactRow *
pteris_fact_row_new (void)
{
  return g_object_new (PTERIS_TYPE_FACT_ROW, NULL);
}
