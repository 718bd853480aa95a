/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/machine/device-card.h"

#include "ui/machine/figures.h"
#include "ui/machine/usage-graph.h"
#include "ui/i18n.h"

struct _PterisDeviceCard {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkLabel *name;
  GtkLabel *about;
  GtkWidget *state;
  GtkWidget *state_icon;
  GtkLabel *state_text;
  GtkFlowBox *graphs;
  PterisFigures *figures;

  PterisDevice *device;
  GPtrArray *kinds; /* of Kind, one for each graph */
};

G_DEFINE_FINAL_TYPE (PterisDeviceCard, pteris_device_card, GTK_TYPE_WIDGET)

/* ---- kinds of graphs ---- */

static char *
format_percent (double value)
{
  /* Translators: a percentage. */
  return g_strdup_printf (_ ("%.0f %%"), value);
}

static char *
format_bytes (double value)
{
  return g_format_size ((guint64) CLAMP (value, 0, 1e18));
}

static char *
format_watts (double value)
{
  return g_strdup_printf (_ ("%.0f W"), value);
}

static char *
format_celsius (double value)
{
  return g_strdup_printf (_ ("%.0f °C"), value);
}

#define NO_PART PTERIS_N_QUANTITIES

typedef struct {
  PterisGraphKind graph;
  PterisQuantity quantity, part;
} Kind;

static const Kind GPU_KINDS[] = {
  { { N_ ("Utilisation"), "load", NULL, NULL, format_percent, 100, TRUE },
    PTERIS_QUANTITY_LOAD,
    NO_PART },
  { { N_ ("Memory"), "memory", N_ ("Pteris"), N_ ("of"), format_bytes, 1e9, FALSE },
    PTERIS_QUANTITY_MEMORY,
    PTERIS_QUANTITY_OWN_MEMORY },
  { { N_ ("Power"), "power", NULL, N_ ("limit"), format_watts, 100, TRUE },
    PTERIS_QUANTITY_POWER,
    NO_PART },
  { { N_ ("Temperature"), "temperature", NULL, NULL, format_celsius, 100, TRUE },
    PTERIS_QUANTITY_TEMPERATURE,
    NO_PART },
};

static const Kind PROCESSOR_KINDS[] = {
  { { N_ ("CPU"), "load", N_ ("Pteris"), NULL, format_percent, 100, TRUE },
    PTERIS_QUANTITY_LOAD,
    PTERIS_QUANTITY_OWN_LOAD },
  { { N_ ("Memory"), "memory", N_ ("Pteris"), N_ ("of"), format_bytes, 1e9, FALSE },
    PTERIS_QUANTITY_MEMORY,
    PTERIS_QUANTITY_OWN_MEMORY },
};

static double
get_limit (PterisDevice *device, PterisQuantity quantity)
{
  const PterisDeviceFacts *facts = pteris_device_get_facts (device);

  if (quantity == PTERIS_QUANTITY_MEMORY)
    return facts->memory_total;
  return quantity == PTERIS_QUANTITY_POWER ? facts->power_limit : PTERIS_UNKNOWN;
}

static void
add_graphs (PterisDeviceCard *self, const Kind *kinds, guint n)
{
  for (guint i = 0; i < n; i++) {
    GtkWidget *child = gtk_flow_box_child_new ();

    gtk_widget_set_focusable (child, FALSE);
    gtk_flow_box_child_set_child (GTK_FLOW_BOX_CHILD (child),
                                  GTK_WIDGET (pteris_graph_new (&kinds[i].graph)));
    gtk_flow_box_append (self->graphs, child);
    g_ptr_array_add (self->kinds, (gpointer) &kinds[i]);
  }
}

static PterisGraph *
get_graph (PterisDeviceCard *self, guint i)
{
  GtkFlowBoxChild *child = gtk_flow_box_get_child_at_index (self->graphs, (int) i);

  return PTERIS_GRAPH (gtk_flow_box_child_get_child (child));
}

/* ---- showing ---- */

static GArray *
make_marks (PterisActivity *activity)
{
  GArray *spans = pteris_activity_get_spans (activity);
  GArray *marks = g_array_sized_new (FALSE, FALSE, sizeof (PterisMark), spans->len);

  for (guint i = 0; i < spans->len; i++) {
    const PterisSpan *span = &g_array_index (spans, PterisSpan, i);
    PterisMark mark = { span->begin, span->end, span->kind == PT_JOB_TRANSCRIBE };

    g_array_append_val (marks, mark);
  }
  return marks;
}

static void
update_graphs (PterisDeviceCard *self, PterisActivity *activity, gint64 now, gint64 span)
{
  g_autoptr (GArray) marks = make_marks (activity);
  gboolean known = FALSE;

  for (guint i = 0; i < self->kinds->len; i++) {
    const Kind *kind = self->kinds->pdata[i];
    PterisPlotData data = {
      .series = pteris_device_get_series (self->device, kind->quantity),
      .part = kind->part != NO_PART ? pteris_device_get_series (self->device, kind->part) : NULL,
      .peak = PTERIS_UNKNOWN,
      .limit = get_limit (self->device, kind->quantity),
      .now = now,
      .span = span,
      .marks = (const PterisMark *) marks->data,
      .n_marks = marks->len,
    };

    pteris_graph_set (get_graph (self, i), &data);
    known |= pteris_is_known (pteris_series_peak (data.series, 0));
  }
  gtk_widget_set_visible (GTK_WIDGET (self->graphs),
                          known || !pteris_device_is_lost (self->device));
}

static char *
describe_gpu (PterisDevice *device)
{
  const char *capability = pteris_device_get_capability (device);

  if (capability == NULL)
    return g_strdup ("");
  return g_strdup_printf (_ ("Compute capability %s"), capability);
}

static char *
describe_processor (PterisDevice *device)
{
  const char *level = pteris_device_get_capability (device);
  guint cores = pteris_device_get_cores (device);
  g_autofree char *text = NULL;

  if (level == NULL || cores == 0)
    return g_strdup ("");
  text = g_strdup_printf (ngettext ("%u core", "%u cores", cores), cores);
  return g_strdup_printf (_ ("%s · kernels for %s"), text, level);
}

static void
update_state (PterisDeviceCard *self)
{
  gboolean serious;
  g_autofree char *text = pteris_device_describe_state (self->device, &serious);

  gtk_widget_set_visible (self->state, text[0] != '\0');
  gtk_widget_set_visible (self->state_icon, serious);
  if (serious)
    gtk_widget_remove_css_class (GTK_WIDGET (self->state_text), "dim-label");
  else
    gtk_widget_add_css_class (GTK_WIDGET (self->state_text), "dim-label");
  gtk_label_set_text (self->state_text, text);
}

/* "5.0 ×16", with the maximum if that is higher. */
static char *
format_link (const PterisDeviceFacts *facts)
{
  gboolean less = facts->pcie_generation < facts->pcie_most_generation ||
                  facts->pcie_width < facts->pcie_most_width;

  if (!pteris_is_known (facts->pcie_generation) || !pteris_is_known (facts->pcie_width))
    return NULL;
  if (less)
    /* Translators: generation and lanes of the PCI Express link, now and at most. */
    return g_strdup_printf (_ ("%.0f ×%.0f (of %.0f ×%.0f)"), facts->pcie_generation,
                            facts->pcie_width, facts->pcie_most_generation, facts->pcie_most_width);
  return g_strdup_printf ("%.0f ×%.0f", facts->pcie_generation, facts->pcie_width);
}

static char *
format_clock (double megahertz)
{
  return pteris_is_known (megahertz) ? g_strdup_printf (_ ("%.0f MHz"), megahertz) : NULL;
}

static char *
format_speed (double bytes)
{
  g_autofree char *size = pteris_is_known (bytes) ? format_bytes (bytes) : NULL;

  return size != NULL ? g_strdup_printf (_ ("%s/s"), size) : NULL;
}

static void
update_gpu_figures (PterisDeviceCard *self)
{
  const PterisDeviceFacts *facts = pteris_device_get_facts (self->device);
  double own =
      pteris_series_last (pteris_device_get_series (self->device, PTERIS_QUANTITY_OWN_MEMORY));

  pteris_figures_take (self->figures, _ ("Memory Used by Pteris"),
                       pteris_is_known (own) ? format_bytes (own) : NULL);
  pteris_figures_take (self->figures, _ ("Clock"), format_clock (facts->core_clock));
  pteris_figures_take (self->figures, _ ("Memory Clock"), format_clock (facts->memory_clock));
  pteris_figures_take (self->figures, _ ("Fan"),
                       pteris_is_known (facts->fan) ? format_percent (facts->fan) : NULL);
  pteris_figures_take (self->figures, _ ("PCIe"), format_link (facts));
  pteris_figures_take (self->figures, _ ("To the GPU"), format_speed (facts->to_gpu));
  pteris_figures_take (self->figures, _ ("From the GPU"), format_speed (facts->to_host));
}

void
pteris_device_card_update (PterisDeviceCard *self, PterisActivity *activity, gint64 now,
                           gint64 span)
{
  gboolean gpu = pteris_device_is_gpu (self->device);
  g_autofree char *about = gpu ? describe_gpu (self->device) : describe_processor (self->device);

  gtk_label_set_text (self->name, pteris_device_get_name (self->device));
  gtk_label_set_text (self->about, about);
  gtk_widget_set_visible (GTK_WIDGET (self->about), about[0] != '\0');
  update_state (self);
  update_graphs (self, activity, now, span);
  if (gpu)
    update_gpu_figures (self);
}

/* ---- life ---- */

static void
pteris_device_card_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_DEVICE_CARD);
  G_OBJECT_CLASS (pteris_device_card_parent_class)->dispose (object);
}

static void
pteris_device_card_finalize (GObject *object)
{
  PterisDeviceCard *self = PTERIS_DEVICE_CARD (object);

  g_object_unref (self->device);
  g_ptr_array_unref (self->kinds);
  G_OBJECT_CLASS (pteris_device_card_parent_class)->finalize (object);
}

static void
pteris_device_card_class_init (PterisDeviceCardClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_device_card_dispose;
  G_OBJECT_CLASS (klass)->finalize = pteris_device_card_finalize;
  g_type_ensure (PTERIS_TYPE_FIGURES);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/device-card.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisDeviceCard, content);
  gtk_widget_class_bind_template_child (widget_class, PterisDeviceCard, name);
  gtk_widget_class_bind_template_child (widget_class, PterisDeviceCard, about);
  gtk_widget_class_bind_template_child (widget_class, PterisDeviceCard, state);
  gtk_widget_class_bind_template_child (widget_class, PterisDeviceCard, state_icon);
  gtk_widget_class_bind_template_child (widget_class, PterisDeviceCard, state_text);
  gtk_widget_class_bind_template_child (widget_class, PterisDeviceCard, graphs);
  gtk_widget_class_bind_template_child (widget_class, PterisDeviceCard, figures);
}

static void
pteris_device_card_init (PterisDeviceCard *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->kinds = g_ptr_array_new ();
}

PterisDeviceCard *
pteris_device_card_new (PterisDevice *device)
{
  PterisDeviceCard *self = g_object_new (PTERIS_TYPE_DEVICE_CARD, NULL);
  gboolean gpu = pteris_device_is_gpu (device);

  self->device = g_object_ref (device);
  if (gpu)
    add_graphs (self, GPU_KINDS, G_N_ELEMENTS (GPU_KINDS));
  else
    add_graphs (self, PROCESSOR_KINDS, G_N_ELEMENTS (PROCESSOR_KINDS));
  gtk_widget_set_visible (GTK_WIDGET (self->figures), gpu);
  return self;
}
