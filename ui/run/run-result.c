/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/run/run-result.h"

#include <math.h>

#include "ui/parts/format.h"
#include "ui/parts/label.h"
#include "ui/i18n.h"
#include "ui/run/share-bar.h"

/* Further bars are left out; the copied report has them all. */
#define MAX_BARS 40

struct _PterisRunResult {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkLabel *times;
  GtkBox *outputs;
  GtkWidget *profile;
  GtkDropDown *by;
  GtkBox *bars;

  PtRunReport *report;
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

/* ---- outputs ---- */

static char *
describe_output (const PtRunOutput *output, guint index)
{
  g_autofree char *value = pt_argument_to_text (&output->value);
  GString *out = g_string_new (NULL);

  g_string_append_printf (out, _ ("Output %zu: "), (size_t) index);
  g_string_append (out, value);
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
append_number (GString *out, const char *name, double number)
{
  if (!isfinite (number))
    return;
  g_string_append_printf (out, "%s%s ", out->len > 0 ? " · " : "", name);
  append_value (out, "%.5g", number);
}

static char *
describe_statistics (const PtRunOutput *output)
{
  GString *out = g_string_new (NULL);
  int odd = (int) MIN (output->not_finite, G_MAXINT);

  append_number (out, _ ("min"), output->min);
  append_number (out, _ ("max"), output->max);
  append_number (out, _ ("mean"), output->mean);
  append_number (out, _ ("std"), output->deviation);
  if (odd > 0) {
    g_autofree char *text =
        g_strdup_printf (ngettext ("%d not finite", "%d not finite", (gulong) odd), odd);

    g_string_append_printf (out, "%s%s", out->len > 0 ? " · " : "", text);
  }
  return g_string_free (out, FALSE);
}

static double
count_elements (const PtArgument *tensor)
{
  double n = 1;

  for (guint i = 0; i < tensor->rank; i++)
    n *= (double) tensor->shape[i];
  return n;
}

static char *
describe_values (const PtRunOutput *output)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < output->n_values; i++) {
    g_string_append (out, i > 0 ? ", " : "");
    if (isfinite (output->values[i]))
      append_value (out, "%.6g", output->values[i]);
    else
      g_string_append_c (out, '?');
  }
  if (count_elements (&output->value) > output->n_values)
    g_string_append (out, " …");
  return g_string_free (out, FALSE);
}

static const char *
label_at (PterisRunResult *self, guint64 index)
{
  if (self->labels == NULL || index >= g_strv_length (self->labels))
    return NULL;
  return self->labels[index];
}

static void
add_top (PterisRunResult *self, GtkBox *box, const PtRunOutput *output)
{
  for (guint i = 0; i < output->n_top; i++) {
    const PtRunBest *best = &output->top[i];
    const char *label = label_at (self, best->index);
    double share = isfinite (best->share) ? best->share : 0;
    g_autofree char *name = label != NULL
                                ? g_strdup_printf ("%s (%" G_GUINT64_FORMAT ")", label, best->index)
                                : g_strdup_printf (_ ("Class %lld"), (long long) best->index);
    g_autofree char *value = g_strdup_printf ("%.4g · %.1f %%", best->value, share * 100);

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
add_output (PterisRunResult *self, const PtRunOutput *output, guint index)
{
  GtkWidget *card = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);
  GtkWidget *head = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 12);
  g_autofree char *title = describe_output (output, index);
  gboolean numbers_known = (output->valid & PT_RUN_OUTPUT_NUMBERS) != 0;
  g_autofree char *statistics = numbers_known ? describe_statistics (output) : g_strdup ("");
  g_autofree char *values = numbers_known ? describe_values (output) : g_strdup ("");
  GtkWidget *label = pteris_label_new (title, "heading");

  gtk_widget_set_hexpand (label, TRUE);
  gtk_box_append (GTK_BOX (head), label);
  if (output->file != NULL)
    gtk_box_append (GTK_BOX (head), make_save_button (output->file));
  gtk_box_append (GTK_BOX (card), head);
  if (*statistics != '\0')
    gtk_box_append (GTK_BOX (card), pteris_label_new (statistics, "caption"));
  if (*values != '\0') {
    GtkWidget *numbers = pteris_label_new (values, "monospace");

    gtk_widget_add_css_class (numbers, "caption");
    gtk_label_set_selectable (GTK_LABEL (numbers), TRUE);
    gtk_box_append (GTK_BOX (card), numbers);
  }
  add_top (self, GTK_BOX (card), output);
  gtk_widget_add_css_class (card, "card");
  gtk_widget_add_css_class (card, "model-card");
  gtk_box_append (self->outputs, card);
}

static void
show_outputs (PterisRunResult *self)
{
  clear (self->outputs);
  for (guint i = 0; i < self->report->n_outputs; i++)
    add_output (self, &self->report->outputs[i], i);
}

/* ---- times ---- */

static char *
describe_times (const PtRunReport *report)
{
  g_autofree char *load = format_time (report->load_s);
  g_autofree char *first = format_time (report->first_s);
  g_autofree char *median = format_time (report->median_s);
  g_autofree char *least = format_time (report->min_s);

  if (report->repeat < 2)
    return g_strdup_printf (_ ("%s · loaded in %s"), first, load);
  return g_strdup_printf (_ ("median %s · fastest %s · first %s · loaded in %s"), median, least,
                          first, load);
}

static void
add_bar (PterisRunResult *self, const char *name, double total_s, double share)
{
  g_autofree char *time = format_time (total_s);
  g_autofree char *value = g_strdup_printf ("%s · %.1f %%", time, share * 100);

  gtk_box_append (self->bars, pteris_share_bar_new (name, value, share));
}

static guint
show_totals (PterisRunResult *self, const PtRunProfile *profile)
{
  for (guint i = 0; i < MIN (profile->n_totals, MAX_BARS); i++) {
    const PtRunTotal *total = &profile->totals[i];
    g_autofree char *name = g_strdup_printf ("%s × %" G_GUINT64_FORMAT, total->name, total->calls);

    add_bar (self, name, total->total_s, total->share);
  }
  return profile->n_totals;
}

static guint
show_instructions (PterisRunResult *self, const PtRunProfile *profile)
{
  for (guint i = 0; i < MIN (profile->n_instructions, MAX_BARS); i++) {
    const PtRunInstruction *item = &profile->instructions[i];
    g_autofree char *name = g_strdup_printf ("%u.%u %s", item->chain, item->index, item->name);

    add_bar (self, name, item->total_s, item->share);
  }
  return profile->n_instructions;
}

static void
show_bars (PterisRunResult *self)
{
  const PtRunProfile *profile = self->report != NULL ? self->report->profile : NULL;
  guint n;

  clear (self->bars);
  if (profile == NULL)
    return;
  n = gtk_drop_down_get_selected (self->by) == 0 ? show_totals (self, profile)
                                                 : show_instructions (self, profile);
  if (n > MAX_BARS) {
    g_autofree char *text =
        g_strdup_printf (ngettext ("and %u more", "and %u more", n - MAX_BARS), n - MAX_BARS);

    gtk_box_append (self->bars, pteris_label_new (text, "dim-label"));
  }
}

/* ---- all of it ---- */

void
pteris_run_result_set_report (PterisRunResult *self, const PtRunReport *report)
{
  g_autofree char *times = NULL;

  g_clear_pointer (&self->report, pt_run_report_unref);
  gtk_widget_set_visible (GTK_WIDGET (self), report != NULL);
  if (report == NULL)
    return;
  self->report = pt_run_report_ref (report);
  times = describe_times (report);
  gtk_label_set_text (self->times, times);
  show_outputs (self);
  gtk_widget_set_visible (self->profile, report->profile != NULL);
  show_bars (self);
}

const PtRunReport *
pteris_run_result_get_report (PterisRunResult *self)
{
  return self->report;
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

  g_clear_pointer (&self->report, pt_run_report_unref);
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
