/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/pictures/picture-canvas.h"

#include "ui/i18n.h"
#include "ui/pictures/finding.h"
#include "ui/pictures/picture-draw.h"

/* One step of the zoom. */
#define STEP 1.25
#define MIN_ZOOM 0.05
#define MAX_ZOOM 32.0
/* The longer side of the widget at most: toolkits draw larger ones wrong. */
#define MAX_SIDE 16000.0
/* A small picture is not enlarged more than that to fit the room. */
#define MAX_FIT 8.0
#define MIN_HEIGHT 120

struct _PterisPictureCanvas {
  GtkWidget parent_instance;

  PterisPicture *picture;
  guint n; /* findings that are shown */
  int highlight, pointed;
  double zoom;                 /* 0: fit */
  double pointer_x, pointer_y; /* from the edge of the visible part; < 0: it is elsewhere */
};

G_DEFINE_FINAL_TYPE (PterisPictureCanvas, pteris_picture_canvas, GTK_TYPE_WIDGET)

enum { SIGNAL_POINTED, SIGNAL_CLICKED, SIGNAL_ZOOM_CHANGED, N_SIGNALS };
static guint signals[N_SIGNALS];

/* ---- size and place ---- */

static double
fitting (PterisPictureCanvas *self)
{
  int width, height;

  pteris_picture_get_size (self->picture, &width, &height);
  return MIN (MAX_FIT, MIN ((double) gtk_widget_get_width (GTK_WIDGET (self)) / width,
                            (double) gtk_widget_get_height (GTK_WIDGET (self)) / height));
}

/* FALSE: there is no picture. */
static gboolean
find_place (PterisPictureCanvas *self, double *x, double *y, double *scale)
{
  int width, height;

  if (self->picture == NULL || pteris_picture_get_texture (self->picture) == NULL)
    return FALSE;
  pteris_picture_get_size (self->picture, &width, &height);
  *scale = self->zoom > 0 ? self->zoom : fitting (self);
  *x = MAX (0, (gtk_widget_get_width (GTK_WIDGET (self)) - width * *scale) / 2);
  *y = MAX (0, (gtk_widget_get_height (GTK_WIDGET (self)) - height * *scale) / 2);
  return *scale > 0;
}

static void
pteris_picture_canvas_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                               int *minimum, int *natural, int *minimum_baseline,
                               int *natural_baseline)
{
  PterisPictureCanvas *self = PTERIS_PICTURE_CANVAS (widget);
  gboolean vertical = orientation == GTK_ORIENTATION_VERTICAL;
  int width = 0, height = 0;

  if (self->picture != NULL)
    pteris_picture_get_size (self->picture, &width, &height);
  *natural = vertical ? height : width;
  *minimum = vertical ? MIN_HEIGHT : 0;
  if (self->zoom > 0)
    *minimum = *natural = (int) (*natural * self->zoom + 0.5);
  *natural = MAX (*natural, *minimum);
}

static void
pteris_picture_canvas_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  PterisPictureCanvas *self = PTERIS_PICTURE_CANVAS (widget);
  const PtLookResult *result;
  GdkTexture *texture;
  double x, y, scale;
  int width, height;

  if (!find_place (self, &x, &y, &scale))
    return;
  pteris_picture_get_size (self->picture, &width, &height);
  result = pteris_picture_get_result (self->picture);
  texture =
      result != NULL ? pteris_masks_get_styled (pteris_picture_get_masks (self->picture)) : NULL;
  if (texture == NULL)
    texture = pteris_picture_get_texture (self->picture);
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((float) x, (float) y));
  gtk_snapshot_append_texture (
      snapshot, texture,
      &GRAPHENE_RECT_INIT (0, 0, (float) (width * scale), (float) (height * scale)));
  if (result != NULL) {
    g_autoptr (PangoLayout) text = gtk_widget_create_pango_layout (widget, NULL);
    PterisDrawing drawing = { .picture = &result->pictures[0],
                              .masks = pteris_picture_get_masks (self->picture),
                              .kind = result->kind,
                              .n = self->n,
                              .highlight = self->highlight,
                              .scale = scale,
                              .text = text };

    pteris_draw_findings (snapshot, &drawing);
  }
  gtk_snapshot_restore (snapshot);
}

/* ---- what is shown ---- */

static void
describe (PterisPictureCanvas *self)
{
  const PtLookResult *result =
      self->picture != NULL ? pteris_picture_get_result (self->picture) : NULL;
  const char *title = self->picture != NULL ? pteris_picture_get_title (self->picture) : "";
  g_autofree char *found =
      result != NULL ? pteris_findings_describe (&result->pictures[0], result->kind, self->n)
                     : NULL;
  g_autofree char *label =
      found != NULL ? g_strdup_printf ("%s: %s", title, found) : g_strdup (title);

  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  *label != '\0' ? label : _ ("Picture"), -1);
}

void
pteris_picture_canvas_show (PterisPictureCanvas *self, PterisPicture *picture, guint n)
{
  if (picture != self->picture) {
    self->zoom = 0;
    self->highlight = self->pointed = -1;
    g_set_object (&self->picture, picture);
    g_signal_emit (self, signals[SIGNAL_ZOOM_CHANGED], 0);
  }
  self->n = n;
  if (self->highlight >= (int) n)
    self->highlight = -1;
  describe (self);
  gtk_widget_queue_resize (GTK_WIDGET (self));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
pteris_picture_canvas_highlight (PterisPictureCanvas *self, int index)
{
  if (index == self->highlight)
    return;
  self->highlight = index;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

/* ---- zoom ---- */

static void
set_zoom (PterisPictureCanvas *self, double zoom)
{
  self->zoom = zoom;
  gtk_widget_queue_resize (GTK_WIDGET (self));
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_signal_emit (self, signals[SIGNAL_ZOOM_CHANGED], 0);
}

/* The visible part of the canvas; NULL: all of it is. */
static GtkAdjustment *
get_part (PterisPictureCanvas *self, GtkOrientation orientation)
{
  GtkWidget *viewport = gtk_widget_get_ancestor (GTK_WIDGET (self), GTK_TYPE_VIEWPORT);

  if (viewport == NULL)
    return NULL;
  return orientation == GTK_ORIENTATION_HORIZONTAL
             ? gtk_scrollable_get_hadjustment (GTK_SCROLLABLE (viewport))
             : gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (viewport));
}

/* Where the visible part begins in the widget. */
static double
get_start (PterisPictureCanvas *self, GtkOrientation orientation)
{
  GtkAdjustment *part = get_part (self, orientation);

  return part != NULL ? gtk_adjustment_get_value (part) : 0;
}

static double
get_centre (PterisPictureCanvas *self, GtkOrientation orientation)
{
  GtkAdjustment *part = get_part (self, orientation);

  return part != NULL ? gtk_adjustment_get_value (part) + gtk_adjustment_get_page_size (part) / 2
                      : gtk_widget_get_size (GTK_WIDGET (self), orientation) / 2.0;
}

/* Scrolls so that the pixel at @at, of the widget at the old scale, stays there. @length: of the
 * picture in its pixels. */
static void
keep_place (PterisPictureCanvas *self, GtkOrientation orientation, int length, double old,
            double scale, double at)
{
  GtkAdjustment *part = get_part (self, orientation);
  double page, from_edge, pixel, place;

  if (part == NULL)
    return;
  page = gtk_adjustment_get_page_size (part);
  from_edge = at - gtk_adjustment_get_value (part);
  pixel = (at - MAX (0, (page - length * old) / 2)) / old;
  place = pixel * scale + MAX (0, (page - length * scale) / 2);
  /* The canvas gets its new size later. */
  gtk_adjustment_set_upper (part, MAX (page, (int) (length * scale + 0.5)));
  gtk_adjustment_set_value (part, place - from_edge);
}

void
pteris_picture_canvas_zoom_at (PterisPictureCanvas *self, gboolean in, double at_x, double at_y)
{
  double x, y, old, scale, most;
  int width, height;

  if (!find_place (self, &x, &y, &old))
    return;
  pteris_picture_get_size (self->picture, &width, &height);
  most = MIN (MAX_ZOOM, MAX_SIDE / MAX (width, height));
  scale = CLAMP (in ? old * STEP : old / STEP, MIN (MIN_ZOOM, most), most);
  keep_place (self, GTK_ORIENTATION_HORIZONTAL, width, old, scale, at_x);
  keep_place (self, GTK_ORIENTATION_VERTICAL, height, old, scale, at_y);
  set_zoom (self, scale);
}

void
pteris_picture_canvas_zoom (PterisPictureCanvas *self, gboolean in)
{
  pteris_picture_canvas_zoom_at (self, in, get_centre (self, GTK_ORIENTATION_HORIZONTAL),
                                 get_centre (self, GTK_ORIENTATION_VERTICAL));
}

void
pteris_picture_canvas_fit (PterisPictureCanvas *self)
{
  set_zoom (self, 0);
}

double
pteris_picture_canvas_get_zoom (PterisPictureCanvas *self)
{
  return self->zoom;
}

static gboolean
on_scroll (GtkEventControllerScroll *scroll, double dx, double dy, PterisPictureCanvas *self)
{
  GdkModifierType state =
      gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (scroll));

  if ((state & GDK_CONTROL_MASK) == 0 || dy == 0)
    return GDK_EVENT_PROPAGATE;
  if (self->pointer_x >= 0)
    pteris_picture_canvas_zoom_at (self, dy < 0,
                                   self->pointer_x + get_start (self, GTK_ORIENTATION_HORIZONTAL),
                                   self->pointer_y + get_start (self, GTK_ORIENTATION_VERTICAL));
  else
    pteris_picture_canvas_zoom (self, dy < 0);
  return GDK_EVENT_STOP;
}

/* ---- the pointer ---- */

static int
find_at (PterisPictureCanvas *self, double pointer_x, double pointer_y)
{
  const PtLookResult *result;
  double x, y, scale;

  if (!find_place (self, &x, &y, &scale))
    return -1;
  result = pteris_picture_get_result (self->picture);
  return result != NULL ? pteris_find_at (&result->pictures[0], result->kind, self->n,
                                          (pointer_x - x) / scale, (pointer_y - y) / scale)
                        : -1;
}

static void
set_pointed (PterisPictureCanvas *self, int index)
{
  if (index == self->pointed)
    return;
  self->pointed = index;
  g_signal_emit (self, signals[SIGNAL_POINTED], 0, index);
}

static void
on_motion (GtkEventControllerMotion *motion, double x, double y, PterisPictureCanvas *self)
{
  self->pointer_x = MAX (0, x - get_start (self, GTK_ORIENTATION_HORIZONTAL));
  self->pointer_y = MAX (0, y - get_start (self, GTK_ORIENTATION_VERTICAL));
  set_pointed (self, find_at (self, x, y));
}

static void
on_leave (GtkEventControllerMotion *motion, PterisPictureCanvas *self)
{
  self->pointer_x = self->pointer_y = -1;
  set_pointed (self, -1);
}

static void
on_click (GtkGestureClick *click, int n, double x, double y, PterisPictureCanvas *self)
{
  g_signal_emit (self, signals[SIGNAL_CLICKED], 0, find_at (self, x, y));
}

static void
add_controllers (PterisPictureCanvas *self)
{
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *scroll =
      gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_VERTICAL);
  GtkGesture *click = gtk_gesture_click_new ();

  g_signal_connect (motion, "motion", G_CALLBACK (on_motion), self);
  g_signal_connect (motion, "leave", G_CALLBACK (on_leave), self);
  g_signal_connect (scroll, "scroll", G_CALLBACK (on_scroll), self);
  g_signal_connect (click, "pressed", G_CALLBACK (on_click), self);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
  gtk_widget_add_controller (GTK_WIDGET (self), scroll);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
}

/* ---- the widget ---- */

static void
pteris_picture_canvas_dispose (GObject *object)
{
  g_clear_object (&PTERIS_PICTURE_CANVAS (object)->picture);
  G_OBJECT_CLASS (pteris_picture_canvas_parent_class)->dispose (object);
}

static void
pteris_picture_canvas_class_init (PterisPictureCanvasClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_picture_canvas_dispose;
  widget_class->measure = pteris_picture_canvas_measure;
  widget_class->snapshot = pteris_picture_canvas_snapshot;
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
  signals[SIGNAL_POINTED] = g_signal_new ("pointed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                          G_TYPE_NONE, 1, G_TYPE_INT);
  signals[SIGNAL_CLICKED] = g_signal_new ("clicked", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                          G_TYPE_NONE, 1, G_TYPE_INT);
  signals[SIGNAL_ZOOM_CHANGED] =
      g_signal_new ("zoom-changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
pteris_picture_canvas_init (PterisPictureCanvas *self)
{
  self->highlight = self->pointed = -1;
  self->pointer_x = self->pointer_y = -1;
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  add_controllers (self);
  describe (self);
}
