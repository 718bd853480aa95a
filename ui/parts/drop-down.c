/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/parts/drop-down.h"

static void
on_setup (GtkListItemFactory *factory, GtkListItem *item)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_list_item_set_child (item, label);
}

static void
on_bind (GtkListItemFactory *factory, GtkListItem *item)
{
  GtkStringObject *text = GTK_STRING_OBJECT (gtk_list_item_get_item (item));

  gtk_label_set_text (GTK_LABEL (gtk_list_item_get_child (item)),
                      gtk_string_object_get_string (text));
}

void
pteris_drop_down_ellipsize (GtkDropDown *drop_down)
{
  g_autoptr (GtkListItemFactory) usual = g_object_ref (gtk_drop_down_get_factory (drop_down));
  g_autoptr (GtkListItemFactory) narrow = gtk_signal_list_item_factory_new ();

  g_signal_connect (narrow, "setup", G_CALLBACK (on_setup), NULL);
  g_signal_connect (narrow, "bind", G_CALLBACK (on_bind), NULL);
  gtk_drop_down_set_factory (drop_down, narrow);
  gtk_drop_down_set_list_factory (drop_down, usual);
}
