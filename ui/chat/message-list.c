/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/chat/message-list.h"

#include <string.h>

#include "ui/parts/text-width.h"

/* Padding around the rows, and the space between them, in pixels. */
#define PADDING_TOP 24
#define PADDING_BOTTOM 12
#define PADDING_SIDE 18
#define SPACING 24
#define MIN_WIDTH 240

/* The width of rows in relation to a column of text: code and tables are wider. */
#define WIDTH_FACTOR 1.3

/* Distance from the end, in pixels, that counts as being at the end. */
#define TOLERANCE 24

/* Rows within PAGES_AHEAD pages of the visible ones are created in advance; rows beyond PAGES_KEPT
   pages are removed. */
#define PAGES_AHEAD 1
#define PAGES_KEPT 4

/* Most rounds of a layout: it begins again when a row's height differs from the estimate. */
#define MAX_ROUNDS 16

typedef struct {
  PterisMessageRow *row; /* or NULL */
  int height;            /* as measured at @width */
  int width;             /* 0: never measured */
  int y;                 /* from the top of all rows */
} Item;

struct _PterisMessageList {
  GtkWidget parent_instance;

  GListModel *model;
  GArray *items; /* Item */
  GtkAdjustment *adjustments[2];
  guint policies[2];

  gboolean to_end;
  guint anchor;         /* the item that keeps its place on the screen */
  double anchor_offset; /* its top relative to the top of the visible area */
  gboolean configuring;
  guint idle;
};

enum { PROP_0, PROP_HADJUSTMENT, PROP_VADJUSTMENT, PROP_HSCROLL_POLICY, PROP_VSCROLL_POLICY };
enum { SIGNAL_ROW_ADDED, N_SIGNALS };
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE_WITH_CODE (PterisMessageList, pteris_message_list, GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (GTK_TYPE_SCROLLABLE, NULL))

static Item *
item_at (PterisMessageList *self, guint i)
{
  return &g_array_index (self->items, Item, i);
}

static GtkAdjustment *
vertical (PterisMessageList *self)
{
  return self->adjustments[GTK_ORIENTATION_VERTICAL];
}

/* ---- rows ---- */

static void
make_row (PterisMessageList *self, guint i)
{
  g_autoptr (PterisMessage) message = g_list_model_get_item (self->model, i);
  Item *item = item_at (self, i);
  GtkWidget *previous = NULL;

  for (guint k = i; k-- > 0 && previous == NULL;)
    previous = GTK_WIDGET (item_at (self, k)->row);
  item->row = pteris_message_row_new (message);
  pteris_message_row_set_last (item->row, i + 1 == self->items->len);
  gtk_widget_insert_after (GTK_WIDGET (item->row), GTK_WIDGET (self), previous);
  g_signal_emit (self, signals[SIGNAL_ROW_ADDED], 0, item->row);
}

static void
drop_row (Item *item)
{
  g_clear_pointer ((GtkWidget **) &item->row, gtk_widget_unparent);
}

static void
mark_last (PterisMessageList *self)
{
  for (guint i = 0; i < self->items->len; i++)
    if (item_at (self, i)->row != NULL)
      pteris_message_row_set_last (item_at (self, i)->row, i + 1 == self->items->len);
}

static void
on_items_changed (GListModel *model, guint position, guint removed, guint added,
                  PterisMessageList *self)
{
  gboolean was_empty = self->items->len == removed;

  for (guint i = position; i < position + removed; i++)
    drop_row (item_at (self, i));
  g_array_remove_range (self->items, position, removed);
  for (guint i = 0; i < added; i++) {
    Item item = { NULL };

    g_array_insert_val (self->items, position + i, item);
  }
  if (was_empty)
    self->to_end = TRUE;
  else if (self->anchor >= position + removed)
    self->anchor += added - removed;
  else
    self->anchor = MIN (self->anchor, position);
  mark_last (self);
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

void
pteris_message_list_set_model (PterisMessageList *self, GListModel *model)
{
  g_return_if_fail (self->model == NULL);

  self->model = g_object_ref (model);
  g_signal_connect_object (model, "items-changed", G_CALLBACK (on_items_changed), self, 0);
  on_items_changed (model, 0, 0, g_list_model_get_n_items (model), self);
}

/* ---- heights ---- */

typedef struct {
  int width, text_width, page;
  double char_width, line_height;
  double value;
  int total;
} Layout;

static void
measure_text (PterisMessageList *self, Layout *layout)
{
  PangoContext *context = gtk_widget_get_pango_context (GTK_WIDGET (self));
  PangoFontMetrics *metrics = pango_context_get_metrics (context, NULL, NULL);

  layout->char_width =
      (double) pango_font_metrics_get_approximate_char_width (metrics) / PANGO_SCALE;
  layout->line_height = (double) pango_font_metrics_get_height (metrics) / PANGO_SCALE;
  pango_font_metrics_unref (metrics);
}

/* Estimates the height of a row that does not exist. */
static int
estimate (PterisMessageList *self, guint i, const Layout *layout)
{
  g_autoptr (PterisMessage) message = g_list_model_get_item (self->model, i);
  const char *text = pteris_message_get_text (message);
  double lines = strlen (text) * layout->char_width / layout->text_width + 3;

  for (const char *p = strchr (text, '\n'); p != NULL; p = strchr (p + 1, '\n'))
    lines += 0.6;
  return (int) (lines * layout->line_height);
}

static int
height_of (PterisMessageList *self, guint i, const Layout *layout)
{
  Item *item = item_at (self, i);

  if (item->row != NULL) {
    gtk_widget_measure (GTK_WIDGET (item->row), GTK_ORIENTATION_VERTICAL, layout->width,
                        &item->height, NULL, NULL, NULL);
    item->width = layout->width;
  } else if (item->width != layout->width) {
    item->height = estimate (self, i, layout);
    item->width = layout->width;
  }
  return item->height;
}

/* Computes the positions of all items and of the visible area. */
static void
place (PterisMessageList *self, Layout *layout)
{
  int y = PADDING_TOP;
  double end;

  for (guint i = 0; i < self->items->len; i++) {
    item_at (self, i)->y = y;
    y += height_of (self, i, layout) + SPACING;
  }
  layout->total = y - (self->items->len > 0 ? SPACING : 0) + PADDING_BOTTOM;
  end = MAX (layout->total - layout->page, 0);
  if (self->to_end || self->items->len == 0)
    layout->value = end;
  else
    layout->value = CLAMP (
        item_at (self, MIN (self->anchor, self->items->len - 1))->y - self->anchor_offset, 0, end);
}

/* Whether the item is within @pages pages of the visible area. */
static gboolean
is_near (PterisMessageList *self, guint i, const Layout *layout, double pages)
{
  const Item *item = item_at (self, i);

  return item->y + item->height >= layout->value - pages * layout->page &&
         item->y <= layout->value + (1 + pages) * layout->page;
}

/* Creates the visible rows. Returns FALSE if all existed. */
static gboolean
make_seen (PterisMessageList *self, const Layout *layout)
{
  gboolean made = FALSE;

  /* From the end, which is usually visible. */
  for (guint i = self->items->len; i-- > 0;) {
    if (item_at (self, i)->row != NULL || !is_near (self, i, layout, 0))
      continue;
    make_row (self, i);
    made = TRUE;
    /* Its height may move other rows out of the visible area. */
    if (height_of (self, i, layout) > layout->page)
      break;
  }
  return made;
}

static int
max_width (PterisMessageList *self)
{
  return (int) (WIDTH_FACTOR * pteris_text_width (GTK_WIDGET (self)));
}

static void
lay_out (PterisMessageList *self, int width, int page, Layout *layout)
{
  layout->width = CLAMP (width - 2 * PADDING_SIDE, 1, max_width (self));
  layout->text_width = MIN (layout->width, pteris_text_width (GTK_WIDGET (self)));
  layout->page = page;
  measure_text (self, layout);
  place (self, layout);
  for (guint round = 0; round < MAX_ROUNDS && make_seen (self, layout); round++)
    place (self, layout);
}

/* ---- work for later ---- */

static gboolean
has_focus (PterisMessageList *self, PterisMessageRow *row)
{
  return gtk_widget_get_focus_child (GTK_WIDGET (self)) == GTK_WIDGET (row) ||
         pteris_message_row_is_edited (row);
}

/* Creates one row in advance while the program is idle. */
static gboolean
on_idle (gpointer user_data)
{
  PterisMessageList *self = PTERIS_MESSAGE_LIST (user_data);
  Layout layout = { .value = gtk_adjustment_get_value (vertical (self)),
                    .page = (int) gtk_adjustment_get_page_size (vertical (self)) };

  for (guint i = 0; i < self->items->len; i++) {
    Item *item = item_at (self, i);

    if (item->row != NULL && !is_near (self, i, &layout, PAGES_KEPT) &&
        !has_focus (self, item->row))
      drop_row (item);
  }
  for (guint i = self->items->len; i-- > 0;) {
    if (item_at (self, i)->row != NULL || !is_near (self, i, &layout, PAGES_AHEAD))
      continue;
    make_row (self, i);
    return G_SOURCE_CONTINUE;
  }
  self->idle = 0;
  return G_SOURCE_REMOVE;
}

static void
work_later (PterisMessageList *self)
{
  if (self->idle == 0)
    self->idle = g_idle_add_full (G_PRIORITY_LOW, on_idle, self, NULL);
}

/* ---- scrolling ---- */

/* Anchors the view to the first visible item. */
static void
set_anchor (PterisMessageList *self, double value)
{
  for (guint i = 0; i < self->items->len; i++) {
    const Item *item = item_at (self, i);

    if (item->y + item->height < value && i + 1 < self->items->len)
      continue;
    self->anchor = i;
    self->anchor_offset = item->y - value;
    break;
  }
}

static void
on_scrolled (PterisMessageList *self)
{
  GtkAdjustment *adjustment = vertical (self);
  double value = gtk_adjustment_get_value (adjustment);
  double end = gtk_adjustment_get_upper (adjustment) - gtk_adjustment_get_page_size (adjustment);

  if (self->configuring)
    return;
  self->to_end = end - value <= TOLERANCE;
  set_anchor (self, value);
  gtk_widget_queue_allocate (GTK_WIDGET (self));
}

static void
configure (PterisMessageList *self, const Layout *layout, int width)
{
  self->configuring = TRUE;
  if (self->adjustments[GTK_ORIENTATION_HORIZONTAL] != NULL)
    gtk_adjustment_configure (self->adjustments[GTK_ORIENTATION_HORIZONTAL], 0, 0, width,
                              width * 0.1, width * 0.9, width);
  gtk_adjustment_configure (vertical (self), layout->value, 0, MAX (layout->total, layout->page),
                            layout->page * 0.1, layout->page * 0.9, layout->page);
  self->configuring = FALSE;
  set_anchor (self, layout->value);
}

static void
set_adjustment (PterisMessageList *self, GtkOrientation orientation, GtkAdjustment *adjustment)
{
  GtkAdjustment **place = &self->adjustments[orientation];

  if (*place != NULL)
    g_signal_handlers_disconnect_by_data (*place, self);
  g_set_object (place, adjustment);
  if (adjustment != NULL && orientation == GTK_ORIENTATION_VERTICAL)
    g_signal_connect_swapped (adjustment, "value-changed", G_CALLBACK (on_scrolled), self);
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

PterisMessageRow *
pteris_message_list_reach (PterisMessageList *self, guint position)
{
  Item *item;

  g_return_val_if_fail (position < self->items->len, NULL);
  item = item_at (self, position);
  if (item->row == NULL)
    make_row (self, position);
  if (!gtk_widget_get_child_visible (GTK_WIDGET (item->row)))
    gtk_adjustment_set_value (vertical (self), item->y - PADDING_TOP);
  return item->row;
}

/* ---- the widget ---- */

static void
pteris_message_list_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                             int *minimum, int *natural, int *minimum_baseline,
                             int *natural_baseline)
{
  gboolean horizontal = orientation == GTK_ORIENTATION_HORIZONTAL;

  *minimum = horizontal ? MIN_WIDTH : 0;
  *natural = horizontal ? max_width (PTERIS_MESSAGE_LIST (widget)) + 2 * PADDING_SIDE : 0;
}

static void
pteris_message_list_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  PterisMessageList *self = PTERIS_MESSAGE_LIST (widget);
  Layout layout = { 0 };

  if (self->model == NULL || vertical (self) == NULL)
    return;
  lay_out (self, width, height, &layout);
  for (guint i = 0; i < self->items->len; i++) {
    const Item *item = item_at (self, i);
    gboolean seen = is_near (self, i, &layout, 0);
    float x = (float) ((width - layout.width) / 2);

    if (item->row == NULL)
      continue;
    gtk_widget_set_child_visible (GTK_WIDGET (item->row), seen);
    if (seen)
      gtk_widget_allocate (
          GTK_WIDGET (item->row), layout.width, item->height, -1,
          gsk_transform_translate (
              NULL, &GRAPHENE_POINT_INIT (x, (float) (item->y - (int) layout.value))));
  }
  configure (self, &layout, width);
  work_later (self);
}

/* Scrolls to the row that gets the keyboard focus. */
static void
pteris_message_list_set_focus_child (GtkWidget *widget, GtkWidget *child)
{
  PterisMessageList *self = PTERIS_MESSAGE_LIST (widget);
  GtkRoot *root = gtk_widget_get_root (widget);
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  graphene_rect_t bounds;

  GTK_WIDGET_CLASS (pteris_message_list_parent_class)->set_focus_child (widget, child);
  if (child == NULL || focus == NULL || !gtk_widget_is_ancestor (focus, widget) ||
      !gtk_widget_compute_bounds (focus, widget, &bounds))
    return;
  if (bounds.origin.y + bounds.size.height <= 0 ||
      bounds.origin.y >= gtk_widget_get_height (widget))
    gtk_adjustment_set_value (vertical (self), gtk_adjustment_get_value (vertical (self)) +
                                                   bounds.origin.y - PADDING_TOP);
}

static void
pteris_message_list_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  PterisMessageList *self = PTERIS_MESSAGE_LIST (object);

  switch (id) {
  case PROP_HADJUSTMENT:
  case PROP_VADJUSTMENT:
    g_value_set_object (value, self->adjustments[id == PROP_VADJUSTMENT]);
    break;
  case PROP_HSCROLL_POLICY:
  case PROP_VSCROLL_POLICY:
    g_value_set_enum (value, (int) self->policies[id == PROP_VSCROLL_POLICY]);
    break;
  default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
}

static void
pteris_message_list_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  PterisMessageList *self = PTERIS_MESSAGE_LIST (object);

  switch (id) {
  case PROP_HADJUSTMENT:
    set_adjustment (self, GTK_ORIENTATION_HORIZONTAL, g_value_get_object (value));
    break;
  case PROP_VADJUSTMENT:
    set_adjustment (self, GTK_ORIENTATION_VERTICAL, g_value_get_object (value));
    break;
  case PROP_HSCROLL_POLICY:
  case PROP_VSCROLL_POLICY:
    self->policies[id == PROP_VSCROLL_POLICY] = (guint) g_value_get_enum (value);
    break;
  default: G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  }
}

static void
pteris_message_list_dispose (GObject *object)
{
  PterisMessageList *self = PTERIS_MESSAGE_LIST (object);

  g_clear_handle_id (&self->idle, g_source_remove);
  if (self->model != NULL)
    g_signal_handlers_disconnect_by_data (self->model, self);
  g_clear_object (&self->model);
  for (guint i = 0; i < self->items->len; i++)
    drop_row (item_at (self, i));
  g_array_set_size (self->items, 0);
  for (guint i = 0; i < G_N_ELEMENTS (self->adjustments); i++) {
    if (self->adjustments[i] != NULL)
      g_signal_handlers_disconnect_by_data (self->adjustments[i], self);
    g_clear_object (&self->adjustments[i]);
  }
  G_OBJECT_CLASS (pteris_message_list_parent_class)->dispose (object);
}

static void
pteris_message_list_finalize (GObject *object)
{
  g_array_unref (PTERIS_MESSAGE_LIST (object)->items);
  G_OBJECT_CLASS (pteris_message_list_parent_class)->finalize (object);
}

static void
pteris_message_list_class_init (PterisMessageListClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = pteris_message_list_dispose;
  object_class->finalize = pteris_message_list_finalize;
  object_class->get_property = pteris_message_list_get_property;
  object_class->set_property = pteris_message_list_set_property;
  widget_class->measure = pteris_message_list_measure;
  widget_class->size_allocate = pteris_message_list_size_allocate;
  widget_class->set_focus_child = pteris_message_list_set_focus_child;

  g_object_class_override_property (object_class, PROP_HADJUSTMENT, "hadjustment");
  g_object_class_override_property (object_class, PROP_VADJUSTMENT, "vadjustment");
  g_object_class_override_property (object_class, PROP_HSCROLL_POLICY, "hscroll-policy");
  g_object_class_override_property (object_class, PROP_VSCROLL_POLICY, "vscroll-policy");
  signals[SIGNAL_ROW_ADDED] =
      g_signal_new ("row-added", PTERIS_TYPE_MESSAGE_LIST, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                    G_TYPE_NONE, 1, PTERIS_TYPE_MESSAGE_ROW);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_LOG);
  gtk_widget_class_set_css_name (widget_class, "messages");
}

static void
pteris_message_list_init (PterisMessageList *self)
{
  self->items = g_array_new (FALSE, FALSE, sizeof (Item));
  self->to_end = TRUE;
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
}
