/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/run/run-result.h"

#include <jansson.h>

#include "ui/parts/format.h"
#include "ui/i18n.h"
#include "ui/run/share-bar.h"

/* Whoever wants the rest copies the report. */
#define MAX_BARS 40

struct _PterisRunResult {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkLabel *times;
  GtkBox *outputs;
  GtkWidget *profile;
  GtkDropDown *by;
  GtkBox *bars;

  json_t *report;
  char **labels;
};

G_DEFINE_FINAL_TYPE (PterisRunResult, pteris_run_result, GTK_TYPE_WIDGET)

/* ---- helpers ---- */

static void
clear (GtkBox *box)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (box))) != NULL)
    gtk_box_remove (box, child);
}

static double
number_of (const json_t *object, const char *key)
{
  return json_number_value (json_object_get (object, key));
}

static const char *
text_of (const json_t *object, const char *key)
{
  const char *text = json_string_value (json_object_get (object, key));

  return text != NULL ? text : "";
}

/* Instructions take less than a millisecond. */
static char *
format_time (double seconds)
{
  if (seconds < 1e-3)
    return g_strdup_printf ("%.0f µs", seconds * 1e6);
  if (seconds < 0.1)
    return g_strdup_printf ("%.2f ms", seconds * 1e3);
  return pteris_format_duration (seconds);
}

static GtkWidget *
make_label (const char *text, const char *style)
{
  GtkWidget *label = gtk_label_new (text);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_wrap (GTK_LABEL (label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (label), PANGO_WRAP_WORD_CHAR);
  if (style != NULL)
    gtk_widget_add_css_class (label, style);
  return label;
}

/* ---- outputs ---- */

static char *
describe_output (const json_t *output, size_t index)
{
  GString *out = g_string_new (NULL);
  const json_t *size;
  size_t i;

  g_string_append_printf (out, _ ("Output %zu: "), index);
  if (json_object_get (output, "shape") == NULL) {
    char *value = json_dumps (json_object_get (output, "value"), JSON_ENCODE_ANY);

    g_string_append_printf (out, "%s %s", text_of (output, "kind"), value != NULL ? value : "");
    free (value);
    return g_string_free (out, FALSE);
  }
  g_string_append_printf (out, "%s [", text_of (output, "dtype"));
  json_array_foreach (json_object_get (output, "shape"), i, size) {
    g_string_append_printf (out, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "",
                            (gint64) json_integer_value (size));
  }
  g_string_append_c (out, ']');
  return g_string_free (out, FALSE);
}

/* A tensor's numbers have a point in every language, as in files: commas part them. */
static void
append_value (GString *out, const char *format, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (out, g_ascii_formatd (text, sizeof text, format, value));
}

static void
append_number (GString *out, const char *name, const json_t *output, const char *key)
{
  const json_t *number = json_object_get (output, key);

  if (!json_is_number (number))
    return;
  g_string_append_printf (out, "%s%s ", out->len > 0 ? " · " : "", name);
  append_value (out, "%.5g", json_number_value (number));
}

static char *
describe_statistics (const json_t *output)
{
  GString *out = g_string_new (NULL);
  int odd = (int) json_integer_value (json_object_get (output, "not_finite"));

  append_number (out, _ ("min"), output, "min");
  append_number (out, _ ("max"), output, "max");
  append_number (out, _ ("mean"), output, "mean");
  append_number (out, _ ("std"), output, "std");
  if (odd > 0) {
    g_autofree char *text =
        g_strdup_printf (ngettext ("%d not finite", "%d not finite", (gulong) odd), odd);

    g_string_append_printf (out, "%s%s", out->len > 0 ? " · " : "", text);
  }
  return g_string_free (out, FALSE);
}

static double
count_elements (const json_t *output)
{
  const json_t *size;
  double n = 1;
  size_t i;

  json_array_foreach (json_object_get (output, "shape"), i, size) {
    n *= json_number_value (size);
  }
  return n;
}

static char *
describe_values (const json_t *output)
{
  const json_t *values = json_object_get (output, "values");
  GString *out = g_string_new (NULL);
  const json_t *value;
  size_t i;

  json_array_foreach (values, i, value) {
    g_string_append (out, i > 0 ? ", " : "");
    if (json_is_boolean (value))
      g_string_append_c (out, json_is_true (value) ? '1' : '0');
    else if (json_is_number (value))
      append_value (out, "%.6g", json_number_value (value));
    else
      g_string_append_c (out, '?');
  }
  if (count_elements (output) > (double) json_array_size (values))
    g_string_append (out, " …");
  return g_string_free (out, FALSE);
}

static const char *
label_at (PterisRunResult *self, gint64 index)
{
  if (self->labels == NULL || index < 0 || index >= g_strv_length (self->labels))
    return NULL;
  return self->labels[index];
}

static void
add_top (PterisRunResult *self, GtkBox *box, const json_t *top)
{
  const json_t *best;
  size_t i;

  json_array_foreach (top, i, best) {
    gint64 index = json_integer_value (json_object_get (best, "index"));
    const char *label = label_at (self, index);
    double share = number_of (best, "share");
    g_autofree char *name = label != NULL
                                ? g_strdup_printf ("%s (%" G_GINT64_FORMAT ")", label, index)
                                : g_strdup_printf (_ ("Class %lld"), (long long) index);
    g_autofree char *value =
        g_strdup_printf ("%.4g · %.1f %%", number_of (best, "value"), share * 100);

    gtk_box_append (box, pteris_share_bar_new (name, value, share));
  }
}

static GtkWidget *
make_save_button (const char *file)
{
  GtkWidget *button = gtk_button_new_from_icon_name ("document-save-symbolic");

  gtk_widget_set_tooltip_text (button, _ ("Save as .npy"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Save as .npy"), -1);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), "run.save");
  gtk_actionable_set_action_target_value (GTK_ACTIONABLE (button), g_variant_new_bytestring (file));
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_valign (button, GTK_ALIGN_START);
  return button;
}

static void
add_output (PterisRunResult *self, const json_t *output, size_t index)
{
  GtkWidget *card = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  g_autofree char *title = describe_output (output, index);
  g_autofree char *statistics = describe_statistics (output);
  g_autofree char *values = describe_values (output);
  const char *file = text_of (output, "file");
  GtkWidget *label = make_label (title, "heading");

  gtk_widget_set_hexpand (label, TRUE);
  gtk_box_append (GTK_BOX (head), label);
  if (*file != '\0')
    gtk_box_append (GTK_BOX (head), make_save_button (file));
  gtk_box_append (GTK_BOX (card), head);
  if (*statistics != '\0')
    gtk_box_append (GTK_BOX (card), make_label (statistics, "caption"));
  if (*values != '\0') {
    GtkWidget *numbers = make_label (values, "monospace");

    gtk_widget_add_css_class (numbers, "caption");
    gtk_label_set_selectable (GTK_LABEL (numbers), TRUE);
    gtk_box_append (GTK_BOX (card), numbers);
  }
  add_top (self, GTK_BOX (card), json_object_get (output, "top"));
  gtk_widget_add_css_class (card, "card");
  gtk_widget_add_css_class (card, "model-card");
  gtk_box_append (self->outputs, card);
}

static void
show_outputs (PterisRunResult *self)
{
  const json_t *output;
  size_t i;

  clear (self->outputs);
  json_array_foreach (json_object_get (self->report, "outputs"), i, output) {
    add_output (self, output, i);
  }
}

/* ---- times ---- */

static char *
describe_times (const json_t *report)
{
  g_autofree char *load = format_time (number_of (report, "load_s"));
  g_autofree char *first = format_time (number_of (report, "first_s"));
  g_autofree char *median = format_time (number_of (report, "median_s"));
  g_autofree char *least = format_time (number_of (report, "min_s"));

  if (json_integer_value (json_object_get (report, "repeat")) < 2)
    return g_strdup_printf (_ ("%s · loaded in %s"), first, load);
  return g_strdup_printf (_ ("median %s · fastest %s · first %s · loaded in %s"), median, least,
                          first, load);
}

static void
show_bars (PterisRunResult *self)
{
  gboolean by_operator = gtk_drop_down_get_selected (self->by) == 0;
  const json_t *list = json_object_get (json_object_get (self->report, "profile"),
                                        by_operator ? "operators" : "instructions");
  const json_t *item;
  size_t i;

  clear (self->bars);
  json_array_foreach (list, i, item) {
    g_autofree char *time = format_time (number_of (item, "total_s"));
    double share = number_of (item, "share");
    g_autofree char *value = g_strdup_printf ("%s · %.1f %%", time, share * 100);
    g_autofree char *name = NULL;

    if (i == MAX_BARS)
      break;
    if (by_operator)
      name = g_strdup_printf ("%s × %d", text_of (item, "name"), (int) number_of (item, "calls"));
    else
      name = g_strdup_printf ("%d.%d %s", (int) number_of (item, "chain"),
                              (int) number_of (item, "instruction"), text_of (item, "name"));
    gtk_box_append (self->bars, pteris_share_bar_new (name, value, share));
  }
  if (json_array_size (list) > MAX_BARS) {
    guint more = (guint) json_array_size (list) - MAX_BARS;
    g_autofree char *text = g_strdup_printf (ngettext ("and %u more", "and %u more", more), more);

    gtk_box_append (self->bars, make_label (text, "dim-label"));
  }
}

/* ---- all of it ---- */

void
pteris_run_result_set_report (PterisRunResult *self, const char *report)
{
  g_autofree char *times = NULL;

  json_decref (self->report);
  self->report = report != NULL ? json_loads (report, 0, NULL) : NULL;
  gtk_widget_set_visible (GTK_WIDGET (self), self->report != NULL);
  if (self->report == NULL)
    return;
  times = describe_times (self->report);
  gtk_label_set_text (self->times, times);
  show_outputs (self);
  gtk_widget_set_visible (self->profile, json_object_get (self->report, "profile") != NULL);
  show_bars (self);
}

void
pteris_run_result_set_labels (PterisRunResult *self, const char *lines)
{
  g_strfreev (self->labels);
  self->labels = lines != NULL ? g_strsplit (lines, "\n", -1) : NULL;
  for (guint i = 0; self->labels != NULL && self->labels[i] != NULL; i++)
    g_strstrip (self->labels[i]);
  if (self->report != NULL)
    show_outputs (self);
}

static void
pteris_run_result_dispose (GObject *object)
{
  PterisRunResult *self = PTERIS_RUN_RESULT (object);

  g_clear_pointer (&self->report, json_decref);
  g_clear_pointer (&self->labels, g_strfreev);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_RUN_RESULT);
  G_OBJECT_CLASS (pteris_run_result_parent_class)->dispose (object);
}

static void
pteris_run_result_class_init (PterisRunResultClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_run_result_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/pteris/Pteris/ui/run-result.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisRunResult, content);
  gtk_widget_class_bind_template_child (widget_class, PterisRunResult, times);
  gtk_widget_class_bind_template_child (widget_class, PterisRunResult, outputs);
  gtk_widget_class_bind_template_child (widget_class, PterisRunResult, profile);
  gtk_widget_class_bind_template_child (widget_class, PterisRunResult, by);
  gtk_widget_class_bind_template_child (widget_class, PterisRunResult, bars);
  gtk_widget_class_bind_template_callback_full (widget_class, "on_by", G_CALLBACK (show_bars));
}

static void
pteris_run_result_init (PterisRunResult *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}
