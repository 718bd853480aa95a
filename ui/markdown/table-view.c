/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/markdown/table-view.h"

#include "ui/markdown/markup-label.h"

/* Characters: wider cells wrap; a column gets less than MIN_CHARS only if its text is shorter. */
#define MAX_CHARS 36
#define MIN_CHARS 10

struct _PterisTableView {
  GtkWidget parent_instance;

  GtkWidget *scroller;
  GtkGrid *grid;
  guint n_rows, n_columns;
};

G_DEFINE_FINAL_TYPE (PterisTableView, pteris_table_view, GTK_TYPE_WIDGET)

static GtkWidget *
make_cell (PterisTableView *self, guint row, guint column)
{
  GtkWidget *label = pteris_markup_label_new ();

  gtk_label_set_max_width_chars (GTK_LABEL (label), MAX_CHARS);
  gtk_widget_set_valign (label, GTK_ALIGN_FILL);
  gtk_label_set_yalign (GTK_LABEL (label), 0);
  gtk_widget_add_css_class (label, "cell");
  gtk_widget_add_css_class (label, "numeric");
  if (row == 0)
    gtk_widget_add_css_class (label, "head");
  gtk_grid_attach (self->grid, label, (int) column, (int) row, 1, 1);
  return label;
}

static void
fill_cell (GtkWidget *label, const char *markup, PterisAlign align)
{
  static const float X[] = { 0, 0.5f, 1 };
  static const GtkJustification JUSTIFY[] = { GTK_JUSTIFY_LEFT, GTK_JUSTIFY_CENTER,
                                              GTK_JUSTIFY_RIGHT };

  gtk_label_set_xalign (GTK_LABEL (label), X[align]);
  gtk_label_set_justify (GTK_LABEL (label), JUSTIFY[align]);
  if (pteris_markup_label_set (GTK_LABEL (label), markup)) {
    glong chars = g_utf8_strlen (gtk_label_get_text (GTK_LABEL (label)), -1);

    gtk_label_set_width_chars (GTK_LABEL (label), (int) MIN (chars, MIN_CHARS));
  }
}

static void
drop_columns (PterisTableView *self)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->grid))) != NULL)
    gtk_grid_remove (self->grid, child);
  self->n_rows = 0;
}

void
pteris_table_view_set (PterisTableView *self, const PterisBlock *block)
{
  if (self->n_columns != block->aligns->len || self->n_rows > block->rows->len)
    drop_columns (self);
  self->n_columns = block->aligns->len;
  for (guint r = 0; r < block->rows->len; r++) {
    const GPtrArray *row = block->rows->pdata[r];

    for (guint c = 0; c < self->n_columns; c++) {
      GtkWidget *cell = r < self->n_rows ? gtk_grid_get_child_at (self->grid, (int) c, (int) r)
                                         : make_cell (self, r, c);

      fill_cell (cell, c < row->len ? row->pdata[c] : "",
                 g_array_index (block->aligns, PterisAlign, c));
    }
  }
  self->n_rows = block->rows->len;
}

/* A scrolled window requests the height of the table at its minimum width; this returns the height
   at its actual width. */
static void
pteris_table_view_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                           int *minimum, int *natural, int *minimum_baseline, int *natural_baseline)
{
  GtkWidget *grid = GTK_WIDGET (PTERIS_TABLE_VIEW (widget)->grid);
  int narrowest, widest;

  gtk_widget_measure (grid, GTK_ORIENTATION_HORIZONTAL, -1, &narrowest, &widest, NULL, NULL);
  if (orientation == GTK_ORIENTATION_HORIZONTAL) {
    *minimum = 0;
    *natural = widest;
  } else {
    int width = for_size < 0 ? widest : CLAMP (for_size, narrowest, widest);

    gtk_widget_measure (grid, GTK_ORIENTATION_VERTICAL, width, minimum, natural, NULL, NULL);
    *minimum = *natural;
  }
}

static void
pteris_table_view_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  gtk_widget_allocate (PTERIS_TABLE_VIEW (widget)->scroller, width, height, baseline, NULL);
}

static GtkSizeRequestMode
pteris_table_view_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
pteris_table_view_dispose (GObject *object)
{
  g_clear_pointer (&PTERIS_TABLE_VIEW (object)->scroller, gtk_widget_unparent);
  G_OBJECT_CLASS (pteris_table_view_parent_class)->dispose (object);
}

static void
pteris_table_view_class_init (PterisTableViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_table_view_dispose;
  widget_class->measure = pteris_table_view_measure;
  widget_class->size_allocate = pteris_table_view_size_allocate;
  widget_class->get_request_mode = pteris_table_view_get_request_mode;
  gtk_widget_class_set_css_name (widget_class, "datatable");
}

static void
pteris_table_view_init (PterisTableView *self)
{
  self->scroller = gtk_scrolled_window_new ();
  self->grid = GTK_GRID (gtk_grid_new ());
  gtk_widget_set_halign (GTK_WIDGET (self->grid), GTK_ALIGN_START);
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (self->scroller), GTK_POLICY_AUTOMATIC,
                                  GTK_POLICY_NEVER);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (self->scroller), TRUE);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (self->scroller), GTK_WIDGET (self->grid));
  gtk_widget_set_parent (self->scroller, GTK_WIDGET (self));
}

PterisTableView *
pteris_table_view_new (void)
{
  return g_object_new (PTERIS_TYPE_TABLE_VIEW, NULL);
}
