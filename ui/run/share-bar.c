/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/run/share-bar.h"

static GtkWidget *
make_label (const char *text)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_widget_add_css_class (label, "caption");
  return label;
}

GtkWidget *
pteris_share_bar_new (const char *name, const char *value, double share)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  GtkWidget *label = make_label (name);
  GtkWidget *number = make_label (value);
  GtkWidget *bar = gtk_progress_bar_new ();

  gtk_widget_set_hexpand (label, TRUE);
  gtk_label_set_xalign (GTK_LABEL (number), 1);
  gtk_label_set_wrap (GTK_LABEL (number), FALSE);
  gtk_widget_add_css_class (number, "dim-label");
  gtk_widget_add_css_class (number, "numeric");
  gtk_progress_bar_set_fraction (GTK_PROGRESS_BAR (bar), CLAMP (share, 0, 1));
  gtk_accessible_update_property (GTK_ACCESSIBLE (bar), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  gtk_box_append (GTK_BOX (line), label);
  gtk_box_append (GTK_BOX (line), number);
  gtk_box_append (GTK_BOX (box), line);
  gtk_box_append (GTK_BOX (box), bar);
  return box;
}
