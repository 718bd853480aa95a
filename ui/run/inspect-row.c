/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/run/inspect-row.h"

#define GAP 12

struct _PterisInspectRow {
  GtkWidget parent_instance;

  GtkWidget *missing;
  GtkLabel *name;
  GtkLabel *value;
};

G_DEFINE_FINAL_TYPE (PterisInspectRow, pteris_inspect_row, GTK_TYPE_WIDGET)

void
pteris_inspect_row_set_item (PterisInspectRow *self, PterisInspectItem *item)
{
  PterisInspectItemKind kind = pteris_inspect_item_get_kind (item);
  const char *value = pteris_inspect_item_get_value (item);

  gtk_label_set_text (self->name, pteris_inspect_item_get_name (item));
  gtk_label_set_text (self->value, value != NULL ? value : "");
  gtk_widget_set_visible (GTK_WIDGET (self->value), value != NULL);
  gtk_widget_set_visible (self->missing, kind == PTERIS_INSPECT_MISSING);
  if (kind == PTERIS_INSPECT_SECTION)
    gtk_widget_add_css_class (GTK_WIDGET (self), "section");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self), "section");
}

/* ---- layout: a value stands beside its name, or below it where it would be squeezed ---- */

static int
natural_width (gpointer label)
{
  int width = 0;

  if (gtk_widget_get_visible (label))
    gtk_widget_measure (label, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &width, NULL, NULL);
  return width;
}

static int
height_at (gpointer widget, int width)
{
  int height = 0;

  if (gtk_widget_get_visible (widget))
    gtk_widget_measure (widget, GTK_ORIENTATION_VERTICAL, width, NULL, &height, NULL, NULL);
  return height;
}

static int
icon_width (PterisInspectRow *self)
{
  return gtk_widget_get_visible (self->missing) ? natural_width (self->missing) + GAP : 0;
}

/* How wide the name and the value are in @width without the icon. FALSE: each has a line. */
static gboolean
split (PterisInspectRow *self, int width, int *name, int *value)
{
  *value = natural_width (self->value);
  *name = *value > 0 ? width - *value - GAP : width;
  if (*value <= width * 2 / 5 || natural_width (self->name) <= *name)
    return TRUE;
  *name = *value = width;
  return FALSE;
}

static void
measure_width (PterisInspectRow *self, int *minimum, int *natural)
{
  int name_min, name_nat, value_min = 0, value_nat = 0;

  gtk_widget_measure (GTK_WIDGET (self->name), GTK_ORIENTATION_HORIZONTAL, -1, &name_min, &name_nat,
                      NULL, NULL);
  if (gtk_widget_get_visible (GTK_WIDGET (self->value)))
    gtk_widget_measure (GTK_WIDGET (self->value), GTK_ORIENTATION_HORIZONTAL, -1, &value_min,
                        &value_nat, NULL, NULL);
  *minimum = icon_width (self) + MAX (name_min, value_min);
  *natural = icon_width (self) + name_nat + (value_nat > 0 ? GAP + value_nat : 0);
}

static int
measure_height (PterisInspectRow *self, int width)
{
  int name, value, name_height, value_height;
  gboolean beside = split (self, width - icon_width (self), &name, &value);

  name_height = height_at (self->name, name);
  value_height = height_at (self->value, value);
  return beside ? MAX (name_height, value_height) : name_height + value_height;
}

static void
pteris_inspect_row_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                            int *minimum, int *natural, int *minimum_baseline,
                            int *natural_baseline)
{
  PterisInspectRow *self = PTERIS_INSPECT_ROW (widget);
  int width_min, width_nat;

  measure_width (self, &width_min, &width_nat);
  if (orientation == GTK_ORIENTATION_HORIZONTAL) {
    *minimum = width_min;
    *natural = width_nat;
  } else {
    *minimum = *natural = measure_height (self, for_size >= 0 ? for_size : width_nat);
  }
}

static void
place (PterisInspectRow *self, gpointer child, int x, int y, int width, int height)
{
  gboolean mirrored = gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL;
  int left = mirrored ? gtk_widget_get_width (GTK_WIDGET (self)) - x - width : x;

  if (gtk_widget_get_visible (child))
    gtk_widget_size_allocate (child, &(GtkAllocation){ left, y, width, height }, -1);
}

static void
pteris_inspect_row_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  PterisInspectRow *self = PTERIS_INSPECT_ROW (widget);
  int start = icon_width (self), name, value, name_height;
  gboolean beside = split (self, width - start, &name, &value);

  name_height = height_at (self->name, name);
  place (self, self->missing, 0, 0, natural_width (self->missing),
         height_at (self->missing, natural_width (self->missing)));
  place (self, self->name, start, 0, name, name_height);
  place (self, self->value, beside ? width - value : start, beside ? 0 : name_height, value,
         height_at (self->value, value));
}

static GtkSizeRequestMode
pteris_inspect_row_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

/* ---- life ---- */

static void
pteris_inspect_row_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_INSPECT_ROW);
  G_OBJECT_CLASS (pteris_inspect_row_parent_class)->dispose (object);
}

static void
pteris_inspect_row_class_init (PterisInspectRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_inspect_row_dispose;
  widget_class->measure = pteris_inspect_row_measure;
  widget_class->size_allocate = pteris_inspect_row_size_allocate;
  widget_class->get_request_mode = pteris_inspect_row_get_request_mode;
  gtk_widget_class_set_css_name (widget_class, "inspectrow");
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/inspect-row.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisInspectRow, missing);
  gtk_widget_class_bind_template_child (widget_class, PterisInspectRow, name);
  gtk_widget_class_bind_template_child (widget_class, PterisInspectRow, value);
}

static void
pteris_inspect_row_init (PterisInspectRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

PterisInspectRow *
pteris_inspect_row_new (void)
{
  return g_object_new (PTERIS_TYPE_INSPECT_ROW, NULL);
}
