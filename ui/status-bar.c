/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/status-bar.h"

#include <jansson.h>

#include "ui/format.h"

#define INTERVAL_S 2

struct _PterisStatusBar {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkLabel *work;
  GtkLabel *device;
  GtkLabel *memory;

  guint timer;
  gboolean asking;
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
  return g_strdup_printf ("%s times as fast as speech", rate);
}

static char *
describe_chat (const PtStats *stats)
{
  g_autofree char *speed = pteris_format_rate (pteris_stats_speed (stats));
  g_autofree char *first = pteris_format_duration (stats->first_token_s);

  if (pteris_stats_speed (stats) <= 0)
    return g_strdup ("");
  return g_strdup_printf ("%s tok/s · first token %s", speed, first);
}

static void
on_stats (PterisEngineClient *client, guint kind, const PtStats *stats, PterisStatusBar *self)
{
  g_autofree char *text = NULL;

  if (kind == PT_JOB_CHAT)
    text = describe_chat (stats);
  else if (kind == PT_JOB_TRANSCRIBE)
    text = describe_transcription (stats);
  if (text != NULL)
    gtk_label_set_text (self->work, text);
}

void
pteris_status_bar_bind (PterisStatusBar *self, PterisEngineClient *client)
{
  g_signal_connect_object (client, "stats", G_CALLBACK (on_stats), self, 0);
}

/* ---- the machine ---- */

static void
read_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  g_task_return_pointer (task, pt_stats_read (), g_free);
}

static guint64
get_bytes (json_t *object, const char *key)
{
  json_int_t value = json_integer_value (json_object_get (object, key));

  return value > 0 ? (guint64) value : 0;
}

static void
show_memory (PterisStatusBar *self, json_t *root)
{
  guint64 own = get_bytes (json_object_get (root, "process"), "resident_bytes");
  guint64 available = get_bytes (json_object_get (root, "memory"), "available_bytes");
  g_autofree char *own_text = g_format_size (own);
  g_autofree char *available_text = g_format_size (available);
  g_autofree char *text = NULL;

  if (own > 0 && available > 0)
    text = g_strdup_printf ("%s · %s free", own_text, available_text);
  gtk_label_set_text (self->memory, text != NULL ? text : "");
}

static void
on_read (GObject *source, GAsyncResult *result, gpointer user_data)
{
  PterisStatusBar *self = PTERIS_STATUS_BAR (source);
  g_autofree char *text = g_task_propagate_pointer (G_TASK (result), NULL);
  json_t *root = text != NULL ? json_loads (text, 0, NULL) : NULL;
  const char *name = json_string_value (json_object_get (json_object_get (root, "cpu"), "name"));

  self->asking = FALSE;
  /* The answer may come after the window is gone. */
  if (self->device != NULL) {
    gtk_label_set_text (self->device, name != NULL ? name : "CPU");
    show_memory (self, root);
  }
  json_decref (root);
}

static gboolean
is_minimized (PterisStatusBar *self)
{
  GdkSurface *surface = gtk_native_get_surface (gtk_widget_get_native (GTK_WIDGET (self)));

  return (gdk_toplevel_get_state (GDK_TOPLEVEL (surface)) & GDK_TOPLEVEL_STATE_MINIMIZED) != 0;
}

static gboolean
ask (gpointer user_data)
{
  PterisStatusBar *self = PTERIS_STATUS_BAR (user_data);
  g_autoptr (GTask) task = NULL;

  if (self->asking || is_minimized (self))
    return G_SOURCE_CONTINUE;
  self->asking = TRUE;
  task = g_task_new (self, NULL, on_read, NULL);
  g_task_set_source_tag (task, ask);
  g_task_run_in_thread (task, read_in_thread);
  return G_SOURCE_CONTINUE;
}

static void
pteris_status_bar_map (GtkWidget *widget)
{
  PterisStatusBar *self = PTERIS_STATUS_BAR (widget);

  GTK_WIDGET_CLASS (pteris_status_bar_parent_class)->map (widget);
  ask (self);
  self->timer = g_timeout_add_seconds (INTERVAL_S, ask, self);
}

static void
pteris_status_bar_unmap (GtkWidget *widget)
{
  g_clear_handle_id (&PTERIS_STATUS_BAR (widget)->timer, g_source_remove);
  GTK_WIDGET_CLASS (pteris_status_bar_parent_class)->unmap (widget);
}

static void
pteris_status_bar_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_STATUS_BAR);
  G_OBJECT_CLASS (pteris_status_bar_parent_class)->dispose (object);
}

static void
pteris_status_bar_class_init (PterisStatusBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_status_bar_dispose;
  widget_class->map = pteris_status_bar_map;
  widget_class->unmap = pteris_status_bar_unmap;
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
