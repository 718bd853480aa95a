/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/parts/popovers.h"

#define DEAF "pteris-deaf"

/*
 * A popover's surface, with its shadow, covers its button. If it is hidden while a motion event is
 * pending, GTK still delivers the event to it; the window then assumes the pointer in the popover,
 * and the next click on the button is lost. So this event is dropped.
 */
static void
set_deaf (GdkSurface *surface, GtkNative *popover, gboolean deaf)
{
  GSignalMatchType match = G_SIGNAL_MATCH_ID | G_SIGNAL_MATCH_DATA;
  guint id = g_signal_lookup ("event", GDK_TYPE_SURFACE);

  if (deaf == (g_object_get_data (G_OBJECT (surface), DEAF) != NULL))
    return;
  if (deaf)
    g_signal_handlers_block_matched (surface, match, id, 0, NULL, NULL, popover);
  else
    g_signal_handlers_unblock_matched (surface, match, id, 0, NULL, NULL, popover);
  g_object_set_data (G_OBJECT (surface), DEAF, deaf ? popover : NULL);
}

static gboolean
is_closed (GtkWidget *popover)
{
  GtkRoot *root = gtk_widget_get_root (popover);

  /* A popover ends with its window. */
  return !gtk_widget_get_mapped (popover) && root != NULL &&
         gtk_widget_get_mapped (GTK_WIDGET (root));
}

/* Runs before connected handlers. */
static gboolean
on_event (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer user_data)
{
  GdkSurface *surface = g_value_get_object (values);
  GtkNative *native = gtk_native_get_for_surface (surface);

  if (GTK_IS_POPOVER (native))
    set_deaf (surface, native,
              gdk_event_get_event_type (g_value_get_pointer (values + 1)) == GDK_MOTION_NOTIFY &&
                  is_closed (GTK_WIDGET (native)));
  return TRUE;
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
  /* A class registers its signals; these two classes are never freed. */
  g_type_class_ref (GDK_TYPE_SURFACE);
  g_type_class_ref (GTK_TYPE_MENU_BUTTON);
  g_signal_add_emission_hook (g_signal_lookup ("event", GDK_TYPE_SURFACE), 0, on_event, NULL, NULL);
  g_signal_override_class_handler ("query-tooltip", GTK_TYPE_MENU_BUTTON,
                                   G_CALLBACK (on_query_tooltip));
  g_once_init_leave (&done, 1);
}
