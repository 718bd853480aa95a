/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/window/window-private.h"

#include "ui/parts/dropped-files.h"
#include "ui/parts/files.h"
#include "ui/i18n.h"

/*
 * One drop target for the whole window, in the capture phase, so that a file has the same effect
 * wherever it is dropped. While files hover, the window shows the effect.
 */

static void
free_files (GSList *files)
{
  g_slist_free_full (files, g_object_unref);
}

static char *
describe (PterisWindow *self, GSList *files)
{
  for (GSList *l = files; l != NULL; l = l->next)
    if (!_pteris_window_page_takes (self, l->data) && !_pteris_window_shows_picture (self, l->data))
      return pteris_files_describe (files);
  return g_strdup (_ ("Open"));
}

static void
on_known (GObject *drop, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (PterisWindow) self = user_data;
  GSList *files = pteris_dropped_files_read_finish (result, NULL);
  g_autofree char *text = NULL;

  if (files == NULL)
    return;
  text = describe (self, files);
  gtk_label_set_text (self->drop_label, text);
  free_files (self->drop_files);
  self->drop_files = files;
}

static void
end_hover (PterisWindow *self)
{
  if (self->drop_hover != NULL)
    g_cancellable_cancel (self->drop_hover);
  g_clear_object (&self->drop_hover);
  g_clear_pointer (&self->drop_files, free_files);
  gtk_widget_set_visible (self->drop_highlight, FALSE);
}

static GdkDragAction
on_enter (GtkDropTargetAsync *target, GdkDrop *drop, double x, double y, PterisWindow *self)
{
  end_hover (self);
  self->drop_hover = g_cancellable_new ();
  gtk_label_set_text (self->drop_label, _ ("Open"));
  gtk_widget_set_visible (self->drop_highlight, TRUE);
  pteris_dropped_files_read_async (drop, self->drop_hover, on_known, g_object_ref (self));
  return GDK_ACTION_COPY;
}

static GdkDragAction
on_motion (GtkDropTargetAsync *target, GdkDrop *drop, double x, double y, PterisWindow *self)
{
  return GDK_ACTION_COPY;
}

static void
on_leave (GtkDropTargetAsync *target, GdkDrop *drop, PterisWindow *self)
{
  end_hover (self);
}

static void
on_dropped (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (PterisWindow) self = user_data;
  GSList *files = pteris_dropped_files_read_finish (result, NULL);

  gdk_drop_finish (GDK_DROP (source), files != NULL ? GDK_ACTION_COPY : 0);
  if (files != NULL)
    pteris_window_open_files (self, files);
  free_files (files);
}

/* Dropped files and the window. */
typedef struct {
  PterisWindow *window;
  GSList *files;
} Dropped;

static gboolean
open_dropped (gpointer data)
{
  Dropped *dropped = data;

  pteris_window_open_files (dropped->window, dropped->files);
  return G_SOURCE_REMOVE;
}

static void
dropped_free (gpointer data)
{
  Dropped *dropped = data;

  free_files (dropped->files);
  g_object_unref (dropped->window);
  g_free (dropped);
}

/*
 * The other program waits until the drop is finished. On Windows GDK waits, too, with a nested main
 * loop, which may block forever. So the files that were read while hovering are not read again.
 */
static gboolean
on_drop (GtkDropTargetAsync *target, GdkDrop *drop, double x, double y, PterisWindow *self)
{
  GSList *files = g_steal_pointer (&self->drop_files);

  end_hover (self);
  if (files != NULL) {
    Dropped dropped = { g_object_ref (self), files };

    gdk_drop_finish (drop, GDK_ACTION_COPY);
    g_idle_add_full (G_PRIORITY_DEFAULT, open_dropped, g_memdup2 (&dropped, sizeof dropped),
                     dropped_free);
  } else {
    pteris_dropped_files_read_async (drop, NULL, on_dropped, g_object_ref (self));
  }
  return TRUE;
}

void
_pteris_window_add_drop_target (PterisWindow *self)
{
  GtkDropTargetAsync *target =
      gtk_drop_target_async_new (pteris_dropped_files_formats (), GDK_ACTION_COPY);

  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (target), GTK_PHASE_CAPTURE);
  g_signal_connect (target, "drag-enter", G_CALLBACK (on_enter), self);
  g_signal_connect (target, "drag-motion", G_CALLBACK (on_motion), self);
  g_signal_connect (target, "drag-leave", G_CALLBACK (on_leave), self);
  g_signal_connect (target, "drop", G_CALLBACK (on_drop), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (target));
}
