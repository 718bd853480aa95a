/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/models/variant-button.h"

#include "ui/i18n.h"
#include "ui/parts/label.h"

/* Of the menu, in pixels; and of its lines, in characters, after which they are wrapped. */
#define WIDTH 300
#define MAX_LINE 36

struct _PterisVariantButton {
  GtkWidget parent_instance;

  GtkMenuButton *button;
  GtkLabel *label;

  PterisModel *model;
};

G_DEFINE_FINAL_TYPE (PterisVariantButton, pteris_variant_button, GTK_TYPE_WIDGET)

/* ---- in words ---- */

static const char *
device_of (const PtModelVariant *variant)
{
  if (variant->foreign && g_strcmp0 (variant->backend, "openvino") == 0)
    return "OpenVINO";
  if (variant->on_gpu)
    return _ ("GPU");
  return variant->obstacle != NULL && variant->backend != NULL ? variant->backend : _ ("CPU");
}

/* "8da4w · CPU · 1.2 GB" */
static char *
describe (const PtModelVariant *variant)
{
  g_autofree char *size = g_format_size (variant->bytes);

  if (variant->precision == NULL)
    return g_strdup_printf ("%s · %s", device_of (variant), size);
  return g_strdup_printf ("%s · %s · %s", variant->precision, device_of (variant), size);
}

static const PtModelVariant *
used_variant (PterisModel *model)
{
  const PtModelInfo *info = pteris_model_get_info (model);

  for (guint i = 0; i < info->n_variants; i++)
    if (info->variants[i].chosen)
      return &info->variants[i];
  return info->variants;
}

static char *
describe_choice (PterisModel *model)
{
  const char *name = used_variant (model)->name;

  return pteris_model_get_variant (model) != NULL
             ? g_strdup_printf (_ ("Variant: %s"), name)
             : g_strdup_printf (_ ("Variant: automatic (%s)"), name);
}

/* ---- the menu ---- */

static GtkWidget *
make_line (const char *text, const char *style)
{
  GtkWidget *label = pteris_label_new (text, style);

  gtk_label_set_max_width_chars (GTK_LABEL (label), MAX_LINE);
  return label;
}

/* A row of the menu. @obstacle: why it cannot be chosen; or NULL. */
static GtkWidget *
make_row (const char *title, const char *facts, const char *obstacle, gboolean used)
{
  GtkWidget *row = gtk_list_box_row_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 8);
  GtkWidget *lines = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget *check = gtk_image_new_from_icon_name ("object-select-symbolic");
  g_autofree char *label =
      g_strdup_printf ("%s, %s%s%s%s%s", title, facts, used ? ", " : "", used ? _ ("in use") : "",
                       obstacle != NULL ? ", " : "", obstacle != NULL ? obstacle : "");

  gtk_widget_set_opacity (check, used ? 1 : 0);
  gtk_widget_set_valign (check, GTK_ALIGN_CENTER);
  gtk_widget_set_hexpand (lines, TRUE);
  gtk_box_append (GTK_BOX (lines), make_line (title, obstacle != NULL ? "dim-label" : NULL));
  gtk_box_append (GTK_BOX (lines), make_line (facts, "caption"));
  if (obstacle != NULL)
    gtk_box_append (GTK_BOX (lines), make_line (obstacle, "caption"));
  for (GtkWidget *line = gtk_widget_get_next_sibling (gtk_widget_get_first_child (lines));
       line != NULL; line = gtk_widget_get_next_sibling (line))
    gtk_widget_add_css_class (line, "dim-label");
  gtk_box_append (GTK_BOX (box), lines);
  gtk_box_append (GTK_BOX (box), check);
  gtk_list_box_row_set_child (GTK_LIST_BOX_ROW (row), box);
  gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), obstacle == NULL);
  gtk_accessible_update_property (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  return row;
}

/* The first row is "Automatic", the others are those of the model. */
static void
on_row_activated (GtkListBox *list, GtkListBoxRow *row, PterisVariantButton *self)
{
  const PtModelInfo *info = pteris_model_get_info (self->model);
  int index = gtk_list_box_row_get_index (row);
  const char *path =
      index > 0 && (guint) index <= info->n_variants ? info->variants[index - 1].path : "";

  gtk_menu_button_popdown (self->button);
  gtk_widget_activate_action (GTK_WIDGET (self), "win.choose-variant", "(^ay^ay)", info->path,
                              path);
}

static GtkWidget *
make_list (PterisVariantButton *self)
{
  const PtModelInfo *info = pteris_model_get_info (self->model);
  const PtModelVariant *chosen = pteris_model_get_variant (self->model);
  GtkWidget *list = gtk_list_box_new ();
  g_autofree char *best =
      g_strdup_printf (_ ("The best one that runs here, now %s"), info->variants[0].name);

  gtk_list_box_set_selection_mode (GTK_LIST_BOX (list), GTK_SELECTION_NONE);
  gtk_widget_add_css_class (list, "variant-list");
  gtk_accessible_update_property (GTK_ACCESSIBLE (list), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Variants"), -1);
  gtk_list_box_append (GTK_LIST_BOX (list), make_row (_ ("Automatic"), best, NULL, chosen == NULL));
  for (guint i = 0; i < info->n_variants; i++) {
    const PtModelVariant *variant = &info->variants[i];
    g_autofree char *facts = describe (variant);

    gtk_list_box_append (GTK_LIST_BOX (list),
                         make_row (variant->name, facts, variant->obstacle, variant == chosen));
  }
  g_signal_connect (list, "row-activated", G_CALLBACK (on_row_activated), self);
  return list;
}

/* Made on demand, like other menus of cards. */
static void
on_popup (GtkMenuButton *button, gpointer user_data)
{
  PterisVariantButton *self = user_data;
  GtkWidget *popover = gtk_popover_new ();
  GtkWidget *scroller = gtk_scrolled_window_new ();

  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scroller), TRUE);
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scroller), 360);
  gtk_scrolled_window_set_propagate_natural_width (GTK_SCROLLED_WINDOW (scroller), TRUE);
  gtk_widget_set_size_request (scroller, WIDTH, -1);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), make_list (self));
  gtk_popover_set_child (GTK_POPOVER (popover), scroller);
  gtk_menu_button_set_popover (button, popover);
}

/* ---- the model ---- */

void
pteris_variant_button_set_model (PterisVariantButton *self, PterisModel *model)
{
  gboolean has_variants = model != NULL && pteris_model_get_info (model)->n_variants > 1 &&
                          !pteris_model_is_away (model);
  PterisModel *shown = has_variants ? model : NULL;
  g_autofree char *text = has_variants ? describe_choice (model) : NULL;

  if (g_set_object (&self->model, shown) && has_variants) {
    gtk_menu_button_set_popover (self->button, NULL);
    gtk_label_set_text (self->label, text);
    gtk_accessible_update_property (GTK_ACCESSIBLE (self->button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                    text, -1);
  }
  gtk_widget_set_visible (GTK_WIDGET (self), has_variants);
}

static void
pteris_variant_button_dispose (GObject *object)
{
  PterisVariantButton *self = PTERIS_VARIANT_BUTTON (object);

  g_clear_object (&self->model);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_VARIANT_BUTTON);
  G_OBJECT_CLASS (pteris_variant_button_parent_class)->dispose (object);
}

static void
pteris_variant_button_class_init (PterisVariantButtonClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_variant_button_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/org/pteris/Pteris/ui/variant-button.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisVariantButton, button);
  gtk_widget_class_bind_template_child (widget_class, PterisVariantButton, label);
}

static void
pteris_variant_button_init (PterisVariantButton *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_menu_button_set_create_popup_func (self->button, on_popup, self, NULL);
}
