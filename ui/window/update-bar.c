/* SPDX-License-Identifier: BSD-3-Clause */
#include "ui/window/update-bar.h"

#include "ui/i18n.h"
#include "ui/settings.h"

struct _PterisUpdateBar {
  GtkWidget parent_instance;

  GtkRevealer *content;
  GtkLabel *sentence;

  PterisUpdates *updates;
};

G_DEFINE_FINAL_TYPE (PterisUpdateBar, pteris_update_bar, GTK_TYPE_WIDGET)

static gboolean
shall_tell (const PtUpdate *found)
{
  g_autofree char *closed = pteris_settings_get_string (PTERIS_SETTING_UPDATE_TOLD);

  return found != NULL && found->is_newer &&
         pteris_settings_get_boolean (PTERIS_SETTING_LOOK_FOR_UPDATES) &&
         g_strcmp0 (closed, found->newest) != 0;
}

static void
update (PterisUpdateBar *self)
{
  const PtUpdate *found = pteris_updates_get_found (self->updates);

  if (shall_tell (found)) {
    /* Translators: a version such as 0.3.0. */
    g_autofree char *text = g_strdup_printf (_ ("Pteris %s is available."), found->newest);

    gtk_label_set_text (self->sentence, text);
    gtk_revealer_set_reveal_child (self->content, TRUE);
  } else {
    gtk_revealer_set_reveal_child (self->content, FALSE);
  }
}

static void
on_page (PterisUpdateBar *self)
{
  const PtUpdate *found = pteris_updates_get_found (self->updates);

  if (found != NULL)
    gtk_show_uri (GTK_WINDOW (gtk_widget_get_root (GTK_WIDGET (self))), found->page,
                  GDK_CURRENT_TIME);
}

static void
on_close (PterisUpdateBar *self)
{
  const PtUpdate *found = pteris_updates_get_found (self->updates);

  if (found != NULL)
    pteris_settings_set_string (PTERIS_SETTING_UPDATE_TOLD, found->newest);
  update (self);
}

void
pteris_update_bar_bind (PterisUpdateBar *self, PterisUpdates *updates)
{
  g_set_object (&self->updates, updates);
  g_signal_connect_object (updates, "changed", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  pteris_settings_watch (PTERIS_SETTING_LOOK_FOR_UPDATES, (void (*) (gpointer)) update, self);
  update (self);
}

static void
pteris_update_bar_dispose (GObject *object)
{
  g_clear_object (&PTERIS_UPDATE_BAR (object)->updates);
  gtk_widget_dispose_template (GTK_WIDGET (object), PTERIS_TYPE_UPDATE_BAR);
  G_OBJECT_CLASS (pteris_update_bar_parent_class)->dispose (object);
}

static void
pteris_update_bar_class_init (PterisUpdateBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = pteris_update_bar_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/pteris/Pteris/ui/update-bar.ui");
  gtk_widget_class_bind_template_child (widget_class, PterisUpdateBar, content);
  gtk_widget_class_bind_template_child (widget_class, PterisUpdateBar, sentence);
  gtk_widget_class_bind_template_callback (widget_class, on_page);
  gtk_widget_class_bind_template_callback (widget_class, on_close);
}

static void
pteris_update_bar_init (PterisUpdateBar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
