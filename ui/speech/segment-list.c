/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/speech/segment-list.h"

#include <string.h>

#include <adwaita.h>

#include "ui/parts/format.h"
#include "ui/speech/segment-row.h"

/* Distance from the end, in pixels, that counts as being at the end. */
#define TOLERANCE 24
/* Characters of text that must fit beside two times; otherwise the second time is hidden. */
#define ROOM_CHARS 45
/* Longest readable line in characters. */
#define TEXT_CHARS 104
/* Width of the other parts of a row, in pixels. */
#define ROW_EXTRA 82
/* "Speaker 12" */
#define SPEAKER_CHARS 10
/* Frames until a new row has its real height instead of an estimate. */
#define SETTLING_FRAMES 10

/* How long a segment that was searched for is marked. */
#define FOUND_MS 2500

struct _PterisSegmentList {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkScrolledWindow *scroller;
  GtkListView *view;
  GtkRevealer *follow;

  PterisTranscript *transcript;
  GtkNoSelection *rows; /* what the list shows */
  GPtrArray *items;     /* bound rows (GtkListItem) */
  gboolean is_narrow;
  int margin;    /* behind the texts */
  guint telling; /* id of the idle source that updates the rows */
  int playing;
  char *query;
  PterisMatch match;
  gboolean has_match;
  guint reached; /* position that is marked for a moment */
  guint marking; /* source that ends it; 0: none is marked */
  gboolean marks;
  guint settling;     /* frames until the new text has its final place; 0: it has */
  guint tick;         /* that counts them */
  gboolean at_end;    /* the view is at the end and follows it */
  double place, end;  /* scroll position and end at the last scroll */
  gboolean following; /* what is heard */
  guint to_end;       /* source that goes there */
};

G_DEFINE_FINAL_TYPE (PterisSegmentList, pteris_segment_list, GTK_TYPE_WIDGET)

enum { SIGNAL_SEEK, N_SIGNALS };
static guint signals[N_SIGNALS];

static PterisSegmentRow *
row_of (GtkListItem *item)
{
  return PTERIS_SEGMENT_ROW (gtk_list_item_get_child (item));
}

static void
scroll_to (PterisSegmentList *self, guint position)
{
  gtk_widget_activate_action (GTK_WIDGET (self->view), "list.scroll-to-item", "u", position);
}

/* ---- rows ---- */

/* All times are as wide as the last one, which is the longest. */
static int
time_chars (PterisSegmentList *self)
{
  GListModel *segments = pteris_transcript_get_segments (self->transcript);
  guint n = g_list_model_get_n_items (segments);
  g_autoptr (PterisSegment) last = n > 0 ? g_list_model_get_item (segments, n - 1) : NULL;
  g_autofree char *end = pteris_format_clock (last != NULL ? pteris_segment_get_end (last) : 0);
  int length = (int) strlen (end);

  if (!self->is_narrow)
    length = 2 * length; /* points and blanks are narrow */
  return last != NULL && pteris_segment_get_speaker (last) > 0 ? MAX (length, SPEAKER_CHARS)
                                                               : length;
}

static void
update_row (PterisSegmentList *self, GtkListItem *item)
{
  PterisSegmentRow *row = row_of (item);
  guint position = gtk_list_item_get_position (item);
  gboolean shown = self->has_match && self->match.position == position;

  pteris_segment_row_set_position (row, position);
  pteris_segment_row_set_columns (row, time_chars (self), !self->is_narrow, self->margin);
  pteris_segment_row_set_playing (row, (int) position == self->playing);
  pteris_segment_row_set_query (row, self->query, shown ? (int) self->match.start : -1);
  pteris_segment_row_set_marks (row, self->marks);
  if (self->marking != 0 && position == self->reached)
    gtk_widget_add_css_class (GTK_WIDGET (row), "found");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (row), "found");
}

static void
update_rows (PterisSegmentList *self)
{
  for (guint i = 0; i < self->items->len; i++)
    update_row (self, self->items->pdata[i]);
}

static void
on_seek (PterisSegmentRow *row, double seconds, PterisSegmentList *self)
{
  g_signal_emit (self, signals[SIGNAL_SEEK], 0, seconds);
}

static void
on_setup (GtkSignalListItemFactory *factory, GtkListItem *item, PterisSegmentList *self)
{
  PterisSegmentRow *row = pteris_segment_row_new ();

  g_signal_connect (row, "seek", G_CALLBACK (on_seek), self);
  gtk_list_item_set_child (item, GTK_WIDGET (row));
}

static void
on_position (GtkListItem *item, GParamSpec *pspec, PterisSegmentList *self)
{
  if (gtk_list_item_get_item (item) != NULL)
    update_row (self, item);
}

static void
on_bind (GtkSignalListItemFactory *factory, GtkListItem *item, PterisSegmentList *self)
{
  pteris_segment_row_bind (row_of (item), self->transcript, gtk_list_item_get_position (item));
  g_ptr_array_add (self->items, item);
  g_signal_connect (item, "notify::position", G_CALLBACK (on_position), self);
  update_row (self, item);
}

static void
on_unbind (GtkSignalListItemFactory *factory, GtkListItem *item, PterisSegmentList *self)
{
  g_signal_handlers_disconnect_by_func (item, on_position, self);
  g_ptr_array_remove_fast (self->items, item);
  pteris_segment_row_bind (row_of (item), NULL, 0);
}

void
pteris_segment_list_edit (PterisSegmentList *self, guint position)
{
  for (guint i = 0; i < self->items->len; i++)
    if (gtk_list_item_get_position (self->items->pdata[i]) == position)
      pteris_segment_row_edit (row_of (self->items->pdata[i]));
}

static void
on_activate (GtkListView *view, guint position, PterisSegmentList *self)
{
  pteris_segment_list_edit (self, position);
}

/* ---- width ---- */

static int
char_width (GtkWidget *widget)
{
  PangoContext *context = gtk_widget_get_pango_context (widget);
  PangoFontMetrics *metrics = pango_context_get_metrics (context, NULL, NULL);
  int width = PANGO_PIXELS (pango_font_metrics_get_approximate_char_width (metrics));

  pango_font_metrics_unref (metrics);
  return width;
}

/* Not during the layout of the list. */
static gboolean
tell_rows (gpointer user_data)
{
  PterisSegmentList *self = user_data;

  self->telling = 0;
  if (self->transcript != NULL)
    update_rows (self);
  return G_SOURCE_REMOVE;
}

static void
on_width (GtkAdjustment *adjustment, GParamSpec *pspec, PterisSegmentList *self)
{
  double width = gtk_adjustment_get_page_size (adjustment);
  int character = char_width (GTK_WIDGET (self));
  gboolean is_narrow = width < (2 * SPEAKER_CHARS + ROOM_CHARS) * character;
  int margin = MAX (0, (int) width - ROW_EXTRA - (SPEAKER_CHARS + TEXT_CHARS) * character);

  if (is_narrow == self->is_narrow && margin == self->margin)
    return;
  self->is_narrow = is_narrow;
  self->margin = margin;
  if (self->telling == 0)
    self->telling = g_idle_add (tell_rows, self);
}

/* ---- scrolling ---- */

static double
end_of (GtkAdjustment *adjustment)
{
  return gtk_adjustment_get_upper (adjustment) - gtk_adjustment_get_page_size (adjustment);
}

static gboolean
go_to_end (gpointer user_data)
{
  PterisSegmentList *self = user_data;
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (self->scroller);

  self->to_end = 0;
  if (self->settling > 0 && self->at_end)
    gtk_adjustment_set_value (adjustment, end_of (adjustment));
  return G_SOURCE_REMOVE;
}

/* A row has got its height. Not during the layout. */
static void
on_resized (GtkAdjustment *adjustment, PterisSegmentList *self)
{
  if (self->settling > 0 && self->at_end && self->to_end == 0)
    self->to_end = g_idle_add (go_to_end, self);
}

static gboolean
on_frame (GtkWidget *widget, GdkFrameClock *clock, gpointer user_data)
{
  PterisSegmentList *self = PTERIS_SEGMENT_LIST (widget);

  if (self->settling > 0 && --self->settling > 0)
    return G_SOURCE_CONTINUE;
  self->tick = 0;
  return G_SOURCE_REMOVE;
}

static void
settle (PterisSegmentList *self)
{
  self->settling = SETTLING_FRAMES;
  if (self->tick == 0)
    self->tick = gtk_widget_add_tick_callback (GTK_WIDGET (self), on_frame, NULL, NULL);
}

static void
on_segments_changed (PterisSegmentList *self)
{
  update_rows (self);
  if (pteris_transcript_get_state (self->transcript) == PTERIS_TRANSCRIPT_RUNNING)
    settle (self);
}

/* Follows the end when it moves; stops when the user scrolls up. A list also scrolls by itself when
   its height changes. */
static void
on_scrolled (GtkAdjustment *adjustment, PterisSegmentList *self)
{
  double place = gtk_adjustment_get_value (adjustment), end = end_of (adjustment);

  if (end - place <= TOLERANCE)
    self->at_end = TRUE;
  else if (place < self->place && end == self->end)
    self->at_end = FALSE;
  self->place = place;
  self->end = end;
}

/* Called for scrolling by the user, not by us. */
static gboolean
on_wheel (GtkEventControllerScroll *controller, double dx, double dy, PterisSegmentList *self)
{
  if (dy != 0 && self->playing >= 0) {
    self->following = FALSE;
    gtk_revealer_set_reveal_child (self->follow, TRUE);
  }
  return FALSE;
}

void
pteris_segment_list_follow (PterisSegmentList *self)
{
  self->following = TRUE;
  gtk_revealer_set_reveal_child (self->follow, FALSE);
  if (self->playing >= 0)
    scroll_to (self, (guint) self->playing);
}

gboolean
pteris_segment_list_is_following (PterisSegmentList *self)
{
  return self->following;
}

void
pteris_segment_list_set_playing (PterisSegmentList *self, int position)
{
  if (self->playing == position)
    return;
  self->playing = position;
  update_rows (self);
  if (position < 0)
    gtk_revealer_set_reveal_child (self->follow, FALSE);
  else if (self->following)
    scroll_to (self, (guint) position);
}

/* ---- public functions ---- */

static gboolean
unmark (gpointer user_data)
{
  PterisSegmentList *self = user_data;

  self->marking = 0;
  update_rows (self);
  return G_SOURCE_REMOVE;
}

void
pteris_segment_list_reach (PterisSegmentList *self, guint position)
{
  g_clear_handle_id (&self->marking, g_source_remove);
  self->reached = position;
  self->marking = g_timeout_add (FOUND_MS, unmark, self);
  update_rows (self);
  scroll_to (self, position);
}

void
pteris_segment_list_set_query (PterisSegmentList *self, const char *query, const PterisMatch *match)
{
  g_autofree char *copy = g_strdup (query);
  gboolean moved = match != NULL && (!self->has_match || self->match.position != match->position ||
                                     self->match.start != match->start);

  g_free (self->query);
  self->query = g_steal_pointer (&copy);
  self->has_match = match != NULL;
  if (match != NULL)
    self->match = *match;
  update_rows (self);
  if (moved)
    scroll_to (self, match->position);
}

void
pteris_segment_list_set_marks (PterisSegmentList *self, gboolean marks)
{
  self->marks = marks;
  update_rows (self);
}

void
pteris_segment_list_set_transcript (PterisSegmentList *self, PterisTranscript *transcript)
{
  if (self->transcript != NULL)
    g_signal_handlers_disconnect_by_data (pteris_transcript_get_segments (self->transcript), self);
  gtk_list_view_set_model (self->view, NULL);
  g_clear_object (&self->rows);
  g_set_object (&self->transcript, transcript);
  self->playing = -1;
  self->has_match = FALSE;
  self->following = TRUE;
  gtk_revealer_set_reveal_child (self->follow, FALSE);
  self->settling = 0;
  self->at_end = transcript != NULL && pteris_transcript_is_open (transcript);
  self->place = self->end = 0;
  if (transcript == NULL)
    return;
  self->rows = gtk_no_selection_new (g_object_ref (pteris_transcript_get_segments (transcript)));
  gtk_list_view_set_model (self->view, GTK_SELECTION_MODEL (self->rows));
  g_signal_connect_object (pteris_transcript_get_segments (transcript), "items-changed",
                           G_CALLBACK (on_segments_changed), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
}

/* ---- the widget ---- */

static void
pteris_segment_list_dispose (GObject *object)
{
  PterisSegmentList *self = PTERIS_SEGMENT_LIST (object);

  g_clear_handle_id (&self->to_end, g_source_remove);
  g_clear_handle_id (&self->telling, g_source_remove);
  g_clear_handle_id (&self->marking, g_source_remove);
  if (self->transcript != NULL)
    pteris_segment_list_set_transcript (self, NULL);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_SEGMENT_LIST);
  G_OBJECT_CLASS (pteris_segment_list_parent_class)->dispose (object);
}

static void
pteris_segment_list_finalize (GObject *object)
{
  PterisSegmentList *self = PTERIS_SEGMENT_LIST (object);

  g_free (self->query);
  g_ptr_array_unref (self->items);
  G_OBJECT_CLASS (pteris_segment_list_parent_class)->finalize (object);
}

static void
pteris_segment_list_class_init (PterisSegmentListClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_segment_list_dispose;
  G_OBJECT_CLASS (klass)->finalize = pteris_segment_list_finalize;
  signals[SIGNAL_SEEK] = g_signal_new ("seek", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                                       NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_DOUBLE);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/segment-list.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisSegmentList, content);
  gtk_widget_class_bind_template_child (widget_class, PterisSegmentList, scroller);
  gtk_widget_class_bind_template_child (widget_class, PterisSegmentList, view);
  gtk_widget_class_bind_template_child (widget_class, PterisSegmentList, follow);
  gtk_widget_class_bind_template_callback (widget_class, on_activate);
  gtk_widget_class_bind_template_callback (widget_class, on_wheel);
  gtk_widget_class_bind_template_callback (widget_class, pteris_segment_list_follow);
}

static void
pteris_segment_list_init (PterisSegmentList *self)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkAdjustment *vertical;

  self->items = g_ptr_array_new ();
  self->playing = -1;
  self->following = TRUE;
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect (factory, "setup", G_CALLBACK (on_setup), self);
  g_signal_connect (factory, "bind", G_CALLBACK (on_bind), self);
  g_signal_connect (factory, "unbind", G_CALLBACK (on_unbind), self);
  gtk_list_view_set_factory (self->view, factory);
  g_object_unref (factory);
  g_signal_connect_object (gtk_scrolled_window_get_hadjustment (self->scroller),
                           "notify::page-size", G_CALLBACK (on_width), self, 0);
  vertical = gtk_scrolled_window_get_vadjustment (self->scroller);
  g_signal_connect_object (vertical, "value-changed", G_CALLBACK (on_scrolled), self, 0);
  g_signal_connect_object (vertical, "changed", G_CALLBACK (on_resized), self, 0);
}
