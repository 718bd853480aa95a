/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/markdown/markup-label.h"

#include "ui/parts/text-menu.h"

GtkWidget *
pteris_markup_label_new (void)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_use_markup (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  gtk_label_set_selectable (GTK_LABEL (label), TRUE);
  gtk_label_set_extra_menu (GTK_LABEL (label), pteris_text_menu ());
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  return label;
}

gboolean
pteris_markup_label_set (GtkLabel *label, const char *markup)
{
  int start, end;
  gboolean selected;

  if (g_str_equal (gtk_label_get_label (label), markup))
    return FALSE;
  selected = gtk_label_get_selection_bounds (label, &start, &end);
  gtk_label_set_markup (label, markup);
  if (selected)
    gtk_label_select_region (label, start, end);
  return TRUE;
}
