/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/chat/context-meter.h"

#include "ui/i18n.h"

/* The fraction from which on there is a warning. */
#define NEARLY_FULL 0.8

struct _PterisContextMeter {
  GtkWidget parent_instance;

  GtkMenuButton *button;
  GtkLevelBar *bar;
  GtkLabel *label;
  GtkLabel *explanation;
  GtkWidget *leave_out;

  PterisChatSession *session;
};

G_DEFINE_FINAL_TYPE (PterisContextMeter, pteris_context_meter, GTK_TYPE_WIDGET)

/* Finds the statistics of the last answer that has any; FALSE: there are none. */
static gboolean
find_figures (PterisContextMeter *self, guint *used, guint *size)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->session));

  for (guint i = n; i-- > 0;) {
    g_autoptr (PterisMessage) message = g_list_model_get_item (G_LIST_MODEL (self->session), i);
    const PtStats *stats = pteris_message_get_stats (message);
    PtError code = PT_ERROR_INTERNAL;

    /* A conversation that was refused for its length has no statistics; it counts as full. */
    if (stats->context_size == 0)
      continue;
    pteris_message_get_error (message, &code);
    *size = stats->context_size;
    *used = code == PT_ERROR_CONTEXT_FULL ? *size : stats->context_used;
    return TRUE;
  }
  return FALSE;
}

static void
update (PterisContextMeter *self)
{
  guint used = 0, size = 0;
  gboolean known = find_figures (self, &used, &size);
  double part = known ? CLAMP ((double) used / size, 0, 1) : 0;
  gboolean warns = part >= NEARLY_FULL;
  g_autofree char *text = g_strdup_printf (_ ("%.0f %%"), part * 100);
  g_autofree char *explanation = g_strdup_printf (
      warns ? _ ("This chat uses %u of the %u tokens of the model's context. When the context is "
                 "full, answers are cut off. Start a new chat, or remove the oldest messages from "
                 "the context; they stay in this chat.")
            : _ ("This chat uses %u of the %u tokens of the model's context. A token is part of a "
                 "word: about four letters in English."),
      used, size);

  gtk_widget_set_visible (GTK_WIDGET (self), known);
  gtk_level_bar_set_value (self->bar, part);
  gtk_label_set_text (self->label, text);
  gtk_label_set_text (self->explanation, explanation);
  gtk_widget_set_visible (self->leave_out, warns);
  if (warns)
    gtk_widget_add_css_class (GTK_WIDGET (self), "warns");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self), "warns");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  explanation, -1);
}

static void
on_clicked (PterisContextMeter *self)
{
  gtk_menu_button_popdown (self->button);
}

void
pteris_context_meter_bind (PterisContextMeter *self, PterisChatSession *session)
{
  g_set_object (&self->session, session);
  g_signal_connect_object (session, "figures", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "items-changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (session, "notify::busy", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
}

static void
pteris_context_meter_dispose (GObject *object)
{
  g_clear_object (&PTERIS_CONTEXT_METER (object)->session);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_CONTEXT_METER);
  G_OBJECT_CLASS (pteris_context_meter_parent_class)->dispose (object);
}

static void
pteris_context_meter_class_init (PterisContextMeterClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_context_meter_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "contextmeter");
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/context-meter.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisContextMeter, button);
  gtk_widget_class_bind_template_child (widget_class, PterisContextMeter, bar);
  gtk_widget_class_bind_template_child (widget_class, PterisContextMeter, label);
  gtk_widget_class_bind_template_child (widget_class, PterisContextMeter, explanation);
  gtk_widget_class_bind_template_child (widget_class, PterisContextMeter, leave_out);
  gtk_widget_class_bind_template_callback (widget_class, on_clicked);
}

static void
pteris_context_meter_init (PterisContextMeter *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
