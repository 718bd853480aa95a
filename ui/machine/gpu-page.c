/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/machine/gpu-page.h"

#include "ui/machine/device-card.h"
#include "ui/machine/engine-card.h"
#include "ui/machine/gpu-notice.h"
#include "ui/machine/machine-watch.h"

struct _PterisGpuPage {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkToggleButton *minute;
  PterisEngineCard *engine;
  PterisGpuNotice *notice;
  GtkBox *gpus;
  GtkBox *processor;

  PterisMachine *machine;
  PterisActivity *activity;
};

G_DEFINE_FINAL_TYPE (PterisGpuPage, pteris_gpu_page, GTK_TYPE_WIDGET)

static gint64
get_span (PterisGpuPage *self)
{
  return gtk_toggle_button_get_active (self->minute) ? G_TIME_SPAN_MINUTE : 10 * G_TIME_SPAN_MINUTE;
}

static void
update_cards (PterisGpuPage *self, GtkBox *box)
{
  gint64 now = pteris_machine_get_time (self->machine);

  for (GtkWidget *card = gtk_widget_get_first_child (GTK_WIDGET (box)); card != NULL;
       card = gtk_widget_get_next_sibling (card))
    pteris_device_card_update (PTERIS_DEVICE_CARD (card), self->activity, now, get_span (self));
}

static void
update_engine (PterisGpuPage *self)
{
  if (gtk_widget_get_mapped (GTK_WIDGET (self)))
    pteris_engine_card_update (self->engine, self->activity, self->machine);
}

static void
update (PterisGpuPage *self)
{
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)) || pteris_machine_get_time (self->machine) == 0)
    return;
  update_engine (self);
  pteris_gpu_notice_update (self->notice, self->machine);
  update_cards (self, self->gpus);
  update_cards (self, self->processor);
}

static void
on_span (GtkToggleButton *button, PterisGpuPage *self)
{
  if (self->machine != NULL)
    update (self);
}

static void
on_gpus (PterisGpuPage *self)
{
  GListModel *gpus = pteris_machine_get_gpus (self->machine);
  GtkWidget *card;

  while ((card = gtk_widget_get_first_child (GTK_WIDGET (self->gpus))) != NULL)
    gtk_box_remove (self->gpus, card);
  for (guint i = 0; i < g_list_model_get_n_items (gpus); i++) {
    g_autoptr (PterisDevice) gpu = g_list_model_get_item (gpus, i);

    gtk_box_append (self->gpus, GTK_WIDGET (pteris_device_card_new (gpu)));
  }
  gtk_widget_set_visible (GTK_WIDGET (self->gpus), g_list_model_get_n_items (gpus) > 0);
  update (self);
}

void
pteris_gpu_page_bind (PterisGpuPage *self, PterisMachine *machine, PterisActivity *activity)
{
  self->machine = g_object_ref (machine);
  self->activity = g_object_ref (activity);
  gtk_box_append (self->processor,
                  GTK_WIDGET (pteris_device_card_new (pteris_machine_get_processor (machine))));
  g_signal_connect_object (machine, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (pteris_machine_get_gpus (machine), "items-changed", G_CALLBACK (on_gpus),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->activity, "changed", G_CALLBACK (update_engine), self,
                           G_CONNECT_SWAPPED);
  pteris_machine_watch_for (machine, PTERIS_PACE_SECOND, GTK_WIDGET (self));
  on_gpus (self);
}

/* ---- life ---- */

/* Shows the values read while the page was hidden, before the next reading. */
static void
pteris_gpu_page_map (GtkWidget *widget)
{
  PterisGpuPage *self = PTERIS_GPU_PAGE (widget);

  GTK_WIDGET_CLASS (pteris_gpu_page_parent_class)->map (widget);
  if (self->machine == NULL)
    return;
  update_engine (self);
  update (self);
}

static void
pteris_gpu_page_dispose (GObject *object)
{
  PterisGpuPage *self = PTERIS_GPU_PAGE (object);

  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_GPU_PAGE);
  g_clear_object (&self->activity);
  g_clear_object (&self->machine);
  G_OBJECT_CLASS (pteris_gpu_page_parent_class)->dispose (object);
}

static void
pteris_gpu_page_class_init (PterisGpuPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_gpu_page_dispose;
  widget_class->map = pteris_gpu_page_map;
  g_type_ensure (PTERIS_TYPE_ENGINE_CARD);
  g_type_ensure (PTERIS_TYPE_GPU_NOTICE);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/pteris/Pteris/ui/gpu-page.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisGpuPage, content);
  gtk_widget_class_bind_template_child (widget_class, PterisGpuPage, minute);
  gtk_widget_class_bind_template_child (widget_class, PterisGpuPage, engine);
  gtk_widget_class_bind_template_child (widget_class, PterisGpuPage, notice);
  gtk_widget_class_bind_template_child (widget_class, PterisGpuPage, gpus);
  gtk_widget_class_bind_template_child (widget_class, PterisGpuPage, processor);
  gtk_widget_class_bind_template_callback (widget_class, on_span);
}

static void
pteris_gpu_page_init (PterisGpuPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
