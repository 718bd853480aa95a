/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/speech/queue-strip.h"

#include "ui/parts/format.h"
#include "ui/i18n.h"
#include "ui/speech/transcript-row.h"

struct _PterisQueueStrip {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkLabel *summary;
  GtkToggleButton *unfold;
  GtkWidget *pause_all;
  GtkWidget *resume_all;
  GtkWidget *clear;
  GtkListBox *list;

  PterisTranscriptQueue *queue;
  PterisTranscript *current; /* that the page shows */
  gboolean is_selecting;
  gboolean was_busy;
};

G_DEFINE_FINAL_TYPE (PterisQueueStrip, pteris_queue_strip, GTK_TYPE_WIDGET)

enum { SIGNAL_OPEN, N_SIGNALS };
static guint signals[N_SIGNALS];

static char *
describe (const PterisQueueFigures *figures)
{
  guint n = figures->n_open + figures->n_paused + figures->n_ended;
  g_autofree char *left = NULL;

  if (figures->n_open == 0 && figures->n_paused == 0 && figures->n_failed > 0)
    return g_strdup_printf (_ ("%u of %u done · %u failed"), n - figures->n_failed, n,
                            figures->n_failed);
  if (figures->n_open == 0 && figures->n_paused == 0)
    return g_strdup_printf (ngettext ("%u recording done", "%u recordings done", n), n);
  if (figures->n_open == 0)
    return g_strdup_printf (_ ("Paused: %u of %u done"), figures->n_ended, n);
  if (figures->left < 0)
    return g_strdup_printf (_ ("%u of %u done"), figures->n_ended, n);
  left = pteris_format_duration (MAX (figures->left, 1));
  /* TRANSLATORS: recordings, and the time that the others will take. */
  return g_strdup_printf (_ ("%u of %u done · %s left"), figures->n_ended, n, left);
}

/* The page itself shows the state of the transcript that it shows. */
static gboolean
is_needed (PterisQueueStrip *self, const PterisQueueFigures *figures)
{
  GListModel *line = pteris_transcript_queue_get_line (self->queue);
  g_autoptr (PterisTranscript) first = g_list_model_get_item (line, 0);

  if (g_list_model_get_n_items (line) > 1)
    return TRUE;
  return first != NULL && first != self->current &&
         (figures->n_open > 0 || figures->n_paused > 0 || figures->n_failed > 0);
}

/* If all went well, the strip is collapsed to a line until the user expands it. */
static void
update_fold (PterisQueueStrip *self, const PterisQueueFigures *figures)
{
  gboolean busy = figures->n_open > 0 || figures->n_paused > 0;

  if (busy != self->was_busy)
    gtk_toggle_button_set_active (self->unfold, busy || figures->n_failed > 0);
  self->was_busy = busy;
}

static void
update (PterisQueueStrip *self)
{
  PterisQueueFigures figures;
  g_autofree char *text = NULL;

  pteris_transcript_queue_get_figures (self->queue, &figures);
  text = describe (&figures);
  gtk_label_set_text (self->summary, text);
  update_fold (self, &figures);
  gtk_widget_set_visible (GTK_WIDGET (self), is_needed (self, &figures));
  gtk_widget_set_visible (self->pause_all, figures.n_open > 0);
  gtk_widget_set_visible (self->resume_all, figures.n_paused > 0);
  gtk_widget_set_visible (self->clear, figures.n_ended > 0);
}

static GtkWidget *
create_row (gpointer item, gpointer user_data)
{
  PterisQueueStrip *self = user_data;

  return GTK_WIDGET (pteris_transcript_row_new (PTERIS_TRANSCRIPT (item), self->queue));
}

static void
on_row_selected (GtkListBox *list, GtkListBoxRow *row, PterisQueueStrip *self)
{
  if (row != NULL && !self->is_selecting && self->queue != NULL)
    g_signal_emit (self, signals[SIGNAL_OPEN], 0,
                   pteris_transcript_row_get_transcript (PTERIS_TRANSCRIPT_ROW (row)));
}

void
pteris_queue_strip_set_current (PterisQueueStrip *self, PterisTranscript *transcript)
{
  GListModel *line = pteris_transcript_queue_get_line (self->queue);
  guint n = g_list_model_get_n_items (line);
  GtkListBoxRow *row = NULL;

  g_set_object (&self->current, transcript);
  update (self);
  for (guint i = 0; i < n && row == NULL; i++) {
    g_autoptr (PterisTranscript) other = g_list_model_get_item (line, i);

    if (other == transcript)
      row = gtk_list_box_get_row_at_index (self->list, (int) i);
  }
  self->is_selecting = TRUE;
  gtk_list_box_select_row (self->list, row);
  self->is_selecting = FALSE;
}

static void
on_pause_all (PterisQueueStrip *self)
{
  pteris_transcript_queue_pause_all (self->queue);
}

static void
on_resume_all (PterisQueueStrip *self)
{
  pteris_transcript_queue_resume_all (self->queue);
}

static void
on_clear (PterisQueueStrip *self)
{
  pteris_transcript_queue_clear_done (self->queue);
}

void
pteris_queue_strip_set_queue (PterisQueueStrip *self, PterisTranscriptQueue *queue)
{
  GListModel *line = pteris_transcript_queue_get_line (queue);

  g_set_object (&self->queue, queue);
  gtk_list_box_bind_model (self->list, line, create_row, self, NULL);
  g_signal_connect_object (line, "items-changed", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_signal_connect_object (queue, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
}

static void
pteris_queue_strip_dispose (GObject *object)
{
  g_clear_object (&PTERIS_QUEUE_STRIP (object)->queue);
  g_clear_object (&PTERIS_QUEUE_STRIP (object)->current);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_QUEUE_STRIP);
  G_OBJECT_CLASS (pteris_queue_strip_parent_class)->dispose (object);
}

static void
pteris_queue_strip_class_init (PterisQueueStripClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_queue_strip_dispose;
  signals[SIGNAL_OPEN] = g_signal_new ("open", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                                       NULL, NULL, NULL, G_TYPE_NONE, 1, PTERIS_TYPE_TRANSCRIPT);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/queue-strip.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisQueueStrip, content);
  gtk_widget_class_bind_template_child (widget_class, PterisQueueStrip, summary);
  gtk_widget_class_bind_template_child (widget_class, PterisQueueStrip, unfold);
  gtk_widget_class_bind_template_child (widget_class, PterisQueueStrip, pause_all);
  gtk_widget_class_bind_template_child (widget_class, PterisQueueStrip, resume_all);
  gtk_widget_class_bind_template_child (widget_class, PterisQueueStrip, clear);
  gtk_widget_class_bind_template_child (widget_class, PterisQueueStrip, list);
  gtk_widget_class_bind_template_callback (widget_class, on_row_selected);
  gtk_widget_class_bind_template_callback (widget_class, on_pause_all);
  gtk_widget_class_bind_template_callback (widget_class, on_resume_all);
  gtk_widget_class_bind_template_callback (widget_class, on_clear);
}

static void
pteris_queue_strip_init (PterisQueueStrip *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
