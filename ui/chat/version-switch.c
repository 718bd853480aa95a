/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/chat/version-switch.h"

struct _PterisVersionSwitch {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkWidget *previous;
  GtkLabel *label;
  GtkWidget *next;

  PterisMessage *message;
};

G_DEFINE_FINAL_TYPE (PterisVersionSwitch, pteris_version_switch, GTK_TYPE_WIDGET)

enum { SIGNAL_GO, N_SIGNALS };
static guint signals[N_SIGNALS];

static void
update (PterisVersionSwitch *self)
{
  guint count, index = pteris_message_get_version (self->message, &count);
  g_autofree char *text = g_strdup_printf ("%u / %u", index + 1, count);

  gtk_label_set_text (self->label, text);
  gtk_widget_set_sensitive (self->previous, index > 0);
  gtk_widget_set_sensitive (self->next, index + 1 < count);
  gtk_widget_set_visible (GTK_WIDGET (self), count > 1);
}

void
pteris_version_switch_set_message (PterisVersionSwitch *self, PterisMessage *message)
{
  g_set_object (&self->message, message);
  g_signal_connect_object (message, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
}

static void
on_previous (PterisVersionSwitch *self)
{
  g_signal_emit (self, signals[SIGNAL_GO], 0, -1);
}

static void
on_next (PterisVersionSwitch *self)
{
  g_signal_emit (self, signals[SIGNAL_GO], 0, 1);
}

static void
pteris_version_switch_dispose (GObject *object)
{
  g_clear_object (&PTERIS_VERSION_SWITCH (object)->message);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_VERSION_SWITCH);
  G_OBJECT_CLASS (pteris_version_switch_parent_class)->dispose (object);
}

static void
pteris_version_switch_class_init (PterisVersionSwitchClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_version_switch_dispose;

  signals[SIGNAL_GO] = g_signal_new ("go", PTERIS_TYPE_VERSION_SWITCH, G_SIGNAL_RUN_LAST, 0, NULL,
                                     NULL, NULL, G_TYPE_NONE, 1, G_TYPE_INT);

  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/version-switch.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisVersionSwitch, content);
  gtk_widget_class_bind_template_child (widget_class, PterisVersionSwitch, previous);
  gtk_widget_class_bind_template_child (widget_class, PterisVersionSwitch, label);
  gtk_widget_class_bind_template_child (widget_class, PterisVersionSwitch, next);
  gtk_widget_class_bind_template_callback (widget_class, on_previous);
  gtk_widget_class_bind_template_callback (widget_class, on_next);
}

static void
pteris_version_switch_init (PterisVersionSwitch *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
