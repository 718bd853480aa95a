/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/window/status-bar.h"

#include "ui/parts/format.h"
#include "ui/i18n.h"
#include "ui/machine/machine-watch.h"

struct _PterisStatusBar {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkLabel *work;
  GtkLabel *device;
  GtkLabel *memory;

  PterisMachine *machine;
  PterisEngines *engines;
};

G_DEFINE_FINAL_TYPE (PterisStatusBar, pteris_status_bar, GTK_TYPE_WIDGET)

/* ---- the work ---- */

static char *
describe_transcription (const PtStats *stats)
{
  g_autofree char *rate = NULL;

  if (stats->elapsed_s <= 0 || stats->audio_s <= 0)
    return g_strdup ("");
  rate = pteris_format_rate (stats->audio_s / stats->elapsed_s);
  return g_strdup_printf (_ ("%s× real time"), rate);
}

/* The statistics of an answer are shown below it. */
static void
on_stats (PterisEngineClient *client, guint kind, const PtStats *stats, PterisStatusBar *self)
{
  g_autofree char *text = kind == PT_JOB_TRANSCRIBE ? describe_transcription (stats) : NULL;

  gtk_label_set_text (self->work, text != NULL ? text : "");
}

/* ---- the machine ---- */

/* The device of a loaded model that is not the CPU; NULL: there is none. */
static const char *
find_gpu (PterisEngines *engines)
{
  for (guint i = 0; i < PTERIS_N_ENGINES; i++) {
    PterisEngineClient *client = pteris_engines_get (engines, i);
    const char *device = pteris_engine_client_get_device (client);

    if (pteris_engine_client_get_state (client) == PTERIS_MODEL_READY &&
        !g_str_equal (device, "CPU"))
      return device;
  }
  return NULL;
}

/* Shows the device of the loaded models, or the one that a model would use. */
static void
show_device (PterisStatusBar *self)
{
  PterisDevice *processor = pteris_machine_get_processor (self->machine);
  const char *reason = pteris_machine_get_gpu_reason (self->machine);
  const char *gpu = find_gpu (self->engines);
  g_autofree char *explanation = NULL;

  gtk_label_set_text (self->device, gpu != NULL ? gpu : pteris_device_get_name (processor));
  if (gpu == NULL && reason != NULL)
    /* Translators: followed by a sentence that says why. */
    explanation = g_strdup_printf (_ ("Models run on the CPU. %s"), reason);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->device),
                               explanation != NULL ? explanation : _ ("Device"));
}

static void
show_memory (PterisStatusBar *self)
{
  double available = pteris_machine_get_free_memory (self->machine);
  double own = pteris_series_last (pteris_device_get_series (
      pteris_machine_get_processor (self->machine), PTERIS_QUANTITY_OWN_MEMORY));
  g_autofree char *text = NULL;

  if (own > 0 && available > 0) {
    g_autofree char *own_text = g_format_size ((guint64) own);
    g_autofree char *available_text = g_format_size ((guint64) available);

    text = g_strdup_printf (_ ("%s · %s free"), own_text, available_text);
  }
  gtk_label_set_text (self->memory, text != NULL ? text : "");
}

static void
on_machine_changed (PterisStatusBar *self)
{
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    return;
  show_device (self);
  show_memory (self);
}

void
pteris_status_bar_bind (PterisStatusBar *self, PterisMachine *machine, PterisEngines *engines)
{
  self->machine = g_object_ref (machine);
  self->engines = g_object_ref (engines);
  g_signal_connect_object (pteris_engines_get (engines, PTERIS_ENGINE_SPEECH), "stats",
                           G_CALLBACK (on_stats), self, 0);
  g_signal_connect_object (machine, "changed", G_CALLBACK (on_machine_changed), self,
                           G_CONNECT_SWAPPED);
  pteris_machine_watch_for (machine, PTERIS_PACE_CALM, GTK_WIDGET (self));
}

static void
pteris_status_bar_dispose (GObject *object)
{
  PterisStatusBar *self = PTERIS_STATUS_BAR (object);

  g_clear_object (&self->machine);
  g_clear_object (&self->engines);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_STATUS_BAR);
  G_OBJECT_CLASS (pteris_status_bar_parent_class)->dispose (object);
}

static void
pteris_status_bar_class_init (PterisStatusBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_status_bar_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/pteris/Pteris/ui/status-bar.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisStatusBar, content);
  gtk_widget_class_bind_template_child (widget_class, PterisStatusBar, work);
  gtk_widget_class_bind_template_child (widget_class, PterisStatusBar, device);
  gtk_widget_class_bind_template_child (widget_class, PterisStatusBar, memory);
}

static void
pteris_status_bar_init (PterisStatusBar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
