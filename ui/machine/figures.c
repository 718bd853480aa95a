/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/machine/figures.h"

struct _PterisFigures {
  GtkWidget parent_instance;

  GtkFlowBox *flow;
  GHashTable *values; /* title -> its GtkLabel; both belong to the labels */
};

G_DEFINE_FINAL_TYPE (PterisFigures, pteris_figures, GTK_TYPE_WIDGET)

static GtkWidget *
add_label (GtkWidget *box, const char *text, const char *style)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_widget_add_css_class (label, style);
  gtk_box_append (GTK_BOX (box), label);
  return label;
}

static GtkLabel *
add_figure (PterisFigures *self, const char *title)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *child = gtk_flow_box_child_new ();
  GtkWidget *heading = add_label (box, title, "caption");
  GtkWidget *value = add_label (box, NULL, "numeric");

  gtk_widget_add_css_class (heading, "dim-label");
  gtk_accessible_update_relation (GTK_ACCESSIBLE (value), GTK_ACCESSIBLE_RELATION_LABELLED_BY,
                                  heading, NULL, -1);
  gtk_widget_set_focusable (child, FALSE);
  gtk_flow_box_child_set_child (GTK_FLOW_BOX_CHILD (child), box);
  gtk_flow_box_append (self->flow, child);
  g_hash_table_insert (self->values, g_strdup (title), value);
  return GTK_LABEL (value);
}

void
pteris_figures_set (PterisFigures *self, const char *title, const char *value)
{
  GtkLabel *label = g_hash_table_lookup (self->values, title);
  GtkWidget *child;

  if (label == NULL)
    label = add_figure (self, title);
  child = gtk_widget_get_ancestor (GTK_WIDGET (label), GTK_TYPE_FLOW_BOX_CHILD);
  gtk_widget_set_visible (child, value != NULL);
  gtk_label_set_text (label, value != NULL ? value : "");
}

void
pteris_figures_take (PterisFigures *self, const char *title, char *value)
{
  pteris_figures_set (self, title, value);
  g_free (value);
}

const char *
pteris_figures_get (PterisFigures *self, const char *title)
{
  GtkLabel *label = g_hash_table_lookup (self->values, title);
  const char *text = label != NULL ? gtk_label_get_text (label) : "";

  return text[0] != '\0' ? text : NULL;
}

static void
pteris_figures_dispose (GObject *object)
{
  PterisFigures *self = PTERIS_FIGURES (object);

  g_hash_table_remove_all (self->values);
  g_clear_pointer ((GtkWidget **) &self->flow, gtk_widget_unparent);
  G_OBJECT_CLASS (pteris_figures_parent_class)->dispose (object);
}

static void
pteris_figures_finalize (GObject *object)
{
  g_hash_table_unref (PTERIS_FIGURES (object)->values);
  G_OBJECT_CLASS (pteris_figures_parent_class)->finalize (object);
}

static void
pteris_figures_class_init (PterisFiguresClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = pteris_figures_dispose;
  G_OBJECT_CLASS (klass)->finalize = pteris_figures_finalize;
  gtk_widget_class_set_layout_manager_type (GTK_WIDGET_CLASS (klass), GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "figures");
}

static void
pteris_figures_init (PterisFigures *self)
{
  self->values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->flow = GTK_FLOW_BOX (gtk_flow_box_new ());
  gtk_flow_box_set_selection_mode (self->flow, GTK_SELECTION_NONE);
  gtk_flow_box_set_homogeneous (self->flow, TRUE);
  gtk_flow_box_set_min_children_per_line (self->flow, 2);
  gtk_flow_box_set_max_children_per_line (self->flow, 4);
  gtk_flow_box_set_column_spacing (self->flow, 12);
  gtk_flow_box_set_row_spacing (self->flow, 6);
  gtk_widget_set_parent (GTK_WIDGET (self->flow), GTK_WIDGET (self));
}
