/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/parts/popovers.h"

#define DEAF "pteris-deaf"

/*
 * A popover's surface reaches over its button, shadow and all. When it is hidden with a motion
 * event due, GTK still delivers that event to it: the window then takes the pointer to be in the
 * popover, and the next click on the button goes there and is lost.
 */
static void
set_deaf (GtkWidget *popover, gboolean deaf)
{
  GdkSurface *surface = gtk_native_get_surface (GTK_NATIVE (popover));
  GSignalMatchType match = G_SIGNAL_MATCH_ID | G_SIGNAL_MATCH_DATA;
  guint id = g_signal_lookup ("event", GDK_TYPE_SURFACE);

  if (surface == NULL || deaf == (g_object_get_data (G_OBJECT (surface), DEAF) != NULL))
    return;
  if (deaf)
    g_signal_handlers_block_matched (surface, match, id, 0, NULL, NULL, popover);
  else
    g_signal_handlers_unblock_matched (surface, match, id, 0, NULL, NULL, popover);
  g_object_set_data (G_OBJECT (surface), DEAF, deaf ? popover : NULL);
}

static void
on_map (GtkWidget *popover)
{
  set_deaf (popover, FALSE);
  g_signal_chain_from_overridden_handler (popover);
}

static void
on_unmap (GtkWidget *popover)
{
  g_signal_chain_from_overridden_handler (popover);
  set_deaf (popover, TRUE);
}

static gboolean
on_query_tooltip (GtkWidget *button, int x, int y, gboolean keyboard, GtkTooltip *tooltip)
{
  GtkPopover *popover = gtk_menu_button_get_popover (GTK_MENU_BUTTON (button));
  gboolean handled = FALSE;

  if (popover != NULL && gtk_widget_get_visible (GTK_WIDGET (popover)))
    return FALSE;
  g_signal_chain_from_overridden_handler (button, x, y, keyboard, tooltip, &handled);
  return handled;
}

void
pteris_popovers_init (void)
{
  static gsize done = 0;

  if (!g_once_init_enter (&done))
    return;
  /* Signals are known once a class is; these two stay. */
  g_type_class_ref (GTK_TYPE_POPOVER);
  g_type_class_ref (GTK_TYPE_MENU_BUTTON);
  g_signal_override_class_handler ("map", GTK_TYPE_POPOVER, G_CALLBACK (on_map));
  g_signal_override_class_handler ("unmap", GTK_TYPE_POPOVER, G_CALLBACK (on_unmap));
  g_signal_override_class_handler ("query-tooltip", GTK_TYPE_MENU_BUTTON,
                                   G_CALLBACK (on_query_tooltip));
  g_once_init_leave (&done, 1);
}
