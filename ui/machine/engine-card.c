/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/machine/engine-card.h"

#include "ui/machine/figures.h"
#include "ui/parts/format.h"
#include "ui/i18n.h"

struct _PterisEngineCard {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkLabel *model;
  GtkLabel *about;
  PterisFigures *figures;
};

G_DEFINE_FINAL_TYPE (PterisEngineCard, pteris_engine_card, GTK_TYPE_WIDGET)

static const char *
describe_state (PterisEngineClient *client)
{
  switch (pteris_engine_client_get_state (client)) {
  case PTERIS_MODEL_LOADING: return _ ("Loading");
  case PTERIS_MODEL_READY: return NULL;
  case PTERIS_MODEL_FAILED: return _ ("Could not be loaded");
  case PTERIS_MODEL_UNLOADED: return _ ("Not loaded");
  }
  return NULL;
}

/* "Runs on CPU · 138 MB on disk" */
static char *
describe_model (PterisEngineClient *client)
{
  const char *state = describe_state (client);
  g_autofree char *size =
      g_format_size (pteris_model_get_info (pteris_engine_client_get_model (client))->bytes);

  if (state == NULL)
    /* Translators: the device that the model runs on, and the size of its files. */
    return g_strdup_printf (_ ("Runs on %s · %s on disk"), pteris_engine_client_get_device (client),
                            size);
  return g_strdup_printf (_ ("%s · %s on disk"), state, size);
}

static void
append_line (GString *text, const char *line)
{
  if (text->len > 0)
    g_string_append_c (text, '\n');
  g_string_append (text, line);
}

/* The models of all engines, one a line, in both labels. */
static void
update_models (PterisEngineCard *self, PterisEngines *engines)
{
  g_autoptr (GString) titles = g_string_new (NULL);
  g_autoptr (GString) about = g_string_new (NULL);

  for (guint i = 0; i < PTERIS_N_ENGINES; i++) {
    PterisEngineClient *client = pteris_engines_get (engines, i);
    PterisModel *model = pteris_engine_client_get_model (client);
    g_autofree char *line = NULL;

    if (model == NULL)
      continue;
    line = describe_model (client);
    append_line (titles, pteris_model_get_info (model)->title);
    append_line (about, line);
  }
  if (titles->len == 0) {
    g_string_assign (titles, _ ("No model loaded"));
    g_string_assign (about, _ ("A model is loaded with the first message or recording."));
  }
  gtk_label_set_text (self->model, titles->str);
  gtk_label_set_text (self->about, about->str);
}

static char *
format_speed (const PtStats *stats)
{
  g_autofree char *rate = NULL;

  if (stats == NULL || pteris_stats_speed (stats) <= 0)
    return NULL;
  rate = pteris_format_rate (pteris_stats_speed (stats));
  return g_strdup_printf (_ ("%s tokens/s"), rate);
}

static char *
format_time (double seconds)
{
  return seconds > 0 ? pteris_format_duration (seconds) : NULL;
}

static char *
format_context (const PtStats *stats)
{
  if (stats == NULL || stats->context_size == 0)
    return NULL;
  return g_strdup_printf (_ ("%u of %u tokens"), stats->context_used, stats->context_size);
}

static char *
format_transcription (const PtStats *stats)
{
  g_autofree char *rate = NULL;

  if (stats == NULL || stats->elapsed_s <= 0 || stats->audio_s <= 0)
    return NULL;
  rate = pteris_format_rate (stats->audio_s / stats->elapsed_s);
  /* Translators: times as fast as speech. */
  return g_strdup_printf (_ ("%s× real time"), rate);
}

static char *
format_jobs (PterisEngines *engines)
{
  guint n = pteris_engines_count_jobs (engines), n_working = 0;
  PtJobKind kind;

  for (guint i = 0; i < PTERIS_N_ENGINES; i++)
    n_working += pteris_engine_client_get_jobs (pteris_engines_get (engines, i), &kind) > 0;
  if (n == 0)
    return g_strdup (_ ("Idle"));
  if (n == n_working)
    return g_strdup (_ ("Working"));
  return g_strdup_printf (ngettext ("Working, %u waiting", "Working, %u waiting", n - n_working),
                          n - n_working);
}

static double
get_load_time (PterisEngines *engines)
{
  double time = 0;

  for (guint i = 0; i < PTERIS_N_ENGINES; i++)
    time += pteris_engine_client_get_load_time (pteris_engines_get (engines, i));
  return time;
}

void
pteris_engine_card_update (PterisEngineCard *self, PterisActivity *activity, PterisMachine *machine)
{
  PterisEngines *engines = pteris_activity_get_engines (activity);
  const PtStats *chat = pteris_activity_get_stats (activity, PT_JOB_CHAT);
  double memory = pteris_series_last (pteris_device_get_series (
      pteris_machine_get_processor (machine), PTERIS_QUANTITY_OWN_MEMORY));

  update_models (self, engines);
  pteris_figures_take (self->figures, _ ("Queue"), format_jobs (engines));
  pteris_figures_take (self->figures, _ ("Memory Used by Pteris"),
                       pteris_is_known (memory) ? g_format_size ((guint64) MAX (memory, 0)) : NULL);
  pteris_figures_take (self->figures, _ ("Load Time"), format_time (get_load_time (engines)));
  pteris_figures_take (self->figures, _ ("Answers"), format_speed (chat));
  pteris_figures_take (self->figures, _ ("First Token"),
                       format_time (chat != NULL ? chat->first_token_s : 0));
  pteris_figures_take (self->figures, _ ("Context"), format_context (chat));
  pteris_figures_take (
      self->figures, _ ("Transcription"),
      format_transcription (pteris_activity_get_stats (activity, PT_JOB_TRANSCRIBE)));
}

static void
pteris_engine_card_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_ENGINE_CARD);
  G_OBJECT_CLASS (pteris_engine_card_parent_class)->dispose (object);
}

static void
pteris_engine_card_class_init (PterisEngineCardClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_engine_card_dispose;
  g_type_ensure (PTERIS_TYPE_FIGURES);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/engine-card.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisEngineCard, content);
  gtk_widget_class_bind_template_child (widget_class, PterisEngineCard, model);
  gtk_widget_class_bind_template_child (widget_class, PterisEngineCard, about);
  gtk_widget_class_bind_template_child (widget_class, PterisEngineCard, figures);
}

static void
pteris_engine_card_init (PterisEngineCard *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
