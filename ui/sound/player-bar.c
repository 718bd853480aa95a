/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/sound/player-bar.h"

#include "ui/parts/format.h"
#include "ui/i18n.h"
#include "ui/sound/waveform-cache.h"
#include "ui/sound/waveform-view.h"

static const double SPEEDS[] = { 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2 };
#define USUAL_SPEED 2

struct _PterisPlayerBar {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkButton *play;
  PterisWaveformView *waveform;
  GtkLabel *time;
  GtkDropDown *speed;
  GtkLabel *note;
  GtkLabel *error;

  PterisPlayer *player;
  char *path;
  double duration; /* as the engine says */
  GCancellable *loading;
};

G_DEFINE_FINAL_TYPE (PterisPlayerBar, pteris_player_bar, GTK_TYPE_WIDGET)

static char *
format_whole (double seconds)
{
  char *clock = pteris_format_clock (seconds);

  *strrchr (clock, '.') = '\0';
  return clock;
}

static void
update (PterisPlayerBar *self)
{
  gboolean playing = pteris_player_is_playing (self->player);
  double position = pteris_player_get_position (self->player);
  double duration = MAX (self->duration, pteris_player_get_duration (self->player));
  const char *error = pteris_player_get_error (self->player);
  const char *note = pteris_player_get_note (self->player);
  const char *what = playing ? _ ("Pause (Space)") : _ ("Play (Space)");
  g_autofree char *now = format_whole (position);
  g_autofree char *all = format_whole (MAX (duration, 0));
  g_autofree char *time = g_strdup_printf ("\u2066%s / %s\u2069", now, all);

  gtk_button_set_icon_name (self->play, playing ? "media-playback-pause-symbolic"
                                                : "media-playback-start-symbolic");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->play), what);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->play), GTK_ACCESSIBLE_PROPERTY_LABEL, what,
                                  -1);
  gtk_label_set_text (self->time, time);
  gtk_label_set_text (self->note, note != NULL ? note : "");
  gtk_widget_set_visible (GTK_WIDGET (self->note), note != NULL && error == NULL);
  gtk_label_set_text (self->error, error != NULL ? error : "");
  gtk_widget_set_visible (GTK_WIDGET (self->error), error != NULL);
  pteris_waveform_view_set_position (self->waveform, position, duration);
}

void
pteris_player_bar_toggle (PterisPlayerBar *self)
{
  if (pteris_player_is_playing (self->player))
    pteris_player_pause (self->player);
  else
    pteris_player_play (self->player);
}

static void
on_seek (PterisWaveformView *view, double seconds, PterisPlayerBar *self)
{
  pteris_player_seek (self->player, seconds);
}

static void
on_speed (PterisPlayerBar *self)
{
  guint i = gtk_drop_down_get_selected (self->speed);

  if (i < G_N_ELEMENTS (SPEEDS))
    pteris_player_set_speed (self->player, SPEEDS[i]);
}

/* ---- the picture ---- */

static void
on_loaded (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (PterisPlayerBar) self = user_data;
  PtWaveform *waveform = pteris_waveform_load_finish (result, NULL);

  /* Cancelled, unreadable, or the bar is disposed of: no waveform. */
  if (waveform == NULL || self->waveform == NULL) {
    g_clear_pointer (&waveform, pt_waveform_free);
    return;
  }
  self->duration = waveform->duration;
  pteris_waveform_view_take (self->waveform, waveform);
  update (self);
}

void
pteris_player_bar_set_path (PterisPlayerBar *self, const char *path, double duration)
{
  char *copy;

  self->duration = MAX (self->duration, duration);
  if (g_strcmp0 (path, self->path) == 0)
    return;
  copy = g_strdup (path);
  g_free (self->path);
  self->path = copy;
  self->duration = duration;
  g_cancellable_cancel (self->loading);
  g_clear_object (&self->loading);
  pteris_waveform_view_take (self->waveform, NULL);
  pteris_player_set_path (self->player, path);
  if (path == NULL)
    return;
  self->loading = g_cancellable_new ();
  pteris_waveform_load_async (path, self->loading, on_loaded, g_object_ref (self));
}

PterisPlayer *
pteris_player_bar_get_player (PterisPlayerBar *self)
{
  return self->player;
}

/* ---- the widget ---- */

static void
pteris_player_bar_dispose (GObject *object)
{
  PterisPlayerBar *self = PTERIS_PLAYER_BAR (object);

  g_cancellable_cancel (self->loading);
  g_clear_object (&self->loading);
  if (self->player != NULL)
    pteris_player_pause (self->player);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_PLAYER_BAR);
  g_clear_object (&self->player);
  G_OBJECT_CLASS (pteris_player_bar_parent_class)->dispose (object);
}

static void
pteris_player_bar_finalize (GObject *object)
{
  g_free (PTERIS_PLAYER_BAR (object)->path);
  G_OBJECT_CLASS (pteris_player_bar_parent_class)->finalize (object);
}

static void
pteris_player_bar_class_init (PterisPlayerBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_player_bar_dispose;
  G_OBJECT_CLASS (klass)->finalize = pteris_player_bar_finalize;
  g_type_ensure (PTERIS_TYPE_WAVEFORM_VIEW);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/pteris/Pteris/ui/player-bar.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisPlayerBar, content);
  gtk_widget_class_bind_template_child (widget_class, PterisPlayerBar, play);
  gtk_widget_class_bind_template_child (widget_class, PterisPlayerBar, waveform);
  gtk_widget_class_bind_template_child (widget_class, PterisPlayerBar, time);
  gtk_widget_class_bind_template_child (widget_class, PterisPlayerBar, speed);
  gtk_widget_class_bind_template_child (widget_class, PterisPlayerBar, error);
  gtk_widget_class_bind_template_child (widget_class, PterisPlayerBar, note);
  gtk_widget_class_bind_template_callback (widget_class, pteris_player_bar_toggle);
  gtk_widget_class_bind_template_callback (widget_class, on_seek);
  gtk_widget_class_bind_template_callback (widget_class, on_speed);
}

static void
pteris_player_bar_init (PterisPlayerBar *self)
{
  GtkStringList *speeds = gtk_string_list_new (NULL);

  self->player = pteris_player_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  for (guint i = 0; i < G_N_ELEMENTS (SPEEDS); i++) {
    g_autofree char *text = g_strdup_printf ("%g×", SPEEDS[i]);

    gtk_string_list_append (speeds, text);
  }
  gtk_drop_down_set_model (self->speed, G_LIST_MODEL (speeds));
  gtk_drop_down_set_selected (self->speed, USUAL_SPEED);
  g_object_unref (speeds);
  g_signal_connect_object (self->speed, "notify::selected", G_CALLBACK (on_speed), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->player, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
}
