/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/pictures/picture-strip.h"

#define WIDTH 72
#define HEIGHT 54

static void
show (PterisPicture *picture, GtkListItem *item)
{
  GtkPicture *view = GTK_PICTURE (gtk_list_item_get_child (item));

  gtk_picture_set_paintable (view, GDK_PAINTABLE (pteris_picture_get_thumbnail (picture)));
}

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer user_data)
{
  GtkWidget *view = gtk_picture_new ();

  gtk_widget_set_size_request (view, WIDTH, HEIGHT);
  gtk_list_item_set_child (item, view);
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer user_data)
{
  GtkWidget *view = gtk_list_item_get_child (item);
  PterisPicture *picture = gtk_list_item_get_item (item);
  const char *title = pteris_picture_get_title (picture);

  gtk_picture_set_alternative_text (GTK_PICTURE (view), title);
  gtk_widget_set_tooltip_text (view, title);
  gtk_accessible_update_property (GTK_ACCESSIBLE (view), GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);
  g_signal_connect_object (picture, "changed", G_CALLBACK (show), item, 0);
  show (picture, item);
  if (pteris_picture_get_thumbnail (picture) == NULL)
    pteris_picture_open (picture);
}

static void
on_unbind (GtkSignalListItemFactory *factory, GtkListItem *item, gpointer user_data)
{
  g_signal_handlers_disconnect_by_func (gtk_list_item_get_item (item), show, item);
}

void
pteris_picture_strip_set_up (GtkListView *view)
{
  g_autoptr (GtkListItemFactory) factory = gtk_signal_list_item_factory_new ();

  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), NULL);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), NULL);
  g_signal_connect (factory, "unbind", G_CALLBACK (on_unbind), NULL);
  gtk_list_view_set_factory (view, factory);
}
