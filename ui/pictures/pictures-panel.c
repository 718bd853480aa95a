/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/pictures/pictures-panel.h"

#include "ui/i18n.h"
#include "ui/parts/error-card.h"
#include "ui/parts/label.h"
#include "ui/pictures/finding.h"

/* More rows than anybody reads; all findings are drawn and saved. */
#define MAX_ROWS 300

struct _PterisPicturesPanel {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkWidget *doing_row;
  GtkLabel *doing;
  GtkWidget *error_frame;
  PterisErrorCard *error;
  GtkLabel *summary;
  GtkWidget *least_box;
  GtkScale *least;
  GtkWidget *texts_box;
  GtkTextView *texts;
  GtkWidget *writing_box;
  GtkTextView *writing;
  GtkListBox *list;
  GtkLabel *more;

  PtLookResult *result;
  GListStore *findings; /* the rows of the list */
  gboolean setting;     /* the values are being set from here */
};

G_DEFINE_FINAL_TYPE (PterisPicturesPanel, pteris_pictures_panel, GTK_TYPE_WIDGET)

enum { SIGNAL_HIGHLIGHTED, SIGNAL_LEAST_CHANGED, SIGNAL_COMPARE, N_SIGNALS };
static guint signals[N_SIGNALS];

/* ---- rows ---- */

static void
draw_swatch (GtkDrawingArea *area, cairo_t *cr, int width, int height, gpointer user_data)
{
  guint32 colour = GPOINTER_TO_UINT (user_data);

  cairo_arc (cr, width / 2.0, height / 2.0, MIN (width, height) / 2.0 - 1, 0, 2 * G_PI);
  cairo_set_source_rgb (cr, ((colour >> 16) & 0xff) / 255.0, ((colour >> 8) & 0xff) / 255.0,
                        (colour & 0xff) / 255.0);
  cairo_fill_preserve (cr);
  cairo_set_source_rgba (cr, 0.5, 0.5, 0.5, 0.8);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
}

static GtkWidget *
make_swatch (guint32 colour)
{
  GtkWidget *area = g_object_new (GTK_TYPE_DRAWING_AREA, "accessible-role",
                                  GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL);

  gtk_drawing_area_set_content_width (GTK_DRAWING_AREA (area), 14);
  gtk_drawing_area_set_content_height (GTK_DRAWING_AREA (area), 14);
  gtk_drawing_area_set_draw_func (GTK_DRAWING_AREA (area), draw_swatch, GUINT_TO_POINTER (colour),
                                  NULL);
  gtk_widget_set_valign (area, GTK_ALIGN_CENTER);
  return area;
}

static GtkWidget *
make_line (PterisFinding *finding)
{
  gint64 colour = pteris_finding_get_colour (finding);
  GtkWidget *line = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 10);
  GtkWidget *name = pteris_label_new (pteris_finding_get_name (finding), NULL);
  GtkWidget *value = pteris_label_new (pteris_finding_get_value (finding), "dim-label");

  gtk_widget_set_hexpand (name, TRUE);
  gtk_label_set_wrap (GTK_LABEL (value), FALSE);
  gtk_widget_add_css_class (value, "numeric");
  if (colour >= 0)
    gtk_box_append (GTK_BOX (line), make_swatch ((guint32) colour));
  gtk_box_append (GTK_BOX (line), name);
  gtk_box_append (GTK_BOX (line), value);
  return line;
}

static void
on_enter_row (GtkEventControllerMotion *motion, double x, double y, PterisPicturesPanel *self)
{
  GtkWidget *row = gtk_event_controller_get_widget (GTK_EVENT_CONTROLLER (motion));

  g_signal_emit (self, signals[SIGNAL_HIGHLIGHTED], 0,
                 gtk_list_box_row_get_index (GTK_LIST_BOX_ROW (row)));
}

static void
on_leave_row (GtkEventControllerMotion *motion, PterisPicturesPanel *self)
{
  g_signal_emit (self, signals[SIGNAL_HIGHLIGHTED], 0, pteris_pictures_panel_get_selected (self));
}

static void
name_row (GtkWidget *row, PterisFinding *finding)
{
  const char *detail = pteris_finding_get_detail (finding);
  const char *value = pteris_finding_get_value (finding);
  g_autofree char *label =
      g_strconcat (pteris_finding_get_name (finding), *value != '\0' ? ", " : "", value,
                   detail != NULL ? ", " : "", detail, NULL);

  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

static GtkWidget *
create_row (gpointer item, gpointer user_data)
{
  PterisFinding *finding = item;
  GtkWidget *row = gtk_list_box_row_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 4);
  GtkEventController *motion = gtk_event_controller_motion_new ();

  gtk_box_append (GTK_BOX (box), make_line (finding));
  if (pteris_finding_get_detail (finding) != NULL)
    gtk_box_append (GTK_BOX (box),
                    pteris_label_new (pteris_finding_get_detail (finding), "caption"));
  if (pteris_finding_get_share (finding) >= 0) {
    GtkWidget *bar = g_object_new (GTK_TYPE_PROGRESS_BAR, "accessible-role",
                                   GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL);

    gtk_progress_bar_set_fraction (GTK_PROGRESS_BAR (bar),
                                   CLAMP (pteris_finding_get_share (finding), 0, 1));
    gtk_box_append (GTK_BOX (box), bar);
  }
  gtk_widget_add_css_class (box, "finding");
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  name_row (row, finding);
  g_signal_connect (motion, "enter", G_CALLBACK (on_enter_row), user_data);
  g_signal_connect (motion, "leave", G_CALLBACK (on_leave_row), user_data);
  gtk_widget_add_controller (row, motion);
  return row;
}

static void
on_selected (PterisPicturesPanel *self)
{
  if (!self->setting)
    g_signal_emit (self, signals[SIGNAL_HIGHLIGHTED], 0, pteris_pictures_panel_get_selected (self));
}

void
pteris_pictures_panel_select (PterisPicturesPanel *self, int index)
{
  GtkListBoxRow *row = index >= 0 ? gtk_list_box_get_row_at_index (self->list, index) : NULL;

  gtk_list_box_select_row (self->list, row);
  if (row == NULL)
    gtk_list_box_unselect_all (self->list);
}

int
pteris_pictures_panel_get_selected (PterisPicturesPanel *self)
{
  GtkListBoxRow *row = gtk_list_box_get_selected_row (self->list);

  return row != NULL ? gtk_list_box_row_get_index (row) : -1;
}

/* ---- the result ---- */

/* Rows that stay keep their widgets, so that a moving slider does not blink. */
static void
set_rows (PterisPicturesPanel *self, guint n)
{
  guint have = g_list_model_get_n_items (G_LIST_MODEL (self->findings));
  g_autofree char *text = NULL;

  if (n > MAX_ROWS)
    text = g_strdup_printf (ngettext ("and %u more", "and %u more", n - MAX_ROWS), n - MAX_ROWS);
  gtk_label_set_text (self->more, text != NULL ? text : "");
  gtk_widget_set_visible (GTK_WIDGET (self->more), text != NULL);
  n = MIN (n, MAX_ROWS);
  if (n < have)
    g_list_store_splice (self->findings, n, have - n, NULL, 0);
  for (guint i = have; i < n; i++) {
    g_autoptr (PterisFinding) finding =
        pteris_finding_new (&self->result->pictures[0], self->result->kind, i);

    g_list_store_append (self->findings, finding);
  }
  gtk_widget_set_visible (GTK_WIDGET (self->list), n > 0);
}

static void
show_writing (PterisPicturesPanel *self)
{
  g_autofree char *text = self->result != NULL && self->result->kind == PT_LOOK_WRITING
                              ? pteris_findings_get_text (&self->result->pictures[0])
                              : g_strdup ("");

  gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->writing), text, -1);
  gtk_widget_set_visible (self->writing_box, *text != '\0');
}

static void
show_summary (PterisPicturesPanel *self, guint n)
{
  g_autofree char *text =
      self->result != NULL
          ? pteris_findings_describe (&self->result->pictures[0], self->result->kind, n)
          : g_strdup ("");

  gtk_label_set_text (self->summary, text);
  gtk_widget_set_visible (GTK_WIDGET (self->summary), *text != '\0');
}

static void
take_result (PterisPicturesPanel *self, const PtLookResult *result)
{
  g_list_store_remove_all (self->findings);
  g_clear_pointer (&self->result, pt_look_result_unref);
  if (result != NULL)
    self->result = pt_look_result_ref (result);
  show_writing (self);
}

void
pteris_pictures_panel_show (PterisPicturesPanel *self, const PtLookResult *result, guint n,
                            double least)
{
  gboolean scored = result != NULL && result->threshold > 0;

  self->setting = TRUE;
  if (result != self->result)
    take_result (self, result);
  set_rows (self, result != NULL ? n : 0);
  show_summary (self, n);
  if (scored)
    gtk_range_set_value (GTK_RANGE (self->least), least);
  gtk_widget_set_visible (self->least_box, scored);
  self->setting = FALSE;
}

void
pteris_pictures_panel_set_doing (PterisPicturesPanel *self, const char *step)
{
  gtk_label_set_text (self->doing, step != NULL ? step : "");
  gtk_widget_set_visible (self->doing_row, step != NULL);
}

void
pteris_pictures_panel_set_error (PterisPicturesPanel *self, PtError code, const char *sentence,
                                 const char *retry, const char *subject)
{
  gtk_widget_set_visible (self->error_frame, sentence != NULL);
  if (sentence != NULL)
    pteris_error_card_set (self->error, code, sentence, retry, subject);
}

void
pteris_pictures_panel_set_step (PterisPicturesPanel *self, const char *label, const char *action)
{
  pteris_error_card_set_step (self->error, label, action);
}

/* ---- options ---- */

static void
on_least (PterisPicturesPanel *self)
{
  if (!self->setting)
    g_signal_emit (self, signals[SIGNAL_LEAST_CHANGED], 0,
                   gtk_range_get_value (GTK_RANGE (self->least)));
}

static char *
format_least (GtkScale *scale, double value, gpointer user_data)
{
  return g_strdup_printf (_ ("%.0f %%"), value * 100);
}

void
pteris_pictures_panel_ask_texts (PterisPicturesPanel *self, gboolean visible)
{
  gtk_widget_set_visible (self->texts_box, visible);
}

char **
pteris_pictures_panel_get_texts (PterisPicturesPanel *self)
{
  g_autofree char *all = NULL;
  g_auto (GStrv) lines = NULL;
  g_autoptr (GStrvBuilder) texts = g_strv_builder_new ();

  g_object_get (gtk_text_view_get_buffer (self->texts), "text", &all, NULL);
  lines = g_strsplit (all, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    if (*g_strstrip (lines[i]) != '\0')
      g_strv_builder_add (texts, lines[i]);
  return g_strv_builder_end (texts);
}

static void
compare (GtkWidget *widget, const char *action, GVariant *parameter)
{
  g_signal_emit (widget, signals[SIGNAL_COMPARE], 0);
}

static void
copy_text (GtkWidget *widget, const char *action, GVariant *parameter)
{
  PterisPicturesPanel *self = PTERIS_PICTURES_PANEL (widget);
  g_autofree char *text =
      self->result != NULL ? pteris_findings_get_text (&self->result->pictures[0]) : NULL;

  if (text != NULL)
    gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), text);
}

/* ---- the widget ---- */

static void
pteris_pictures_panel_dispose (GObject *object)
{
  PterisPicturesPanel *self = PTERIS_PICTURES_PANEL (object);

  self->setting = TRUE;
  if (self->list != NULL)
    gtk_list_box_bind_model (self->list, NULL, NULL, NULL, NULL);
  g_clear_object (&self->findings);
  g_clear_pointer (&self->result, pt_look_result_unref);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_PICTURES_PANEL);
  G_OBJECT_CLASS (pteris_pictures_panel_parent_class)->dispose (object);
}

static void
bind_children (GtkWidgetClass *widget_class)
{
#define CHILD(name) gtk_widget_class_bind_template_child (widget_class, PterisPicturesPanel, name)
  CHILD (content);
  CHILD (doing_row);
  CHILD (doing);
  CHILD (error_frame);
  CHILD (error);
  CHILD (summary);
  CHILD (least_box);
  CHILD (least);
  CHILD (texts_box);
  CHILD (texts);
  CHILD (writing_box);
  CHILD (writing);
  CHILD (list);
  CHILD (more);
#undef CHILD
}

static void
pteris_pictures_panel_class_init (PterisPicturesPanelClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_pictures_panel_dispose;
  g_type_ensure (PTERIS_TYPE_ERROR_CARD);
  signals[SIGNAL_HIGHLIGHTED] = g_signal_new ("highlighted", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                                              NULL, G_TYPE_NONE, 1, G_TYPE_INT);
  signals[SIGNAL_LEAST_CHANGED] = g_signal_new ("least-changed", type, G_SIGNAL_RUN_LAST, 0, NULL,
                                                NULL, NULL, G_TYPE_NONE, 1, G_TYPE_DOUBLE);
  signals[SIGNAL_COMPARE] =
      g_signal_new ("compare", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/pictures-panel.ui");
  bind_children (widget_class);
  gtk_widget_class_bind_template_callback (widget_class, on_selected);
  gtk_widget_class_bind_template_callback (widget_class, on_least);
  gtk_widget_class_install_action (widget_class, "panel.compare", NULL, compare);
  gtk_widget_class_install_action (widget_class, "panel.copy-text", NULL, copy_text);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Return, GDK_CONTROL_MASK,
                                       "panel.compare", NULL);
}

static void
pteris_pictures_panel_init (PterisPicturesPanel *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->findings = g_list_store_new (PTERIS_TYPE_FINDING);
  gtk_list_box_bind_model (self->list, G_LIST_MODEL (self->findings), create_row, self, NULL);
  gtk_scale_set_format_value_func (self->least, format_least, NULL, NULL);
}
