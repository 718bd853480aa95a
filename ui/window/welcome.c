/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/window/welcome.h"

#include <adwaita.h>

#include "ui/i18n.h"

/* A model of middle size, and the largest that answers quickly on most computers; the texts of
 * welcome.ui name these sizes. */
#define BETTER_BYTES (G_GUINT64_CONSTANT (1300) * 1000 * 1000)
#define BEST_BYTES (G_GUINT64_CONSTANT (3000) * 1000 * 1000)

struct _PterisWelcome {
  GtkWidget parent_instance;

  GtkWidget *content;
  GtkWidget *starter;
  GtkButton *leave;
};

G_DEFINE_FINAL_TYPE (PterisWelcome, pteris_welcome, GTK_TYPE_WIDGET)

static void
leave (GtkWidget *widget, const char *name, GVariant *parameter)
{
  gtk_widget_activate_action (widget, "win.show-page", "s", "chat");
}

static void
use_starter (GtkWidget *widget, const char *name, GVariant *parameter)
{
  gtk_widget_activate_action (widget, "win.use-starter", NULL);
  leave (widget, NULL, NULL);
}

static void
add_folder (GtkWidget *widget, const char *name, GVariant *parameter)
{
  gtk_widget_activate_action (widget, "win.add-folder", NULL);
  leave (widget, NULL, NULL);
}

static void
get_better (GtkWidget *widget, const char *name, GVariant *parameter)
{
  gtk_widget_activate_action (widget, "win.get-chat", "t", BETTER_BYTES);
}

static void
get_best (GtkWidget *widget, const char *name, GVariant *parameter)
{
  gtk_widget_activate_action (widget, "win.get-chat", "t", BEST_BYTES);
}

static void
discover (GtkWidget *widget, const char *name, GVariant *parameter)
{
  gtk_widget_activate_action (widget, "win.show-page", "s", "discover");
}

/* If there are models already, perhaps from a package, no starter models are needed. */
static void
on_scanned (PterisLibrary *library, PterisWelcome *self)
{
  gboolean has_models = g_list_model_get_n_items (G_LIST_MODEL (library)) > 0;

  gtk_widget_set_visible (self->starter, !has_models);
  gtk_button_set_label (self->leave, has_models ? _ ("_Get Started") : _ ("_Skip"));
  if (has_models)
    gtk_widget_add_css_class (GTK_WIDGET (self->leave), "suggested-action");
  else
    gtk_widget_remove_css_class (GTK_WIDGET (self->leave), "suggested-action");
}

static void
pteris_welcome_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_WELCOME);
  G_OBJECT_CLASS (pteris_welcome_parent_class)->dispose (object);
}

static void
pteris_welcome_class_init (PterisWelcomeClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_welcome_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/pteris/Pteris/ui/welcome.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisWelcome, content);
  gtk_widget_class_bind_template_child (widget_class, PterisWelcome, starter);
  gtk_widget_class_bind_template_child (widget_class, PterisWelcome, leave);
  gtk_widget_class_install_action (widget_class, "welcome.use-starter", NULL, use_starter);
  gtk_widget_class_install_action (widget_class, "welcome.add-folder", NULL, add_folder);
  gtk_widget_class_install_action (widget_class, "welcome.get-better", NULL, get_better);
  gtk_widget_class_install_action (widget_class, "welcome.get-best", NULL, get_best);
  gtk_widget_class_install_action (widget_class, "welcome.discover", NULL, discover);
  gtk_widget_class_install_action (widget_class, "welcome.leave", NULL, leave);
}

static void
pteris_welcome_init (PterisWelcome *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

PterisWelcome *
pteris_welcome_new (PterisLibrary *library)
{
  PterisWelcome *self = g_object_new (PTERIS_TYPE_WELCOME, NULL);

  g_signal_connect_object (library, "scanned", G_CALLBACK (on_scanned), self, 0);
  return self;
}
