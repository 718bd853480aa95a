/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/composer.h"

struct _PterisComposer {
  GtkWidget parent_instance;

  GtkWidget *frame;
  GtkTextView *view;
  GtkLabel *placeholder;
  GtkButton *send;
  GtkButton *stop;

  gboolean busy;
};

G_DEFINE_FINAL_TYPE (PterisComposer, pteris_composer, GTK_TYPE_WIDGET)

enum { SIGNAL_SEND, SIGNAL_STOP, SIGNAL_CHANGED, SIGNAL_EDIT_LAST, N_SIGNALS };
static guint signals[N_SIGNALS];

char *
pteris_composer_get_text (PterisComposer *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->view);
  GtkTextIter start, end;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  return gtk_text_buffer_get_text (buffer, &start, &end, FALSE);
}

void
pteris_composer_set_text (PterisComposer *self, const char *text)
{
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->view), text, -1);
}

void
pteris_composer_clear (PterisComposer *self)
{
  pteris_composer_set_text (self, "");
}

static gboolean
is_empty (PterisComposer *self)
{
  return gtk_text_buffer_get_char_count (gtk_text_view_get_buffer (self->view)) == 0;
}

static void
update (PterisComposer *self)
{
  gboolean focused = gtk_widget_has_focus (GTK_WIDGET (self->view));
  g_autofree char *text = g_strstrip (pteris_composer_get_text (self));

  gtk_widget_set_visible (GTK_WIDGET (self->placeholder), is_empty (self));
  gtk_widget_set_sensitive (GTK_WIDGET (self->send), text[0] != '\0');
  gtk_widget_set_visible (GTK_WIDGET (self->send), !self->busy);
  gtk_widget_set_visible (GTK_WIDGET (self->stop), self->busy);
  if (focused)
    gtk_widget_add_css_class (self->frame, "focused");
  else
    gtk_widget_remove_css_class (self->frame, "focused");
}

void
pteris_composer_set_busy (PterisComposer *self, gboolean busy)
{
  self->busy = busy;
  update (self);
}

static void
send (PterisComposer *self)
{
  g_autofree char *text = pteris_composer_get_text (self);

  if (!self->busy)
    g_signal_emit (self, signals[SIGNAL_SEND], 0, text);
}

static void
on_send_clicked (GtkButton *button, PterisComposer *self)
{
  send (self);
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

static void
on_stop_clicked (GtkButton *button, PterisComposer *self)
{
  g_signal_emit (self, signals[SIGNAL_STOP], 0);
  gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

static void
on_text_changed (PterisComposer *self)
{
  update (self);
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

static gboolean
on_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state,
        PterisComposer *self)
{
  GdkEvent *event = gtk_event_controller_get_current_event (GTK_EVENT_CONTROLLER (controller));

  if ((key == GDK_KEY_Up || key == GDK_KEY_KP_Up) && !self->busy && is_empty (self)) {
    g_signal_emit (self, signals[SIGNAL_EDIT_LAST], 0);
    return GDK_EVENT_STOP;
  }
  if (key != GDK_KEY_Return && key != GDK_KEY_KP_Enter && key != GDK_KEY_ISO_Enter)
    return GDK_EVENT_PROPAGATE;
  /* An input method may want Enter to end a word. */
  if (event != NULL && gtk_text_view_im_context_filter_keypress (self->view, event))
    return GDK_EVENT_STOP;
  if (state & GDK_SHIFT_MASK)
    return GDK_EVENT_PROPAGATE;
  send (self);
  return GDK_EVENT_STOP;
}

static gboolean
pteris_composer_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (PTERIS_COMPOSER (widget)->view));
}

static void
pteris_composer_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_COMPOSER);
  G_OBJECT_CLASS (pteris_composer_parent_class)->dispose (object);
}

static void
pteris_composer_class_init (PterisComposerClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_composer_dispose;
  widget_class->grab_focus = pteris_composer_grab_focus;

  signals[SIGNAL_SEND] = g_signal_new ("send", PTERIS_TYPE_COMPOSER, G_SIGNAL_RUN_LAST, 0, NULL,
                                       NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  signals[SIGNAL_STOP] = g_signal_new ("stop", PTERIS_TYPE_COMPOSER, G_SIGNAL_RUN_LAST, 0, NULL,
                                       NULL, NULL, G_TYPE_NONE, 0);

  signals[SIGNAL_CHANGED] = g_signal_new ("changed", PTERIS_TYPE_COMPOSER, G_SIGNAL_RUN_LAST, 0,
                                          NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_EDIT_LAST] = g_signal_new ("edit-last", PTERIS_TYPE_COMPOSER, G_SIGNAL_RUN_LAST, 0,
                                            NULL, NULL, NULL, G_TYPE_NONE, 0);

  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/pteris/Pteris/ui/composer.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisComposer, frame);
  gtk_widget_class_bind_template_child (widget_class, PterisComposer, view);
  gtk_widget_class_bind_template_child (widget_class, PterisComposer, placeholder);
  gtk_widget_class_bind_template_child (widget_class, PterisComposer, send);
  gtk_widget_class_bind_template_child (widget_class, PterisComposer, stop);
  gtk_widget_class_bind_template_callback (widget_class, on_send_clicked);
  gtk_widget_class_bind_template_callback (widget_class, on_stop_clicked);
}

static void
pteris_composer_init (PterisComposer *self)
{
  GtkEventController *keys = gtk_event_controller_key_new ();

  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect (keys, "key-pressed", G_CALLBACK (on_key), self);
  gtk_widget_add_controller (GTK_WIDGET (self->view), keys);
  g_signal_connect_object (gtk_text_view_get_buffer (self->view), "changed",
                           G_CALLBACK (on_text_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->view, "notify::has-focus", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  update (self);
}
