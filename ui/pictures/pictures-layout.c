/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/pictures/pictures-layout.h"

/* From this width on, in pixels, they are side by side. */
#define WIDE 680
/* The width of the second child: this part of it all, within these bounds. */
#define SIDE_SHARE 0.36
#define MIN_SIDE 260
#define MAX_SIDE 400
/* The part of the height that the picture has where it is above. */
#define SHARE 0.5

struct _PterisPicturesLayout {
  GtkLayoutManager parent_instance;
};

G_DEFINE_FINAL_TYPE (PterisPicturesLayout, pteris_pictures_layout, GTK_TYPE_LAYOUT_MANAGER)

static int
side_of (int width)
{
  return CLAMP ((int) (width * SIDE_SHARE), MIN_SIDE, MAX_SIDE);
}

static GtkSizeRequestMode
pteris_pictures_layout_get_request_mode (GtkLayoutManager *manager, GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
pteris_pictures_layout_measure (GtkLayoutManager *manager, GtkWidget *widget,
                                GtkOrientation orientation, int for_size, int *minimum,
                                int *natural, int *minimum_baseline, int *natural_baseline)
{
  gboolean wide = orientation == GTK_ORIENTATION_VERTICAL && for_size >= WIDE;
  gboolean stacked = orientation == GTK_ORIENTATION_VERTICAL && !wide;
  int side = wide ? side_of (for_size) : 0;
  int min_a, natural_a, min_b, natural_b;

  gtk_widget_measure (gtk_widget_get_first_child (widget), orientation,
                      wide ? for_size - side : for_size, &min_a, &natural_a, NULL, NULL);
  gtk_widget_measure (gtk_widget_get_last_child (widget), orientation, wide ? side : for_size,
                      &min_b, &natural_b, NULL, NULL);
  *minimum = stacked ? min_a + min_b : MAX (min_a, min_b);
  *natural = stacked ? natural_a + natural_b : MAX (natural_a, natural_b);
}

static void
pteris_pictures_layout_allocate (GtkLayoutManager *manager, GtkWidget *widget, int width,
                                 int height, int baseline)
{
  GtkWidget *first = gtk_widget_get_first_child (widget);
  GtkWidget *second = gtk_widget_get_last_child (widget);
  gboolean reversed = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  GtkAllocation a = { 0, 0, width, height }, b = { 0, 0, width, height };
  int least, other;

  if (width >= WIDE) {
    b.width = side_of (width);
    a.width = width - b.width;
    a.x = reversed ? b.width : 0;
    b.x = reversed ? 0 : a.width;
  } else {
    gtk_widget_measure (first, GTK_ORIENTATION_VERTICAL, width, &least, NULL, NULL, NULL);
    gtk_widget_measure (second, GTK_ORIENTATION_VERTICAL, width, &other, NULL, NULL, NULL);
    a.height = MAX (least, MIN ((int) (height * SHARE), height - other));
    b.y = a.height;
    b.height = MAX (other, height - a.height);
  }
  gtk_widget_size_allocate (first, &a, -1);
  gtk_widget_size_allocate (second, &b, -1);
}

static void
pteris_pictures_layout_class_init (PterisPicturesLayoutClass *klass)
{
  GtkLayoutManagerClass *manager_class = GTK_LAYOUT_MANAGER_CLASS (klass);

  manager_class->get_request_mode = pteris_pictures_layout_get_request_mode;
  manager_class->measure = pteris_pictures_layout_measure;
  manager_class->allocate = pteris_pictures_layout_allocate;
}

static void
pteris_pictures_layout_init (PterisPicturesLayout *self)
{
}
