/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/window-private.h"

#include "ui/i18n.h"
#include "ui/files.h"

/*
 * One drop target for the whole window, ahead of the widgets under the pointer: a file means the
 * same wherever it is dropped. While it hovers, the window says what will happen.
 */

static void
on_value (GtkDropTarget *target, GParamSpec *pspec, PterisWindow *self)
{
  const GValue *value = gtk_drop_target_get_value (target);
  g_autofree char *text = NULL;

  if (value == NULL)
    return;
  text = pteris_files_describe (g_value_get_boxed (value));
  gtk_label_set_text (self->drop_label, text);
}

static GdkDragAction
on_enter (GtkDropTarget *target, double x, double y, PterisWindow *self)
{
  if (gtk_drop_target_get_value (target) == NULL)
    gtk_label_set_text (self->drop_label, _ ("Open"));
  gtk_widget_set_visible (self->drop_highlight, TRUE);
  return GDK_ACTION_COPY;
}

static void
on_leave (GtkDropTarget *target, PterisWindow *self)
{
  gtk_widget_set_visible (self->drop_highlight, FALSE);
}

static gboolean
on_drop (GtkDropTarget *target, const GValue *value, double x, double y, PterisWindow *self)
{
  gtk_widget_set_visible (self->drop_highlight, FALSE);
  pteris_window_open_files (self, g_value_get_boxed (value));
  return TRUE;
}

void
_pteris_window_add_drop_target (PterisWindow *self)
{
  GtkDropTarget *target = gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);

  gtk_drop_target_set_preload (target, TRUE);
  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (target), GTK_PHASE_CAPTURE);
  g_signal_connect (target, "notify::value", G_CALLBACK (on_value), self);
  g_signal_connect (target, "enter", G_CALLBACK (on_enter), self);
  g_signal_connect (target, "leave", G_CALLBACK (on_leave), self);
  g_signal_connect (target, "drop", G_CALLBACK (on_drop), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (target));
}
