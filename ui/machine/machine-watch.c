/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/machine/machine-watch.h"

/* GDK_TOPLEVEL_STATE_SUSPENDED of GTK 4.12: the window is covered or on another workspace. Older
 * versions never set it. */
#define SUSPENDED (1u << 16)
#define UNSEEN (GDK_TOPLEVEL_STATE_MINIMIZED | SUSPENDED)

typedef struct {
  PterisMachine *machine;
  PterisPace pace;
  GtkWidget *widget;   /* owns this */
  GdkSurface *surface; /* while the widget is mapped; NULL: it is not */
  gulong handler;
  gboolean watching;
} Watch;

static void
update (Watch *watch)
{
  gboolean seen = watch->surface != NULL &&
                  (gdk_toplevel_get_state (GDK_TOPLEVEL (watch->surface)) & UNSEEN) == 0;

  if (seen == watch->watching)
    return;
  watch->watching = seen;
  if (seen)
    pteris_machine_watch (watch->machine, watch->pace);
  else
    pteris_machine_unwatch (watch->machine, watch->pace);
}

static void
forget_surface (Watch *watch)
{
  if (watch->surface != NULL)
    g_signal_handler_disconnect (watch->surface, watch->handler);
  g_clear_object (&watch->surface);
  update (watch);
}

static void
on_map (Watch *watch)
{
  GtkNative *native = gtk_widget_get_native (watch->widget);
  GdkSurface *surface = native != NULL ? gtk_native_get_surface (native) : NULL;

  forget_surface (watch);
  if (!GDK_IS_TOPLEVEL (surface))
    return;
  watch->surface = g_object_ref (surface);
  watch->handler = g_signal_connect_swapped (surface, "notify::state", G_CALLBACK (update), watch);
  update (watch);
}

static void
watch_free (gpointer data, GClosure *closure)
{
  Watch *watch = data;

  forget_surface (watch);
  g_object_unref (watch->machine);
  g_free (watch);
}

void
pteris_machine_watch_for (PterisMachine *machine, PterisPace pace, GtkWidget *widget)
{
  Watch *watch = g_new0 (Watch, 1);

  watch->machine = g_object_ref (machine);
  watch->pace = pace;
  watch->widget = widget;
  g_signal_connect_swapped (widget, "unmap", G_CALLBACK (forget_surface), watch);
  /* Disconnecting the last handler frees the watch. */
  g_signal_connect_data (widget, "map", G_CALLBACK (on_map), watch, watch_free, G_CONNECT_SWAPPED);
  if (gtk_widget_get_mapped (widget))
    on_map (watch);
}
