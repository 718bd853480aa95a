/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/parts/side-layout.h"

/* From the width WIDE on, in pixels, the first child is beside the second, SIDE pixels wide. */
#define WIDE 1240
#define SIDE 380
/* Above it, the first child takes at most this fraction of the height, if its minimum allows that.
 */
#define SHARE 0.4

struct _PterisSideLayout {
  GtkLayoutManager parent_instance;
};

G_DEFINE_FINAL_TYPE (PterisSideLayout, pteris_side_layout, GTK_TYPE_LAYOUT_MANAGER)

typedef struct {
  int minimum, natural;
} Size;

static Size
measure_child (GtkWidget *child, GtkOrientation orientation, int for_size)
{
  Size size = { 0 };

  if (child != NULL && gtk_widget_should_layout (child))
    gtk_widget_measure (child, orientation, for_size, &size.minimum, &size.natural, NULL, NULL);
  return size;
}

static GtkSizeRequestMode
pteris_side_layout_get_request_mode (GtkLayoutManager *manager, GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
pteris_side_layout_measure (GtkLayoutManager *manager, GtkWidget *widget,
                            GtkOrientation orientation, int for_size, int *minimum, int *natural,
                            int *minimum_baseline, int *natural_baseline)
{
  gboolean wide = orientation == GTK_ORIENTATION_VERTICAL && for_size >= WIDE;
  gboolean stacked = orientation == GTK_ORIENTATION_VERTICAL && !wide;
  GtkWidget *first = gtk_widget_get_first_child (widget);
  GtkWidget *second = gtk_widget_get_last_child (widget);
  Size a = measure_child (first, orientation, wide ? SIDE : for_size);
  Size b = measure_child (second, orientation, wide ? for_size - SIDE : for_size);

  *minimum = stacked ? a.minimum + b.minimum : MAX (a.minimum, b.minimum);
  *natural = stacked ? a.natural + b.natural : MAX (a.natural, b.natural);
}

static void
place (GtkWidget *child, int x, int y, int width, int height)
{
  GtkAllocation place = { x, y, width, height };

  if (child != NULL && gtk_widget_should_layout (child))
    gtk_widget_size_allocate (child, &place, -1);
}

static void
pteris_side_layout_allocate (GtkLayoutManager *manager, GtkWidget *widget, int width, int height,
                             int baseline)
{
  gboolean reversed = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  GtkWidget *first = gtk_widget_get_first_child (widget);
  GtkWidget *second = gtk_widget_get_last_child (widget);
  Size a, b;

  if (width >= WIDE) {
    place (first, reversed ? 0 : width - SIDE, 0, SIDE, height);
    place (second, reversed ? SIDE : 0, 0, width - SIDE, height);
    return;
  }
  a = measure_child (first, GTK_ORIENTATION_VERTICAL, width);
  b = measure_child (second, GTK_ORIENTATION_VERTICAL, width);
  a.natural = MIN (a.natural, (int) MIN (height * SHARE, height - b.minimum));
  a.natural = MAX (a.natural, a.minimum);
  place (first, 0, 0, width, a.natural);
  place (second, 0, a.natural, width, MAX (height - a.natural, b.minimum));
}

static void
pteris_side_layout_class_init (PterisSideLayoutClass *klass)
{
  GtkLayoutManagerClass *manager_class = GTK_LAYOUT_MANAGER_CLASS (klass);

  manager_class->get_request_mode = pteris_side_layout_get_request_mode;
  manager_class->measure = pteris_side_layout_measure;
  manager_class->allocate = pteris_side_layout_allocate;
}

static void
pteris_side_layout_init (PterisSideLayout *self)
{
}
