/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/speech/segment-row.h"

#include <string.h>

#include "ui/parts/format.h"
#include "ui/parts/text-menu.h"
#include "ui/i18n.h"
#include "ui/speech/transcript-edit.h"

struct _PterisSegmentRow {
  GtkWidget parent_instance;

  GtkWidget *frame;
  GtkWidget *moment;
  GtkLabel *time;
  GtkLabel *speaker;
  GtkStack *stack;
  GtkLabel *text;
  GtkTextView *editor;
  GtkEditable *start;
  GtkEditable *end;
  GtkMenuButton *menu;

  PterisTranscript *transcript;
  PterisSegment *segment;
  guint position;
  char *query;
  int match;
  gboolean marks;
  gboolean with_end;
};

G_DEFINE_FINAL_TYPE (PterisSegmentRow, pteris_segment_row, GTK_TYPE_WIDGET)

enum { SIGNAL_SEEK, N_SIGNALS };
static guint signals[N_SIGNALS];

/* ---- showing ---- */

static void
mark (PangoAttrList *list, PangoAttribute *attribute, guint start, guint length)
{
  attribute->start_index = start;
  attribute->end_index = start + length;
  pango_attr_list_insert (list, attribute);
}

static void
mark_query (PterisSegmentRow *self, PangoAttrList *list)
{
  g_autofree char *escaped = g_regex_escape_string (self->query, -1);
  g_autoptr (GRegex) pattern = g_regex_new (escaped, G_REGEX_CASELESS, 0, NULL);
  g_autoptr (GMatchInfo) info = NULL;
  int start, end;

  if (pattern == NULL)
    return;
  g_regex_match (pattern, pteris_segment_get_text (self->segment), 0, &info);
  for (; g_match_info_matches (info); g_match_info_next (info, NULL)) {
    gboolean shown;

    g_match_info_fetch_pos (info, 0, &start, &end);
    shown = start == self->match;
    mark (list, pango_attr_background_new (0xf6f6, 0xd3d3, 0x2d2d), (guint) start,
          (guint) (end - start));
    mark (list, pango_attr_foreground_new (0, 0, 0), (guint) start, (guint) (end - start));
    if (shown)
      mark (list, pango_attr_underline_new (PANGO_UNDERLINE_DOUBLE), (guint) start,
            (guint) (end - start));
  }
}

static void
update_marks (PterisSegmentRow *self)
{
  PangoAttrList *list = pango_attr_list_new ();
  guint n = 0;
  const PtWord *doubts =
      self->segment != NULL ? pteris_segment_get_doubts (self->segment, &n) : NULL;

  for (guint i = 0; self->marks && i < n; i++)
    mark (list, pango_attr_underline_new (PANGO_UNDERLINE_ERROR), doubts[i].start,
          doubts[i].length);
  if (self->segment != NULL && self->query != NULL)
    mark_query (self, list);
  gtk_label_set_attributes (self->text, list);
  pango_attr_list_unref (list);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->text),
                               self->marks && n > 0 ? _ ("Underlined words are uncertain") : NULL);
}

/* "0:01.0 – 0:04.2", from left to right in every script. Free with g_free(). */
static char *
describe_time (PterisSegment *segment, gboolean with_end)
{
  g_autofree char *start = pteris_format_clock (pteris_segment_get_start (segment));
  g_autofree char *end = pteris_format_clock (pteris_segment_get_end (segment));

  return with_end ? g_strdup_printf ("\u2066%s – %s\u2069", start, end)
                  : g_strdup_printf ("\u2066%s\u2069", start);
}

/* Free with g_free(); NULL: the speaker is unknown. */
static char *
describe_speaker (PterisSegment *segment)
{
  guint speaker = pteris_segment_get_speaker (segment);

  /* TRANSLATORS: somebody whose name is not known: "Speaker 2" */
  return speaker > 0 ? g_strdup_printf (_ ("Speaker %u"), speaker) : NULL;
}

static void
show_time (PterisSegmentRow *self)
{
  g_autofree char *time = describe_time (self->segment, self->with_end);
  g_autofree char *whole = describe_time (self->segment, TRUE);
  g_autofree char *speaker = describe_speaker (self->segment);
  g_autofree char *both =
      speaker != NULL ? g_strdup_printf ("%s\n%s", whole, speaker) : g_strdup (whole);

  gtk_label_set_text (self->time, time);
  gtk_label_set_text (self->speaker, speaker != NULL ? speaker : "");
  gtk_widget_set_visible (GTK_WIDGET (self->speaker), speaker != NULL);
  gtk_widget_set_tooltip_text (self->moment, self->with_end ? NULL : both);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, both,
                                  -1);
}

void
pteris_segment_row_set_columns (PterisSegmentRow *self, int n_chars, gboolean with_end, int margin)
{
  gtk_widget_set_margin_end (GTK_WIDGET (self->text), margin);
  gtk_label_set_width_chars (self->time, n_chars);
  gtk_label_set_width_chars (self->speaker, n_chars);
  gtk_label_set_max_width_chars (self->speaker, n_chars);
  if (self->with_end == with_end)
    return;
  self->with_end = with_end;
  if (self->segment != NULL)
    show_time (self);
}

static void
show_segment (PterisSegmentRow *self)
{
  gtk_label_set_text (self->text, pteris_segment_get_text (self->segment));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  pteris_segment_get_text (self->segment), -1);
  show_time (self);
  update_marks (self);
}

void
pteris_segment_row_set_playing (PterisSegmentRow *self, gboolean playing)
{
  if (playing)
    gtk_widget_add_css_class (self->frame, "playing");
  else
    gtk_widget_remove_css_class (self->frame, "playing");
}

void
pteris_segment_row_set_query (PterisSegmentRow *self, const char *query, int match)
{
  g_autofree char *copy = g_strdup (query != NULL && query[0] != '\0' ? query : NULL);

  if (g_strcmp0 (copy, self->query) == 0 && match == self->match)
    return;
  g_free (self->query);
  self->query = g_steal_pointer (&copy);
  self->match = match;
  update_marks (self);
}

void
pteris_segment_row_set_marks (PterisSegmentRow *self, gboolean marks)
{
  if (self->marks == marks)
    return;
  self->marks = marks;
  update_marks (self);
}

/* ---- editing ---- */

gboolean
pteris_segment_row_is_editing (PterisSegmentRow *self)
{
  return g_str_equal (gtk_stack_get_visible_child_name (self->stack), "editor");
}

static char *
get_text (PterisSegmentRow *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->editor);
  GtkTextIter start, end;
  char *text;

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  text = gtk_text_buffer_get_text (buffer, &start, &end, FALSE);
  return g_strdelimit (text, "\r\n", ' ');
}

/* The entry shows fewer digits than @old has: an unchanged text keeps @old. */
static double
get_time (GtkEditable *entry, double old)
{
  g_autofree char *shown = pteris_format_clock (old);
  const char *text = gtk_editable_get_text (entry);
  double seconds;

  return !g_str_equal (text, shown) && pteris_parse_clock (text, &seconds) ? seconds : old;
}

static void
leave (PterisSegmentRow *self)
{
  gtk_stack_set_visible_child_name (self->stack, "text");
  gtk_widget_set_visible (self->moment, TRUE);
}

/* An edit to commit later, since GTK is in the middle of an operation that needs the rows. */
typedef struct {
  PterisTranscript *transcript;
  PterisSegment *segment;
  char *text;
  double start, end;
} Draft;

static void
draft_free (gpointer data)
{
  Draft *draft = data;

  g_object_unref (draft->transcript);
  g_object_unref (draft->segment);
  g_free (draft->text);
  g_free (draft);
}

static gboolean
take_draft (gpointer data)
{
  Draft *draft = data;
  GListModel *segments = pteris_transcript_get_segments (draft->transcript);
  guint position;

  /* Unless the segment has been changed or deleted since. */
  if (g_list_store_find (G_LIST_STORE (segments), draft->segment, &position))
    pteris_transcript_edit (draft->transcript, position, draft->text, draft->start, draft->end);
  return G_SOURCE_REMOVE;
}

static void
commit_later (PterisSegmentRow *self)
{
  Draft *draft;

  if (!pteris_segment_row_is_editing (self) || self->segment == NULL)
    return;
  draft = g_new0 (Draft, 1);
  draft->transcript = g_object_ref (self->transcript);
  draft->segment = g_object_ref (self->segment);
  draft->text = get_text (self);
  draft->start = get_time (self->start, pteris_segment_get_start (self->segment));
  draft->end = get_time (self->end, pteris_segment_get_end (self->segment));
  leave (self);
  g_idle_add_full (G_PRIORITY_DEFAULT, take_draft, draft, draft_free);
}

/* The edit replaces the segment, so this row is bound again. */
static void
commit (PterisSegmentRow *self)
{
  g_autoptr (PterisTranscript) transcript = NULL;
  g_autofree char *text = NULL;
  double start, end;

  if (!pteris_segment_row_is_editing (self) || self->segment == NULL)
    return;
  transcript = g_object_ref (self->transcript);
  text = get_text (self);
  start = get_time (self->start, pteris_segment_get_start (self->segment));
  end = get_time (self->end, pteris_segment_get_end (self->segment));
  leave (self);
  pteris_transcript_edit (transcript, self->position, text, start, end);
}

void
pteris_segment_row_edit (PterisSegmentRow *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->editor);
  g_autofree char *start = NULL, *end = NULL;
  GtkTextIter first;

  if (self->segment == NULL || pteris_segment_row_is_editing (self))
    return;
  start = pteris_format_clock (pteris_segment_get_start (self->segment));
  end = pteris_format_clock (pteris_segment_get_end (self->segment));
  gtk_text_buffer_begin_irreversible_action (buffer);
  gtk_text_buffer_set_text (buffer, pteris_segment_get_text (self->segment), -1);
  gtk_text_buffer_end_irreversible_action (buffer);
  gtk_text_buffer_get_start_iter (buffer, &first);
  gtk_text_buffer_place_cursor (buffer, &first);
  gtk_editable_set_text (self->start, start);
  gtk_editable_set_text (self->end, end);
  gtk_stack_set_visible_child_name (self->stack, "editor");
  gtk_widget_set_visible (self->moment, FALSE);
  gtk_widget_grab_focus (GTK_WIDGET (self->editor));
}

/* The cursor as a byte offset, and whether it is at the start or the end. */
static gsize
get_cursor (PterisSegmentRow *self, gboolean *at_start, gboolean *at_end)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->editor);
  GtkTextIter start, cursor;
  g_autofree char *head = NULL;

  gtk_text_buffer_get_start_iter (buffer, &start);
  gtk_text_buffer_get_iter_at_mark (buffer, &cursor, gtk_text_buffer_get_insert (buffer));
  *at_start = gtk_text_iter_is_start (&cursor) && !gtk_text_buffer_get_has_selection (buffer);
  *at_end = gtk_text_iter_is_end (&cursor) && !gtk_text_buffer_get_has_selection (buffer);
  head = gtk_text_buffer_get_text (buffer, &start, &cursor, FALSE);
  return strlen (head);
}

static void
split (PterisSegmentRow *self)
{
  g_autoptr (PterisTranscript) transcript = g_object_ref (self->transcript);
  g_autofree char *text = NULL;
  gboolean at_start, at_end;
  gsize offset;

  /* Without an editor there is no cursor to split at. */
  if (!pteris_segment_row_is_editing (self)) {
    pteris_segment_row_edit (self);
    return;
  }
  text = get_text (self);
  offset = get_cursor (self, &at_start, &at_end);
  if (at_start || at_end)
    return;
  leave (self);
  pteris_transcript_split (transcript, self->position, text, offset);
}

static void
merge (PterisSegmentRow *self, int with)
{
  g_autoptr (PterisTranscript) transcript = g_object_ref (self->transcript);
  guint position = self->position;

  commit (self);
  if (with < 0 && position == 0)
    return;
  pteris_transcript_merge (transcript, with < 0 ? position - 1 : position);
}

static gboolean
on_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state,
        PterisSegmentRow *self)
{
  gboolean control = (state & GDK_CONTROL_MASK) != 0;
  gboolean at_start, at_end;

  get_cursor (self, &at_start, &at_end);
  if (key == GDK_KEY_Return || key == GDK_KEY_KP_Enter) {
    if (control)
      split (self);
    else
      commit (self);
    return TRUE;
  }
  if (key == GDK_KEY_Escape) {
    leave (self);
    return TRUE;
  }
  if (key == GDK_KEY_BackSpace && at_start) {
    merge (self, -1);
    return TRUE;
  }
  if (key == GDK_KEY_Delete && at_end) {
    merge (self, 1);
    return TRUE;
  }
  return FALSE;
}

static gboolean
on_time_key (GtkEventControllerKey *controller, guint key, guint code, GdkModifierType state,
             PterisSegmentRow *self)
{
  if (key != GDK_KEY_Escape)
    return FALSE;
  leave (self);
  return TRUE;
}

/* The focus in the menu still belongs to the editor. */
static void
on_focus_leave (PterisSegmentRow *self)
{
  GtkPopover *popover = gtk_menu_button_get_popover (self->menu);

  if (popover == NULL || !gtk_widget_get_visible (GTK_WIDGET (popover)))
    commit_later (self);
}

static void
run_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  PterisSegmentRow *self = PTERIS_SEGMENT_ROW (widget);

  if (self->segment == NULL)
    return;
  if (g_str_equal (name, "segment.edit"))
    pteris_segment_row_edit (self);
  else if (g_str_equal (name, "segment.split"))
    split (self);
  else if (g_str_equal (name, "segment.merge-previous"))
    merge (self, -1);
  else if (g_str_equal (name, "segment.merge-next"))
    merge (self, 1);
  else
    pteris_transcript_remove (self->transcript, self->position);
}

/* ---- pointing ---- */

/* Sets the cursor to the character at (@x, @y) of @widget. */
static void
place_cursor (PterisSegmentRow *self, GtkWidget *widget, double x, double y)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->editor);
  PangoLayout *layout = gtk_label_get_layout (self->text);
  const char *text = pango_layout_get_text (layout);
  int left, top, index, trailing;
  GtkTextIter iter;

  if (!gtk_widget_translate_coordinates (widget, GTK_WIDGET (self->text), x, y, &x, &y))
    return;
  gtk_label_get_layout_offsets (self->text, &left, &top);
  pango_layout_xy_to_index (layout, (int) (x - left) * PANGO_SCALE, (int) (y - top) * PANGO_SCALE,
                            &index, &trailing);
  gtk_text_buffer_get_iter_at_offset (
      buffer, &iter, (int) g_utf8_pointer_to_offset (text, text + index) + trailing);
  gtk_text_buffer_place_cursor (buffer, &iter);
}

/* The list must not get the second click: it would take the focus from the editor. */
static void
on_pressed (GtkGestureClick *gesture, int n_press, double x, double y, PterisSegmentRow *self)
{
  if (n_press != 2 || self->segment == NULL || pteris_segment_row_is_editing (self))
    return;
  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  pteris_segment_row_edit (self);
  place_cursor (self, gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (gesture)), x, y);
}

static void
on_released (GtkGestureClick *gesture, int n_press, double x, double y, PterisSegmentRow *self)
{
  if (n_press == 1 && self->segment != NULL && !pteris_segment_row_is_editing (self))
    g_signal_emit (self, signals[SIGNAL_SEEK], 0, pteris_segment_get_start (self->segment));
}

static void
on_secondary_click (PterisSegmentRow *self)
{
  gtk_menu_button_popup (self->menu);
}

/* ---- the widget ---- */

void
pteris_segment_row_set_position (PterisSegmentRow *self, guint position)
{
  self->position = position;
}

void
pteris_segment_row_bind (PterisSegmentRow *self, PterisTranscript *transcript, guint position)
{
  g_autoptr (PterisSegment) segment =
      transcript != NULL
          ? g_list_model_get_item (pteris_transcript_get_segments (transcript), position)
          : NULL;

  /* The edit is committed wherever the focus goes. */
  commit_later (self);
  leave (self);
  g_set_object (&self->transcript, transcript);
  g_set_object (&self->segment, segment);
  self->position = position;
  if (segment != NULL)
    show_segment (self);
}

PterisSegmentRow *
pteris_segment_row_new (void)
{
  return g_object_new (PTERIS_TYPE_SEGMENT_ROW, NULL);
}

static void
pteris_segment_row_dispose (GObject *object)
{
  PterisSegmentRow *self = PTERIS_SEGMENT_ROW (object);

  g_clear_object (&self->segment);
  g_clear_object (&self->transcript);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_SEGMENT_ROW);
  G_OBJECT_CLASS (pteris_segment_row_parent_class)->dispose (object);
}

static void
pteris_segment_row_finalize (GObject *object)
{
  g_free (PTERIS_SEGMENT_ROW (object)->query);
  G_OBJECT_CLASS (pteris_segment_row_parent_class)->finalize (object);
}

static void
pteris_segment_row_class_init (PterisSegmentRowClass *klass)
{
  static const char *const ACTIONS[] = { "segment.edit", "segment.split", "segment.merge-previous",
                                         "segment.merge-next", "segment.delete" };
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_segment_row_dispose;
  G_OBJECT_CLASS (klass)->finalize = pteris_segment_row_finalize;
  signals[SIGNAL_SEEK] = g_signal_new ("seek", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                                       NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_DOUBLE);
  for (guint i = 0; i < G_N_ELEMENTS (ACTIONS); i++)
    gtk_widget_class_install_action (widget_class, ACTIONS[i], NULL, run_action);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/segment-row.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisSegmentRow, frame);
  gtk_widget_class_bind_template_child (widget_class, PterisSegmentRow, moment);
  gtk_widget_class_bind_template_child (widget_class, PterisSegmentRow, time);
  gtk_widget_class_bind_template_child (widget_class, PterisSegmentRow, speaker);
  gtk_widget_class_bind_template_child (widget_class, PterisSegmentRow, stack);
  gtk_widget_class_bind_template_child (widget_class, PterisSegmentRow, text);
  gtk_widget_class_bind_template_child (widget_class, PterisSegmentRow, editor);
  gtk_widget_class_bind_template_child (widget_class, PterisSegmentRow, start);
  gtk_widget_class_bind_template_child (widget_class, PterisSegmentRow, end);
  gtk_widget_class_bind_template_child (widget_class, PterisSegmentRow, menu);
  gtk_widget_class_bind_template_callback (widget_class, on_pressed);
  gtk_widget_class_bind_template_callback (widget_class, on_released);
  gtk_widget_class_bind_template_callback (widget_class, on_secondary_click);
  gtk_widget_class_bind_template_callback (widget_class, on_key);
  gtk_widget_class_bind_template_callback (widget_class, on_time_key);
  gtk_widget_class_bind_template_callback (widget_class, on_focus_leave);
  gtk_widget_class_bind_template_callback (widget_class, commit);
}

static void
pteris_segment_row_init (PterisSegmentRow *self)
{
  self->match = -1;
  self->with_end = TRUE;
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_text_view_set_extra_menu (self->editor, pteris_text_menu ());
}
